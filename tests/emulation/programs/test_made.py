"""What nodes have made that others wait for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from froude.emulation.programs.events import NodeId
from froude.emulation.programs.made import Made
from froude.workload.scale import Count
from froude.workload.types import CallTemplate, Constant, NodeType, Recorded, Wait, Workload

RENAMED = Wait("src", 1, "rename", "dst", "producer")
CREATED = Wait("src", 0, "create", "src", "producer")


def made(*waits: Wait) -> Made:
    """Of a workload in which a consumer waits so."""
    steps = tuple(
        CallTemplate(f"consumer.c{n}", "p", "open", {"src": Constant("/in/a")}, after=wait)
        for n, wait in enumerate(waits)
    )
    types = (NodeType("producer", Count(1), ()), NodeType("consumer", Count(2), steps))
    return Made(Workload(types, Recorded((), ())))


def test_only_calls_that_somebody_waits_for_are_looked_at() -> None:
    """By the type of who makes them, and their method; the leaf says what they make."""
    paths = made(RENAMED, CREATED)
    assert paths.leaf("producer", "rename") == "dst"
    assert paths.leaf("producer", "create") == "src"
    assert paths.leaf("consumer", "rename") is None
    assert paths.leaf("producer", "delete") is None
    assert made().leaf("producer", "rename") is None


def test_who_waits_is_told_once_the_path_is_there() -> None:
    """All who wait for it and nobody else, and once."""
    paths = made(RENAMED)
    first, second, other = (NodeId("consumer", number) for number in range(3))
    for node, path in ((first, "/in"), (other, "/out"), (second, "/in")):
        assert not paths.is_there(RENAMED, path)
        paths.expect(RENAMED, path, node)
    assert list(paths.add("producer", "rename", "/in")) == [first, second]
    assert paths.is_there(RENAMED, "/in")
    assert not paths.is_there(RENAMED, "/out")
    assert list(paths.add("producer", "rename", "/in")) == []


def test_a_path_that_was_made_in_another_way_is_not_what_is_waited_for() -> None:
    """A file that is created is not renamed yet, nor is it there if another type's node has made it."""
    paths = made(RENAMED, CREATED)
    paths.expect(RENAMED, "/in", NodeId("consumer", 0))
    assert list(paths.add("producer", "create", "/in")) == []
    assert list(paths.add("consumer", "rename", "/in")) == []
    assert paths.is_there(CREATED, "/in")
    assert not paths.is_there(RENAMED, "/in")


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3), st.integers(0, 5)), max_size=20))
def test_nobody_waits_for_what_is_there_and_nobody_is_forgotten(
    moves: list[tuple[bool, int, int]],
) -> None:
    """Whatever comes first: each that had to wait for a path is told when it is made."""
    paths = made(RENAMED)
    there: set[str] = set()
    waiting: dict[str, list[NodeId]] = {}
    for makes, number, node in moves:
        path, who = f"/in/{number}", NodeId("consumer", node)
        if makes:
            assert list(paths.add("producer", "rename", path)) == waiting.pop(path, [])
            there.add(path)
        elif not paths.is_there(RENAMED, path):
            assert path not in there
            paths.expect(RENAMED, path, who)
            waiting.setdefault(path, []).append(who)
        else:
            assert path in there
