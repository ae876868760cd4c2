"""Names and messages of emulated NodeManagers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.programs.population import Population
from froude.emulation.programs.registry import populate
from froude.emulation.programs.yarn.containers import ContainerKey, Held
from froude.emulation.programs.yarn.localisation import Fetch
from froude.emulation.programs.yarn.nodemanagers import HEARTBEAT, REGISTER, Nodemanagers, check_resources
from froude.emulation.programs.yarn.protocols import HDFS, TRACKER
from froude.emulation.settings import NodemanagerSettings
from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import CallTemplate, Constant, NodeType, Recorded, Workload
from testbed.node_messages import beat_builder
from testbed.recorded import schema
from tests.support.emulation.yarn_plans import SETTINGS, plan


def nodes(
    population: Population, settings: NodemanagerSettings | None = None, first: int = 0
) -> Nodemanagers:
    """Those of the small job."""
    return Nodemanagers(population.types["nm"], population, settings or NodemanagerSettings(), first=first)


def decoded(method: str, body: bytes) -> Any:
    """A request to the ResourceManager."""
    return schema().decode_request(TRACKER, method, body)


def container(population: Population, number: int = 2) -> Held:
    """A container of application 7."""
    message: Any = population.schema.message("hadoop.yarn.ContainerIdProto")()
    message.app_attempt_id.application_id.id, message.app_attempt_id.application_id.cluster_timestamp = 7, 1
    message.app_attempt_id.attemptId, message.id = 1, number
    return Held(ContainerKey.of(message), message.SerializeToString(), b"\x08\x80\x02", None, None)


def test_a_nodes_address_tells_its_number(population: Population) -> None:
    """Both ways; those of other types have theirs before, and what is beyond the last is nobody's."""
    fleet = nodes(population, first=5)
    assert [fleet.number(fleet.address(number)) for number in range(3)] == [0, 1, 2]
    assert fleet.address(0) == nodes(population).address(5)
    assert [fleet.number(nodes(population).address(number)) for number in (4, 8)] == [None, None]
    assert fleet.number("127.0.0.1") is None


def test_registration_says_what_was_recorded(population: Population) -> None:
    """And where this node is called; settings go before."""
    said = decoded(REGISTER, nodes(population).register(1, ()))
    assert (said.node_id.host, said.node_id.port) == ("127.16.0.2", 18041)
    assert (said.resource.memory, said.resource.virtual_cores) == (1024, 4)
    larger = nodes(population, NodemanagerSettings(memory_mb=4096, cores=16))
    said = decoded(REGISTER, larger.register(1, [container(population)]))
    assert (said.resource.memory, said.resource.virtual_cores) == (4096, 16)
    (status,) = said.container_statuses
    assert (status.container_id.id, status.container_state, status.resource.memory) == (2, 2, 256)


def test_nodes_name_the_port_that_is_known_last(population: Population) -> None:
    """A player listens once the nodes are made ready: registrations and heartbeats name one port."""
    fleet = nodes(population)
    population.settings = replace(population.settings, port=18042)
    beat = decoded(HEARTBEAT, fleet.heartbeat(1, response_id=3, keys=(b"", b""), statuses=b""))
    registered = decoded(REGISTER, fleet.register(1, ()))
    assert beat.node_status.node_id == registered.node_id
    assert beat.node_status.node_id.port == 18042


def test_a_type_without_rules_says_what_is_needed() -> None:
    """Nothing was recorded: no rule of what a node says is known."""
    node_type = NodeType("nm", Count(2), (), program="nodemanager")
    planned = Plan(Workload((node_type,), Recorded((), ())), Scale.of(), {"nm": 2})
    population = populate(planned, schema(), seeds=Seeds(1), settings=SETTINGS)
    fleet = Nodemanagers(node_type, population, NodemanagerSettings())
    said = decoded(REGISTER, fleet.register(0, ()))
    assert (said.resource.memory, said.resource.virtual_cores) == (8192, 8)
    beat = fleet.heartbeat(0, response_id=3, keys=(b"", b""), statuses=b"")
    assert decoded(HEARTBEAT, beat).node_status.nodeHealthStatus.is_node_healthy


def test_a_heartbeat_tells_of_containers_and_load(population: Population) -> None:
    """Response id, keys, each container as it is; a node without containers has none of their load."""
    fleet, held = nodes(population), container(population)
    answered: Any = schema().method(TRACKER, HEARTBEAT).response()
    answered.nm_token_master_key.key_id, answered.nm_token_master_key.bytes = 1, b"k"
    keys = fleet.keys(answered)
    for state in (2, 3):
        body = fleet.heartbeat(0, response_id=4, keys=keys, statuses=fleet.statuses([held]))
        said = decoded(HEARTBEAT, body)
        assert said.node_status.response_id == 4
        assert said.last_known_nm_token_master_key.bytes == b"k"
        assert 10 <= said.node_status.node_utilization.pmem <= 20
        (status,) = said.node_status.containersStatuses
        assert (status.container_id.id, status.state, status.capability.memory) == (2, state, 256)
        held.ends(0)
    body = fleet.heartbeat(1, response_id=4, keys=keys, statuses=b"")
    assert not decoded(HEARTBEAT, body).node_status.containersStatuses


CONTAINERS = st.lists(
    st.tuples(st.integers(1, 1 << 40), st.sampled_from([None, 0, -105, 1]), st.booleans()), max_size=3
)


