"""Whole plays of a small job against a model of a ResourceManager: what is asked for, started and waited for."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from froude.base.errors import GuardError, InputError
from froude.emulation.programs.yarn.applications import Applications
from froude.emulation.programs.yarn.family import NodemanagerFamily
from froude.emulation.programs.yarn.nodemanager import EmulatedNodemanager
from froude.emulation.programs.yarn.protocols import FAILED_APPLICATION
from froude.emulation.settings import Connections, Mode, Pacing, Turnover
from froude.workload.plan import Plan
from froude.workload.types import Container, NodeType
from testbed.recorded import schema
from tests.support.emulation.model_master import SERVICES, STAMP, App, ModelMaster, begun
from tests.support.emulation.programs.yarn.alone import Alone
from tests.support.emulation.yarn_plans import applications_alone, plan

SUCCEEDED = 1
BEATS = {"nodeHeartbeat", "allocate", "getApplicationReport", "versionRequest"}
"""Calls that are made as often as time passes, or as connections are."""
FETCHES = {"getFileInfo", "getBlockLocations", "getServerDefaults"}
"""Calls that NodeManagers make, too, as many as containers of different applications meet on a node."""


def played(model: ModelMaster) -> list[App]:
    """The applications of a play that came to its end."""
    model.run()
    assert model.done, (model.now_s, model.notes)
    return list(model.apps.values())


def without(planned: Plan, node_type: str, **changes: object) -> Plan:
    """A plan with one node type changed."""

    def change(each: NodeType) -> NodeType:
        return replace(each, **changes) if each.name == node_type else each  # type: ignore[arg-type]

    types = tuple(map(change, planned.workload.node_types))
    return replace(planned, workload=replace(planned.workload, node_types=types))


def test_a_play_is_the_same_with_and_without_repeated_heartbeats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each node tells the ResourceManager the same, as often; applications get the same containers."""
    plays = []
    for repeats in (True, False):
        model = ModelMaster(plan(nodes=9, jobs=2, maps=6), schema())
        for family in model.population.families.values():
            if isinstance(family, NodemanagerFamily):
                program = partial(EmulatedNodemanager if repeats else Alone, family.nodemanagers)
                applications = model.population.common(Applications)
                monkeypatch.setattr(family, "program", partial(program, masters=applications))
        played(model)
        plays.append(model)
    ours, theirs = plays
    assert ours.calls == theirs.calls
    assert ours.calls["nodeHeartbeat"] > 30
    assert {host: node.told for host, node in ours.nodes.items()} == {
        host: node.told for host, node in theirs.nodes.items()
    }
    assert [app.asks for app in ours.apps.values()] == [app.asks for app in theirs.apps.values()]


@pytest.mark.parametrize("pacing", list(Pacing))
def test_jobs_come_to_their_end(pacing: Pacing) -> None:
    """Two jobs, each with its own maps and reduce: each container is asked for, started, told of; each task calls once.

    The numbers of applications are the ResourceManager's, whatever was recorded.
    """
    model = ModelMaster(plan(nodes=2, jobs=2, maps=6), schema(), pacing=pacing)
    apps = played(model)
    assert [(app.status, app.ended) for app in apps] == [(SUCCEEDED, True), (SUCCEEDED, True)]
    paths = [path for _, path in model.paths]
    assert sorted(path for path in paths if path.startswith(("/in", "/out"))) == [
        *(f"/in/{number}" for number in range(6)),
        *("/out/0", "/out/1"),
    ]
    notes = model.core.tally.notes
    assert notes["call to an emulated node, not sent: startContainers"] == 8
    assert notes["called by another process: startContainers"] == 2
    assert not [note for note in notes if "left out" in note or "unresolved" in note]
    assert not list(model.core.tally.failures)
    assert begun(model, "map") == 6


@pytest.mark.parametrize("players", [2, 3])
def test_jobs_are_shared_out_over_players(players: int) -> None:
    """Clients, application masters, tasks and NodeManagers may each be another player's: the same calls are made."""
    shown = []
    for number in (1, players):
        model = ModelMaster(plan(nodes=4, jobs=3, maps=9), schema(), players=number)
        apps = played(model)
        assert [(app.status, app.ended) for app in apps] == [(SUCCEEDED, True)] * 3
        assert not [core for core in model.cores if list(core.tally.failures)]
        once = {method: times for method, times in model.calls.items() if method not in BEATS | FETCHES}
        paths = sorted(path for _, path in model.paths if path.startswith(("/in", "/out")))
        shown.append((once, paths, dict(model.notes), begun(model, "map"), begun(model, "reduce")))
    assert shown[0] == shown[1]


