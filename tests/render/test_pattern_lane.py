"""Rows of a lane: joined, folded, and never on top of one another."""

from hypothesis import given
from hypothesis import strategies as st

from froude.render import PatternCall, PatternLane, PatternLoop, PatternStep
from froude.render.pattern_lane import NOTE, ROW, WIDTH, Anchors, RowKind, anchors_of, folded, lay_lane

from .sample import large_pattern, pattern

calls = st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4)), max_size=80).map(
    lambda items: [PatternCall(f"i{n}", name, count=count) for n, (name, count) in enumerate(items)]
)


@given(calls, st.sets(st.integers(0, 79), max_size=4), st.integers(6, 20))
def test_folding_loses_no_call(run: list[PatternCall], marked: set[int], fold_at: int) -> None:
    """Counts and ids add up to the run's; a call that an arrow touches has a row of its own."""
    anchors = frozenset(f"i{n}" for n in marked)
    rows = folded(run, anchors, fold_at)
    assert sum(row.count for row in rows) == sum(call.count for call in run)
    assert [name for row in rows for name in row.ids] == [call.id for call in run]
    assert all(len(row.ids) == 1 for row in rows if anchors.intersection(row.ids))
    assert all(row.kind is RowKind.CALL for row in rows if anchors.intersection(row.ids))
    assert len(rows) <= fold_at + 3 * len(anchors) + 3


def test_equal_neighbours_are_one_row() -> None:
    """Three times the same call is one row with a count; a note keeps its own row."""
    run = [PatternCall("1", "a"), PatternCall("2", "a"), PatternCall("3", "a", "note"), PatternCall("4", "b")]
    rows = folded(run, frozenset(), 14)
    assert [(row.text, row.count) for row in rows] == [("a", 2), ("a", 1), ("b", 1)]


steps: st.SearchStrategy[list[PatternStep]] = st.recursive(
    st.lists(
        st.builds(PatternCall, st.uuids().map(str), st.sampled_from(["create", "addBlock"])), max_size=30
    ),
    lambda inner: st.lists(
        st.builds(
            PatternLoop,
            st.sampled_from(["files", "a very long formula / clients"]),
            inner.map(tuple),
            st.just("4"),
        ),
        max_size=3,
    ),
    max_leaves=4,
)


@given(steps)
def test_rows_do_not_overlap(made: list[PatternStep]) -> None:
    """However steps are nested, rows follow one another inside the lane and inside its width."""
    laid = lay_lane(PatternLane("n", steps=tuple(made)), Anchors({}, {}), fold_at=14)
    for above, below in zip(laid.rows, laid.rows[1:], strict=False):
        assert above.y + above.height <= below.y
    assert all(row.y + row.height <= laid.height for row in laid.rows)
    assert all(box.y >= 0 and box.y + box.height <= laid.height for box in laid.boxes)
    assert all(row.x + row.width <= WIDTH for row in laid.rows)


def test_rows_with_anchors_have_room_for_them() -> None:
    """A line for each kind of arrow that ends at a call; sources are numbered in the order of the picture."""
    made = pattern()
    anchors = anchors_of(made)
    assert list(anchors.numbers.values()) == [*range(1, len(anchors.numbers) + 1)]
    for lane in made.lanes:
        laid = lay_lane(lane, anchors, fold_at=14)
        for above, below in zip(laid.rows, laid.rows[1:], strict=False):
            assert above.y + above.height <= below.y
        for row in laid.rows:
            assert row.height >= ROW + NOTE * (bool(row.note) + len(row.references))


def test_long_runs_are_folded() -> None:
    """Sixty calls in a row take a third of the rows, and none is lost."""
    made = large_pattern()
    (master,) = (lane for lane in made.lanes if lane.name == "ApplicationMaster")
    laid = lay_lane(master, anchors_of(made), fold_at=14)
    assert len(laid.rows) < 20
    assert sum(len(row.ids) for row in laid.rows) == 64
