"""Rules of arguments, each from calls made for it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from froude.mining.history.timeline import Timeline
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.rules.arguments import ArgumentMiner, is_open
from froude.mining.rules.doubtful_rules import Doubt
from froude.mining.shape.structure import Occurrence
from froude.workload.generators import recognise
from froude.workload.rules import Value
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    Absent,
    Cases,
    Constant,
    Counter,
    Flow,
    Generated,
    NodeFact,
    Rule,
    Scalar,
    Scaled,
    Side,
    Template,
    Unknown,
    Which,
)
from froude.workload.yaml_rules import rule_field
from tests.support.mining.events import calls, event

UUID_A = "0f8fad5b-d9cb-469f-a165-70867728950e"
UUID_B = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
UUID_C = "16fd2706-8baf-433b-82eb-8c7fada847da"


def mine(requests: Sequence[dict], answers: Sequence[dict] = (), path: str = "x") -> Rule:
    """The rule of a leaf, in a loop `L1` of one node that first calls `source` and then `taker` in each iteration."""
    sender = Sender(0, "a", Role("client"), [])
    occurrences = []
    for n, request in enumerate(requests):
        answer = answers[n] if n < len(answers) else {}
        for name, one in (
            ("source", event(2 * n, "source", {}, answer)),
            ("taker", event(2 * n + 1, "taker", request)),
        ):
            occurrences.append(
                Occurrence(0, 0, sender, name, calls(one)[0], {"L1": n}, {"L1": n == len(requests) - 1})
            )
    miner = ArgumentMiner(Timeline(occurrences), [Scale.of(files=3)])
    miner.learn(occurrences)
    taken = [occurrence for occurrence in occurrences if occurrence.template == "taker"]
    return miner.rules(taken)[path]


def test_constants_counters_and_templates() -> None:
    """Regular patterns."""
    assert mine([{"x": 5}] * 3) == Constant(5)
    assert mine([{"x": 5}, {"x": 7}, {"x": 9}]) == Counter(5, {"L1": 2})
    rules = mine([{"x": f"/f/part-{n:05d}"} for n in range(3)])
    assert rules == Template(("/f/part-", Counter(0, {"L1": 1}, 5)))


def test_addresses_of_two_nodes_come_from_where_they_were_said_before() -> None:
    """Not from a line through two numbers; where nobody had said them, they are asked about."""
    for answered in (True, False):
        occurrences = []
        for node, address in enumerate(("127.194.7.5", "127.92.70.5")):
            sender = Sender(0, str(node), Role("client"), [])
            told = {"address": address} if answered else {}
            for name, one in (
                ("source", event(2 * node, "source", {}, told)),
                ("taker", event(2 * node + 1, "taker", {"x": address})),
            ):
                occurrences.append(Occurrence(0, node, sender, name, calls(one)[0]))
        miner = ArgumentMiner(Timeline(occurrences), [Scale.of(nodes=2)])
        miner.learn(occurrences)
        rule = miner.rules([each for each in occurrences if each.template == "taker"])["x"]
        assert rule == Flow("source", Side.RESPONSE, "address") if answered else is_open(rule)


def test_true_is_not_one() -> None:
    """A flag and a number are never mistaken for each other."""
    assert mine([{"x": True}] * 2) == Constant(True)
    assert isinstance(mine([{"x": True}, {"x": 1}, {"x": True}]), Unknown | Cases)


def test_flow_of_the_same_and_of_the_previous_iteration() -> None:
    """Ids come from the answer of this iteration, or of the one before, and then the first stands apart."""
    ids = [1073741825, 1073741899, 1073741907, 1073741950]
    answers = [{"id": number} for number in ids]
    assert mine([{"x": number} for number in ids], answers) == Flow("source", Side.RESPONSE, "id")
    shifted: list[dict] = [{}, *({"x": number} for number in ids[:-1])]
    rules = mine(shifted, answers)
    assert rules == Cases("L1", Absent(), None, Flow("source", Side.RESPONSE, "id", Which.PREVIOUS))


def test_flow_with_an_offset() -> None:
    """The number after the one that was answered."""
    answers = [{"x": number} for number in (4000, 4100, 4350)]
    assert mine([{"x": answer["x"] + 1} for answer in answers], answers) == Flow(
        "source", Side.RESPONSE, "x", plus=1
    )


def test_small_numbers_do_not_flow_by_accident() -> None:
    """Equal small numbers under other names are no flow."""
    values: list[Value] = [3, 1, 3, 2, 1]
    rules = mine([{"x": value} for value in values], [{"other": value} for value in values[:2]])
    assert isinstance(rules, Unknown)
    assert is_open(rules)


def test_the_last_iteration_apart() -> None:
    """A last block is shorter."""
    rules = mine([{"x": 9}, {"x": 9}, {"x": 9}, {"x": 4}])
    assert rules == Cases("L1", None, Constant(4), Constant(9))


def test_random_values_of_known_form_are_generated() -> None:
    """UUIDs whole, and within a text that counts."""
    assert mine([{"x": value} for value in (UUID_B, UUID_A, UUID_C)]) == Generated("uuid", {})
    rules = mine([{"x": f"/f{n}/{value}"} for n, value in enumerate((UUID_B, UUID_A, UUID_C))])
    assert isinstance(rules, Template | Generated)


def test_examples_of_the_unknown() -> None:
    """Up to five distinct values are kept."""
    words = ["red", "green", "blue", "red", "white", "black", "brown"]
    rules = mine([{"x": word} for word in words])
    assert rules == Unknown(("red", "green", "blue", "white", "black"))


def test_numbers_to_base_16_within_a_text() -> None:
    """Digits that count to base 10 only until `9` are read to base 16; the text form keeps it."""
    rules = mine([{"x": f"/t0/{n:04x}_7"} for n in range(12)])
    assert rules == Template(("/t0/", Counter(0, {"L1": 1}, 4, 16), "_7"))
    assert rule_field(rules) == {"template": "/t0/{L1:04x}_7"}


def test_an_assigned_number_is_no_counter() -> None:
    """Block ids that count up while one client is alone flow from the answers all the same."""
    ids = [1073741825 + n for n in range(5)]
    rules = mine([{"x.blockId": n} for n in ids], [{"b.blockId": n} for n in ids], "x.blockId")
    assert rules == Flow("source", Side.RESPONSE, "b.blockId")


@pytest.mark.parametrize(
    ("first", "expected"),
    [(1000, Flow("source", Side.RESPONSE, "b.stamp")), (999, Counter(999, {"L1": 1}))],
)
def test_short_numbers_count_and_generation_stamps_are_assigned(first: int, expected: Rule) -> None:
    """Stamps begin at 1000: from there on a number that was answered under its name flows, below it counts."""
    stamps = range(first, first + 5)
    rule = mine([{"x.stamp": n} for n in stamps], [{"b.stamp": n} for n in stamps], "x.stamp")
    assert rule == expected


@pytest.mark.parametrize(("first", "flows"), [(1000, True), (300, False)])
def test_a_stamp_under_another_name_flows_and_a_short_number_does_not(first: int, flows: bool) -> None:
    """A long number is met twice by no accident, whatever it is called; a short one may be."""
    numbers = [first, first + 7, first + 2]
    rule = mine([{"x": n} for n in numbers], [{"other": n} for n in numbers])
    assert isinstance(rule, Flow) is flows


def test_what_the_target_gave_is_no_counter_where_its_giver_changes() -> None:
    """Block ids count up from a fresh format, and come from the call before the loop first, then from the one before."""
    sender = Sender(0, "a", Role("client"), [])
    first = 1073741825
    said = [("start", {}, {"blockId": first}, {})]
    for n in range(5):
        said += [
            ("taker", {"last.blockId": first + n}, {}, {"L1": n}),
            ("source", {}, {"blockId": first + n + 1}, {"L1": n}),
        ]
    occurrences = [
        Occurrence(
            0, 0, sender, name, calls(event(at, "m", request, answer))[0], loops, {"L1": loops.get("L1") == 4}
        )
        for at, (name, request, answer, loops) in enumerate(said)
    ]
    miner = ArgumentMiner(Timeline(occurrences), [Scale.of(files=6)])
    miner.learn(occurrences)
    rule = miner.rules([each for each in occurrences if each.template == "taker"])["last.blockId"]
    assert rule == Cases(
        "L1",
        Flow("start", Side.RESPONSE, "blockId"),
        None,
        Flow("source", Side.RESPONSE, "blockId", Which.PREVIOUS),
    )


# --- nodes with a program of their own -----------------------------------------------------------------------

DATANODE = Role("datanode", program="datanode", emulated=True, endless=True)


def facts(path: str, values: Sequence[Value], *, own_facts: bool = True) -> Rule:
    """The rule of an argument of calls that one node each made."""
    occurrences = []
    for number, value in enumerate(values):
        sender = Sender(0, str(number), DATANODE, [])
        call = calls(event(number, "m", {path: value}))[0]
        occurrences.append(Occurrence(0, number, sender, "datanode.c1", call))
    miner = ArgumentMiner(Timeline(occurrences), [Scale.of(files=3)])
    miner.learn(occurrences)
    return miner.rules(occurrences, own_facts=own_facts)[path]


def doubted(
    values: Sequence[Scalar | None], peers: Sequence[str] = ("127.0.0.1",)
) -> tuple[Rule, list[Doubt]]:
    """The rule of an argument of calls that one node each made from one of some addresses, and what is in doubt."""
    occurrences = []
    for number, value in enumerate(values):
        request = {} if value is None else {"x": value}
        call = calls(event(number, "m", request, peer=peers[number % len(peers)]))[0]
        sender = Sender(0, str(number), DATANODE, [])
        occurrences.append(Occurrence(0, number, sender, "datanode.c1", call))
    miner = ArgumentMiner(Timeline(occurrences), [Scale.of(files=3)])
    miner.learn(occurrences)
    return miner.rules(occurrences)["x"], miner.doubts


@pytest.mark.parametrize(
    ("values", "others"),
    [
        ([5] * 9 + [7] + [5] * 10, (7,)),
        ([5] * 19 + ["a", None], ("a",)),
        ([5, None, 5, None, 5], ()),
        ([5] * 9 + [7], None),
    ],
)
def test_what_nearly_all_calls_have_stands_and_the_others_are_asked_about(
    values: list[Scalar | None], others: tuple[Scalar, ...] | None
) -> None:
    """Of ten calls or more nine in ten; fewer are no rule. A leaf that is only sometimes there is in doubt as well."""
    rule, doubts = doubted(values)
    assert isinstance(rule, Unknown) if others is None else rule == Constant(5)
    assert doubts == ([] if others is None else [Doubt("datanode.c1", "x", others, rule)])


@pytest.mark.parametrize(("address", "number", "thin"), [("127.0.5.2", 9, True), ("127.0.5.2", 10, False),
                                                         ("127.0.5.9", 9, False)])  # fmt: skip
def test_one_of_several_machines_in_few_calls_may_be_chance(address: str, number: int, *, thin: bool) -> None:
    """Always the same of those that there were, in fewer than ten calls."""
    rule, doubts = doubted([f"{address}:9866"] * number, ("127.0.5.1", "127.0.5.2"))
    assert rule == Constant(f"{address}:9866")
    assert doubts == [Doubt("datanode.c1", "x", (), rule, thin=True)] * thin


def test_a_machine_in_a_single_call_may_be_chance() -> None:
    """The only call of its template names one of two machines."""
    occurrences = [
        Occurrence(0, at, Sender(0, str(at), DATANODE, []), name, calls(event(at, "m", {"x": x}, peer=x))[0])
        for at, (name, x) in enumerate((("datanode.c1", "127.0.5.1"), ("datanode.c2", "127.0.5.2")))
    ]
    miner = ArgumentMiner(Timeline(occurrences), [Scale.of(files=3)])
    miner.learn(occurrences)
    alone = occurrences[1:]
    assert miner.rules(alone)["x"] == Constant("127.0.5.2")
    assert miner.doubts == [Doubt("datanode.c2", "x", (), Constant("127.0.5.2"), thin=True)]


@pytest.mark.parametrize(("rounds", "thin"), [(2, True), (3, False)])
def test_a_counter_of_two_rounds_is_in_doubt(rounds: int, *, thin: bool) -> None:
    """A line goes through any two numbers; through three it hardly goes by chance."""
    occurrences = []
    for number in range(4):
        sender = Sender(0, str(number), DATANODE, [])
        for at in range(rounds):
            call = calls(event(10 * number + at, "m", {"x": 70 + 3 * at}))[0]
            occurrences.append(Occurrence(0, number, sender, "datanode.c1", call, {"L1": at}))
    miner = ArgumentMiner(Timeline(occurrences), [Scale.of(files=3)])
    miner.learn(occurrences)
    rule = miner.rules(occurrences)["x"]
    assert rule == Counter(70, {"L1": 3})
    assert [each.thin for each in miner.doubts] == [True] * thin


@pytest.mark.parametrize(("nodes", "apart"), [(2, False), (3, True)])
def test_first_iterations_are_told_apart_from_random_others(nodes: int, *, apart: bool) -> None:
    """Where three nodes began with the same value, of what nothing gives afterwards."""
    chance = random.Random(5)
    occurrences = []
    for number in range(nodes):
        sender = Sender(0, str(number), DATANODE, [])
        for at in range(4):
            call = calls(event(10 * number + at, "m", {"x": chance.randrange(1 << 40) if at else 7}))[0]
            occurrences.append(Occurrence(0, number, sender, "datanode.c1", call, {"L1": at}))
    miner = ArgumentMiner(Timeline(occurrences), [Scale.of(files=3)])
    miner.learn(occurrences)
    rule = miner.rules(occurrences)["x"]
    assert (isinstance(rule, Cases) and (rule.index, rule.first) == ("L1", Constant(7))) is apart


@pytest.mark.parametrize("values", [[9, 4, 4], ["a", "b", "b", "b"]])
def test_the_first_node_apart(values: list[Scalar]) -> None:
    """Of three nodes or more: two are no rule for others."""
    assert facts("x", values) == Cases("node", Constant(values[0]), None, Constant(values[1]))
    assert not isinstance(facts("x", values[:2]), Cases)


@pytest.mark.parametrize("nodes", [2, 3])
@pytest.mark.parametrize("others", [False, True])
def test_where_each_node_calls_from_is_its_own_address(nodes: int, *, others: bool) -> None:
    """Of several nodes, where the addresses of a run's network say nothing of another run's."""
    addresses = ["127.94.50.10", "127.171.9.11", "127.3.77.12"][:nodes]
    occurrences = []
    for number, address in enumerate(addresses):
        sender = Sender(number, str(number), Role("nodemanager", endless=True), [])
        peer = "127.0.0.1" if others else address
        call = calls(event(number, "m", {"node_id.host": address}, peer=peer))[0]
        occurrences.append(Occurrence(number, 0, sender, "nodemanager.c1", call))
    miner = ArgumentMiner(Timeline(occurrences), [Scale.of(files=n) for n in range(nodes)])
    miner.learn(occurrences)
    rule = miner.rules(occurrences)["node_id.host"]
    assert (rule == NodeFact("address")) is not others


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("me.datanodeID.datanodeUuid", UUID_A, NodeFact("uuid")),
        ("me.datanodeID.ipAddr", "127.0.0.11", NodeFact("address")),
        ("blocks[0].storageUuid", f"DS-{UUID_A}", NodeFact("storage")),
        ("me.datanodeID.xferPort", 9866, Constant(9866)),
        ("me.softwareVersion", "3.5.0-release", Constant("3.5.0-release")),
    ],
)
@pytest.mark.parametrize("number", [1, 2])
def test_what_few_calls_show_of_one_machine_is_its_own(
    path: str, value: Scalar, rule: Rule, number: int
) -> None:
    """Ids and addresses that were always the same tell that one node called; ports are alike on all of them.

    Where no program knows its own, an id is made anew in each run.
    """
    assert facts(path, [value] * number) == rule
    assert facts(path, [value] * number, own_facts=False) == (recognise([value]) or Constant(value))


def reports(*lengths: int, status: int = 2) -> Rule:
    """The rule of the length of two replicas that one node reports, one after the other: both once for each length."""
    sender = Sender(0, "n", DATANODE, [])
    place = "blocks[0].blocks[0]"
    occurrences = []
    for at, length in enumerate(lengths):
        for block in (70001, 70002):
            request = {
                f"{place}.block.blockId": block,
                f"{place}.block.numBytes": length,
                f"{place}.status": status,
            }
            call = calls(event(len(occurrences), "blockReceivedAndDeleted", request))[0]
            occurrences.append(Occurrence(0, 0, sender, f"datanode.e{at}", call))
    miner = ArgumentMiner(Timeline(occurrences), [Scale.of(files=3)])
    miner.learn(occurrences)
    first = [occurrence for occurrence in occurrences if occurrence.template == "datanode.e0"]
    return miner.rules(first, own_facts=True)[f"{place}.block.numBytes"]


def test_a_length_that_changes_later_is_no_constant() -> None:
    """Though it is the same in all calls of a template: a later report of those replicas has another."""
    assert reports(5000) == reports(5000, 5000) == Constant(5000)
    assert reports(5000, 7500) == NodeFact("length")
    assert reports(0, status=1) == NodeFact("length")


def test_the_length_of_a_short_text_is_the_nodes_own() -> None:
    """It grows with the digits of a number in it, which its client knows."""
    assert reports(21) == reports(1023) == NodeFact("length")
    assert reports(1024) == Constant(1024)


def test_a_length_that_too_few_nodes_show_is_the_nodes_own() -> None:
    """A line goes through any two, and first nodes are told apart from any others."""
    path = "blocks[0].blocks[0].block.numBytes"
    assert facts(path, [5000, 6000]) == NodeFact("length")
    assert facts(path, [5000, 7000, 7000]) == NodeFact("length")
    assert facts("x", [5000, 6000]) == Counter(5000, {"node": 1000})


def test_what_is_the_same_in_two_runs_is_no_choice_of_a_run() -> None:
    """In a single one an id may be one that it drew."""
    for runs, expected in ((1, Generated("uuid", {})), (2, Constant(UUID_A))):
        occurrences = [
            Occurrence(
                run,
                0,
                Sender(run, str(run), Role("client"), []),
                "client.c1",
                calls(event(run, "m", {"x": UUID_A}))[0],
            )
            for run in range(runs)
        ]
        miner = ArgumentMiner(Timeline(occurrences), [Scale.of(files=3 + run) for run in range(runs)])
        miner.learn(occurrences)
        assert miner.rules(occurrences)["x"] == expected


def reported(effects: Sequence[tuple[int, int]], blocks: int = 4) -> tuple[Rule, Rule]:
    """The rules of the node and the block of effects, by the number of the block and the place among its two nodes."""
    client = Sender(0, "c", Role("client"), [])
    causes = []
    for block in range(blocks):
        answer = {"b.blockId": 70001 + 7 * block**2}
        answer |= {f"locs[{at}].id.uuid": f"uuid-of-{(3 * block + at) % 5}" for at in range(2)}
        call = calls(event(10 * block, "addBlock", {}, answer))[0]
        causes.append(Occurrence(0, 0, client, "client.c1", call, {"L1": block}))
    placed = []
    for block, each in effects:
        sender = Sender(0, f"{block} {each}", DATANODE, [])
        told = causes[block].call.response or {}
        request = {"name": told[f"locs[{each}].id.uuid"], "part.blockId": told["b.blockId"]}
        call = calls(event(10 * block + 1 + each, "received", request))[0]
        placed.append(
            Occurrence(0, 0, sender, "datanode.e1", call, {"client.L1": block}, {}, causes[block], (each,))
        )
    occurrences = [*causes, *placed]
    miner = ArgumentMiner(Timeline(occurrences), [Scale.of(files=3)])
    miner.learn(occurrences)
    rules = miner.rules(placed, own_facts=True)
    return rules["name"], rules["part.blockId"]


@pytest.mark.parametrize(
    "effects",
    [
        pytest.param([(1, 0)], id="one"),
        pytest.param([(1, 0), (2, 0)], id="two at the same place"),
        pytest.param([(0, 0), (1, 1), (2, 0), (3, 1)], id="everywhere"),
    ],
)
def test_effects_of_few_calls_take_from_their_causes(effects: list[tuple[int, int]]) -> None:
    """No id of a recording stands, and the element is the effect's own: not the first, which it happened to be."""
    assert reported(effects) == (
        Flow("client.c1", Side.RESPONSE, "locs[{each}].id.uuid", Which.CAUSE, "client"),
        Flow("client.c1", Side.RESPONSE, "b.blockId", Which.CAUSE, "client"),
    )


