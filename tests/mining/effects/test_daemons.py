"""What daemons are asked to do."""

from __future__ import annotations

import numpy as np

from froude.hadoop.rpc.target import Target
from froude.mining.effects.daemons import Daemons
from froude.mining.effects.rare_values import Said
from froude.mining.read.events import Event, Recording
from froude.mining.read.knowledge import REPORTS
from froude.mining.read.senders import Conventions, senders_of
from froude.workload.types import Actor
from tests.support.mining.events import event

HERE = Target("nodemanager", "10.0.0.7:4000", "")
FACTS = {"host": "10.0.0.7", "port": 4000}


def _said(*events: Event) -> Said:
    return Said(senders_of([Recording(events, {})], Conventions({}, {}))[0])


def _of(said: Said, method: str) -> np.ndarray:
    return np.array([number for number, call in enumerate(said.calls) if call.token[1] == method])


def test_a_request_to_a_node_causes_what_it_does_with_its_values() -> None:
    """The first that held the value, if the node did not know it before; not what it asked itself."""
    said = _said(
        event(0, "register", FACTS, client="n1"),
        event(1, "start", {"files[0].path": "/a/another"}, client="n1", target=HERE),
        event(2, "start", {"files[3].path": "/a/job.jar"}, client="am", target=HERE),
        event(3, "start", {"files[0].path": "/a/job.jar"}, client="am", target=HERE),
        event(4, "look", {"src": "/a/job.jar"}, client="n1"),
        event(5, "look", {"src": "/a/another"}, client="n1"),
        event(6, "look", {"src": "/a/job.jar"}, client="elsewhere"),
    )
    ((row, channel, cause, numbers),) = Daemons(said).addressed(_of(said, "look"))
    assert (row, cause, numbers) == (0, 2, (3,))
    assert (channel.actor, channel.each, channel.fact) == (Actor.CALLEE, "files", "host")


def test_an_address_that_two_give_as_theirs_is_nobodys() -> None:
    """Which of them was asked nobody can say; nor is it anybody's whose host alone is known."""
    asked = event(2, "start", {"path": "/a/job.jar"}, client="am", target=HERE)
    looks = event(3, "look", {"src": "/a/job.jar"}, client="n1")
    for facts, other, number in ((FACTS, {}, 1), (FACTS, FACTS, 0), ({"host": "10.0.0.7"}, {}, 0)):
        said = _said(
            event(0, "register", facts, client="n1"), event(1, "register", other, client="n2"), asked, looks
        )
        assert len(list(Daemons(said).addressed(_of(said, "look")))) == number


def test_answers_of_a_daemon_name_what_it_reports_of() -> None:
    """A container that was asked about before the report of it."""
    method, report = next(iter(REPORTS.items()))
    thing, state = f"{report.listed}[0].{report.thing}.id", f"{report.listed}[0].{report.kinds[0]}"
    answer = {"listed[2].container.id": 900_001}
    said = _said(
        event(0, "register", FACTS, client="n1"),
        event(1, "ask", {}, answer, client="am", target=HERE),
        event(2, method, {thing: 900_001, state: 1}, client="n1"),
        event(3, method, {thing: 900_002, state: 1}, client="n1"),
    )
    reports = np.array([number for number, call in enumerate(said.calls) if call.token[2]])
    assert len(reports) == 2
    found = [
        (row, channel.actor, channel.each, cause)
        for row, channel, cause, _ in Daemons(said).answered(reports)
    ]
    assert found == [(0, Actor.ANSWERER, "listed", 1)]
