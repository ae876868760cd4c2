"""One lane of the pattern's picture: its steps stacked from top to bottom, long runs folded.

Coordinates are pixels from the lane's own upper left corner; the page puts lanes side by side. An arrow is drawn as
an anchor at both ends: a number where it begins, and words with that number where it ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from froude.render.format import TIMES
from froude.render.pattern import (
    ArrowKind,
    Pattern,
    PatternArrow,
    PatternCall,
    PatternLane,
    PatternLoop,
    PatternPeriodic,
    PatternStep,
    arrow_words,
)
from froude.render.pattern_text import width as text_width
from froude.render.pattern_text import wrap

HEAD = 46
"""Height of a lane's head."""
PAD = 9
"""Space inside a lane and inside a box."""
ROW = 23
"""Height of a call."""
NOTE = 14
"""Height of the line below a call, a loop's label or a periodic call."""
GAP = 8
START_SIZE = 11.5
"""Size of a start rule's text."""
LOOP_ROOM = 44
"""What a loop's sign and margins take of its width."""
LABEL_SIZE = 12.0
"""Size of a loop's formula and value."""
WIDTH = 320.0
"""Width of a lane."""
_WORDS = {ArrowKind.START: "started by", ArrowKind.CAUSE: "caused by"}


@dataclass(frozen=True, slots=True)
class Reference:
    """The arrows of a kind that end at a call or a lane, in a line."""

    kind: ArrowKind
    text: str
    """`caused by 3, 7`: the numbers are those of their sources."""
    hint: str
    """A sentence for each arrow."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """What is shown at both ends of arrows, by the id of a call or the name of a lane."""

    numbers: Mapping[str, int]
    """Of the sources, from 1, in the order of the picture."""
    references: Mapping[str, tuple[Reference, ...]]

    def __contains__(self, name: object) -> bool:
        return name in self.numbers or name in self.references


def anchors_of(pattern: Pattern) -> Anchors:
    """The anchors of a pattern's arrows."""
    sources = {arrow.source for arrow in pattern.arrows}
    ends = (name for lane in pattern.lanes for name in (lane.name, *(call.id for call in lane.calls())))
    numbers = {name: n for n, name in enumerate((end for end in ends if end in sources), 1)}
    words = arrow_words(pattern)
    incoming: dict[str, dict[ArrowKind, list[PatternArrow]]] = {}
    for arrow in pattern.arrows:
        incoming.setdefault(arrow.target, {}).setdefault(arrow.kind, []).append(arrow)

    def reference(kind: ArrowKind, arrows: Sequence[PatternArrow]) -> Reference:
        sources = sorted({numbers[arrow.source] for arrow in arrows})
        text = f"{_WORDS[kind]} {', '.join(map(str, sources))}"
        return Reference(kind, text, "\n".join(words[arrow] for arrow in arrows))

    references = {
        name: tuple(reference(kind, kinds[kind]) for kind in ArrowKind if kind in kinds)
        for name, kinds in incoming.items()
    }
    return Anchors(numbers, references)


class RowKind(Enum):
    """What a row of a lane shows."""

    CALL = "call"
    FOLD = "fold"
    """A stretch of calls that is only counted."""
    PERIODIC = "periodic"


class BoxKind(Enum):
    """What a box of a lane holds."""

    STATIC = "static"
    LOOP = "loop"
    EFFECTS = "effects"
    PERIODIC = "periodic"


@dataclass(frozen=True, slots=True)
class LaneRow:
    """A call, or calls, at its place."""

    kind: RowKind
    x: float
    y: float
    width: float
    height: float
    ids: tuple[str, ...]
    """Ids of the calls it stands for."""
    text: str
    note: str = ""
    count: int = 1
    every_s: float | None = None
    """Period of a periodic call, where it is known as a number."""
    number: int = 0
    """Of the arrows that begin here; 0 for none."""
    references: tuple[Reference, ...] = ()
    """To the arrows that end here; a line each, the last lines of the row."""

    @property
    def middle(self) -> float:
        """Of its first line, from the lane's top."""
        return self.y + ROW / 2