@pytest.mark.parametrize("players", [1, 2, 3])
def test_a_container_of_another_player_that_is_lost(players: int) -> None:
    """It is stopped there, and its task begins again in another one; an application master that is ended is forgone."""
    slow = without(plan(nodes=3, jobs=1, maps=4, reduces=False), "map", container=Container("am", 20, 3.0))
    model = ModelMaster(slow, schema(), players=players)
    model.lost = {3}
    (app,) = played(model)
    assert (app.status, app.containers) == (SUCCEEDED, 6)
    assert model.notes["container lost: map"] == 1


def test_reduces_are_asked_for_once_maps_have_ended() -> None:
    """As many as their share says; and a commit waits for all."""
    model = ModelMaster(plan(nodes=1, jobs=1, maps=4), schema())
    (app,) = played(model)
    asked = [ask for asks in app.asks for ask in asks]
    assert asked[0] == (20, "*", 4)
    first_reduce = next(at for at, asks in enumerate(app.asks) if (10, "*", 1) in asks)
    assert first_reduce > 0
    order = [path for _, path in model.paths if path.startswith(("/in", "/out"))]
    assert order[-1] == "/out/0"
    commit = max(at for at, (_, path) in enumerate(model.paths) if path == f"/staging/{app.number}/job.jar")
    assert commit > model.paths.index(("getFileInfo", "/out/0"))


def test_a_node_that_is_full_gives_containers_later() -> None:
    """One at a time: as many are asked for as are left, and none twice."""
    (app,) = played(ModelMaster(plan(nodes=1, jobs=1, maps=5), schema()))
    assert app.status == SUCCEEDED
    numbers = [
        number for asks in app.asks for priority, place, number in asks if (priority, place) == (20, "*")
    ]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[-1] == 0


def test_containers_that_nobody_wants_go_back() -> None:
    """Given beyond those that were asked for: nothing is started in them."""
    model = ModelMaster(plan(nodes=2, jobs=1, maps=2), schema())
    model.extra = 2
    (app,) = played(model)
    assert app.released >= 2
    assert begun(model, "map") == 2


def test_a_container_that_is_lost_is_asked_for_again() -> None:
    """Its task begins anew in another one."""
    slow = without(plan(nodes=2, jobs=1, maps=4, reduces=False), "map", container=Container("am", 20, 3.0))
    model = ModelMaster(slow, schema())
    model.lost = {3}
    (app,) = played(model)
    assert (app.status, app.containers) == (SUCCEEDED, 6)
    assert model.core.tally.notes["container lost: map"] == 1
    assert {path for _, path in model.paths} >= {f"/in/{number}" for number in range(4)}


def test_no_nodes_no_application() -> None:
    """Nobody gives a container: an application master that never begins is waited for until the play is ended."""
    model = ModelMaster(plan(nodes=0, jobs=1, maps=1), schema())
    model.run()
    assert not model.core.done
    assert model.calls["submitApplication"] == 1


def test_a_submission_that_is_refused_leaves_nobody_waiting() -> None:
    """Neither its application master nor its tasks will come; the other job's do."""
    model = ModelMaster(plan(nodes=1, jobs=1, maps=2), schema())
    model.refuses = "submitApplication"
    model.run()
    assert model.core.done
    assert begun(model, "am") == 0


def test_an_application_that_nothing_is_given_to_is_given_up() -> None:
    """After five minutes; it says that it failed, and nobody waits for its tasks."""
    planned = plan(nodes=1, jobs=1, maps=2)
    model = ModelMaster(planned, schema())
    model._assign = _only_masters(model)  # type: ignore[method-assign]
    model.run()
    (app,) = model.apps.values()
    assert app.status == FAILED_APPLICATION
    assert model.core.done
    assert model.core.tally.notes["application given up: am, no container was given"] == 1


