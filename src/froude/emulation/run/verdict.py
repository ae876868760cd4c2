"""The verdict on a run: green, amber or red, by rules that are stated here and nowhere else.

Red: the run ended before its time, or is partial, since a player was lost; calls could not be sent; a limit that was
asked for was not kept, or nobody can tell.

Amber: figures are there, but not of what was planned, or not of the target alone. Calls failed that did not fail when
they were recorded (named apart where most of them met files of an earlier play), or strayed from the recorded job (a
wait or a poll in vain, an argument without its value, an application or a container that was ended before its time);
the run was interrupted; its ramp never ended, or a sustained load was not steady, or the target's JVM still compiled,
while it was measured; a node refused to go on; calls were sent more than a second after they were due; the target
counted other numbers of calls; the player was the limit; other work kept the machine busy; or nothing was seen of a
target. Of several daemons each has a verdict of its own, on its calls alone.

Green: none of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from froude.base.summary import counted
from froude.base.units import seconds_text
from froude.emulation.notes import (
    ALLOWED,
    APPLICATION_GIVEN_UP,
    CONTAINER_LOST,
    FOREIGN_APPLICATION,
    FOREIGN_DATANODE,
    GIVEN_UP,
    IN_VAIN,
    MASTER_KILLED,
    UNRESOLVED,
    UNSERVED,
)
from froude.emulation.run.bottleneck import Bottleneck, LimitedBy
from froude.emulation.run.tally import Percentiles
from froude.emulation.steadiness import QUIET
from froude.hadoop.rpc.target import daemon_name

_ONCE = "once"
"""The mode of a load that ends by itself; of another one some calls are always due when it is ended."""
_LATE_MS = 1000.0
"""Lateness (p99) from which a load is another than was planned."""


class Colour(Enum):
    """How far a run can be relied on."""

    GREEN = "green"
    AMBER = "amber"
    RED = "red"


@dataclass(frozen=True, slots=True)
class LimitResult:
    """A limit held against a run."""

    limit: str
    """As it was given."""
    value: float | None
    """What was measured, in the unit of the measure; None for unknown."""
    unit: str
    """`s`, `share`, or empty for a number."""
    held: bool
    """Whether it was kept; what is unknown was not."""

    @property
    def text(self) -> str:
        """The limit and what was measured, for people."""
        return f"{self.limit}: {measured_text(self.value, self.unit)}"


def measured_text(value: float | None, unit: str) -> str:
    """What was measured, for people.

    Args:
        value: in its unit; None for unknown.
        unit: `s`, `share`, or empty for a number.
    """
    if value is None:
        return "unknown"
    shown = {"s": seconds_text(value), "share": f"{value:.3%}"}
    return shown.get(unit, f"{value:,.6g}")


class Judged(Protocol):
    """What of a run the rules look at; see `emulation.run.Run`."""

    failure: str | None
    interrupted: bool
    mode: str
    """`once`, or how its load was sustained."""

    @property
    def partial(self) -> bool:
        """Whether that is a player that was lost."""
        ...

    @property
    def compiler_share(self) -> float | None:
        """Of the target's CPU time, what its compiler used."""
        ...

    @property
    def compiler_elapsed(self) -> bool:
        """Whether that is by how long its compiler ran, also while it waited for a core: an upper bound."""
        ...

    @property
    def limits(self) -> Sequence[LimitResult]:
        """Limits that were asked for."""
        ...

    @property
    def left_out(self) -> Mapping[str, int]:
        """Calls never sent, by step and method."""
        ...

    @property
    def notes(self) -> Mapping[str, int]:
        """What the emulated nodes found worth counting."""
        ...

    @property
    def failed(self) -> Counter[str]:
        """Calls that failed unexpectedly, by method."""
        ...

    @property
    def earlier_files(self) -> int:
        """Files and folders from before that most failed calls met."""
        ...

    @property
    def counts(self) -> Mapping[str, object]:
        """Calls of the steady phase, by method."""
        ...

    @property
    def unsent(self) -> Mapping[str, int]:
        """Calls due and not sent, by method."""
        ...

    @property
    def refused(self) -> int:
        """Nodes that the target did not take."""
        ...

    @property
    def steady_from_s(self) -> float | None:
        """When the ramp ended."""
        ...

    @property
    def lateness(self) -> Percentiles:
        """How late calls were sent."""
        ...

    @property
    def differences(self) -> Sequence[object] | None:
        """Where the target counted other numbers."""
        ...

    @property
    def parts(self) -> Mapping[str, Judged]:
        """What was each daemon's; empty where one was called."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a run is worth, and why."""

    colour: Colour
    reasons: tuple[str, ...]
    """A sentence each, the gravest first."""

    def __str__(self) -> str:
        return f"{self.colour.value}: {'; '.join(self.reasons)}"


