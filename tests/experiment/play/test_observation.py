"""The target's own view of a play."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from froude.base.errors import TargetError
from froude.base.progress import Silent, Task
from froude.emulation.run.run import Difference
from froude.experiment.play.observation import Observed
from testbed.virtual_clock import VirtualClock
from tests.support.experiment.main_jobs import a_run


@dataclass
class _Counting:
    """A target that counts, at its own pace."""

    readings: list[dict[str, int] | None] = field(default_factory=list)
    cache_s: float = 1.0

    def rpc_counts(self) -> dict[str, int]:
        """The next reading; the last one stays."""
        counts = self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]
        if counts is None:
            raise TargetError("gone")
        return counts

    def sample(self) -> dict[str, float]:
        """One number."""
        return {"x": 1.0}


def observed(
    *readings: dict[str, int] | None, asked: dict[str, int] | None = None, watched: _Counting | None = None
) -> Observed:
    """A watched target."""
    watched = watched or _Counting(list(readings))
    return Observed(watched, webs={}, check_counts=True, asked=asked or {}, clock=VirtualClock())


def test_what_it_counted_is_held_against_what_was_sent() -> None:
    """From where it stood before; a run that failed is not compared."""
    run = a_run()
    watched = _Counting([{"create": 10}])
    seen = observed(watched=watched)
    seen.counts_before(Silent())
    watched.readings = [{"create": 13}]
    differences = seen.differences(run)
    assert differences is not None
    assert Difference("create", 4, 3) in differences
    run.failure = "reset"
    assert seen.differences(run) is None


def test_what_asked_who_it_is_counts_as_before() -> None:
    """Its counts may not show it yet."""
    seen = observed({}, {"create": 4, "versionRequest": 1}, asked={"versionRequest": 1})
    seen.counts_before(Silent())
    assert seen.differences(a_run()) == []


@pytest.mark.parametrize(
    ("asked", "steps"), [({"create": 4}, []), ({}, ["Waiting for the target's counters"])]
)
def test_the_wait_for_counts_is_shown(asked: dict[str, int], steps: list[str]) -> None:
    """It takes as long as a NameNode's cache; a target that was asked nothing else is not waited for."""
    shown: list[str] = []

    class Shown(Silent):
        def task(self, label: str, total: float | None = None) -> AbstractContextManager[Task]:
            shown.append(label)
            return super().task(label, total)

    observed({"create": 4}, asked=asked).counts_before(Shown())
    assert shown == steps


def test_a_target_that_is_gone_is_not_compared() -> None:
    """Nobody looked, which is not the same as no difference."""
    seen = observed({"create": 0}, None)
    assert seen.differences(a_run()) is None


@pytest.mark.parametrize("watched", [True, False])
def test_samples_while_a_block_runs(watched: bool) -> None:
    """Of a target that is watched; of none there are none."""
    seen = observed({}) if watched else Observed(
        None, webs={}, check_counts=True, asked={}, clock=VirtualClock()
    )  # fmt: skip
    with seen.sampled() as sampler:
        assert (sampler is not None) is watched
    assert seen.environment()["cores"]


@pytest.mark.parametrize(
    ("text", "pauses", "remark"),
    [
        ("[2001-09-09T01:46:41.000+0000][gc] GC(0) Pause Remark 0.5ms\n", [1.0], ""),
        (
            "[2001-09-09T01:46:41.000+0000][gc] GC(0) Pause Remark 0.5ms\nodd\n",
            [1.0],
            "1 of 2 lines could not be read",
        ),
        ("[0.5s][gc] GC(0) Pause Remark 0.5ms\n", None, "1 of 1 line could not be read"),
        (None, None, "cannot be read"),
    ],
)
def test_the_log_of_its_garbage_collector(
    tmp_path: Path, text: str | None, pauses: list[float] | None, remark: str
) -> None:
    """On the clock of the play; one that tells nothing is no play without a pause."""
    log, run = tmp_path / "gc.log", a_run()
    run.begun_at_s, run.remarks = 1e9, []
    if text is not None:
        log.write_text(text)
    Observed(None, webs={}, gc_log=log, check_counts=True, asked={}, clock=VirtualClock()).stops(run)
    assert (None if run.gc is None else [each.time_s for each in run.gc.pauses]) == pauses
    assert (run.gc_log == log) is (text is not None)
    assert [remark in each for each in run.remarks] == ([True] if remark else [])


def test_without_a_log_nothing_is_said_of_stops() -> None:
    """As of a daemon elsewhere."""
    run = a_run()
    observed({}).stops(run)
    assert (run.gc, run.gc_log) == (None, None)
