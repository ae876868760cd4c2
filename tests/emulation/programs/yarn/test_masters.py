"""A mined application master, taken apart."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.programs.events import NodeId
from froude.emulation.programs.population import Population
from froude.emulation.programs.registry import populate
from froude.emulation.programs.yarn.asks import Ask
from froude.emulation.programs.yarn.containers import Process
from froude.emulation.programs.yarn.masters import Masters
from froude.emulation.programs.yarn.protocols import SCHEDULER, TOKEN_IDENTIFIER
from froude.hadoop.rpc.target import Target
from froude.workload.scale import Count
from froude.workload.types import Constant, Counter
from froude.workload.walk import calls
from testbed.node_messages import allocate
from testbed.recorded import schema
from tests.support.emulation.programs.yarn.masters import near
from tests.support.emulation.yarn_plans import SETTINGS, plan


@pytest.fixture
def masters(population: Population) -> Masters:
    """Those of the small job."""
    return Masters(population.types["am"], population)


def test_stages_are_those_of_its_own_tasks(masters: Masters) -> None:
    """Maps first; reduces wait for them. The second of two masters has the second half."""
    for number, maps in enumerate((range(2), range(2, 4))):
        first, second = masters.stages(number)
        assert (first.priority, first.node_type, first.numbers) == (20, "map", maps)
        assert (second.priority, second.numbers) == (10, range(number, number + 1))
        assert (first.waits_for, second.waits_for) == (frozenset(), frozenset({"map"}))
    assert first.process(2, speed=2.0) == Process(NodeId("map", 2), 0.1)


def test_steps_that_take_values_of_containers_are_known(masters: Masters) -> None:
    """And those whose values the start of one takes, if they do not wait for the end of some themselves."""
    assert masters.needs == {"am.info", "am.commit"}
    assert masters.start_needs == {"am.info"}
    assert masters.start is not None
    assert masters.start[1].call.id == "am.start"


def test_what_its_state_decides_is_in_no_template(masters: Masters) -> None:
    """Asks; response ids count the answers, whatever was recorded; and allocate is no call of time alone."""
    assert masters.request.arguments == {
        "progress": Constant(0.5),
        "response_id": Counter(0, {"am.allocate": 1}),
    }
    assert masters.node_type.periodic == ()
    assert masters.every_s == 1.0


def test_a_step_pauses_from_what_it_waits_for(masters: Masters) -> None:
    """And not from the step before."""
    thinks = {call.id: call.timing.think for call in calls(masters.node_type.steps)}
    assert (thinks["am.commit"], thinks["am.finish"]) == (Count(0.2), Count(0.01))


def test_asks_are_made_as_recorded(masters: Masters) -> None:
    """Of a priority and a kind of place that was seen; another one is asked for as anywhere, or as is usual."""
    asks = (Ask(20, "*", 4), Ask(20, "127.16.0.1", 1), Ask(20, "/default-rack", 1), Ask(5, "*", 1))
    request: Any = schema().decode_request(SCHEDULER, "allocate", masters.asked(asks, ()))
    said = [
        (a.priority.priority, a.resource_name, a.num_containers, a.capability.memory) for a in request.ask
    ]
    assert said == [
        (20, "*", 4, 256),
        (20, "127.16.0.1", 1, 256),
        (20, "/default-rack", 1, 256),
        (5, "*", 1, 1024),
    ]


PLACES = st.sampled_from(["*", "/rack", "a.b"]) | st.text()


@given(
    asks=st.lists(st.builds(Ask, st.sampled_from([20, 10, 5]), PLACES, st.integers(0, 1 << 31))),
    released=st.lists(st.builds(lambda n: bytes([8, n]), st.integers(0, 127))),
    response_id=st.integers(0, (1 << 31) - 1),
)
def test_calls_of_allocate_are_what_protobuf_builds(
    asks: list[Ask], released: list[bytes], response_id: int
) -> None:
    """Byte by byte: what is asked for and given back comes before all else. A number that does not fit is stated."""
    population = populate(plan(), schema(), seeds=Seeds(1), settings=SETTINGS)
    masters = Masters(population.types["am"], population)
    like = schema().method(SCHEDULER, "allocate").request(progress=0.5, response_id=response_id)  # type: ignore[call-arg]
    if any(ask.number >= 1 << 31 for ask in asks):
        with pytest.raises(InputError):
            masters.asked(asks, released)
        return
    body = masters.asked(asks, released) + like.SerializeToString()
    one = schema().decode_request(SCHEDULER, "allocate", masters.asked([Ask(20, "*", 1)], ()))
    constants = [(ask, one.ask[0].SerializeToString()) for ask in asks]  # type: ignore[attr-defined]
    if all(ask.priority == 20 for ask in asks):
        assert body == allocate(schema(), like.SerializeToString(), constants, released)
    else:
        assert body == type(like).FromString(body).SerializeToString()


def test_input_that_nothing_tells_of_lies_nowhere(masters: Masters) -> None:
    """Containers are then asked for anywhere."""
    assert masters.hosts(0, masters.stages(0)[0], Random(1)) == [(), ()]


@pytest.mark.parametrize("hosts", ["all", "one"])
def test_containers_are_asked_for_where_the_input_lies(hosts: str) -> None:
    """On all machines of a block, or on one of them; where there are fewer blocks than tasks, anywhere."""
    masters = near(hosts)
    client = NodeId("client", 1)
    masters.applications.given(client, 9)
    assert masters.applications.submitted(client, taken=True) == []
    masters.applications.told(client, "client.report", [("a", "b")])
    first, second = masters.hosts(1, masters.stages(1)[0], Random(1))
    assert first == ("a", "b") if hosts == "all" else first in {("a",), ("b",)}
    assert second == ()
    assert masters.hosts(0, masters.stages(0)[0], Random(1)) == [(), ()]


@pytest.mark.parametrize(
    ("address", "created_s", "granted_s"),
    [("127.0.0.1:8030", 102.5, 7.5), ("127.0.0.1:8030", 0, 9.0), ("elsewhere:8030", 102.5, 9.0)],
)
def test_a_container_is_granted_when_its_token_was_made(
    address: str, created_s: float, granted_s: float
) -> None:
    """By the clock of this machine; from another one's, or a token without a time, when the answer came."""
    target = Target("resourcemanager-scheduler", address, "1")
    targets = {**SETTINGS.targets, target.service: target}
    settings = replace(SETTINGS, targets=targets, epoch_s=100.0, begun_s=5.0)
    population = populate(plan(), schema(), seeds=Seeds(1), settings=settings)
    masters = Masters(population.types["am"], population)
    container: Any = schema().message("hadoop.yarn.ContainerProto")()
    identifier: Any = schema().message(TOKEN_IDENTIFIER)(creationTime=int(created_s * 1000))
    container.container_token.identifier = identifier.SerializePartialToString()
    assert masters.granted_s(container, 9.0) == pytest.approx(granted_s)