def test_what_a_report_is_about_comes_from_what_caused_it() -> None:
    """The container of a heartbeat's report is that of the call which began it, whatever else fits."""
    client, place = Sender(0, "c", Role("client"), []), "node_status.containersStatuses[0]"
    causes, placed = [], []
    for at in range(4):
        container = 70001 + 7 * at**2
        call = calls(event(10 * at, "allocate", {}, {"id": container}))[0]
        causes.append(Occurrence(0, 0, client, "client.c1", call, {"L1": at}))
        report = {f"{place}.container_id.id": container, f"{place}.state": 2}
        call = calls(event(10 * at + 1, "nodeHeartbeat", report))[-1]
        sender = Sender(0, str(at), Role("nodemanager", endless=True), [])
        placed.append(
            Occurrence(0, 0, sender, "nodemanager.e1", call, {"client.L1": at}, {}, causes[at], (0,))
        )
    miner = ArgumentMiner(Timeline([*causes, *placed]), [Scale.of(files=3)])
    miner.learn([*causes, *placed])
    for reports_ in (placed, placed[:1]):
        assert miner.reported(reports_) == {
            f"{place}.container_id.id": Flow("client.c1", Side.RESPONSE, "id", Which.CAUSE, "client"),
            f"{place}.state": Constant(2),
        }


