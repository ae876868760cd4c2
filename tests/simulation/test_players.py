"""A play shared out over several players is the same play: on a virtual clock and network, notices take their time."""

from __future__ import annotations

from collections import Counter as Counts
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.errors import TargetError
from froude.emulation.programs.audit.conflicts import in_order
from froude.emulation.programs.audit.lines import Client, Line, write_lines
from froude.emulation.settings import Pacing
from froude.hadoop.release.distribution import Hadoop
from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    Actor,
    CallTemplate,
    Constant,
    Counter,
    Effect,
    Flow,
    Moment,
    NodeFact,
    NodeType,
    Recorded,
    Repeat,
    Rule,
    Side,
    StartRule,
    Template,
    Timing,
    Wait,
    Which,
    Workload,
)
from testbed.plans import CLIENT, plan
from tests.support.simulation.players import LIMIT_S, Players

BY_TIMING = {"complete", "blockReceivedAndDeleted", "sendHeartbeat"}
"""How often these are called depends on when answers come, also from one play of one player to the next."""
NAMED = {"create", "getFileInfo", "getListing", "delete", "renewLease", "registerDatanode"}
"""Calls in whose requests nothing depends on the order in which a NameNode gives ids."""
PLAYERS = ((1, 0), (2, 1), (3, 0))
"""How many, and the number of the first: 1 where notices go through a process without nodes."""


def call(name: str, method: str, arguments: dict[str, Rule], think_s: float = 0.002) -> CallTemplate:
    """A call of a node type, `maker.look`."""
    return CallTemplate(name, CLIENT, method, arguments, Timing(Count(think_s), service=Count(0.001)))


def maker(count: int, files: int) -> NodeType:
    """Looks at paths of its own, one after another; no two makers are at work at the same time."""
    path = Template(("/m", Counter(0, {"node": 1}), "/f", Counter(0, {"L": 1})))
    look = call("maker.look", "getFileInfo", {"src": path})
    return NodeType(
        "maker", Count(count), (Repeat("L", Count(files), (look,)),), start=StartRule(spacing_s=0.2)
    )


def taker(count: int, files: int, which: Which, start: StartRule) -> NodeType:
    """Lists what makers looked at."""
    source = Flow("maker.look", Side.REQUEST, "src", which, "maker")
    arguments: dict[str, Rule] = {"src": source, "startAfter": Constant(b""), "needLocation": Constant(False)}
    take = call("taker.list", "getListing", arguments)
    return NodeType("taker", Count(count), (Repeat("L", Count(files), (take,)),), start=start)


def reader(count: int, wait: bool) -> NodeType:
    """Looks at a file of the next client's, once that has made it."""
    path = Template(("/play/c", Counter(1, {"node": 1}, 3), "/f1"))
    look = call("reader.look", "getFileInfo", {"src": path})
    if wait:
        look = replace(look, after=Wait("src", 0, "create", "src", "client"))
    return NodeType("reader", Count(count), (look,), start=StartRule(spacing_s=0.001))


def watcher() -> NodeType:
    """Is named by each new block, and then looks at the file that the block is of."""
    path = Flow("client.add", Side.REQUEST, "src", Which.CAUSE)
    effect = Effect(
        call("watcher.see", "getFileInfo", {"src": path}),
        "client.add",
        "client",
        None,
        Actor.OWNER,
        "block.b.poolId",
        "src",
    )
    hello = call("watcher.hello", "getFileInfo", {"src": Constant("BP-model")})
    rest = call("watcher.end", "renewLease", {"clientName": Constant("watcher")}, think_s=20.0)
    return NodeType("watcher", Count(1), (hello, rest), effects=(effect,))


def with_types(planned: Plan, *types: NodeType) -> Plan:
    """A plan with further types of nodes, as many as they say."""
    workload = replace(planned.workload, node_types=(*planned.workload.node_types, *types))
    return Plan(
        workload,
        planned.scale,
        {**planned.counts, **{each.name: int(each.count.intercept) for each in types}},
    )


def same(planned: Plan, hadoop: Hadoop, seed: int, pacing: Pacing = Pacing.CLOSED) -> None:
    """Play a plan by one, two and three players, and compare."""
    shown = []
    for players, first in PLAYERS:
        played = Players(planned, hadoop.schema(), players, seed=seed, pacing=pacing, first=first)
        played.run()
        assert played.events.now < LIMIT_S
        assert [core.failure for core in played.cores] == [None] * players
        assert (played.namenode.violations, played.namenode.corrupt) == ([], 0)
        for core in played.cores[1:]:
            assert core.tally.steady_from_s is not None
        files = {path: file.closed for path, file in played.namenode.files.items()}
        counts = {method: each for method, each in played.counts.items() if method not in BY_TIMING}
        bodies = Counts({each: times for each, times in played.bodies.items() if each[0] in NAMED})
        notes = {what: times for what, times in played.notes.items() if not what.startswith("command")}
        shown.append((counts, files, bodies, notes))
    assert shown[0] == shown[1]
    assert shown[0] == shown[2]


