"""The picture keeps apart what belongs apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.render import ArrowKind, Pattern, PatternArrow, PatternCall, PatternLane
from froude.render.pattern_layout import MIN_LANE, Layout, lay_out

from .sample import large_pattern, pattern


@pytest.mark.parametrize("width", [300.0, 340.0, 690.0, 1080.0, 2400.0])
@pytest.mark.parametrize("made", [pattern(), large_pattern()], ids=["upload", "mapreduce"])
def test_lanes_stand_apart_and_arrows_between(made: Pattern, width: float) -> None:
    """Lanes do not overlap and stay in the picture; arrows between lanes never cross one."""
    layout = lay_out(made, width)
    boxes = [(p.x, p.y, p.x + p.laid.width, p.y + p.laid.height) for p in layout.lanes]
    assert layout.width <= width + 0.5
    for i, a in enumerate(boxes):
        assert 0 <= a[0] < a[2] <= layout.width
        assert 0 <= a[1] < a[3] <= layout.height
        assert not any(_overlap(a, b) for b in boxes[i + 1 :])
    assert len(layout.routes) == len(made.arrows)
    _no_crossing(layout, boxes)


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """Up to nine lanes of up to six calls, joined by up to sixty arrows in every direction."""
    lanes = [
        PatternLane(
            f"n{i}", steps=tuple(PatternCall(f"c{i}.{j}", "create") for j in range(draw(st.integers(0, 6))))
        )
        for i in range(draw(st.integers(1, 9)))
    ]
    ends = [name for lane in lanes for name in (lane.name, *(call.id for call in lane.calls()))]
    arrow = st.builds(PatternArrow, st.sampled_from(ends), st.sampled_from(ends), st.sampled_from(ArrowKind))
    return Pattern("p", tuple(lanes), tuple(draw(st.lists(arrow, max_size=60))))


@given(patterns(), st.sampled_from([340.0, 690.0, 1080.0]))
def test_any_arrows_leave_lanes_wide_and_uncrossed(pattern: Pattern, width: float) -> None:
    """Even sixty arrows press no lane below the readable width, and none runs across one."""
    layout = lay_out(pattern, width)
    boxes = [(p.x, p.y, p.x + p.laid.width, p.y + p.laid.height) for p in layout.lanes]
    assert all(box[2] - box[0] >= MIN_LANE for box in boxes)
    assert layout.width <= width + 0.5
    _no_crossing(layout, boxes)


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _no_crossing(layout: Layout, boxes: list[tuple[float, float, float, float]]) -> None:
    lane_of = {name: i for i, p in enumerate(layout.lanes) for row in p.laid.rows for name in row.ids}
    lane_of |= {p.laid.lane.name: i for i, p in enumerate(layout.lanes)}
    for route in layout.routes:
        own = {lane_of[route.arrow.source], lane_of[route.arrow.target]}
        for (x1, y1), (x2, y2) in zip(route.points, route.points[1:], strict=False):
            assert x1 == x2 or y1 == y2, "arrows run level or upright"
            segment = (min(x1, x2), min(y1, y2), max(x1, x2) + 0.01, max(y1, y2) + 0.01)
            crossed = {i for i, box in enumerate(boxes) if _overlap(segment, box)}
            assert crossed <= own


def test_narrow_is_one_column() -> None:
    """On a telephone lanes stand below one another."""
    assert len({placed.x for placed in lay_out(large_pattern(), 340.0).lanes}) == 1


def test_long_runs_are_folded() -> None:
    """Sixty calls in a row take a fifth of the rows, and none is lost."""
    layout = lay_out(large_pattern(), 1080.0)
    master = next(p.laid for p in layout.lanes if p.laid.lane.name == "ApplicationMaster")
    assert len(master.rows) < 20
    assert sum(len(row.ids) for row in master.rows) == 64
