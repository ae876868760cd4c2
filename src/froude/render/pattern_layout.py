"""Where everything of the pattern's picture stands: lanes in a grid, arrows in the space between them.

Arrows never cross a lane. They run in the *gutters* left and right of each column and in the *channels*
above each row of lanes, each on a track of its own; an arrow within one lane runs at its left inside.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from froude.render.pattern import ArrowKind, Pattern, PatternArrow
from froude.render.pattern_lane import HEAD, PAD, TRACK, LaidLane, lay_lane

MIN_LANE = 208.0
"""Narrowest lane in which method names can still be read."""
MAX_LANE = 330.0
_GUTTER = 20.0
_MARGIN = 3.0
_INNER_TRACKS = 5
_CHANNEL = 14.0
_WIDEST_GUTTER, _GUTTER_SHARE, _HIGHEST_CHANNEL = 110.0, 0.16, 120.0
"""Bounds for very many arrows: tracks then move closer together instead of pressing the lanes thin."""
_OFF = 4.0
"""Between a call and the end of an arrow."""
_LEVEL, _LEAVE, _ARRIVE = 6.0, -8.0, -1.0
"""Where arrows meet a lane's head, below its middle: straight to a neighbour, leaving, arriving."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class PlacedLane:
    """A lane at its place."""

    laid: LaidLane
    x: float
    y: float
    number: int
    """From 0, in the pattern's order."""


@dataclass(frozen=True, slots=True)
class Route:
    """An arrow's way, corner by corner."""

    arrow: PatternArrow
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """The whole picture, in pixels."""

    width: float
    height: float
    lanes: tuple[PlacedLane, ...]
    routes: tuple[Route, ...]


@dataclass(frozen=True, slots=True)
class _End:
    """Where an arrow begins or ends, before gutters have widths."""

    lane: int
    y: float
    """From the lane's top."""
    left: float
    """Distance of its left edge from the lane's left edge."""
    right: float
    """Distance of its right edge from the lane's left edge."""


