"""Between which ends the numbers of a rule are, at the nodes and iterations where the rule decides."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hypothesis import example, given
from hypothesis import strategies as st

from froude.workload.reach import Reach
from froude.workload.rules import active, number_at
from froude.workload.scale import Count, Scale, at_node
from froude.workload.types import CallTemplate, Cases, Constant, Counter, NodeType, Repeat, Rule, Template
from froude.workload.walk import parts

TIMES = ("0", "1", "2", "inner", "inner - node", "node", "ceil((inner - node) / nodes)")


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
            numbers.setdefault(id(counter), []).append(number_at(counter, place.index, place.scale))
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
