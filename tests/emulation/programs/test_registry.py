"""Which program plays which node type."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.programs.events import NodeId
from froude.emulation.programs.hdfs.datanode import EmulatedDatanode
from froude.emulation.programs.population import PlaySettings, Population
from froude.emulation.programs.registry import KINDS, groups_of, kind_of, populate
from froude.emulation.programs.scripted import ScriptedNode
from froude.emulation.settings import Mode, Pacing, Turnover
from froude.hadoop.release.distribution import Hadoop
from froude.workload.types import SCRIPTED, Moment, StartRule
from testbed.plans import plan
from testbed.recorded import schema as recorded_schema
from tests.support.emulation.yarn_plans import SETTINGS, applications_alone


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_found_by_its_name(kind: object) -> None:
    """Which no two share; the scripted one has the name that a node type has by default."""
    assert kind_of(kind.name) is kind  # type: ignore[attr-defined]
    assert kind_of(SCRIPTED) is KINDS[0]


def test_nodes_get_the_program_of_their_type(hadoop: Hadoop) -> None:
    """DataNodes are emulated, others follow their steps."""
    population = populate(plan(), hadoop.schema(), seeds=Seeds(3))
    assert set(population.families) == {"datanode", "client"}
    assert isinstance(population.program(NodeId("datanode", 0)), EmulatedDatanode)
    assert isinstance(population.program(NodeId("client", 0)), ScriptedNode)


def test_an_unknown_program_is_refused(hadoop: Hadoop) -> None:
    """The error names those that there are."""
    planned = plan()
    strange = replace(planned.workload.node_types[0], program="mainframe")
    planned = replace(planned, workload=replace(planned.workload, node_types=(strange,)))
    with pytest.raises(InputError, match=r"mainframe.*scripted, datanode"):
        populate(planned, hadoop.schema(), seeds=Seeds(1))


def population(hadoop: Hadoop, **settings: object) -> Population:
    """Six DataNodes and four clients."""
    planned = plan(datanodes=6, clients=4, files=2)
    return populate(planned, hadoop.schema(), seeds=Seeds(1), settings=PlaySettings(**settings))  # type: ignore[arg-type]


def test_clients_wait_for_datanodes_unless_their_rule_says_otherwise(hadoop: Hadoop) -> None:
    """Emulated DataNodes are spread out and never end; who has no rule begins when all of them have started."""
    nodes = population(hadoop, ramp_per_s=50.0)
    datanodes, clients = groups_of(nodes)
    assert (datanodes.endless, datanodes.rule.spacing_s) == (True, 0.02)
    assert (clients.rule.after, clients.rule.moment, clients.rule.every) == ("datanode", Moment.STARTED, True)
    own = StartRule("datanode", Moment.STARTED, every=False, delay_s=2)
    nodes.types["client"] = replace(nodes.types["client"], start=own)
    assert groups_of(nodes)[1].rule == own


def test_only_a_schedule_plans_moments(hadoop: Hadoop) -> None:
    """A client's last answer is planned at the sum of its think and service times; speed divides it."""
    closed = groups_of(population(hadoop, pacing=Pacing.CLOSED))
    assert [group.planned_s for group in closed] == [{}, {}]
    datanodes, clients = groups_of(population(hadoop, pacing=Pacing.SCHEDULED, speed=2.0))
    assert datanodes.planned_s == {}
    calls = 2 * 5 + 2
    assert clients.planned_s[Moment.FINISHED] == pytest.approx(calls * 0.003 / 2)
    assert clients.planned_s[Moment.STARTED] == pytest.approx(0.003 / 2)


def test_the_ramp_of_daemons_is_asked_for_and_not_recorded(hadoop: Hadoop) -> None:
    """Real DataNodes began seconds apart, because each started a JVM; at twice the speed the ramp stays."""
    nodes = population(hadoop, ramp_per_s=100.0, speed=2.0)
    nodes.types["datanode"] = replace(nodes.types["datanode"], start=StartRule(delay_s=10.0, spacing_s=1.6))
    rule = groups_of(nodes)[0].rule
    assert (rule.delay_s, rule.spacing_s / 2.0) == (0.0, pytest.approx(0.01))


def test_clients_beside_each_other_begin_within_the_recorded_time_but_no_faster_than_the_ramp(
    hadoop: Hadoop,
) -> None:
    """At any speed of the load; those without such a time, and those in turn, keep to what was recorded."""
    nodes = population(hadoop, ramp_per_s=100.0, speed=2.0)

    def spacing_s(rule: StartRule) -> float:
        nodes.types["client"] = replace(nodes.types["client"], start=rule)
        return groups_of(nodes)[1].rule.spacing_s / 2.0

    assert spacing_s(StartRule(spacing_s=0.5, within_s=0.75)) == pytest.approx(0.125)
    assert spacing_s(StartRule(spacing_s=0.5, within_s=0.0)) == pytest.approx(0.01)
    assert spacing_s(StartRule(spacing_s=0.004, within_s=0.0)) == pytest.approx(0.002)
    assert spacing_s(StartRule(spacing_s=0.5)) == pytest.approx(0.25)
    in_turn = StartRule("datanode", Moment.STARTED, pause_s=1.5)
    nodes.types["client"] = replace(nodes.types["client"], start=in_turn)
    assert groups_of(nodes)[1].rule == in_turn


def test_a_sustained_load_has_its_first_clients_apart(hadoop: Hadoop) -> None:
    """By a part of what one of them takes, or less where the play is short; daemons begin as ever."""
    planned, apart = plan(datanodes=2, clients=4, files=20), []
    for spread_s in (1000.0, 0.1):
        settings = PlaySettings(turnover=Turnover(Mode.POPULATION, 0.0, spread_s))
        datanodes, clients = groups_of(populate(planned, hadoop.schema(), seeds=Seeds(1), settings=settings))
        assert (datanodes.sustained, clients.sustained, clients.count, clients.gap_s) == (
            False,
            True,
            4,
            None,
        )
        apart.append(clients.rule.spacing_s)
    assert apart == pytest.approx([0.003 * (20 * 5 + 2) / 4, 0.1 / 4])


def test_the_first_applications_are_apart_by_what_their_containers_take() -> None:
    """Client, master and tasks, and until these come up; masters and tasks begin with their containers."""
    settings = replace(SETTINGS, turnover=Turnover(Mode.POPULATION, 0.0, 1000.0))
    planned = applications_alone(apps=4)
    groups = {
        group.name: group
        for group in groups_of(populate(planned, recorded_schema(), seeds=Seeds(1), settings=settings))
    }
    calls = 3 + 2  # of a client and of its master, 15 ms each
    assert groups["client"].rule.spacing_s == pytest.approx((calls * 0.015 + 0.5 + 0.2) / 4)
    assert [(groups[name].told, groups[name].sustained) for name in ("am", "map")] == [(True, False)] * 2


def test_arrivals_have_their_rate(hadoop: Hadoop) -> None:
    """Drawn from the seed; what waits for the end of all clients does not begin."""
    nodes = population(hadoop, turnover=Turnover(Mode.ARRIVALS, 20.0))
    clients = groups_of(nodes)[1]
    assert clients.gap_s is not None
    assert sum(clients.gap_s() for _ in range(2000)) == pytest.approx(100, rel=0.1)
    recorded = groups_of(population(hadoop, turnover=Turnover(Mode.ARRIVALS), speed=2.0))[1]
    assert recorded.gap_s is not None
    assert recorded.gap_s() == 0.005
