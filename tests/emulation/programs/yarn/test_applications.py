"""Whose application is whose, and what a ResourceManager's calls to NodeManagers mean."""

from __future__ import annotations

from typing import Any

import pytest

from froude.emulation.programs.events import Called, Forgone, NodeId, Note, SendMessage, Ticket
from froude.emulation.programs.population import Population
from froude.emulation.programs.yarn.applications import AllOver, Applications, share_of
from froude.emulation.programs.yarn.containers import ContainerKey, ContainerOver, Process
from froude.emulation.programs.yarn.protocols import CONTAINERS, SCHEDULER_SERVICE, TOKEN_IDENTIFIER
from testbed.recorded import schema
from tests.support.hadoop.credentials import REAL

NODE = NodeId("nm", 1)


@pytest.fixture
def applications(population: Population) -> Applications:
    """Nobody has submitted any."""
    return population.common(Applications)


def start(application: int, tokens: bytes = REAL) -> Called:
    """The ResourceManager starts an application master."""
    request: Any = schema().method(CONTAINERS, "startContainers").request()
    each = request.start_container_request.add()
    identifier: Any = schema().message(TOKEN_IDENTIFIER)()
    attempt = identifier.containerId.app_attempt_id
    attempt.application_id.id, attempt.application_id.cluster_timestamp = application, 1
    attempt.attemptId, identifier.containerId.id, identifier.resource.memory = 1, 1, 512
    each.container_token.identifier = identifier.SerializePartialToString()
    each.container_token.password = b""
    each.container_token.kind = each.container_token.service = ""
    each.container_launch_context.tokens = tokens
    return Called(Ticket(0, 0), CONTAINERS, "startContainers", request.SerializeToString())


@pytest.mark.parametrize(("masters", "tasks"), [(1, 5), (2, 4), (3, 7), (4, 2)])
def test_tasks_are_dealt_out_in_order(masters: int, tasks: int) -> None:
    """Each to one master, as evenly as can be."""
    shares = [share_of(number, masters, tasks) for number in range(masters)]
    assert [number for share in shares for number in share] == list(range(tasks))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_an_application_is_started_with_its_master(
    population: Population, applications: Applications
) -> None:
    """The number that its client was given names it, whoever submits first; its token and its place are kept."""
    for client, application in ((1, 7), (0, 8)):
        applications.given(NodeId("client", client), application)
        assert applications.submitted(NodeId("client", client), taken=True) == []
    launched = applications.launched(NODE, start(7))
    (started,) = launched.started
    assert launched.error == ""
    assert started.process == Process(NodeId("am", 1), 0.5)
    assert (started.key, started.master, started.cause) == (ContainerKey(7, 1, 1), None, "launcher.start")
    assert population.tokens[NodeId("am", 1), SCHEDULER_SERVICE].identifier
    assert applications.host(NodeId("am", 1)) == population.fact(NODE, "address")
    assert applications.host(NodeId("am", 0)) is None
    response: Any = schema().decode_response(CONTAINERS, "startContainers", launched.body)
    assert [each.app_attempt_id.application_id.id for each in response.succeeded_requests] == [7]


def test_somebody_elses_application_runs_nothing(applications: Applications) -> None:
    """Its container is taken, counted, and ends."""
    launched = applications.launched(NODE, start(99))
    assert [each.process for each in launched.started] == [None]
    assert launched.told == [Note("container of an application that the play did not submit")]


def test_what_cannot_be_read_is_refused(applications: Applications) -> None:
    """No token storage, no message, another method; nothing is started."""
    applications.given(NodeId("client", 0), 7)
    applications.submitted(NodeId("client", 0), taken=True)
    broken = start(7)._replace(body=b"\xff")
    other = start(7)._replace(method="getContainerStatuses")
    for call in (start(7, b"no storage"), broken, other):
        launched = applications.launched(NODE, call)
        assert launched.error.endswith("YarnException")
        assert launched.started == ()


def test_containers_are_stopped(applications: Applications) -> None:
    """Those that are named."""
    request: Any = schema().method(CONTAINERS, "stopContainers").request()
    message = request.container_id.add()
    message.app_attempt_id.application_id.id, message.app_attempt_id.application_id.cluster_timestamp = 7, 1
    message.app_attempt_id.attemptId, message.id = 1, 1
    call = Called(Ticket(0, 0), CONTAINERS, "stopContainers", request.SerializeToString())
    assert applications.launched(NODE, call).stopped == [ContainerKey(7, 1, 1)]


def test_an_application_that_is_not_taken_leaves_nobody_waiting(applications: Applications) -> None:
    """Its master and all its tasks; whoever waits for the last master's end is told."""
    waiting = NodeId("launcher", 0)
    assert not applications.tell_when_over(waiting)
    said = applications.submitted(NodeId("client", 1), taken=False)
    forgone = {each.node for each in said if isinstance(each, Forgone)}
    assert forgone == {NodeId("am", 1), NodeId("map", 2), NodeId("map", 3), NodeId("reduce", 1)}
    over = ContainerOver(ContainerKey(7, 1, 1), Process(NodeId("am", 0)), killed=False)
    assert applications.over(over) == [SendMessage(waiting, AllOver())]
    assert applications.tell_when_over(waiting)


def test_a_master_that_is_killed(population: Population, applications: Applications) -> None:
    """It loses its token, and its tasks will not come."""
    population.tokens[NodeId("am", 0), SCHEDULER_SERVICE] = object()  # type: ignore[assignment]
    said = applications.over(ContainerOver(ContainerKey(7, 1, 1), Process(NodeId("am", 0)), killed=True))
    assert said[0] == Note("application master killed")
    assert Forgone(NodeId("map", 0)) in said
    assert population.tokens == {}
    assert applications.over(ContainerOver(ContainerKey(9, 1, 1), None, killed=True)) == ()


def test_a_client_that_submits_more_than_the_plan_has(applications: Applications) -> None:
    """It is counted."""
    client = NodeId("client", 0)
    applications.given(client, 7)
    applications.submitted(client, taken=True)
    assert applications.submitted(client, taken=True) == [
        Note("application without an application master in the plan")
    ]
