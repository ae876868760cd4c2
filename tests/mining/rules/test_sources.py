"""Where values come from."""

from __future__ import annotations

from collections.abc import Sequence

from froude.hadoop.rpc.target import Target
from froude.mining.history.timeline import Timeline, columns
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.rules.evidence import Column
from froude.mining.rules.sources import Sources
from froude.mining.shape.structure import Occurrence
from froude.workload.scale import Scale
from froude.workload.types import CALLEE_HOST, Constant, Flow, Side, Which
from tests.support.mining.events import calls, event


def asked(requests: Sequence[dict], answers: Sequence[dict], path: str = "x") -> tuple[Sources, Column]:
    """An argument of calls, each of which follows another call's answer in a loop of one node."""
    sender, occurrences = Sender(0, "a", Role("client"), []), []
    for n, (request, answer) in enumerate(zip(requests, answers, strict=True)):
        source, taker = event(2 * n, "source", {"src": f"/f{n}"}, answer), event(2 * n + 1, "taker", request)
        occurrences += [
            Occurrence(0, 0, sender, name, calls(each)[0], {"L1": n})
            for name, each in (("source", source), ("taker", taker))
        ]
    taken = [each for each in occurrences if each.template == "taker"]
    return Sources(Timeline(occurrences), [Scale.of(files=3)]), Column(taken, columns(taken)[path], path)


def test_a_flow_counts_if_it_holds_at_every_call() -> None:
    """The likeliest one; none where one value is another."""
    ids = [1073741825, 1073741899, 1073741907]
    sources, column = asked([{"x": i} for i in ids], [{"id": i} for i in ids])
    assert sources.flow(column) == Flow("source", Side.RESPONSE, "id")
    sources, column = asked([{"x": i} for i in (*ids[:2], 7)], [{"id": i} for i in ids])
    assert sources.flow(column) is None
    assert not sources.holds(Constant(7), column)


def test_sides_may_be_chosen() -> None:
    """What was answered, and not what was sent."""
    ids = [1073741825, 1073741899]
    sources, column = asked([{"y": i, "x": i} for i in ids], [{"id": i} for i in ids])
    assert {flow.side for flow in sources.flows(column, [Side.REQUEST])} == {Side.REQUEST}
    assert next(sources.flows(column)).which is Which.SAME


def test_a_number_beside_one_that_was_answered() -> None:
    """As much more at every call."""
    sources, column = asked(
        [{"x": n + 3} for n in (4000, 4100, 4350)], [{"x": n} for n in (4000, 4100, 4350)]
    )
    assert sources.shifted(column) == Flow("source", Side.RESPONSE, "x", plus=3)
    sources, column = asked([{"x": n} for n in (1, 2, 9)], [{}] * 3)
    assert sources.shifted(column) is None


def test_small_numbers_flow_from_calls_about_the_same_path_alone() -> None:
    """Not from one about another."""
    small = (20, 24, 40)
    beside = [{"r.file": f"/f{n}", "r.size": size} for n, size in enumerate(small)]
    sources, column = asked(beside, [{"length": size} for size in small], "r.size")
    assert sources.flow(column) == Flow("source", Side.RESPONSE, "length")
    apart = [{"r.file": f"/g{n}", "r.size": size} for n, size in enumerate(small)]
    sources, column = asked(apart, [{"length": size} for size in small], "r.size")
    assert sources.flow(column) is None


def launched(hosts: Sequence[str], locations: Sequence[str]) -> tuple[Sources, Column]:
    """The host that a process of each run gives, after a list of machines was answered to it."""
    occurrences = []
    for run, (host, location) in enumerate(zip(hosts, locations, strict=True)):
        for number, (name, request, answer, address) in enumerate(
            (
                ("launcher.c1", {}, {}, "10.0.0.9:8041"),
                ("launcher.c1", {}, {}, f"{host}:8041"),
                ("app.c1", {}, {"locs[0].ip": location}, ""),
                ("app.c2", {"host": host}, {}, ""),
            )
        ):
            kind = name.partition(".")[0]
            target = Target("nodemanager", address) if address else Target("resourcemanager", "10.0.0.1:8032")
            made = calls(event(number, "m", request, answer, client=kind, target=target))[0]
            occurrences.append(Occurrence(run, 0, SENDERS[kind], name, made, {}))
    taken = [each for each in occurrences if each.template == "app.c2"]
    return Sources(Timeline(occurrences), [Scale.of(nodes=3)] * len(hosts)), Column(taken, hosts, "host")


SENDERS = {kind: Sender(0, kind, Role(kind), []) for kind in ("launcher", "app")}


def test_a_process_runs_where_it_was_started() -> None:
    """Rather than on the machine that happens to stand first in a list."""
    hosts = ["10.0.0.2", "10.0.0.3"]
    sources, column = launched(hosts, hosts)
    started = Flow("launcher.c1", Side.REQUEST, CALLEE_HOST, Which.LAST, "launcher")
    assert next(sources.flows(column)) == started
    assert {flow.path for flow in sources.flows(column)} == {CALLEE_HOST}