# --- numbers of the Scale ------------------------------------------------------------------------------------


def of_scales(written: str, *scales: Scale) -> tuple[Rule, list[Doubt]]:
    """The rule of a text that holds the number of files, of one call in each run, and what is in doubt."""
    occurrences = []
    for run, scale in enumerate(scales):
        request = {"x": written.format(round(scale["files"].value))}
        call = calls(event(run, "m", request))[0]
        occurrences.append(Occurrence(run, 0, Sender(run, str(run), Role("client"), []), "client.c1", call))
    miner = ArgumentMiner(Timeline(occurrences), scales)
    miner.learn(occurrences)
    return miner.rules(occurrences)["x"], miner.doubts


@pytest.mark.parametrize(("written", "width"), [("part-of-{:05}", 5), ("part-of-{}", 0)])
def test_numbers_of_the_scale_within_a_text(written: str, width: int) -> None:
    """As wide as they were written; where another formula says the same it is asked about, in the same form."""
    rule, doubts = of_scales(written, Scale.of(files=4), Scale.of(files=6), Scale.of(files=12))
    assert rule == Template(("part-of-", Scaled(Count.parse("files"), width)))
    assert doubts == []
    sizes = [Scale.of(files=n, folders=n) for n in (4, 6, 12)]
    rule, (doubt,) = of_scales(written, *sizes)
    assert rule == Template(("part-of-", Scaled(Count.parse("files"), width)))
    assert doubt.equals == (Template(("part-of-", Scaled(Count.parse("folders"), width))),)


