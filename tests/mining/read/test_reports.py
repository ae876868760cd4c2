"""Containers in a NodeManager's heartbeat are reports of their own."""

from __future__ import annotations

from froude.mining.read.knowledge import REPORTS
from froude.mining.read.reports import named_in, on_the_way, thing_of
from tests.support.mining.events import calls, event

LIST = "node_status.containersStatuses"


def beat(order: int, *containers: tuple[int, int], **more: int):
    """A heartbeat with the number and state of each container."""
    request: dict[str, object] = {"node_status.response_id": order}
    for at, (number, state) in enumerate(containers):
        prefix = f"{LIST}[{at}]."
        request |= {
            f"{prefix}container_id.app.id": 7,
            f"{prefix}container_id.id": number,
            f"{prefix}state": state,
            f"{prefix}exit_status": 0 if state == 3 else -1000,
        }
        request |= {f"{prefix}{name}": value for name, value in more.items()}
    return event(order, "nodeHeartbeat", request)


def test_a_heartbeat_keeps_what_is_its_own() -> None:
    """Its reports are logical calls beside it, one for each state of each container."""
    logical = calls(beat(0), beat(1, (1, 2)), beat(2, (1, 2), (2, 2)), beat(3, (1, 3), (2, 2)))
    own = [call for call in logical if not call.token[2]]
    assert [dict(call.request) for call in own] == [{"node_status.response_id": n} for n in range(4)]
    reports = [call for call in logical if call.token[2]]
    told = [(call.request[f"{LIST}[0].container_id.id"], call.token[2], call.order) for call in reports]
    assert told == [(1, "2", 1), (2, "2", 2), (1, "3", 3)]


def test_every_leaf_belongs_to_one_logical_call() -> None:
    """Each heartbeat that carried a report word for word is behind it, wherever in the list it stood."""
    beats = [beat(0, (1, 2)), beat(1, (1, 2), (2, 2)), beat(2, (2, 2))]
    leaves = [(e.order, raw) for call in calls(*beats) for e, names in call.raw for raw in names]
    assert sorted(leaves) == sorted((e.order, path) for e in beats for path in e.request)


def test_when_a_report_changes_is_a_matter_of_time() -> None:
    """Of the first one the state, of a later one all that differs."""
    first, last = (call for call in calls(beat(0, (1, 2)), beat(1, (1, 3))) if call.token[2])
    assert first.moved == {f"{LIST}[0].state"}
    assert last.moved == {f"{LIST}[0].state", f"{LIST}[0].exit_status"}


def test_leaves_that_come_later_are_no_other_report() -> None:
    """A container's address is known only once it runs."""
    (report,) = (call for call in calls(beat(0, (1, 2)), beat(1, (1, 2), port=80)) if call.token[2])
    assert len(report.raw) == 2
    assert report.request[f"{LIST}[0].port"] == 80


def test_an_id_of_several_numbers_is_found_under_any_name() -> None:
    """All of its numbers must be there."""
    (call,) = (call for call in calls(beat(0, (5, 2))) if call.token[2])
    thing = thing_of(call.request, REPORTS["nodeHeartbeat"])
    assert thing == (("app.id", 7), ("id", 5))
    answer = {"done[0].app.id": 7, "done[0].id": 4, "done[1].app.id": 7, "done[1].id": 5, "id": 5}
    assert named_in(answer, [thing]) == [(thing, "done[1]")]


def test_a_state_on_the_way_is_a_matter_of_time() -> None:
    """A report that follows from nothing, of a container that others tell of; of one that none tells of it is not."""
    beats = [beat(0, (1, 2)), beat(1, (1, 9), (2, 9)), beat(2, (1, 3))]
    told = {(order, f"{LIST}[0].state") for order in (0, 2)}
    early = on_the_way(beats, told)
    assert early == {
        (1, f"{LIST}[0].{leaf}")
        for leaf in ("container_id.app.id", "container_id.id", "state", "exit_status")
    }
    assert on_the_way([event(0, "mkdirs", {"src": "/a"})], set()) == frozenset()