def test_an_application_master_that_is_killed_leaves_nobody_waiting() -> None:
    """Its tasks are stopped or do not begin."""
    model = ModelMaster(plan(nodes=1, jobs=1, maps=2), schema())
    assign = _only_masters(model)

    def kill(node: object) -> None:
        assign(node)
        for app in model.apps.values():
            if app.registered and len(app.asks) > 2 and not app.ended:
                model.kill_master(app)

    model._assign = kill  # type: ignore[assignment, method-assign]
    model.run()
    assert model.core.done
    assert model.core.tally.notes["application master killed"] == 1


def test_without_a_resourcemanager_types_are_scripted() -> None:
    """Against a NameNode alone nodes start by their rules, and what is YARN's is left out."""
    model = ModelMaster(plan(nodes=1, jobs=1, maps=2), schema(), services=SERVICES[:1])
    model.run()
    assert model.core.done
    assert set(model.calls) == {"getFileInfo", "versionRequest"}
    assert begun(model, "map") == 2


def _only_masters(model: ModelMaster):  # type: ignore[no-untyped-def]
    """Gives application masters their containers, and tasks none."""
    original = type(model)._assign

    def assign(node: object) -> None:
        for app in model.apps.values():
            app.wanted.clear()
        original(model, node)  # type: ignore[arg-type]

    return assign


@pytest.mark.parametrize("pool", [0, 4])
def test_one_node_speaks_to_a_tracker_that_is_another_ones(pool: int) -> None:
    """A relay leads to another ResourceManager: its answer to the first registration ends the play."""
    model = ModelMaster(plan(nodes=20, jobs=1, maps=2), schema(), connections=Connections(pool=pool))
    model.stamp = STAMP + 1
    with pytest.raises(AssertionError, match=rf"is another daemon .* found {STAMP + 1}; allowed: {STAMP}"):
        model.run()
    assert isinstance(model.core.failure, GuardError)
    assert len(model.nodes) == model.calls["registerNodeManager"] == 1


def test_connections_to_a_tracker_open_once_one_node_is_registered() -> None:
    """Each with a connection of its own, all nodes come to work."""
    model = ModelMaster(plan(nodes=20, jobs=1, maps=2), schema(), connections=Connections(pool=0))
    model.run()
    assert len(model.nodes) == 20
    assert [app.status for app in model.apps.values()] == [SUCCEEDED]


@pytest.mark.parametrize("players", [1, 2])
def test_applications_follow_each_other(players: int) -> None:
    """Two at work: the end of a client is the start of the next, whose application has its own master and tasks."""
    turnover = Turnover(Mode.POPULATION)
    planned = applications_alone(nodes=3, apps=2, tasks=3)
    model = ModelMaster(planned, schema(), players=players, turnover=turnover, limit_s=60.0)
    model.run()
    assert not model.done
    ended = [app for app in model.apps.values() if app.finished]
    assert len(ended) > 6
    assert {app.containers for app in ended} == {4}
    assert all(app.status == SUCCEEDED for app in ended if app.ended)
    assert len(model.apps) - len(ended) <= 3
    open_ = [
        channel for core in model.cores for channel in core.channels if channel.endpoint.token and channel.up
    ]
    assert len(open_) <= 4  # an application master that has ended leaves no connection behind
    granted = sum(core.tally.allocation.total + core.tally.ramp.allocation.total for core in model.cores)
    assert granted >= 3 * len(ended)
    assert not [
        note for note in model.notes if "left out" in note or "unresolved" in note or "not there" in note
    ]


def test_applications_without_a_resourcemanager_cannot_follow_each_other() -> None:
    """Their masters and tasks would begin by start rules, which know no further ones."""
    with pytest.raises(
        InputError, match="am: cannot be kept up by further clients; found runs in containers, and no"
    ):
        ModelMaster(plan(), schema(), services=SERVICES[:1], turnover=Turnover(Mode.POPULATION))


def test_how_long_containers_took_to_be_granted() -> None:
    """From the call that first asked for each; on a node with room for one of them, later ones wait for the earlier."""
    model = ModelMaster(plan(nodes=1, jobs=1, maps=5, reduces=False), schema())
    played(model)
    allocation = model.core.tally.allocation
    assert allocation.total == 5
    assert max(allocation.counts) > min(allocation.counts) > 0