@dataclass(frozen=True, slots=True)
class Box:
    """A segment at its place."""

    kind: BoxKind
    x: float
    y: float
    width: float
    height: float
    label: str
    value: str = ""
    value_below: bool = False
    """Whether the value needs a line of its own below the label."""


@dataclass(slots=True)
class LaidLane:
    """A lane whose parts have places."""

    lane: PatternLane
    number: int
    """Of the arrows that begin at the lane; 0 for none."""
    references: tuple[Reference, ...]
    height: float = 0.0
    start: list[str] = field(default_factory=list)
    """The start rule in lines."""
    boxes: list[Box] = field(default_factory=list)
    rows: list[LaneRow] = field(default_factory=list)


def lay_lane(lane: PatternLane, anchors: Anchors, *, fold_at: int) -> LaidLane:
    """Stack a lane's parts.

    Args:
        anchors: of all arrows; calls that they touch are never folded away.
        fold_at: longest run that is shown whole.

    Returns:
        The lane with places for all its parts.
    """
    laid = LaidLane(lane, anchors.numbers.get(lane.name, 0), anchors.references.get(lane.name, ()))
    stack = _Stack(laid, anchors, fold_at)
    x, inner = PAD, WIDTH - 2 * PAD
    if lane.start:
        laid.start = wrap(f"starts {lane.start}", WIDTH - 24, START_SIZE, 2)
    lines = len(laid.start) + len(laid.references)
    y: float = HEAD + (NOTE + 1) * lines + (3 if lines else 0) + GAP
    y = stack.steps(lane.steps, x, y, inner, depth=0)
    if lane.effects:
        y = stack.group((BoxKind.EFFECTS, "caused by other nodes"), lane.effects, x, y, inner)
    if lane.periodic:
        y = stack.periodic(lane.periodic, x, y, inner)
    laid.height = y + PAD - GAP
    return laid


@dataclass(slots=True)
class _Stack:
    """Puts parts below one another into a laid lane; each method returns the next free y."""

    laid: LaidLane
    anchors: Anchors
    fold_at: int

    def steps(self, steps: Sequence[PatternStep], x: float, y: float, width: float, depth: int) -> float:
        run: list[PatternCall] = []
        for step in steps:
            if isinstance(step, PatternCall):
                run.append(step)
                continue
            y = self._run(run, x, y, width, depth)
            run = []
            y = self._loop(step, x, y, width, depth)
        return self._run(run, x, y, width, depth)

    def group(
        self, box: tuple[BoxKind, str], calls: Sequence[PatternCall], x: float, y: float, width: float
    ) -> float:
        (kind, label), top, place = box, y, len(self.laid.boxes)
        y = self._rows(calls, x + PAD, y + NOTE + 8, width - 2 * PAD) + 6
        self.laid.boxes.insert(place, Box(kind, x, top, width, y - top, label))
        return y + GAP

    def periodic(self, periodic: Sequence[PatternPeriodic], x: float, y: float, width: float) -> float:
        top, place = y, len(self.laid.boxes)
        y += NOTE + 8
        for each in periodic:
            references = self.anchors.references.get(each.call.id, ())
            height = ROW + NOTE * (1 + len(references)) + 4
            note = f"every {each.every}"
            row = LaneRow(
                kind=RowKind.PERIODIC,
                x=x + PAD,
                y=y,
                width=width - 2 * PAD,
                height=height,
                ids=(each.call.id,),
                text=each.call.name,
                note=note,
                every_s=each.every_s,
                number=self.anchors.numbers.get(each.call.id, 0),
                references=references,
            )
            self.laid.rows.append(row)
            y += height
        y += 4
        self.laid.boxes.insert(place, Box(BoxKind.PERIODIC, x, top, width, y - top, "periodically"))
        return y + GAP

    def _run(self, run: Sequence[PatternCall], x: float, y: float, width: float, depth: int) -> float:
        if not run:
            return y
        if depth:  # inside a loop its box is the frame; a second one would only be noise
            return self._rows(run, x, y, width) + 2
        calls = sum(call.count for call in run)
        label = f"once, {calls:,} {'call' if calls == 1 else 'calls'}"
        return self.group((BoxKind.STATIC, label), run, x, y, width)

    def _loop(self, loop: PatternLoop, x: float, y: float, width: float, depth: int) -> float:
        top, place = y, len(self.laid.boxes)
        words = text_width(f"{TIMES} {loop.times}  = {loop.value}", LABEL_SIZE, bold=True)
        below = bool(loop.value) and words > width - LOOP_ROOM
        head = ROW + 6 + (NOTE + 2 if below else 0)
        inside = self.steps(loop.steps, x + PAD, y + head, width - 2 * PAD, depth + 1)
        y = max(inside, top + head + 2) + 4
        box = Box(BoxKind.LOOP, x, top, width, y - top, loop.times, loop.value, below)
        self.laid.boxes.insert(place, box)
        return y + GAP + 5

    def _rows(self, calls: Sequence[PatternCall], x: float, y: float, width: float) -> float:
        for item in folded(calls, self.anchors, self.fold_at):
            first = item.ids[0]
            references = self.anchors.references.get(first, ())
            row = LaneRow(
                kind=item.kind,
                x=x,
                y=y,
                width=width,
                height=ROW + NOTE * (bool(item.note) + len(references)),
                ids=item.ids,
                text=item.text,
                note=item.note,
                count=item.count,
                number=self.anchors.numbers.get(first, 0),
                references=references,
            )
            self.laid.rows.append(row)
            y += row.height
        return y


