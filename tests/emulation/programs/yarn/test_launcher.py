"""What stands for the ResourceManager's own calls."""

from __future__ import annotations

from froude.emulation.programs.events import MessageReceived, NodeId, Reached, Started
from froude.emulation.programs.population import Population
from froude.emulation.programs.yarn.applications import AllOver, Applications
from froude.emulation.programs.yarn.launcher import Launcher
from froude.workload.types import Moment

ME = NodeId("launcher", 0)


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
