"""Names and messages of emulated NodeManagers."""

from __future__ import annotations

from typing import Any

import pytest

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.programs.population import Population
from froude.emulation.programs.registry import populate
from froude.emulation.programs.yarn.containers import ContainerKey, Held
from froude.emulation.programs.yarn.localisation import Fetch
from froude.emulation.programs.yarn.nodemanagers import (
    HEARTBEAT,
    REGISTER,
    Nodemanagers,
    NodemanagerSettings,
    check_resources,
)
from froude.emulation.programs.yarn.protocols import HDFS, TRACKER
from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import CallTemplate, Constant, NodeType, Recorded, Workload
from testbed.recorded import schema
from tests.support.emulation.yarn_plans import SETTINGS


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


def test_a_type_without_rules_says_what_is_needed() -> None:
    """Nothing was recorded: no rule of what a node says is known."""
    node_type = NodeType("nm", Count(2), (), program="nodemanager")
    plan = Plan(Workload((node_type,), Recorded((), ())), Scale.of(), {"nm": 2})
    population = populate(plan, schema(), seeds=Seeds(1), settings=SETTINGS)
    fleet = Nodemanagers(node_type, population, NodemanagerSettings())
    said = decoded(REGISTER, fleet.register(0, ()))
    assert (said.resource.memory, said.resource.virtual_cores) == (8192, 8)
    beat = fleet.heartbeat(0, response_id=3, keys=(b"", b""), held=())
    assert decoded(HEARTBEAT, beat).node_status.nodeHealthStatus.is_node_healthy


def test_a_heartbeat_tells_of_containers_and_load(population: Population) -> None:
    """Response id, keys, each container as it is; a node without containers has none of their load."""
    fleet, held = nodes(population), container(population)
    key = b"\x08\x01\x12\x01k"
    for state in (2, 3):
        body = fleet.heartbeat(0, response_id=4, keys=(key, key), held=[held])
        said = decoded(HEARTBEAT, body)
        assert said.node_status.response_id == 4
        assert said.last_known_nm_token_master_key.bytes == b"k"
        assert 10 <= said.node_status.node_utilization.pmem <= 20
        (status,) = said.node_status.containersStatuses
        assert (status.container_id.id, status.state, status.capability.memory) == (2, state, 256)
        held.ends(0)
    body = fleet.heartbeat(1, response_id=4, keys=(key, key), held=())
    assert not decoded(HEARTBEAT, body).node_status.containersStatuses


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
