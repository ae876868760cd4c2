"""Which program plays a node of YARN, and what families see of clients."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from froude.base.seeds import Seeds
from froude.emulation.programs.events import MessageReceived, NodeId, Reached, Started
from froude.emulation.programs.population import PlaySettings, Population
from froude.emulation.programs.registry import kind_of, populate
from froude.emulation.programs.scripted_family import ScriptedFamily
from froude.emulation.programs.yarn.applications import AllOver, Applications
from froude.emulation.programs.yarn.family import Launcher, LauncherFamily, MasterFamily, NodemanagerFamily
from froude.hadoop.rpc.target import Target
from froude.workload.rules import Special
from froude.workload.types import CallTemplate, Moment
from testbed.recorded import schema
from tests.support.emulation.programs.yarn.masters import near
from tests.support.emulation.yarn_plans import call, plan

ME = NodeId("launcher", 0)


def test_programs_act_where_a_resourcemanager_plays_along(population: Population) -> None:
    """Tasks begin when they are told, application masters, too; clients by their rules."""
    kinds = {name: type(family) for name, family in population.families.items()}
    assert kinds == {
        "nm": NodemanagerFamily,
        "client": ScriptedFamily,
        "launcher": LauncherFamily,
        "am": MasterFamily,
        "map": ScriptedFamily,
        "reduce": ScriptedFamily,
    }
    assert {name for name, family in population.families.items() if family.told} == {"am", "map", "reduce"}


def test_they_are_scripted_against_a_namenode_alone() -> None:
    """As they were mined."""
    settings = PlaySettings({"namenode": Target("namenode", "nn:1", "n")})
    population = populate(plan(), schema(), seeds=Seeds(1), settings=settings)
    assert {type(family) for family in population.families.values()} == {ScriptedFamily}
    assert not any(family.told for family in population.families.values())


def test_kinds() -> None:
    """Daemons call NodeManagers, which are needed first and never end."""
    nodes, launcher = kind_of("nodemanager"), kind_of("container-launcher")
    assert (nodes.called, nodes.endless, nodes.needed_first) == (True, True, True)
    assert (launcher.called, launcher.endless, launcher.needed_first) == (False, False, False)


@pytest.mark.parametrize("name", ["address", "hostname"])
def test_a_nodemanager_has_facts(population: Population, name: str) -> None:
    """Its address and its port, by which it is known."""
    family = population.families["nm"]
    assert family.fact(2, name) == "127.16.0.3"
    assert (family.fact(0, "port"), family.fact(0, "uuid")) == (18041, Special.UNRESOLVED)
    assert population.called("127.16.0.3:18041") == NodeId("nm", 2)
    assert population.called("127.16.0.4:18041") is None
    assert (family.source(0), family.real_user(0), family.owner("x")) == (None, None, None)


class _Client:
    """A client that will make some calls, and is promised values for them."""

    id = NodeId("client", 0)

    def __init__(self, *ahead: CallTemplate) -> None:
        self._ahead = ahead
        self.promised: dict[tuple[str, str], Any] = {}

    def ahead(self) -> list[Any]:
        return [SimpleNamespace(call=each, context=None) for each in self._ahead]

    def promise(self, template: CallTemplate, path: str, value: Any) -> None:
        self.promised[template.id, path] = value


def test_a_client_names_the_application_that_it_was_given(population: Population) -> None:
    """In all calls up to its next one; and with a token storage that can be read."""
    template = population.types["client"].steps
    new, submit, report = cast("tuple[CallTemplate, ...]", template)
    again = call("client.again", report.protocol, "getApplicationReport", report.arguments)
    client = _Client(submit, report, new, again)
    given: Any = schema().method(new.protocol, new.method).response()
    given.application_id.id, given.application_id.cluster_timestamp = 9, 5
    family = population.families["am"]
    assert set(family.watches) == {"getNewApplication", "submitApplication"}
    assert list(family.answered(client, new, given)) == []  # type: ignore[arg-type]
    context = "application_submission_context"
    assert client.promised == {
        ("client.submit", f"{context}.application_id.id"): 9,
        ("client.submit", f"{context}.application_id.cluster_timestamp"): 5,
        ("client.submit", f"{context}.am_container_spec.tokens"): b"HDTS\0\0\0",
        ("client.report", "application_id.id"): 9,
        ("client.report", "application_id.cluster_timestamp"): 5,
    }
    assert list(family.answered(client, new, None)) == []  # type: ignore[arg-type]
    assert list(family.answered(client, submit, None))  # type: ignore[arg-type]


def test_a_client_is_told_where_its_input_lies() -> None:
    """By a listing of a folder, or by the places of a file."""
    population = near("all").population
    family, applications = population.families["am"], population.common(Applications)
    protocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
    listing: Any = schema().method(protocol, "getListing").response()
    located: Any = schema().method(protocol, "getBlockLocations").response()
    for block in (
        listing.dirList.partialListing.add().locations.blocks.add(),
        located.locations.blocks.add(),
    ):
        block.locs.add().id.hostName = "a"
    told = CallTemplate("client.report", protocol, "getListing", {})
    client: Any = _Client()
    for response in (listing, located):
        assert list(family.answered(client, told, response)) == []
    applications.given(client.id, 9)
    applications.submitted(client.id, taken=True)
    assert applications.blocks(NodeId("am", 0), "client.report") == [("a",), ("a",)]


def test_it_is_through_when_no_application_master_will_work_any_more(population: Population) -> None:
    """It begins like any other node, and calls nobody."""
    launcher = Launcher(population.common(Applications), ME)
    assert launcher.handle(Started(0.0), 0.0) == [Reached(Moment.STARTED)]
    assert launcher.overdue(1e9) == ()
    assert launcher.handle(MessageReceived(AllOver()), 1.0) == [Reached(Moment.FINISHED)]
    assert launcher.handle(MessageReceived("another"), 1.0) == []


def test_it_comes_too_late(population: Population) -> None:
    """All is over: it ends as it begins."""
    applications = population.common(Applications)
    for client in range(2):
        applications.submitted(NodeId("client", client), taken=False)
    said = Launcher(applications, ME).handle(Started(0.0), 0.0)
    assert said == [Reached(Moment.STARTED), Reached(Moment.FINISHED)]
