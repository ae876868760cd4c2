"""Faults while a job is recorded: a node that dies, or one that stands still for a while, at a time after its start."""

from __future__ import annotations

import os
import re
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from froude.base.errors import InputError
from froude.base.units import Quantity, parse_seconds

_FORM = re.compile(r"(?P<what>kill|stop) (?P<kind>datanode|nodemanager) (?P<node>\d+) after (?P<rest>.+)")
ALLOWED = "such as 'kill datanode 0 after 20 s' or 'stop nodemanager 1 after 10 s for 15 s'"


@dataclass(frozen=True, slots=True)
class Fault:
    """One of them."""

    kind: str
    """Whose: `datanode` or `nodemanager`."""
    node: int
    """Its number, from 0 on."""
    after_s: float
    """How long after the job's start."""
    for_s: float | None = None
    """How long it stands still; None where it is killed."""

    @property
    def daemon(self) -> str:
        """The daemon's name, such as `datanode-0`."""
        return f"{self.kind}-{self.node}"

    def __str__(self) -> str:
        """As `parse_fault` reads it."""
        at = f"{self.kind} {self.node} after {Quantity(self.after_s, 's')}"
        return f"kill {at}" if self.for_s is None else f"stop {at} for {Quantity(self.for_s, 's')}"


def parse_fault(text: str, *, place: str = "fault") -> Fault:
    """Read `kill datanode 0 after 20 s` or `stop nodemanager 1 after 10 s for 15 s`.

    Raises:
        InputError: another form.
    """
    match = _FORM.fullmatch(" ".join(text.split()))
    after, stops, still = match["rest"].partition(" for ") if match else ("", "", "")
    if match is None or (match["what"] == "stop") != bool(stops):
        raise InputError("is no fault", place=place, found=text, allowed=ALLOWED)
    return Fault(
        match["kind"],
        int(match["node"]),
        parse_seconds(after, place=place),
        parse_seconds(still, place=place) if stops else None,
    )


def check_nodes(faults: Sequence[Fault], scale: Mapping[str, Quantity]) -> None:
    """Refuse a fault of a node that a run does not have.

    Raises:
        InputError: there is one.
    """
    for fault in faults:
        name = f"{fault.kind}s"
        count = int(scale[name].value) if name in scale else 0
        if fault.node >= count:
            allowed = f"0 to {count - 1}" if count else None
            raise InputError(
                f"is no {fault.kind} of {scale}", place="fault", found=fault.node, allowed=allowed
            )


@contextmanager
def injected(
    faults: Sequence[Fault],
    pid_of: Callable[[str], int],
    *,
    send: Callable[[int, signal.Signals], None] = os.kill,
) -> Iterator[None]:
    """Let faults happen while the block runs; what stands still goes on at its end at the latest.

    Args:
        faults: what happens when, counted from the block's beginning.
        pid_of: the process id of a daemon by its name.

    Raises:
        InputError: the block ended before a fault came: what was recorded is not what was asked for.
    """
    pids = {fault.daemon: pid_of(fault.daemon) for fault in faults}
    over = threading.Event()
    came: list[Fault] = []

    def happen(fault: Fault) -> None:
        if over.wait(fault.after_s):
            return
        pid = pids[fault.daemon]
        came.append(fault)
        send(pid, signal.SIGKILL if fault.for_s is None else signal.SIGSTOP)
        if fault.for_s is not None:
            over.wait(fault.for_s)
            send(pid, signal.SIGCONT)

    threads = [threading.Thread(target=happen, args=(fault,), daemon=True) for fault in faults]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
    for fault in faults:
        if fault not in came:
            raise InputError("never came: the command ended before", place="fault", found=str(fault))
