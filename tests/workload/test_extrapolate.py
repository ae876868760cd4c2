"""A Plan says what it would play, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.input_limits import InputLimits, within_limits
from froude.workload.extrapolate import Reach, at_odds, deciding_run, extrapolate, number_at
from froude.workload.plan import calls_per_node, pace, paces
from froude.workload.rules import active
from froude.workload.rules import number_at as reach_number_at
from froude.workload.scale import Count, Scale, at_node
from froude.workload.types import (
    LETTERS,
    CallTemplate,
    Cases,
    Constant,
    Counter,
    Finding,
    NodeType,
    Question,
    Recorded,
    Repeat,
    Rule,
    Scaled,
    StartRule,
    Template,
    Workload,
)
from froude.workload.walk import parts

TIMES = ("0", "1", "2", "inner", "inner - node", "node", "ceil((inner - node) / nodes)")
LINE, PIECES = Count.parse("1e-07*input + 1"), Count.parse("ceil((input) / 8388608)")
RECORDED = [Scale.parse([f"input={size} MB"]) for size in (10, 20, 30)]
CREATE = CallTemplate("c1", "p", "create", {})
CLOSE = CallTemplate("c2", "p", "complete", {})


def _workload(findings: tuple[Finding, ...] = (), questions: tuple[Question, ...] = ()) -> Workload:
    loop = Repeat("L1", Count.parse("files"), (CREATE, CLOSE))
    client = NodeType("client", Count.parse("clients"), (loop, replace(CREATE, id="c3")))
    scales = (
        Scale.of(clients=1, files=4, blocks=2),
        Scale.of(clients=2, files=6, blocks=2),
        Scale.of(clients=3, files=5, blocks=2),
    )
    return Workload((client,), Recorded(scales, ("CID-1",)), questions, findings)


def test_counts_follow_the_scale() -> None:
    """Nodes and calls at a size that was never recorded."""
    plan = extrapolate(_workload(), Scale.of(clients=50, files=8, blocks=2))
    assert plan.playable
    assert plan.counts == {"client": 50}
    assert pace(plan.workload.node_types[0], plan.scale)[0] == 17


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        (Scale.of(clients=5, files=8, blocks=3), "'blocks' was 2 in every recorded run"),
        (Scale.of(clients=5, blocks=2), "does not say 'files'"),
        (Scale.of(clients=5, files=8, blocks=2, racks=3), "'racks' is no variable"),
        (Scale.of(clients=5, files="8 GB", blocks=2), "asked for as 8 GB"),
    ],
)
def test_refuses_what_it_cannot_know(scale: Scale, message: str) -> None:
    """A variable that never varied, is missing, is new, or has another unit stops the plan."""
    plan = extrapolate(_workload(), scale)
    assert not plan.playable
    assert any(message in refusal.what for refusal in plan.refusals)


def test_a_fatal_finding_stops_other_scales_only() -> None:
    """What was recorded can be played as recorded."""
    workload = _workload((Finding("L1 fits no count", fatal=True, node_type="client"),))
    assert extrapolate(workload, Scale.of(clients=2, files=6, blocks=2)).playable
    assert not extrapolate(workload, Scale.of(clients=3, files=6, blocks=2)).playable


def test_open_questions_are_mentioned() -> None:
    """They do not stop a plan, and are not hidden."""
    plan = extrapolate(
        _workload(questions=(Question("q1", "?", "client"),)), Scale.of(clients=1, files=4, blocks=2)
    )
    assert plan.playable
    assert "1 question not answered" in plan.refusals[0].what


def _sized(count: Count, times: Count) -> Workload:
    client = NodeType("client", count, (Repeat("L1", times, (CREATE,)),))
    return Workload((client,), Recorded((Scale.of(n=4), Scale.of(n=6)), ()))


@pytest.mark.parametrize(
    ("count", "times", "what"),
    [
        (Count(-5, {"n": 1}), Count(1), "client: the number of nodes would be -2 (n - 5)"),
        (Count(1), Count(-5, {"n": 1}), "client: the iterations of L1 would be -2 (n - 5)"),
    ],
)
def test_a_number_below_zero_is_refused(count: Count, times: Count, what: str) -> None:
    """At a recorded scale it was at least one; what is less than none there cannot be right."""
    recorded = (Scale.of(n=6), Scale.of(n=8))
    workload = replace(_sized(count, times), recorded=Recorded(recorded, ()))
    plan = extrapolate(workload, Scale.of(n=3))
    assert [(refusal.what, refusal.fatal) for refusal in plan.refusals] == [(what, True)]
    assert not plan.playable
    assert extrapolate(workload, Scale.of(n=7)).refusals == ()


def test_a_resourcemanagers_own_calls_stop_no_plan() -> None:
    """It makes them itself: what no formula gives there is a remark."""
    workload = _sized(Count(1), Count(-5, {"n": 1}))
    (client,) = workload.node_types
    launcher = replace(client, name="launcher", program="container-launcher")
    recorded = Recorded((Scale.of(n=6), Scale.of(n=8)), ())
    plan = extrapolate(replace(workload, node_types=(launcher,), recorded=recorded), Scale.of(n=3))
    assert [(refusal.what, refusal.fatal) for refusal in plan.refusals] == [
        ("launcher: the iterations of L1 would be -2 (n - 5)", False)
    ]


def test_what_begins_at_some_size_is_none_below_it() -> None:
    """It was below zero in a recorded run too, where there were none."""
    plan = extrapolate(_sized(Count(-5, {"n": 1}), Count(1)), Scale.of(n=3))
    assert plan.playable
    assert plan.counts == {"client": 0}


@pytest.mark.parametrize(("n", "warned"), [(5, True), (8, False)])
def test_a_number_that_is_not_whole_is_rounded_and_said(n: int, warned: bool) -> None:
    """Half an iteration is no iteration: the plan can be played, with a warning."""
    plan = extrapolate(_sized(Count(1), Count(0, {"n": 0.5})), Scale.of(n=n))
    assert plan.playable
    said = [refusal.what for refusal in plan.refusals]
    expected = "client: the iterations of L1 would be 2.5 (0.5*n), which is not a whole number"
    assert said == ([expected] if warned else [])


def _naming(rule: Rule) -> Workload:
    create = replace(CREATE, arguments={"src": rule})
    client = NodeType("client", Count.parse("clients"), (Repeat("L1", Count.parse("files"), (create,)),))
    return replace(_workload(), node_types=(client,))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Template(("/f-", Scaled(Count.parse("0.5*files")))), "would hold 3.5, which is not a whole number"),
        (
            Template(("/f-", Scaled(Count.parse("3 - files")))),
            "would hold -4, and a name has no number below",
        ),
        (Template(("/f-", Counter(5, {"L1": -1}))), "would hold -1, and a name has no number below zero"),
        (Template(("/f-", Counter(9, {"clients*node": -2}))), "would hold -3, and a name"),
    ],
)
def test_a_number_that_no_name_can_hold_stops_the_plan(rule: Rule, message: str) -> None:
    """At this Scale; at a smaller one it may be played."""
    workload = _naming(rule)
    plan = extrapolate(workload, Scale.of(clients=3, files=7, blocks=2))
    assert not plan.playable
    assert any(message in refusal.what for refusal in plan.refusals)
    assert extrapolate(workload, Scale.of(clients=1, files=2, blocks=2)).playable


@pytest.mark.parametrize(
    ("first", "last", "otherwise", "playable"),
    [
        (Constant("/out"), None, Counter(-1, {"L1": 1}, 5), True),
        (None, Constant("/out"), Counter(5, {"L1": -1}), True),
        (Constant("/out"), None, Counter(-2, {"L1": 1}, 5), False),
    ],
)
def test_a_case_takes_its_iteration_from_the_others(
    first: Rule | None, last: Rule | None, otherwise: Counter, *, playable: bool
) -> None:
    """A number that would be below zero only where another case decides is in no name."""
    rule = Cases("L1", first, last, Template(("/out/part-", otherwise)))
    plan = extrapolate(_naming(rule), Scale.of(clients=3, files=7, blocks=2))
    assert plan.playable is playable


def test_a_plain_argument_may_be_below_zero_and_a_fraction_is_said() -> None:
    """An offset may be negative; a number that was rounded is mentioned."""
    scale = Scale.of(clients=3, files=7, blocks=2)
    assert not extrapolate(_naming(Scaled(Count.parse("3 - files"))), scale).refusals
    plan = extrapolate(_naming(Scaled(Count.parse("0.5*files"))), scale)
    assert plan.playable
    assert "would hold 3.5, which is not a whole number" in plan.refusals[0].what


def _named(rule: Counter, times: str = "files") -> Workload:
    create = replace(CREATE, arguments={"src": Template(("/in/part-", rule))})
    client = NodeType("client", Count.parse("clients"), (Repeat("L1", Count.parse(times), (create,)),))
    return replace(_workload(), node_types=(client,))


def test_letters_that_run_out_are_refused() -> None:
    """What comes after zz nobody has seen."""
    workload = _named(Counter(0, {"L1": 1}, 2, LETTERS))
    assert extrapolate(workload, Scale.of(clients=1, files=676, blocks=2)).playable
    plan = extrapolate(workload, Scale.of(clients=1, files=677, blocks=2))
    assert [refusal.what for refusal in plan.refusals if refusal.fatal] == [
        "client: src of create would need more than 2 letters"
    ]


def test_loops_by_the_number_of_the_node() -> None:
    """Files that clients share out: as many calls in all as there are files, however many nodes."""
    workload = _named(Counter(0, {"L1": 1}), "ceil((files - node) / clients)")
    plan = extrapolate(workload, Scale.of(clients=3, files=8, blocks=2))
    assert plan.playable
    assert paces(workload.node_types[0], plan.scale, 3) == [(1, 3, 0.0), (1, 3, 0.0), (1, 2, 0.0)]
    assert calls_per_node(plan, workload.node_types[0]) == round(8 / 3, 3)
    many = extrapolate(workload, Scale.of(clients=5000, files=20_000, blocks=2))
    assert (
        sum(number * calls for number, calls, _ in paces(workload.node_types[0], many.scale, 5000)) == 20_000
    )
    few = extrapolate(workload, Scale.of(clients=10, files=8, blocks=2))
    assert few.playable


@pytest.mark.parametrize(
    ("change", "place", "name"),
    [
        ({"clients": 1e15}, "client.count", "nodes"),
        ({"files": 1e15}, "client.L1.times", "repetitions"),
        ({"files": 9e6}, "client.steps", "steps"),
    ],
)
def test_a_plan_beyond_its_limits_is_refused_before_it_is_worked_out(
    change: dict[str, float], place: str, name: str
) -> None:
    """The field that is too large is named, and the flag that allows it."""
    workload, scale = _workload(), Scale.of(**{"clients": 2, "files": 8, "blocks": 2, **change})
    match = rf"nodes\.{place}: .* --max {name}="
    with within_limits(InputLimits(steps=10_000_000)), pytest.raises(InputError, match=match):
        extrapolate(workload, scale)
    with within_limits(InputLimits(nodes=10**18, steps=10**18, repetitions=10**18)):
        assert extrapolate(workload, scale).counts["client"] == round(scale["clients"].value)


def test_more_nodes_that_wait_for_each_other_are_no_more_load() -> None:
    """The plan says so, unless there are as many as were recorded."""
    workload = _workload()
    shell = replace(workload.node_types[0], start=StartRule(pause_s=1.0))
    workload = replace(workload, node_types=(shell,))
    (remark,) = extrapolate(workload, Scale.of(clients=5000, files=8, blocks=2)).refusals
    assert not remark.fatal
    assert remark.what.startswith("client: 5,000 run one after another")
    assert not extrapolate(workload, Scale.of(clients=3, files=8, blocks=2)).refusals


def test_formulas_at_odds_are_refused_with_the_run_that_decides() -> None:
    """Where they come to about the same the simplest is taken, and that is said."""
    workload = _workload()
    client = workload.node_types[0]
    loop = client.steps[0]
    assert isinstance(loop, Repeat)
    rivals = (Count.parse("files*clients"),)
    unsure = replace(
        workload, node_types=(replace(client, steps=(replace(loop, rivals=rivals), *client.steps[1:])),)
    )
    apart = extrapolate(unsure, Scale.of(clients=9, files=40, blocks=2))
    (text,) = (refusal.what for refusal in apart.refusals if refusal.fatal)
    assert "the iterations of L1 would be 40 (files) or 360 (files*clients)" in text
    assert "record --scale clients=2 --scale files=" in text
    alike = extrapolate(unsure, Scale.of(clients=1, files=40, blocks=2))
    assert alike.playable
    assert any("the simplest is taken" in refusal.what for refusal in alike.refusals)


def test_formulas_are_at_odds_where_they_differ_by_more_than_a_twentieth() -> None:
    """At what was recorded they are the same; ten times as far they are not."""
    assert not any(at_odds([LINE, PIECES], scale) for scale in RECORDED)
    assert at_odds([LINE, PIECES], Scale.parse(["input=300 MB"]))
    assert not at_odds([LINE], Scale.parse(["input=300 MB"]))
    assert at_odds([Count(1), Count.parse("files/nodes")], Scale.of(nodes=0, files=1))
    assert not at_odds([Count(0), Count(0)], Scale.of(nodes=0, files=1))


def test_the_smallest_run_that_decides() -> None:
    """At 4 MB the line has one piece, as there is; at 8 MB it has two, and there is one."""
    run = deciding_run([LINE, PIECES], RECORDED)
    assert run is not None
    assert number_at(LINE, run) != number_at(PIECES, run)
    assert run["input"].value <= 30e6
    assert deciding_run([LINE, LINE], RECORDED) is None


@given(st.integers(1, 9), st.integers(1, 9))
def test_a_product_is_told_from_a_square(first: int, second: int) -> None:
    """Two variables that were alike in every run: in the one that decides they are not."""
    formulas = [Count.parse("nodes*files"), Count.parse("nodes*nodes")]
    run = deciding_run(formulas, [Scale.of(nodes=n, files=n) for n in (first, first + second)])
    assert run is not None
    assert run["nodes"] != run["files"]
    assert number_at(formulas[0], run) != number_at(formulas[1], run)


@dataclass(frozen=True)
class _Place:
    """One iteration of one node."""

    scale: Scale
    at: Mapping[str, int]
    last: frozenset[str]

    def index(self, name: str) -> int:
        return self.at[name]

    def is_last(self, name: str) -> bool:
        return name in self.last


def _node_type(rule: Rule, outer: str, inner: str) -> NodeType:
    call = CallTemplate("c1", "p", "create", {"src": rule})
    loops = Repeat("L1", Count.parse(outer), (Repeat("L2", Count.parse(inner), (call,)),))
    return NodeType("client", Count.parse("nodes"), (loops,))


def _places(scale: Scale, outer: str, inner: str) -> Iterator[_Place]:
    """Every place at which the call is made, one by one."""
    for node in range(int(scale["nodes"].value)):
        mine = at_node(scale, node)
        times = {"L1": Count.parse(outer).whole_at(mine), "L2": Count.parse(inner).whole_at(mine)}
        for first in range(times["L1"]):
            for second in range(times["L2"]):
                at = {"node": node, "L1": first, "L2": second}
                yield _Place(
                    scale, at, frozenset(loop for loop, count in times.items() if at[loop] + 1 == count)
                )


def _counters(rule: Rule) -> Iterator[Counter]:
    if isinstance(rule, Counter):
        yield rule
    for part in parts(rule):
        yield from _counters(part)


def _settled(rule: Rule, place: _Place) -> Rule:
    return active(rule, place)  # type: ignore[arg-type]  # it asks for indices only


def _seen(rule: Rule, places: list[_Place]) -> dict[int, tuple[int, int]]:
    """The least and the most of each counter, by its identity, as playing every place finds it."""
    numbers: dict[int, list[int]] = {}
    for place in places:
        for counter in _counters(_settled(rule, place)):
            numbers.setdefault(id(counter), []).append(reach_number_at(counter, place.index, place.scale))
    return {name: (min(values), max(values)) for name, values in numbers.items()}


steps = st.dictionaries(
    st.sampled_from(["node", "L1", "L2", "inner*node", "L1%2", "L1//2", "L2%nodes", "(3*L2)//2"]),
    st.integers(-3, 3).filter(bool),
    max_size=3,
)
counters = st.builds(Counter, st.integers(-5, 5), steps)
leaves = counters | counters.map(lambda counter: Template(("/f-", counter))) | st.just(Constant("/out"))
rules = st.recursive(
    leaves,
    lambda inner: st.builds(
        Cases, st.sampled_from(["L1", "L2"]), st.none() | inner, st.none() | inner, inner
    ),
    max_leaves=5,
)
scales = st.builds(
    lambda nodes, inner: Scale.of(nodes=nodes, inner=inner), st.integers(1, 4), st.integers(0, 4)
)


@example(
    Cases("L1", Cases("L1", None, Counter(7, {}), Constant("/out")), None, Constant("/out")),
    Scale.of(nodes=3, inner=0),
    "node",
    "1",
)
@given(rules, scales, st.sampled_from(TIMES), st.sampled_from(TIMES))
def test_no_number_is_beyond_its_ends(rule: Rule, scale: Scale, outer: str, inner: str) -> None:
    """Whatever the loops and cases, playing every place finds no smaller and no larger number."""
    reach = Reach.of(_node_type(rule, outer, inner), scale)
    ends = {id(each.rule): (each.least, each.most) for each in reach.numbers(rule)}
    for counter, (least, most) in _seen(rule, list(_places(scale, outer, inner))).items():
        assert ends[counter][0] <= least
        assert most <= ends[counter][1]


straight = st.builds(
    Counter, st.integers(-5, 5), st.dictionaries(st.sampled_from(["node", "L1", "L2"]), st.integers(-3, 3))
)
cases = st.builds(Cases, st.sampled_from(["L1", "L2"]), st.none() | straight, st.none() | straight, straight)


@given(cases, scales, st.sampled_from(["1", "2", "5"]), st.sampled_from(["1", "3", "inner + 1"]))
def test_the_ends_of_a_straight_counter_are_met(rule: Cases, scale: Scale, outer: str, inner: str) -> None:
    """Under a case, too: no number is reported that no place holds, so that no correct rule is refused."""
    reach = Reach.of(_node_type(rule, outer, inner), scale)
    ends = {id(each.rule): (each.least, each.most) for each in reach.numbers(rule)}
    assert ends == _seen(rule, list(_places(scale, outer, inner)))


def _ends(rule: Rule, times: str, nodes: int = 3) -> list[tuple[float, float]]:
    """The least and the most of every number of a rule, in a loop L2 of these iterations."""
    reach = Reach.of(_node_type(rule, "1", times), Scale.of(nodes=nodes))
    return [(number.least, number.most) for number in reach.numbers(rule)]


def test_a_remainder_begins_where_its_term_does() -> None:
    """Of one iteration it is one number; once it has gone round, any from none to the last before the size."""
    rule = Counter(0, {"(L2+2)%4": 1})
    assert [_ends(rule, times) for times in ("1", "2", "3")] == [[(2, 2)], [(2, 3)], [(0, 3)]]
    assert _ends(Counter(0, {"(L2+4)%4": 1}), "2") == [(0, 1)]


def test_a_last_iteration_is_that_of_some_node() -> None:
    """Of nodes with two to four iterations each: from the second to the fourth; before the last one up to the third."""
    number = Counter(0, {"L2": 1})
    assert _ends(Cases("L2", None, number, Constant(0)), "node + 2") == [(1, 3)]
    assert _ends(Cases("L2", None, Constant(0), number), "node + 2") == [(0, 2)]
    within_first = Cases("L2", Cases("L2", None, number, Constant(0)), None, Constant(0))
    assert _ends(within_first, "node + 2") == []
