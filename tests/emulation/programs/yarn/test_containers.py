"""What a node tells of its containers, and when it forgets them."""

from __future__ import annotations

from froude.emulation.programs.yarn.containers import ContainerKey, Containers, Held
from froude.emulation.programs.yarn.protocols import (
    COMPLETE,
    KILLED,
    RUNNING,
    SUB_DONE,
    SUB_RUNNING,
    SUB_SCHEDULED,
)


def containers(*numbers: int) -> Containers:
    """Those of one application."""
    keys = [ContainerKey(1, 1, number) for number in numbers]
    return Containers({key: Held(key, b"", b"", None, None) for key in keys})


def test_all_that_have_started_are_told_of_by_id() -> None:
    """Whatever the order in which they were started; one that has ended once more."""
    held = containers(12, 2, 7)
    assert [each.key.container for each in held.reported()] == [2, 7, 12]
    ended = held.end(ContainerKey(1, 1, 7), 0)
    assert ended is not None
    assert [each.state for each in held.reported()] == [RUNNING, COMPLETE, RUNNING]
    assert [each.key.container for each in held.told([ended.key])] == [7]
    assert [each.key.container for each in held.reported()] == [2, 12]


def test_an_end_is_told_until_it_was_heard() -> None:
    """A heartbeat that got no answer tells of it again; the second time that it was heard nothing is left to forget."""
    held = containers(2)
    held.end(ContainerKey(1, 1, 2), KILLED)
    assert [each.exit_status for each in (*held.reported(), *held.reported())] == [KILLED, KILLED]
    assert held.told([ContainerKey(1, 1, 2)])
    assert held.told([ContainerKey(1, 1, 2)]) == []


def test_nothing_ends_twice() -> None:
    """The first end counts."""
    held = containers(2)
    assert held.end(ContainerKey(1, 1, 2), 0) is not None
    assert held.end(ContainerKey(1, 1, 2), KILLED) is None
    assert held.end(ContainerKey(1, 1, 3), 0) is None


def test_a_status_is_made_anew_when_it_changes() -> None:
    """It is kept in between."""
    held = containers(2).held[ContainerKey(1, 1, 2)]
    held.status = b"kept"
    assert held.sub_state == SUB_SCHEDULED
    held.runs()
    assert (held.sub_state, held.status, held.over) == (SUB_RUNNING, b"", False)
    held.status = b"kept"
    held.ends(0)
    assert (held.sub_state, held.status, held.over) == (SUB_DONE, b"", True)