@dataclass(slots=True)
class _Grid:
    columns: int
    lanes: list[LaidLane]
    lane_width: float
    gutters: list[float] = field(default_factory=list)
    uses: list[int] = field(default_factory=list)
    """Arrows that run in each gutter."""
    tops: list[float] = field(default_factory=list)
    channel_steps: list[float] = field(default_factory=list)
    """Distance of tracks in the channel above each row."""

    def x(self, lane: int) -> float:
        column = lane % self.columns
        return _MARGIN + sum(self.gutters[: column + 1]) + column * self.lane_width

    def y(self, lane: int) -> float:
        return self.tops[lane // self.columns]

    def gutter_x(self, gutter: int) -> float:
        return _MARGIN + sum(self.gutters[:gutter]) + gutter * self.lane_width


def lay_out(pattern: Pattern, width: float) -> Layout:
    """Give everything a place.

    Args:
        pattern: what to draw; at least one lane.
        width: pixels to fit into; the picture is as high as it needs to be.

    Returns:
        The places; lanes stand in as many columns as fit with readable names.
    """
    count = len(pattern.lanes)
    owner = _owners(pattern)
    inner = [a for a in pattern.arrows if owner[a.source] == owner[a.target]]
    outer = [a for a in pattern.arrows if owner[a.source] != owner[a.target]]
    for columns in range(count, 0, -1):
        uses = _gutter_uses(outer, owner, columns)
        gutters = _gutter_widths(uses, width)
        lane_width = min(MAX_LANE, (width - 2 * _MARGIN - sum(gutters)) / columns)
        if lane_width >= MIN_LANE:
            break
    anchors = frozenset(end for a in pattern.arrows for end in (a.source, a.target))
    insets = [TRACK * min(_INNER_TRACKS, sum(owner[a.source] == i for a in inner)) for i in range(count)]
    lanes = [
        lay_lane(
            lane,
            lane_width,
            anchors=anchors,
            fold_at=pattern.fold_at,
            inset=insets[i],
        )
        for i, lane in enumerate(pattern.lanes)
    ]
    grid = _Grid(columns, lanes, lane_width, gutters, uses)
    height = _stack_rows(grid, outer, owner)
    ends = _ends(lanes)
    placed = tuple(PlacedLane(laid, grid.x(i), grid.y(i), i) for i, laid in enumerate(lanes))
    routes = (*_inner_routes(inner, ends, grid, insets), *_outer_routes(outer, ends, grid))
    used = grid.gutter_x(columns) + gutters[columns] + _MARGIN
    return Layout(used, height, placed, routes)


def _owners(pattern: Pattern) -> dict[str, int]:
    """Lane number by lane name and by call id."""
    owner: dict[str, int] = {}
    for i, lane in enumerate(pattern.lanes):
        owner[lane.name] = i
        owner.update({call.id: i for call in lane.calls()})
    return owner


def _sides(arrow: PatternArrow, owner: dict[str, int], columns: int) -> tuple[int, int]:
    """The gutters at which an arrow leaves its source and reaches its target."""
    source, target = owner[arrow.source] % columns, owner[arrow.target] % columns
    if source < target:
        return source + 1, target
    if source > target:
        return source, target + 1
    return source + 1, target + 1


def _gutter_uses(outer: Sequence[PatternArrow], owner: dict[str, int], columns: int) -> list[int]:
    """How many arrows run in each gutter."""
    uses = [0] * (columns + 1)
    for arrow in outer:
        for gutter in set(_sides(arrow, owner, columns)):
            uses[gutter] += 1
    return uses


def _gutter_widths(uses: Sequence[int], width: float) -> list[float]:
    """Room for every arrow that runs in a gutter; the outermost ones take nothing when unused."""
    most = min(_WIDEST_GUTTER, max(2 * _GUTTER, width * _GUTTER_SHARE))
    last = len(uses) - 1
    return [
        min(most, _GUTTER + TRACK * n) if n else (0.0 if i in {0, last} else _GUTTER)
        for i, n in enumerate(uses)
    ]


def _stack_rows(grid: _Grid, outer: Sequence[PatternArrow], owner: dict[str, int]) -> float:
    """Set the top of every row of lanes; returns the whole height."""
    crossings: dict[int, int] = defaultdict(int)
    for arrow in outer:
        first, second = _sides(arrow, owner, grid.columns)
        if first != second:
            crossings[_channel(arrow, owner, grid.columns)] += 1
    y = _MARGIN
    for row, start in enumerate(range(0, len(grid.lanes), grid.columns)):
        n = crossings[row]
        height = min(_HIGHEST_CHANNEL, _CHANNEL + TRACK * n)
        grid.channel_steps.append((height - _CHANNEL) / n if n else 0.0)
        y += height if n else (_CHANNEL * 1.4 if row else 0.0)
        grid.tops.append(y)
        y += max(laid.height for laid in grid.lanes[start : start + grid.columns])
    return y + _MARGIN + 8


def _channel(arrow: PatternArrow, owner: dict[str, int], columns: int) -> int:
    """The row above which an arrow crosses columns."""
    return max(owner[arrow.source] // columns, owner[arrow.target] // columns)


def _ends(lanes: Sequence[LaidLane]) -> dict[str, _End]:
    ends: dict[str, _End] = {}
    for i, laid in enumerate(lanes):
        ends[laid.lane.name] = _End(i, HEAD / 2, 0.0, laid.width)
        for row in laid.rows:
            for name in row.ids:
                ends[name] = _End(i, row.middle, row.x, row.x + row.width)
    return ends


def _inner_routes(
    arrows: Sequence[PatternArrow], ends: dict[str, _End], grid: _Grid, insets: Sequence[float]
) -> list[Route]:
    """Brackets at the left inside of a lane, short ones nearest to the calls."""
    spans: dict[int, list[tuple[float, float, int]]] = defaultdict(list)
    routes = []
    for arrow in sorted(arrows, key=lambda a: abs(ends[a.source].y - ends[a.target].y)):
        source, target = ends[arrow.source], ends[arrow.target]
        low, high = sorted((source.y, target.y))
        track = _free_track(spans[source.lane], low, high) % _INNER_TRACKS
        spans[source.lane].append((low, high, track))
        x, y = grid.x(source.lane), grid.y(source.lane)
        rail = x + PAD + insets[source.lane] - 4 - TRACK * track
        # leave a little below the middle and arrive a little above it, so that ends do not hide each other
        sy, ty = y + source.y + 3, y + target.y - 3
        sx, tx = x + source.left - _OFF, x + target.left - _OFF
        routes.append(Route(arrow, ((sx, sy), (rail, sy), (rail, ty), (tx, ty))))
    return routes


def _outer_routes(arrows: Sequence[PatternArrow], ends: dict[str, _End], grid: _Grid) -> list[Route]:
    owner = {name: end.lane for name, end in ends.items()}
    taken: dict[int, int] = defaultdict(int)
    crossed: dict[int, int] = defaultdict(int)
    routes = []
    for arrow in sorted(arrows, key=lambda a: (ends[a.target].lane, ends[a.target].y)):
        source, target = ends[arrow.source], ends[arrow.target]
        first, second = _sides(arrow, owner, grid.columns)
        level = first == second and grid.y(source.lane) == grid.y(target.lane)
        start = _edge(source, first, grid, _LEVEL if level else _LEAVE)
        goal = _edge(target, second, grid, _LEVEL if level else _ARRIVE)
        near = _rail(grid, first, taken)
        if first == second:
            routes.append(Route(arrow, (start, (near, start[1]), (near, goal[1]), goal)))
            continue
        far = _rail(grid, second, taken)
        row = _channel(arrow, owner, grid.columns)
        crossed[row] += 1
        cy = grid.tops[row] - 4 - grid.channel_steps[row] * crossed[row]
        corners = (start, (near, start[1]), (near, cy), (far, cy), (far, goal[1]), goal)
        routes.append(Route(arrow, corners))
    return routes


def _edge(end: _End, gutter: int, grid: _Grid, shift: float) -> Point:
    head = end.left == 0
    off = 0.0 if head else _OFF
    right = gutter > end.lane % grid.columns
    x = end.right + off if right else end.left - off
    return grid.x(end.lane) + x, grid.y(end.lane) + end.y + (shift if head else 0.0)


def _rail(grid: _Grid, gutter: int, taken: dict[int, int]) -> float:
    taken[gutter] += 1
    step = (grid.gutters[gutter] - _GUTTER) / grid.uses[gutter]
    return grid.gutter_x(gutter) + 8 + step * (taken[gutter] - 0.5)


def _free_track(spans: Sequence[tuple[float, float, int]], low: float, high: float) -> int:
    busy = {track for a, b, track in spans if a < high and low < b}
    return next(track for track in range(len(spans) + 1) if track not in busy)


def arrow_kinds(pattern: Pattern) -> tuple[ArrowKind, ...]:
    """The kinds of arrows the pattern has, for its key."""
    present = {arrow.kind for arrow in pattern.arrows}
    return tuple(kind for kind in ArrowKind if kind in present)