@pytest.mark.parametrize(
    ("leaf", "value", "asked_too"),
    [("dst", "/made", False), ("res.size", 72, False), ("mode", 72, True)],
    ids=["a path", "a length under another name", "a small number"],
)
def test_a_value_in_doubt_is_asked_about_where_it_is_sent_first(
    leaf: str, value: str | int, *, asked_too: bool
) -> None:
    """Later calls copy it from there, whoever makes them: one answer is right for all."""
    first = "src" if leaf == "dst" else "last.numBytes"
    occurrences = []
    for run, files in enumerate((4, 6, 8)):
        said = f"{value}-{files}" if isinstance(value, str) else value
        put, get = (Sender(run, name, Role("client"), []) for name in ("put", "get"))
        for at, (sender, name, path) in enumerate(
            ((put, "put.c1", first), (put, "put.c2", leaf), (get, "get.c1", leaf))
        ):
            call = calls(event(10 * run + at, "m", {path: said}))[0]
            occurrences.append(Occurrence(run, 0, sender, name, call))
    miner = ArgumentMiner(Timeline(occurrences), [Scale.of(files=n, folders=n) for n in (4, 6, 8)])
    miner.learn(occurrences)
    rules = {
        name: miner.rules([each for each in occurrences if each.template == name])
        for name in ("put.c1", "put.c2", "get.c1")
    }
    copied = Flow("put.c1", Side.REQUEST, first)
    assert (rules["put.c2"][leaf] == copied) is not asked_too
    assert (rules["get.c1"][leaf] == replace(copied, which=Which.NTH, node_type="put")) is not asked_too
    standing = {each.template for each in miner.doubts if each.rule == rules[each.template][each.path]}
    assert standing == {"put.c1"}


