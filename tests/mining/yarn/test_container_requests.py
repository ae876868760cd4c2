"""What an application master asks for next follows from what it was given."""

from __future__ import annotations

from froude.base.units import Quantity
from froude.mining.read.knowledge import ASKS, Role
from froude.mining.read.senders import Sender
from froude.mining.shape.structure import Occurrence
from froude.mining.yarn import container_requests as outstanding
from froude.mining.yarn.container_requests import Outstanding, judge, number_at_first, value_of
from froude.workload.rules import Special
from froude.workload.types import Absent, Cases, Rule
from tests.support.mining.events import calls, event

NAMES = ("priority.priority", "resource_name", "num_containers", "capability.memory")


def asks(*listed: tuple[int, str, int], release: int | None = None) -> dict[str, object]:
    """A request with these asks: priority, place, number."""
    leaves: dict[str, object] = {
        f"ask[{at}].{name}": value
        for at, ask in enumerate(listed)
        for name, value in zip(NAMES, (*ask, 384), strict=True)
    }
    return leaves | ({} if release is None else {"release[0].id": release})


def given(*hosts: str, priority: int = 20) -> dict[str, object]:
    """An answer that gives containers on these nodes."""
    names = ("id.id", "nodeId.host", "priority.priority")
    return {
        f"allocated_containers[{at}].{name}": value
        for at, host in enumerate(hosts)
        for name, value in zip(names, (at + 2, host, priority), strict=True)
    }


def job(run: int, nodes: int) -> list[Occurrence]:
    """An application master that asks for a container a node, and is given all."""
    hosts = [f"h{number}" for number in range(nodes)]
    ending = asks((20, "*", 0), (20, "h0", 0))
    said = [(asks((20, "*", nodes), (20, "h0", 1)), {}), ({}, given(*hosts)), (ending, {}), ({}, {})]
    sender = Sender(run, f"am{run}", Role("appmaster"), [])
    logical = calls(*(event(n, "allocate", request, answer) for n, (request, answer) in enumerate(said)))
    return [Occurrence(run, 0, sender, "am.p1", call, {"am.p1": n}) for n, call in enumerate(logical)]


SCALES = [{"nodes": Quantity(float(n))} for n in (2, 3, 4)]


def learned() -> dict[str, Rule]:
    """The rules of three sizes."""
    return outstanding.rules([o for run, n in enumerate((2, 3, 4)) for o in job(run, n)], SCALES)


def test_rules_say_how_many_are_asked_for_at_first_and_what_never_changes() -> None:
    """By formula, and by value; at all calls but the first it hangs on what was given."""
    rules = learned()
    amount = rules["ask[any-20].num_containers"]
    assert isinstance(amount, Cases)
    assert number_at_first(amount, {"nodes": Quantity(8.0)}) == 8
    assert value_of(rules["ask[any-20].capability.memory"]) == 384
    assert value_of(rules["ask[node1-20].resource_name"]) == "h0"
    assert value_of(Absent()) is Special.ABSENT
    assert number_at_first(Absent(), SCALES[0]) is None
    assert outstanding.rules(job(0, 2)[1:2], SCALES) == {}


def test_what_is_given_is_counted_down() -> None:
    """Anywhere and on its node; when nothing is wanted any more, everywhere."""
    state = Outstanding(ASKS["allocate"])
    state.take(asks((20, "*", 3), (20, "/r", 3), (20, "a", 2), (20, "b", 2)), given("a"))
    assert state.due == {(20, "*"): 2, (20, "/r"): 2, (20, "a"): 1}
    state.take(asks((20, "*", 2), (20, "/r", 2), (20, "a", 1)), given("c", "c"))
    assert state.due == {(20, "*"): 0, (20, "/r"): 0, (20, "a"): 0, (20, "b"): 0}
    assert state.not_said(asks((20, "*", 0))) == 3


def test_what_was_not_wanted_is_given_back() -> None:
    """An attempt that ended meanwhile leaves a container too many."""
    state = Outstanding(ASKS["allocate"])
    state.take(asks((20, "*", 0)), given("a"))
    assert state.due == {}
    assert state.gives_back({"release[0].id": 2}, "release[0]")
    assert not state.gives_back({"release[0].id": 9}, "release[0]")


def test_a_larger_job_is_predicted_leaf_by_leaf() -> None:
    """All but where the input lies; an ask out of turn is the generator's, but for what it always has."""
    rules, scale = learned(), {"nodes": Quantity(8.0)}
    state = Outstanding(ASKS["allocate"])
    outcomes = []
    for occurrence in job(0, 8):
        outcomes.append(judge(occurrence, rules, scale, state))
        state.take(occurrence.call.request, occurrence.call.response)
    assert {outcome for outcome, _ in outcomes[0].values()} == {outstanding.FIXED}
    assert outcomes[2]["ask[any-20].num_containers"][0] == outstanding.FOLLOWED
    sender = Sender(0, "a", Role("appmaster"), [])
    call = calls(event(9, "allocate", asks((20, "*", 1), (30, "*", 1), release=7)))[0]
    judged = judge(Occurrence(0, 0, sender, "am.p1", call, {"am.p1": 9}), rules, scale, state)
    assert judged["ask[any-20].num_containers"] == (outstanding.RANDOM, outstanding.RANDOM)
    assert judged["ask[any-20].priority.priority"] == (outstanding.RANDOM, outstanding.FIXED)
    assert judged["ask[any-20].capability.memory"][0] == outstanding.FIXED
    assert judged["ask[any-30].num_containers"][0] == outstanding.UNKNOWN
    assert judged["release[0].id"][0] == outstanding.RANDOM
