"""Which nodes of a plan are clients whose load can be sustained, and what stays away then."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.emulation.settings import Leftovers, Mode, Turnover
from froude.emulation.sustained import (
    begun_text,
    check_turnover,
    client_types,
    kept_up_text,
    longest_warm_up_s,
    obstacle,
    sustained,
)
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import NodeType, StartRule
from froude.workload.yaml_file import read_workload
from testbed.plans import plan
from testbed.workloads import WORKLOADS
from tests.support.emulation.yarn_plans import plan as yarn_plan


def with_type(planned: Plan, node_type: NodeType) -> Plan:
    """The plan with two nodes of one more type."""
    workload = replace(planned.workload, node_types=(*planned.workload.node_types, node_type))
    return replace(planned, workload=workload, counts={**planned.counts, node_type.name: 2})


def test_clients_of_a_script_are_chains() -> None:
    """Daemons and the command that makes the folder are no clients; `mv` goes with the `put` of its number."""
    workload = read_workload(WORKLOADS["README"])
    assert [each.name for each in client_types(workload)] == ["shell-2", "shell-3"]
    load = sustained(extrapolate(workload, Scale.of(datanodes=3, clients=4, files=12)))
    assert load.chains == {"shell-2": ("shell-2", "shell-3")}
    assert (load.types, load.left_out) == ({"shell-2", "shell-3"}, frozenset())


def test_what_waits_for_the_end_of_all_stays_away() -> None:
    """So does what waits for that in turn; what waits for a start does not."""
    one, start = Count(1), StartRule
    planned = plan()
    for name, rule in (("check", start("client")), ("sweep", start("check")), ("look", start("datanode"))):
        planned = with_type(planned, NodeType(name, one, (), start=rule))
    assert sustained(planned).left_out == {"check", "sweep"}


@pytest.mark.parametrize(
    ("planned", "message"),
    [
        (plan(clients=0), "cannot be kept up; found no node type of which several work in parallel"),
        (
            with_type(plan(), NodeType("reader", Count(0, {"clients": 1}), (), start=StartRule("client"))),
            "reader: cannot be kept up by further clients; found waits for the end of client",
        ),
    ],
)
def test_what_further_clients_could_not_do_is_refused(planned: Plan, message: str) -> None:
    """With the node type, and what it waits for."""
    with pytest.raises(InputError, match=message):
        sustained(planned)


def test_applications_follow_from_their_clients() -> None:
    """Masters and tasks begin in their containers; the launcher that waits for the end of all clients stays away."""
    load = sustained(yarn_plan(jobs=2))
    assert (load.chains, load.contained) == ({"client": ("client",)}, {"am", "map", "reduce"})
    assert load.left_out == {"launcher"}
    assert begun_text(yarn_plan(nodes=3, jobs=2), 13) == "10 nodes of clients begun"
    check_turnover(yarn_plan(jobs=2), Turnover(Mode.POPULATION))
    with pytest.raises(InputError, match=r"^am: may need what its client has left"):
        check_turnover(yarn_plan(jobs=2), Turnover(Mode.POPULATION, leftovers=Leftovers.REMOVE))


def test_an_obstacle_has_its_way_out() -> None:
    """The start rule that lets each begin after its own predecessor; with it the load can be kept up."""
    reader = NodeType("reader", Count(0, {"clients": 1}), (), start=StartRule("client"))
    assert obstacle(with_type(plan(), reader)) == (
        "reader waits for the end of client. With `follows: client` and `pause_s` in its start rule in workload.yaml "
        "each begins after its own predecessor"
    )
    assert obstacle(plan(clients=0)) == "the plan has no node type of which several work in parallel and end"
    in_turn = replace(reader, start=StartRule("client", follows="client", pause_s=1.0))
    assert obstacle(with_type(plan(), in_turn)) == ""


def test_a_log_is_kept_up_by_its_clients() -> None:
    """And arrivals as recorded by those of a workload that did not begin at one time."""
    log = replace(plan(), log=Path("log"))
    clients = NodeType("reader", Count(2), (), program="audit")
    log = replace(log, workload=replace(log.workload, node_types=(log.workload.node_types[0], clients)))
    assert sustained(log).chains == {"reader": ("reader",)}
    arrivals = Turnover(Mode.ARRIVALS)
    check_turnover(log, arrivals)
    check_turnover(plan(), arrivals)
    assert kept_up_text(arrivals, plan()) == "arrivals as recorded"
    together = plan(start=StartRule())
    check_turnover(together, Turnover(Mode.ARRIVALS, 1.0))
    with pytest.raises(
        InputError, match=r"client: began at one time when recorded. Give a rate: `--clients-per-s`"
    ):
        check_turnover(together, arrivals)


@pytest.mark.parametrize(
    ("duration_s", "measure_s", "most_s"), [(60.0, 10.0, 48.0), (60.0, None, 58.0), (9.0, 9.0, 0.0)]
)
def test_a_warm_up_leaves_time_to_measure(duration_s: float, measure_s: float | None, most_s: float) -> None:
    """And for the word of it to reach the players."""
    assert longest_warm_up_s(duration_s, measure_s) == most_s


def test_what_keeps_a_load_up_in_words() -> None:
    """Its clients alone count as begun, not the DataNodes; of several nodes a client, its nodes do."""
    planned = plan(datanodes=4, clients=2)
    assert kept_up_text(Turnover(), planned) == ""
    assert kept_up_text(Turnover(Mode.POPULATION), planned) == "population of 2 clients"
    assert kept_up_text(Turnover(Mode.ARRIVALS, 2.5), planned) == "arrivals, 2.5 clients/s"
    assert begun_text(planned, 1_204) == "1,200 clients begun"
    assert begun_text(planned, 3) == "0 clients begun"
    script = extrapolate(read_workload(WORKLOADS["README"]), Scale.of(datanodes=3, clients=4, files=12))
    assert kept_up_text(Turnover(Mode.POPULATION), script) == "population of 4 clients"
    assert begun_text(script, 14).endswith(" nodes of clients begun")