def verdict_of(run: Judged, bottleneck: Bottleneck) -> Verdict:
    """The verdict on a run; see the module for its rules."""
    red, amber = list(_red(run)), list(_amber(run, bottleneck))
    if red:
        return Verdict(Colour.RED, (*red, *amber))
    if amber:
        return Verdict(Colour.AMBER, tuple(amber))
    limits = f", and every limit ({len(run.limits)}) was kept" if run.limits else ""
    return Verdict(Colour.GREEN, (f"every call was sent and answered as planned{limits}",))


_STRAYED = (
    (ALLOWED, "call", "done that was refused when recorded"),
    (IN_VAIN, "node", "waited in vain for what another should have made, and went on"),
    (GIVEN_UP, "call", "repeated until it was given up"),
    (APPLICATION_GIVEN_UP, "application", "given up before all its tasks had run"),
    (MASTER_KILLED, "application master", "ended by the ResourceManager"),
    (CONTAINER_LOST, "container", "ended before its task had"),
    (FOREIGN_APPLICATION, "container", "started for an application that the play did not submit"),
    (FOREIGN_DATANODE, "block", "placed on a DataNode that the play does not emulate"),
    (UNRESOLVED, "argument", "sent without a value, since no earlier call had given it"),
)
"""Notes of a play that did not go as the recorded job: how they begin, what is counted, and what happened."""


def _red(run: Judged) -> Iterator[str]:
    if run.failure is not None:
        yield run.failure if run.partial else f"the run ended before its time: {run.failure}"
    if any(note.startswith(UNSERVED) for note in run.notes):
        yield "nothing of the log was replayed: the target stayed in safe mode"
    if run.left_out:
        never = counted(sum(run.left_out.values()), "call")
        yield f"{never} never sent, because an argument had no value"
    for result in run.limits:
        if not result.held:
            yield f"limit not kept: {result.text}"


def _strayed(run: Judged) -> Iterator[str]:
    for beginning, one, what in _STRAYED:
        times = sum(times for note, times in run.notes.items() if note.startswith(beginning))
        if times:
            yield f"{counted(times, one)} {what}"


def _amber(run: Judged, bottleneck: Bottleneck) -> Iterator[str]:
    lateness = run.lateness
    if run.interrupted:
        yield "the run was interrupted"
    if not run.counts:
        yield "no call was sent in the steady phase, so that nothing was measured"
    yield from _strayed(run)
    rest = _troubles(run)
    for daemon, part in run.parts.items():
        own = _troubles(part)
        yield from (f"{daemon_name(daemon)}: {reason}" for reason in _of_calls(*own, mode=run.mode))
        rest = tuple(max(0, all_ - each) for all_, each in zip(rest, own, strict=True))
    yield from _of_calls(
        *rest, mode=run.mode
    )  # also of calls of which none was sent, so that no daemon had one
    if run.earlier_files:
        found = f"{run.earlier_files:,} files and folders"
        yield f"most failed calls met files of an earlier play: {found} were there when this one began"
    if lateness.p99_ms > _LATE_MS:
        late_s = lateness.p99_ms / 1e3
        yield f"calls were sent up to {late_s:,.1f} s (p99) after they were due: the load fell behind its plan"
    if run.mode != _ONCE and (run.compiler_share or 0.0) >= QUIET:
        share = f"{'up to ' if run.compiler_elapsed else ''}{run.compiler_share:.0%}"
        yield f"the JVM was still compiling: {share} of the target's CPU time was its compiler's"
    if run.steady_from_s is None:
        yield (
            "not every emulated daemon had started before the end: figures are of the ramp"
            if run.mode == _ONCE
            else "the load was not steady before the end: figures are of all of it"
        )
    if run.differences:
        yield f"the target counted other numbers of calls than were sent, of {counted(len(run.differences), 'method')}"
    if bottleneck.by is LimitedBy.PLAYER:
        yield f"the player was the limit: {bottleneck.reason}"
    if bottleneck.by is LimitedBy.MACHINE:
        yield f"the machine was busy: {bottleneck.reason}"
    if bottleneck.by is LimitedBy.UNKNOWN:
        yield f"nothing was seen of {bottleneck.unseen} itself: name its web address"


def _troubles(run: Judged) -> tuple[int, ...]:
    """Calls that failed, calls that were not sent, and nodes that were refused."""
    return run.failed.total(), sum(run.unsent.values()), run.refused


def _of_calls(failed: int, unsent: int, refused: int, *, mode: str) -> Iterator[str]:
    if failed:
        yield f"{counted(failed, 'call')} failed that did not fail when recorded"
    if unsent and mode == _ONCE:
        yield f"{counted(unsent, 'call')} due and not sent before the end"
    if refused:
        yield f"{counted(refused, 'node')} refused by the target"
