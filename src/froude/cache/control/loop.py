"""The loop's thread, and the agents behind REST: the shell around `rounds`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from froude.base.errors import FroudeError, TargetError
from froude.cache.agents.beat import Beat, Beating
from froude.cache.agents.client import AgentClient
from froude.cache.backends.order import Step
from froude.cache.control.rounds import Controller
from froude.cache.control.types import Record
from froude.cache.monitor.messages import CachedVm, HypervisorReport, VmReport

_MOST_AT_ONCE = 32
T = TypeVar("T")


@dataclass(slots=True)
class RestAgents:
    """Agents, asked by a thread each."""

    of_hypervisors: Mapping[str, AgentClient]
    of_vms: Mapping[str, AgentClient] = field(default_factory=dict)
    _pool: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(_MOST_AT_ONCE, thread_name_prefix="froude-agent")
    )

    def hypervisors(self) -> Mapping[str, HypervisorReport | FroudeError]:
        """See `Agents`."""
        return self._all({name: each.hypervisor for name, each in self.of_hypervisors.items()})

    def guests(self) -> Mapping[str, VmReport | FroudeError]:
        """See `Agents`."""
        return self._all({name: each.vm for name, each in self.of_vms.items()})

    def apply(self, steps: Mapping[str, tuple[int, Step]]) -> Mapping[str, CachedVm | FroudeError]:
        """See `Agents`."""
        return self._all(
            {
                name: partial(self.of_hypervisors[name].apply, step.vm, number, step.after)
                for name, (number, step) in steps.items()
            }
        )

    def close(self) -> None:
        """End its threads."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _all(self, calls: Mapping[str, Callable[[], T]]) -> dict[str, T | FroudeError]:
        futures = {name: self._pool.submit(call) for name, call in calls.items()}
        answers: dict[str, T | FroudeError] = {}
        for name, future in futures.items():
            try:
                answers[name] = future.result()
            except FroudeError as error:
                answers[name] = error
            except Exception as error:  # noqa: BLE001 - one agent, whatever it does, holds up nobody else
                answers[name] = TargetError(f"cannot be asked ({error!r})", file=name)
        return answers


@dataclass(slots=True)
class Loop(Beating):
    """A round every so often, and at once when it is asked for; `with Loop(...) as loop:`."""

    controller: Controller
    interval_s: float
    apply: bool = True
    """Whether plans are carried out."""
    failed: Callable[[str], None] = lambda _: None
    """Told of a round that could not be written down, of what went wrong in one, and of what is not as it should be."""
    paused: bool = False
    """Whether no rounds are made but those that are asked for."""
    failures: int = 0
    """Rounds that ended in an error, since the start."""
    seconds: float = 0.0
    """Of processor time spent in rounds, since the start."""
    lock: threading.RLock = field(default_factory=threading.RLock)
    """Held by whoever has the controller."""
    _cause: str = "start"
    _told: frozenset[str] = frozenset()

    def round(self, *, cause: str, dry: bool) -> Record:
        """One round now; waits for the one that is under way.

        Raises:
            FroudeError: it could not be written down.
        """
        with self.lock:
            record = self.controller.round(cause=cause, dry=dry or not self.apply)
            # What is shown instead of being carried out has its place in the history.
            return record if self.apply or dry else self.controller.remember(record)

    def restore(self, number: int, *, dry: bool) -> Record:
        """Go back to what was in force after an earlier round; no rounds are made by themselves after it.

        Raises:
            KeyError: the history has no such round.
            FroudeError: it could not be written down.
        """
        with self.lock:
            record = self.controller.restore(number, dry=dry or not self.apply)
            if not dry:
                self.pause(True)  # or the next round would undo it
            return record

    def pause(self, paused: bool) -> None:
        """Make no rounds by itself from now on, also after a restart; or make them again.

        Raises:
            FroudeError: it could not be written down; nothing has changed then.
        """
        with self.lock:  # the journal is written by one at a time
            self.controller.journal.pause(paused)
            self.paused = paused

    def beat(self) -> Beat:
        """Makes a round, the first one at once."""
        return Beat("froude-loop", self.interval_s, self._again, at_once=True)

    def _again(self) -> None:
        if self.paused:
            return
        begun = time.thread_time()
        try:
            record = self.round(cause=self._cause, dry=False)
        except FroudeError as error:
            self.failures += 1
            self.failed(str(error))
        except Exception as error:  # noqa: BLE001 - it counts, and the next round is made
            self.failures += 1
            self.failed(f"a bug of ours: {error!r}")
        else:
            self._tell(record.failures)
        self._cause = "interval"
        self.seconds += time.thread_time() - begun

    def _tell(self, failures: tuple[str, ...]) -> None:
        """What went wrong, and what was seen that is not as it should be: once for as long as it lasts."""
        remarks = self.controller.view.remarks
        for text in (*failures, *(each for each in remarks if each not in self._told)):
            self.failed(text)
        self._told = frozenset(remarks)
