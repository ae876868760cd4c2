"""One lane of the pattern's picture: its steps stacked from top to bottom, long runs folded.

Coordinates are pixels from the lane's own upper left corner; `pattern_layout` puts lanes side by side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from froude.render.format import TIMES
from froude.render.pattern import PatternCall, PatternLane, PatternLoop, PatternPeriodic, PatternStep
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
TRACK = 7
"""Space that an arrow within the lane takes at the left."""


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

    @property
    def middle(self) -> float:
        """Where an arrow meets it, from the top."""
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
    width: float
    height: float = 0.0
    start: list[str] = field(default_factory=list)
    """The start rule in lines."""
    boxes: list[Box] = field(default_factory=list)
    rows: list[LaneRow] = field(default_factory=list)


def lay_lane(
    lane: PatternLane, width: float, *, anchors: frozenset[str], fold_at: int, inset: float
) -> LaidLane:
    """Stack a lane's parts.

    Args:
        width: pixels it may take.
        anchors: ids of calls that arrows touch; they are never folded away.
        fold_at: longest run that is shown whole.
        inset: pixels kept free at the left for arrows within the lane.

    Returns:
        The lane with places for all its parts.
    """
    laid = LaidLane(lane, width)
    stack = _Stack(laid, anchors, fold_at)
    x, inner = PAD + inset, width - 2 * PAD - inset
    if lane.start:
        laid.start = wrap(f"starts {lane.start}", width - 24, START_SIZE, 2)
    y: float = HEAD + (NOTE + 1) * len(laid.start) + (3 if laid.start else 0) + GAP
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
    anchors: frozenset[str]
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
            height = ROW + NOTE + 4
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
            height = ROW + (NOTE if item.note else 0)
            self.laid.rows.append(
                LaneRow(item.kind, x, y, width, height, item.ids, item.text, item.note, item.count)
            )
            y += height
        return y


@dataclass(frozen=True, slots=True)
class Item:
    """A row before it has a place."""

    kind: RowKind
    ids: tuple[str, ...]
    text: str
    note: str = ""
    count: int = 1


def folded(calls: Sequence[PatternCall], anchors: frozenset[str], fold_at: int) -> list[Item]:
    """A run of calls as rows: equal neighbours joined, and the middle of a long run only counted.

    Args:
        anchors: ids that must keep a row of their own.
        fold_at: rows shown whole.

    Returns:
        At most about `fold_at` rows plus one per anchor and fold; their counts add up to the run's.
    """
    items = list(_joined(calls, anchors))
    if len(items) <= fold_at:
        return items
    edge = max(2, fold_at // 2 - 1)
    keep = {i for i, item in enumerate(items) if anchors.intersection(item.ids)}
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


def _joined(calls: Sequence[PatternCall], anchors: frozenset[str]) -> Iterator[Item]:
    waiting: Item | None = None
    for call in calls:
        item = Item(RowKind.CALL, (call.id,), call.name, call.note, call.count)
        plain = not call.note and not anchors.intersection(item.ids + (waiting.ids if waiting else ()))
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