@dataclass(frozen=True, slots=True)
class Item:
    """A row before it has a place."""

    kind: RowKind
    ids: tuple[str, ...]
    text: str
    note: str = ""
    count: int = 1


def folded(calls: Sequence[PatternCall], anchors: Container[str], fold_at: int) -> list[Item]:
    """A run of calls as rows: equal neighbours joined, and the middle of a long run only counted.

    Args:
        anchors: ids that must keep a row of their own.

    Returns:
        At most about `fold_at` rows plus one per anchor and fold; their counts add up to the run's.
    """
    items = list(_joined(calls, anchors))
    if len(items) <= fold_at:
        return items
    edge = max(2, fold_at // 2 - 1)
    keep = {i for i, item in enumerate(items) if any(name in anchors for name in item.ids)}
    keep |= set(range(edge)) | set(range(len(items) - edge, len(items)))
    rows: list[Item] = []
    hidden: list[Item] = []
    for i, item in enumerate(items):
        if i not in keep:
            hidden.append(item)
            continue
        rows += _fold(hidden)
        hidden = []
        rows.append(item)
    return rows


def _joined(calls: Sequence[PatternCall], anchors: Container[str]) -> Iterator[Item]:
    waiting: Item | None = None
    for call in calls:
        item = Item(RowKind.CALL, (call.id,), call.name, call.note, call.count)
        touched = any(name in anchors for name in item.ids + (waiting.ids if waiting else ()))
        plain = not call.note and not touched
        if waiting is not None and plain and (waiting.text, waiting.note) == (call.name, ""):
            waiting = Item(RowKind.CALL, waiting.ids + item.ids, call.name, "", waiting.count + call.count)
            continue
        if waiting is not None:
            yield waiting
        waiting = item
    if waiting is not None:
        yield waiting


def _fold(hidden: list[Item]) -> list[Item]:
    """Three rows or more become one that counts them; fewer stay, for a fold would save nothing."""
    if len(hidden) < 3:
        return list(hidden)
    counts: Counter[str] = Counter()
    for item in hidden:
        counts[item.text] += item.count
    total = sum(counts.values())
    note = ", ".join(f"{name} {TIMES} {count}" if count > 1 else name for name, count in counts.most_common())
    ids = tuple(name for item in hidden for name in item.ids)
    return [Item(RowKind.FOLD, ids, f"{total:,} more calls", note, total)]
