"""The target's own view of a play: what it is, its metrics while it runs, its counts before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

from froude.base.clock import Clock
from froude.base.errors import InputError, TargetError
from froude.base.progress import Progress
from froude.base.summary import counted
from froude.emulation.run.run import Difference, Run, closure, counted_as
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.metrics import environment
from froude.hadoop.metrics.jmx import Sampler, Watched, read_gc_log, settled_counts


class Observed:
    """One target, watched during one play."""

    def __init__(
        self,
        watched: Watched | None,
        *,
        webs: Mapping[str, tuple[str, int]],
        gc_log: Path | None = None,
        check_counts: bool,
        asked: Mapping[str, int],
        clock: Clock,
    ) -> None:
        """Say what is watched, and how.

        Args:
            watched: whose metrics and counts are asked for; None for nobody's.
            webs: web addresses by names of daemons, for what each says of its JVM; that of the first needs no name.
            gc_log: the log of its garbage collector, where it can be read from here.
            check_counts: whether to compare its counts with what was sent.
            asked: calls that it was asked a moment ago, which its counts may not show yet.
        """
        self.clock = clock
        self._watched = watched
        self._webs = webs
        self.gc_log = gc_log
        self._asked = dict(asked)
        self._checked = watched is not None and check_counts
        self._before: dict[str, int] = {}

    def environment(self) -> dict[str, str]:
        """What the play runs on: this machine, and the target's JVM where it can be asked."""
        found = environment.machine()
        for number, (name, web) in enumerate(self._webs.items()):
            facts = environment.daemon(web).items()
            found |= {f"{key} of the {name}" if number else key: value for key, value in facts}
        return found

    def waits_for(self) -> str:
        """Why it does not serve yet, in its own words, as far as it says so; empty when it serves."""
        try:
            return self._watched.safe_mode() if isinstance(self._watched, NameNode) else ""
        except TargetError:
            return ""

    def counts_before(self, progress: Progress) -> None:
        """Take what it counted so far; of a target that was used already only once its cache has turned over."""
        if self._checked and self._watched is not None:
            counts = self._watched.rpc_counts()
            sleep, cache_s = self.clock.sleep, self._watched.cache_s
            self._before = self._asked
            if any(count > self._asked.get(method, 0) for method, count in counts.items()):
                with progress.task("Waiting for the target's counters"):
                    self._before = settled_counts(self._watched.rpc_counts, sleep=sleep, cache_s=cache_s)

    @contextmanager
    def sampled(self) -> Iterator[Sampler | None]:
        """Sample its metrics while the block runs."""
        sampler = None if self._watched is None else Sampler(self._watched.sample, self.clock)
        with sampler or nullcontext():
            yield sampler

    def stops(self, run: Run) -> None:
        """Add what the log of its garbage collector tells of the play; a line that cannot be read is spoken of."""
        if self.gc_log is None:
            return
        try:
            log = read_gc_log(self.gc_log)
        except InputError as error:
            run.remarks = [*run.remarks, f"The log of the target's garbage collector cannot be read: {error}"]
            return
        run.gc_log = self.gc_log
        if log.unread < log.lines:
            run.gc = log.during(run.begun_at_s, run.elapsed_s)
        if log.unread:
            which = f"{log.unread:,} of {counted(log.lines, 'line')}"
            run.remarks = [
                *run.remarks,
                f"In the log of the target's garbage collector {which} could not be read",
            ]

    def differences(self, run: Run) -> list[Difference] | None:
        """Where its counts differ from what was sent; None where nobody looked, or it does not answer any more."""
        if not self._checked or self._watched is None or run.failure is not None:
            return None
        expected = {method: self._before.get(method, 0) + sent for method, sent in counted_as(run).items()}
        sleep, cache_s = self.clock.sleep, self._watched.cache_s
        try:
            after = settled_counts(self._watched.rpc_counts, sleep=sleep, expect=expected, cache_s=cache_s)
        except TargetError:
            return None
        return closure(run, self._before, after)
