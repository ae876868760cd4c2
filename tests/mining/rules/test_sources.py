"""Where values come from."""

from __future__ import annotations

from collections.abc import Sequence

from froude.hadoop.rpc.target import Target
from froude.mining.history.timeline import Timeline, columns
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.rules.evidence import Column
from froude.mining.rules.sources import Sources, derived, of_this_run
from froude.mining.shape.structure import Occurrence
from froude.workload.rules import Special, Value
from froude.workload.scale import Scale
from froude.workload.types import (
    CALLEE_HOST,
    Constant,
    Flow,
    Generated,
    Rule,
    Side,
    Template,
    TextPart,
    Which,
)
from tests.support.mining.events import calls, event

STAMP = Flow("c.c1", Side.RESPONSE, "id")


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


def found(requests: Sequence[dict], answers: Sequence[dict]) -> Flow | None:
    """The derived flow of argument `x` of calls, each of which one node sends after another call's answer."""
    sender, occurrences = Sender(0, "a", Role("client"), []), []
    for n, (request, answer) in enumerate(zip(requests, answers, strict=True)):
        each = event(2 * n, "source", {}, answer), event(2 * n + 1, "taker", request)
        occurrences += [Occurrence(0, 0, sender, call.method, calls(call)[0], {"L1": n}) for call in each]
    taken = [each for each in occurrences if each.template == "taker"]
    timeline = Timeline(occurrences)
    sources = Sources(timeline, [Scale.of(files=3)])
    return derived(Column(taken, columns(taken)["x"], "x"), timeline, sources.holds)


SHARDS = [f"shard-{7 * n:04}/zone-{n % 3}" for n in range(1, 6)]


def test_a_part_of_a_text_flows() -> None:
    """What stands before or behind a character of an earlier answer."""
    answers = [{"place": shard} for shard in SHARDS]
    before = found([{"x": shard.split("/")[0]} for shard in SHARDS], answers)
    assert before == Flow("source", Side.RESPONSE, "place", part=TextPart("/", 0))
    behind = found([{"x": shard.split("/")[1]} for shard in SHARDS], answers)
    assert behind == Flow("source", Side.RESPONSE, "place", part=TextPart("/", 1))


def test_a_number_that_is_always_as_much_larger_flows() -> None:
    """From a number that was answered under another name."""
    starts = [40960, 81920, 102400, 163840]
    flow = found([{"x": at + 65536} for at in starts], [{"base": at} for at in starts])
    assert flow == Flow("source", Side.RESPONSE, "base", plus=65536)


def test_what_does_not_hold_at_every_call_is_no_flow() -> None:
    """One other value among five, and texts of which no part is meant."""
    answers = [{"place": shard} for shard in SHARDS]
    parts = [{"x": shard.split("/")[0]} for shard in SHARDS]
    assert found([*parts[:-1], {"x": "shard-9999"}], answers) is None
    assert found([{"x": shard[2:7]} for shard in SHARDS], answers) is None


def test_few_calls_and_few_values_prove_nothing() -> None:
    """Three calls, or one value at all of them, may be an accident."""
    answers = [{"place": shard} for shard in SHARDS]
    assert found([{"x": shard.split("/")[0]} for shard in SHARDS[:3]], answers[:3]) is None
    assert found([{"x": 7000}] * 5, [{"base": 6000}] * 5) is None


def column(value: Value) -> Column:
    """An argument that has one value in two calls."""
    call, sender = calls(event(0, "m"))[0], Sender(0, "a", Role("client"), [])
    return Column([Occurrence(0, 0, sender, "c.c2", call, {})] * 2, [value] * 2, "x")


def known(asked: Column) -> Rule | None:
    """One number was answered before."""
    return STAMP if asked.values[0] == 1795219431524 else None


def test_what_is_made_anew_each_time_is_generated() -> None:
    """A client's random name, unless someone said it before."""
    name = "DFSClient_NONMAPREDUCE_-1585_1"
    assert of_this_run(column(name), known) == Generated("dfs-client", {"task": "NONMAPREDUCE", "thread": 1})
    assert of_this_run(column(1795219431524), known) == STAMP


def test_secrets_and_ports_that_are_given_out_are_no_choice() -> None:
    """Digits to base 16 in place of a text, and a high port of a leaf of that name."""
    assert of_this_run(column("8e2c8c71de05ba7c"), known) == Generated("hex", {"digits": 16})
    port = Column(column(40_000).occurrences, [40_000, 40_000], "rpc_port")
    assert of_this_run(port, known) == Generated("port")


def test_a_long_number_within_a_text_comes_from_an_answer() -> None:
    """The other parts are what a person wrote."""
    assert of_this_run(column("/job_1795219431524_0001"), known) == Template(("/job_", STAMP, "_0001"))
    time = Template(("/job_", Generated("epoch-ms"), "_0001"))
    assert of_this_run(column("/job_1795219999999_0001"), known) == time
    assert of_this_run(column("/data/in2"), known) is None
    assert of_this_run(column(5), known) is None
    assert of_this_run(column(Special.ABSENT), known) is None
