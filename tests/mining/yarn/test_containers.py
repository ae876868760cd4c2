"""Who ran in containers of whom, in captures of real jobs and in what is made of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.mining.pipeline import mine_recordings
from froude.mining.read.events import Event, Recording, recording_of
from froude.workload.types import Awaited, Container, Workload
from froude.workload.walk import calls
from testbed.recorded import recorded


@pytest.fixture
def real(mined: Workload) -> Workload:
    """Upload, TeraGen, TeraSort and WordCount on 2 and 3 nodes."""
    return mined


def containers(workload: Workload) -> dict[str, tuple[str, int | None, float]]:
    """By node type: whose it is, its priority, and what must have ended before it is asked for."""
    found: dict[str, Container] = {
        each.name: each.container for each in workload.node_types if each.container is not None
    }
    return {name: (each.of, each.priority, each.after) for name, each in found.items()}


def test_processes_of_jobs_are_known_by_who_started_them(real: Workload) -> None:
    """Application masters by the client that submitted, tasks by their application master; others ran in none."""
    assert containers(real) == {
        "appmaster": ("submit", None, 0.0),
        "map": ("appmaster", 20, 0.0),
        "appmaster-2": ("submit-2", None, 0.0),
        "map-2": ("appmaster-2", 20, 0.0),
        "reduce": ("appmaster-2", 10, 0.05),
        "appmaster-3": ("client", None, 0.0),
        "map-3": ("appmaster-3", 20, 0.0),
        "reduce-2": ("appmaster-3", 10, 0.05),
    }


def test_they_took_a_while_to_come_up(real: Workload) -> None:
    """A JVM does."""
    delays_s = [each.container.delay_s for each in real.node_types if each.container is not None]
    assert all(0.1 < delay_s < 10 for delay_s in delays_s)


def test_application_masters_waited_for_containers(real: Workload) -> None:
    """First for one, then for the end of all their tasks: then they commit."""
    for name, tasks in (("appmaster", ("map",)), ("appmaster-2", ("map-2", "reduce"))):
        steps = list(calls(real.node_type(name).steps))
        awaited = [(call.method, call.awaits) for call in steps if call.awaits is not None]
        (_, first), (commit, second) = awaited
        assert isinstance(first, Awaited)
        assert isinstance(second, Awaited)
        assert (first.ended, second.ended, commit) == ((), tasks, "create")
        assert 0 <= second.pause_s < 1


def test_programs_play_nodemanagers_and_the_launcher(real: Workload) -> None:
    """Application masters and tasks are scripted."""
    programs = {each.name: each.program for each in real.node_types if each.program != "scripted"}
    assert programs == {
        "nodemanager": "nodemanager",
        "datanode": "datanode",
        "container-launcher": "container-launcher",
    }


def test_nobody_is_in_a_container_that_nobody_started() -> None:
    """Without the calls to NodeManagers, as of a capture of the masters alone, nobody knows of any."""

    def without(recording: Recording) -> Recording:
        def kept(event: Event) -> bool:
            return event.target.service != "nodemanager"

        return replace(recording, events=tuple(filter(kept, recording.events)))

    workload = mine_recordings([without(recording_of(recorded("k2c")))])
    assert containers(workload) == {}
    assert not [call for each in workload.node_types for call in calls(each.steps) if call.awaits is not None]