def test_a_time_of_the_nodes_own_clock_stands_until_it_is_read_again() -> None:
    """It is the last one that a heartbeat repeats, not the first; how often it is read is asked."""
    first, beats = [], []
    for node, read in enumerate((1795219435113, 1795219436028)):
        sender = Sender(0, f"n{node}", Role("nodemanager", endless=True), [])
        registered = calls(event(10 * node, "register", {"read": read}))[0]
        first.append(Occurrence(0, node, sender, "n.c1", registered, {}))
        for n in range(1, 5):
            beat = calls(event(10 * node + n, "beat", {"x": read}))[0]
            beats.append(Occurrence(0, node, sender, "n.p1", beat, {"n.p1": n - 1}))
    miner = ArgumentMiner(Timeline([*first, *beats]), [Scale.of(nodes=2), Scale.of(nodes=3)])
    miner.learn([*first, *beats])
    again = Flow("n.p1", Side.REQUEST, "x", Which.PREVIOUS)
    rule = Cases("n.p1", Flow("n.c1", Side.REQUEST, "read"), None, again)
    assert miner.rules(beats)["x"] == rule
    assert miner.doubts == [Doubt("n.p1", "x", (), rule, clock=True)]


def test_a_small_number_flows_from_a_call_about_the_same_path() -> None:
    """Its size as it was answered, though other leaves of other names are as small."""
    sizes = [20, 24, 40]
    files = [f"/staging/{n}/job.split" for n in range(3)]
    sender = Sender(0, "a", Role("client"), [])
    occurrences = []
    for n, (file, size) in enumerate(zip(files, sizes, strict=True)):
        asked = event(2 * n, "getFileInfo", {"src": file}, {"fs.length": size})
        taken = event(2 * n + 1, "submit", {"res[job.split].file": file, "res[job.split].size": size})
        occurrences.append(Occurrence(0, 0, sender, "source", calls(asked)[0], {"L1": n}))
        occurrences.append(Occurrence(0, 0, sender, "taker", calls(taken)[0], {"L1": n}))
    miner = ArgumentMiner(Timeline(occurrences), [Scale.of(files=3)])
    miner.learn(occurrences)
    rules = miner.rules([each for each in occurrences if each.template == "taker"])
    assert rules["res[job.split].size"] == Flow("source", Side.RESPONSE, "fs.length")


def test_sizes_and_numbers_in_texts_that_nothing_explains_are_generated() -> None:
    """By the leaf's name, and by how they are written."""
    rule = mine(
        [{"last.numBytes": value} for value in (11091, 12284, 11921, 11090, 12999)], path="last.numBytes"
    )
    assert isinstance(rule, Generated)
    assert rule.generator == "size"
    url = mine([{"x": f"http://h:{port}"} for port in (34019, 41113, 33791, 40001, 35555)])
    assert url == Template(("http://h:", Generated("number", {"low": 33791, "high": 41113})))


@pytest.mark.parametrize(("usual", "others", "found"), [(18, 2, True), (17, 3, False), (9, 1, False)])
def test_the_value_of_nearly_all_calls(usual: int, others: int, found: bool) -> None:
    """Nine of ten, and ten calls at least; the others become a question."""
    odd = [UUID_A, "/x", "seven"][:others]
    rule = mine([{"x": value} for value in [*odd[:1], *["usual"] * usual, *odd[1:]]])
    assert (rule == Constant("usual")) is found