RULES = st.one_of(
    st.builds(
        StartRule,
        st.just("maker"),
        delay_s=st.sampled_from([0.0, 0.1]),
        spacing_s=st.sampled_from([0.0, 0.003]),
    ),
    st.builds(StartRule, st.just("maker"), pause_s=st.sampled_from([0.0, 0.01])),
)
"""When nodes begin that take values of all makers: after the last has ended."""


@settings(max_examples=12)
@given(
    counts=st.tuples(st.integers(1, 4), st.integers(1, 5), st.integers(1, 3)),
    which=st.sampled_from([Which.FIRST, Which.LAST, Which.NTH]),
    start=RULES,
    played=st.tuples(st.sampled_from(Pacing), st.integers(0, 50)),
)
def test_values_flow_between_nodes_of_different_players(
    hadoop: Hadoop, counts: tuple[int, int, int], which: Which, start: StartRule, played: tuple[Pacing, int]
) -> None:
    """Each is the value that one player alone takes, for every rule by which takers begin."""
    makers, takers, files = counts
    takers = min(makers, takers) if which is Which.NTH else takers
    planned = with_types(
        plan(datanodes=3, clients=0), maker(makers, files), taker(takers, files, which, start)
    )
    pacing, seed = played
    same(planned, hadoop, seed, pacing)


@pytest.mark.parametrize(
    "start",
    [
        StartRule("maker", Moment.STARTED, every=False),
        StartRule("maker", Moment.STARTED, every=False, nth=2, spacing_s=0.01),
        StartRule("maker", share=0.5, delay_s=0.05),
        StartRule("maker", follows="maker", pause_s=0.0),
    ],
)
def test_start_rules_count_the_nodes_of_all_players(hadoop: Hadoop, start: StartRule) -> None:
    """After the first, after some, after a share, and in turn with those of another type."""
    takers = taker(4, 2, Which.FIRST, start)
    same(with_types(plan(datanodes=2, clients=0), maker(4, 3), takers), hadoop, 3)


@pytest.mark.parametrize("seed", range(3))
def test_files_are_written_on_datanodes_of_other_players(hadoop: Hadoop, seed: int) -> None:
    """Blocks reach their DataNodes, which report them; every file is closed with its length."""
    same(plan(datanodes=8, clients=7, files=3), hadoop, seed)


def test_a_node_goes_on_when_another_player_made_what_it_waits_for(hadoop: Hadoop) -> None:
    """Without the wait, it is sent before the file is there."""
    same(with_types(plan(datanodes=4, clients=6, files=3), reader(5, wait=True)), hadoop, 1)


def test_effects_reach_nodes_that_another_player_knows_by_name(hadoop: Hadoop) -> None:
    """A name that a node calls itself by is known to all players; the cause crosses with its messages."""
    planned = with_types(plan(datanodes=4, clients=6, files=2), watcher())
    same(planned, hadoop, 2)
    played = Players(planned, hadoop.schema(), 3, seed=2)
    played.run()
    assert played.counts["getFileInfo"][0] == 6 * 2 + 6 * 2 * 2 + 1


@pytest.mark.parametrize("pacing", Pacing)
def test_a_log_is_replayed_in_its_order_by_several_players(
    hadoop: Hadoop, tmp_path: Path, pacing: Pacing
) -> None:
    """Each client waits for the lines of others that are in conflict with its own, whoever plays those."""
    commands = ("create", "getfileinfo", "delete")
    lines = [
        Line(0.001 * at, (at + at // 3) % 5, commands[at % 3], f"/d{at // 3 % 2}/f{at // 3:02}")
        for at in range(90)
    ]
    log = tmp_path / "lines.json"
    write_lines(log, [Client(f"user{number}") for number in range(5)], in_order(lines))
    client = NodeType("client", Count(5), (), program="audit", user=NodeFact("user"))
    datanode = NodeType("datanode", Count(3), (), program="datanode")
    planned = Plan(
        Workload((datanode, client), Recorded((), ())), Scale(), {"datanode": 3, "client": 5}, log=log
    )
    same(planned, hadoop, 4, pacing)
    played = Players(planned, hadoop.schema(), 3, pacing=pacing)
    played.run()
    for number in range(30):
        path = f"/d{number % 2}/f{number:02}".encode()
        order = [method for method, body in played.order if path in body and method in NAMED - {"renewLease"}]
        assert order == ["create", "getFileInfo", "delete"]


def test_a_failure_ends_all_players(hadoop: Hadoop) -> None:
    """The others end without a failure of their own."""
    played = Players(plan(datanodes=4, clients=4), hadoop.schema(), 3)
    for core in played.cores:
        core.begin(0.0)
    played.cores[2].fail(TargetError("hangs"), 0.0)
    played.deliver()
    assert [core.done for core in played.cores] == [True] * 3
    assert [core.failure is None for core in played.cores] == [True, True, False]