@given(
    number=st.integers(0, 300),
    response_id=st.integers(0, (1 << 31) - 1) | st.integers(0, 300),
    containers=CONTAINERS,
    key=st.binary(max_size=300),
)
def test_heartbeats_are_what_protobuf_builds(
    number: int, response_id: int, containers: list[tuple[int, int | None, bool]], key: bytes
) -> None:
    """Byte by byte, with the containers' states, whatever was recorded of the load."""
    population = populate(plan(nodes=3), schema(), seeds=Seeds(1), settings=SETTINGS)
    fleet = nodes(population)
    answered: Any = schema().method(TRACKER, REGISTER).response()
    answered.nm_token_master_key.bytes = answered.container_token_master_key.bytes = key
    keys = fleet.keys(answered)
    held = [container(population, each) for each, _, _ in containers]
    for one, (_, ended, runs) in zip(held, containers, strict=True):
        if runs:
            one.runs()
        if ended is not None:
            one.ends(ended)
    build = beat_builder(schema(), fleet.heartbeat(0, response_id=1, keys=keys, statuses=b""))
    body = fleet.heartbeat(number, response_id=response_id, keys=keys, statuses=fleet.statuses(held))
    assert body == build(fleet.address(number), response_id, held, body)
    pmem = decoded(HEARTBEAT, body).node_status.node_utilization.pmem
    assert 10 <= pmem <= 20


PLAIN: dict[str, Any] = {"nodeAction": 0, "nextHeartBeatInterval": 1000, "areNodeLabelsAcceptedByRM": False}


def answer(population: Population, **values: Any) -> bytes:
    """An answer to a heartbeat."""
    response: Any = population.schema.method(TRACKER, HEARTBEAT).response(**{**PLAIN, **values})
    body: bytes = response.SerializeToString()
    return body


@pytest.mark.parametrize("response_id", [1, 127, 128, 70_000, (1 << 31) - 1])
def test_plain_answers_differ_in_their_id(population: Population, response_id: int) -> None:
    """It is what is read of them; one that asks for another interval is no plain one, unless settings give it."""
    fleet = nodes(population)
    body = answer(population, response_id=response_id)
    assert [fleet.plain(body, 1.0) for _ in range(2)] == [response_id] * 2
    assert fleet.plain(body, 2.0) is None
    assert nodes(population, NodemanagerSettings(heartbeat_s=2.0)).plain(body, 2.0) == response_id


def test_answers_that_ask_for_something_are_read(population: Population) -> None:
    """An action, keys, a resource, or containers and applications to clean up; also many different plain ones."""
    fleet = nodes(population)
    for values in (
        {"nodeAction": 1},
        {"nm_token_master_key": {"key_id": 1}},
        {"container_token_master_key": {"key_id": 1}},
        {"resource": {"memory": 1}},
        {"containers_to_cleanup": [{"id": 1}]},
        {"containers_to_be_removed_from_nm": [{"id": 1}]},
        {"applications_to_cleanup": [{"id": 1}]},
    ):
        body = answer(population, response_id=3, **values)
        assert [fleet.plain(body, 1.0) for _ in range(2)] == [None] * 2
    elsewhere = answer(population, response_id=3)
    assert fleet.plain(elsewhere[2:] + elsewhere[:2], 1.0) is None
    for number in range(200):
        assert fleet.plain(answer(population, response_id=3, tokenSequenceNo=number), 1.0) == 3


@pytest.mark.parametrize("body", [b"\x08", b"\x08\x80", b"\x08" + b"\xff" * 11, b"\x08\x01\x20", b"\xff"])
def test_a_damaged_answer_is_stated(population: Population, body: bytes) -> None:
    """Also one that is damaged in its response id, or in what comes after it."""
    fleet = nodes(population)
    with pytest.raises(InputError):
        fleet.plain(body, 1.0) or fleet.answer(body)


def test_calls_that_fetch(population: Population) -> None:
    """Each names what it is about."""
    fleet = nodes(population)
    for fetch in (
        Fetch("getFileInfo", "/a"),
        Fetch("getBlockLocations", "/a"),
        Fetch("getServerDefaults", ""),
    ):
        said: Any = schema().decode_request(HDFS, fetch.method, fleet.fetch(fetch))
        assert getattr(said, "src", "") == fetch.path


def test_phases_are_spread(population: Population) -> None:
    """Over the whole interval, the same in two plays of one seed."""
    phases = [nodes(population).phase(number) for number in range(100)]
    assert phases == [nodes(population).phase(number) for number in range(100)]
    assert min(phases) < 0.1
    assert 0.9 < max(phases) < 1


@pytest.mark.parametrize("name", ["resource.memory", "resource.virtual_cores"])
def test_resources_below_one_are_refused(population: Population, name: str) -> None:
    """What was recorded is as it was, and so is a type without a registration."""
    check_resources(population.types["nm"])
    check_resources(NodeType("nm", Count(2), (), program="nodemanager"))
    call = CallTemplate("nm.c1", TRACKER, REGISTER, {name: Constant(-5)})
    with pytest.raises(InputError, match=f"nm: {name}: is too small; found -5; allowed: 1 or more"):
        check_resources(NodeType("nm", Count(2), (call,), program="nodemanager"))
