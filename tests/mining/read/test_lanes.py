"""Calls of threads: those that came in either order are put into one."""

from __future__ import annotations

from froude.mining.read.knowledge import Role
from froude.mining.read.lanes import find_lanes, put_in_order
from froude.mining.read.senders import Sender
from tests.support.mining.events import calls, event

MASTER = Role("appmaster")
FOLDER, HISTORY = ("mkdirs", "/out/_temporary/{}"), ("create", "/staging/job_{}.jhist")
BEGIN, END = ("getFileInfo", "/staging"), ("fsync", "/staging/job_{}.jhist")


def sender(run: int, *made: tuple[str, str], role: Role = MASTER) -> Sender:
    """A process that made these calls about these paths, `{}` for the run."""
    events = [event(at, method, {"src": path.format(run)}) for at, (method, path) in enumerate(made)]
    listed = calls(*events)
    return Sender(run, f"{run}", role, listed, own=list(listed))


def methods(of: Sender) -> list[str]:
    """Its sequence."""
    return [call.token[1] for call in of.own]


def test_neighbours_that_came_in_either_order_are_put_into_one() -> None:
    """Between the same others, whatever the numbers in their names."""
    senders = [sender(1, BEGIN, FOLDER, HISTORY, END), sender(2, BEGIN, HISTORY, FOLDER, END)]
    lanes = find_lanes(senders)
    assert lanes == {"appmaster": frozenset({("create", "mkdirs")})}
    put_in_order(senders, lanes)
    assert methods(senders[0]) == methods(senders[1]) == ["getFileInfo", "create", "mkdirs", "fsync"]


def test_one_order_is_an_order() -> None:
    """However often it was seen."""
    senders = [sender(run, BEGIN, FOLDER, HISTORY, END) for run in range(5)]
    assert find_lanes(senders) == {}
    put_in_order(senders, {})
    assert methods(senders[0]) == ["getFileInfo", "mkdirs", "create", "fsync"]


def test_what_is_about_one_file_keeps_its_order() -> None:
    """A folder is made before what lies in it, and another role has other threads."""
    inside = ("create", "/out/_temporary/{}/part")
    lanes = {"appmaster": frozenset({("create", "mkdirs")})}
    turned, other = sender(1, FOLDER, inside), sender(2, FOLDER, HISTORY, role=Role("map"))
    put_in_order([turned, other], lanes)
    assert methods(turned) == methods(other) == ["mkdirs", "create"]
    assert find_lanes([sender(1, BEGIN, FOLDER, inside, END), sender(2, BEGIN, inside, FOLDER, END)]) == {}


def test_what_is_known_to_be_made_by_threads_needs_not_be_seen_in_both_orders() -> None:
    """One application is started before or after another is cleaned up; starts keep their order, and so do stops."""
    launcher = Role("launcher", threads=(("start", "stop"),))
    made = [("start", 1), ("stop", 1), ("start", 2), ("start", 3), ("stop", 3), ("stop", 2)]
    listed = calls(*(event(at, method, {"id": thing}) for at, (method, thing) in enumerate(made)))
    process = Sender(1, "1", launcher, listed, own=list(listed))
    lanes = find_lanes([process])
    assert lanes == {"launcher": frozenset({("start", "stop")})}
    put_in_order([process], lanes)
    assert [(call.token[1], call.request["id"]) for call in process.own] == [
        *(("start", at) for at in (1, 2, 3)),
        *(("stop", at) for at in (1, 3, 2)),
    ]
