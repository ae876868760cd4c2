"""Lanes that are alike stand as one, and arrows follow."""

from __future__ import annotations

from froude.experiment.figures.lanes import from_lanes, merged_arrows, merged_lanes
from froude.render import (
    ArrowKind,
    Pattern,
    PatternArrow,
    PatternCall,
    PatternLane,
    PatternLoop,
    PatternPeriodic,
)


def lane(name: str, start: str = "", times: str = "files", count: str = "1") -> PatternLane:
    """An uploader: a loop of two calls, and a heartbeat."""
    steps = (
        PatternLoop(
            times, (PatternCall(f"{name}.c1", "create", f"/in/{name}"), PatternCall(f"{name}.c2", "close"))
        ),
    )
    return PatternLane(
        name, count, start, steps, periodic=(PatternPeriodic(PatternCall(f"{name}.p", "renew"), "3 s", 3.0),)
    )


def test_ten_alike_are_one() -> None:
    """Named by the first and the last, with their number; paths do not tell them apart."""
    lanes = [lane(f"u{i}", "" if i == 1 else f"after every u{i - 1} has finished") for i in range(1, 11)]
    merged, alias = merged_lanes(lanes)
    (one,) = merged
    assert (one.name, one.count, one.start) == ("u1 … u10", "10", "one after another")
    assert alias["u7"] == "u1 … u10"
    assert alias["u7.c2"] == "u1.c2"
    assert alias["u7.p"] == "u1.p"


def test_what_differs_or_is_a_pair_stays() -> None:
    """In the order given; a loop of another count is another lane."""
    lanes = [lane("a"), lane("b", times="blocks"), lane("c")]
    merged, alias = merged_lanes(lanes)
    assert [each.name for each in merged] == ["a", "b", "c"]
    assert alias == {}


def test_types_of_many_nodes_say_how_many_each() -> None:
    """The number of types, and the count of every one; the place is that of the first."""
    lanes = [lane("x", times="1"), *(lane(f"u{i}", count="clients") for i in range(3)), lane("y", times="2")]
    merged, _ = merged_lanes(lanes)
    assert [each.name for each in merged] == ["x", "u0 … u2", "y"]
    assert merged[1].count == "3 types, clients each"


def test_arrows_of_what_is_joined_are_drawn_once() -> None:
    """None from a lane to itself; what they say is kept."""
    lanes = [lane("d", times="1"), *(lane(f"u{i}") for i in range(3))]
    merged, alias = merged_lanes(lanes)
    arrows = merged_arrows(
        [
            *(PatternArrow("d", f"u{i}", ArrowKind.START, "after every d") for i in range(3)),
            PatternArrow("u0", "u1", ArrowKind.START, "after u0"),
            *(PatternArrow(f"u{i}.c1", "d.c1", ArrowKind.CAUSE, f"id {i % 2}") for i in range(3)),
        ],
        alias,
    )
    assert arrows == (
        PatternArrow("d", "u0 … u2", ArrowKind.START, "after every d"),
        PatternArrow("u0.c1", "d.c1", ArrowKind.CAUSE, "id 0; id 1"),
    )
    Pattern("t", merged, arrows)


def test_many_causes_of_one_call_begin_at_their_lanes() -> None:
    """With how many calls of each; few begin at the calls, and start rules stay as they are."""
    target = PatternLane("d", effects=(PatternCall("d.e1", "received"), PatternCall("d.e2", "deleted")))
    clients = [
        PatternLane(n, steps=tuple(PatternCall(f"{n}.{i}", "addBlock") for i in range(5))) for n in "ab"
    ]
    few = PatternArrow("a.0", "d.e2", ArrowKind.CAUSE)
    start = PatternArrow("d", "a", ArrowKind.START)
    many = [
        PatternArrow(f"{n}.{i}", "d.e1", ArrowKind.CAUSE) for n in "ab" for i in range(5 if n == "a" else 2)
    ]
    arrows = from_lanes([start, few, *many], [target, *clients])
    assert arrows == (
        start,
        few,
        PatternArrow("a", "d.e1", ArrowKind.CAUSE, "5 of its calls"),
        PatternArrow("b", "d.e1", ArrowKind.CAUSE, "2 of its calls"),
    )
    assert from_lanes([start, *many[:6]], [target, *clients]) == (start, *many[:6])
