"""The values of the picture of a mined pattern: a lane per node type, steps in it, arrows between them.

Ids are the caller's own (a call template's id will do); an arrow names the calls it joins by them, or a
whole lane by its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class PatternCall:
    """One call, or a run of identical ones."""

    id: str
    """Unique in the pattern."""
    name: str
    """The method: `addBlock`."""
    note: str = ""
    """One short line below: its telling argument (`src = /in/part-{n}`), or how it ends."""
    count: int = 1
    """How many times in a row."""


@dataclass(frozen=True, slots=True)
class PatternLoop:
    """A repeated segment."""

    times: str
    """The count formula over the Scale: `files / clients`."""
    steps: tuple[PatternStep, ...]
    value: str = ""
    """What the formula gives at the Scale shown: `400`."""


PatternStep = PatternCall | PatternLoop


@dataclass(frozen=True, slots=True)
class PatternPeriodic:
    """A periodic call: real time makes it, not the sequence."""

    call: PatternCall
    every: str
    """Its period as text: `3 s`, `3 s, while a file is open`."""
    every_s: float | None = None
    """The period in seconds: longer ones are drawn wider apart."""


@dataclass(frozen=True, slots=True)
class PatternLane:
    """A node type."""

    name: str
    count: str = ""
    """How many there are: `clients`, or `clients = 50`."""
    start: str = ""
    """When its nodes start: `after all DataNodes have started`."""
    steps: tuple[PatternStep, ...] = ()
    effects: tuple[PatternCall, ...] = ()
    """Calls made because of another node's call; an arrow of kind CAUSE says which."""
    periodic: tuple[PatternPeriodic, ...] = ()
    does: str = ""
    """What its nodes do, in a word or two, where their name does not say it: `rename`."""

    def calls(self) -> Iterator[PatternCall]:
        """Every call of the lane, from top to bottom."""
        yield from _calls(self.steps)
        yield from self.effects
        yield from (each.call for each in self.periodic)


class ArrowKind(Enum):
    """What an arrow says."""

    START = "start"
    """The target starts because of the source."""
    CAUSE = "cause"
    """The target call is made because the source call was answered, or because its request was made to that node."""


@dataclass(frozen=True, slots=True)
class PatternArrow:
    """From one call (by id) or lane (by name) to another."""

    source: str
    target: str
    kind: ArrowKind
    label: str = ""
    """More about it: `each of block.locs`; shown on hover and in the text below the picture."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A mined pattern, ready to be drawn."""

    title: str
    lanes: tuple[PatternLane, ...]
    arrows: tuple[PatternArrow, ...] = ()
    caption: str = ""
    """How to read it (`Text` Markdown)."""
    fold_at: int = 14
    """A run of more calls than this is folded: its first and last ones stay, counts stand for the rest."""

    def __post_init__(self) -> None:
        known: set[str] = set()
        for lane in self.lanes:
            for name in (lane.name, *(call.id for call in lane.calls())):
                if name in known:
                    raise ValueError(f"the name or id {name!r} stands twice in the pattern")
                known.add(name)
        for arrow in self.arrows:
            for end in (arrow.source, arrow.target):
                if end not in known:
                    raise ValueError(f"an arrow names {end!r}, which is no call and no lane")
        if self.fold_at < 6:
            raise ValueError(f"fold_at must be at least 6, got {self.fold_at}")


def describe(pattern: Pattern) -> str:
    """The picture in words: for readers who do not see it, and for tests."""
    lines = [line for lane in pattern.lanes for line in _describe_lane(lane)]
    words = arrow_words(pattern)
    return "\n".join([*lines, *(f"{words[arrow]}." for arrow in pattern.arrows)])


def arrow_words(pattern: Pattern) -> dict[PatternArrow, str]:
    """What each arrow shows, as a clause."""
    names = {call.id: f"{lane.name} {call.name}" for lane in pattern.lanes for call in lane.calls()}
    words = {}
    for arrow in pattern.arrows:
        source, target = (names.get(end, end) for end in (arrow.source, arrow.target))
        label = f" ({arrow.label})" if arrow.label else ""
        words[arrow] = f"{_VERBS[arrow.kind].format(source=source, target=target)}{label}"
    return words


_TIMES = "\u00d7"
_VERBS = {
    ArrowKind.START: "{source} starts {target}",
    ArrowKind.CAUSE: "{source} causes {target}",
}


def _describe_lane(lane: PatternLane) -> Iterator[str]:
    parts = (f"{_TIMES} {lane.count}" if lane.count else "", lane.does)
    said = "; ".join(part for part in parts if part)
    head = lane.name + (f" ({said})" if said else "")
    yield f"{head}: {_describe_steps(lane.steps) or 'no steps'}."
    if lane.start:
        yield f"{lane.name} starts {lane.start}."
    if lane.effects:
        yield f"{lane.name} calls {_describe_steps(lane.effects)} because of other nodes' calls."
    for each in lane.periodic:
        yield f"{lane.name} calls {each.call.name} every {each.every}."


def _describe_steps(steps: Sequence[PatternStep]) -> str:
    parts = []
    for step in steps:
        if isinstance(step, PatternLoop):
            value = f" = {step.value}" if step.value else ""
            parts.append(f"repeat {step.times}{value} times [{_describe_steps(step.steps)}]")
        else:
            parts.append(step.name + (f" {_TIMES} {step.count}" if step.count > 1 else ""))
    return ", ".join(parts)


def _calls(steps: Sequence[PatternStep]) -> Iterator[PatternCall]:
    for step in steps:
        if isinstance(step, PatternLoop):
            yield from _calls(step.steps)
        else:
            yield step
