"""Rules at many calls at once: the same as at each."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from froude.mining.history.timeline import OccurrenceContext, Timeline
from froude.mining.history.value_uses import Takers
from froude.mining.read.knowledge import Role
from froude.mining.read.senders import Sender
from froude.mining.rules.bulk_rules import Bulk
from froude.mining.shape.structure import Occurrence
from froude.workload.rules import evaluate
from froude.workload.scale import Count, Scale
from froude.workload.types import (
    LETTERS,
    NODE,
    Absent,
    Cases,
    Constant,
    Counter,
    Cycle,
    Flow,
    Generated,
    NodeFact,
    Rule,
    Scaled,
    Side,
    Template,
    TextPart,
    Unknown,
    Which,
)
from tests.support.mining.events import calls, event
from tests.support.seeds import examples

SCALES = [Scale.of(files=3, clients=2), Scale.of(files=5, clients=4)]
_NAMES = ["L1", "L2", NODE]
_COUNTED = [*_NAMES, "L1%3", "L2//2", "files*L1", "(2*L1)%files", "(L2+1)%4", "files"]
_COUNTERS = st.builds(
    Counter,
    st.integers(-5, 5),
    st.dictionaries(st.sampled_from(_COUNTED), st.integers(-3, 3), max_size=3),
    st.integers(0, 3),
    st.sampled_from([10, 16, LETTERS]),
)
_FLOWS = st.builds(
    Flow,
    st.sampled_from(["c.c1", "c.c1", "c.c2", "d.e1"]),
    st.sampled_from(Side),
    st.sampled_from(["id", "id", "path", "list[0].x", "list[{each}].x"]),
    st.sampled_from(Which),
    st.sampled_from([None, None, "c", "d"]),
    st.sampled_from([0, 2]),
    st.none() | st.builds(Counter, st.integers(0, 1), st.just({"L2": 1})),
    st.none() | st.just(TextPart("/", 1)),
)
_LEAVES = st.one_of(
    st.builds(Constant, st.sampled_from([7, "seven", True, 1.5])),
    st.just(Absent()),
    st.just(Unknown(())),
    st.just(NodeFact("address")),
    st.just(NodeFact("length")),
    st.just(Generated("uuid")),
    st.builds(Cycle, st.just(("day", "night", "noon")), _COUNTERS),
    st.builds(Scaled, st.sampled_from(["files", "2*clients + 1"]).map(Count.parse), st.integers(0, 4)),
    _COUNTERS,
    _FLOWS,
)


def _more(rules: st.SearchStrategy[Rule]) -> st.SearchStrategy[Rule]:
    parts = st.lists(rules | st.sampled_from(["/a/", ""]), max_size=3).map(tuple)
    cases = st.builds(Cases, st.sampled_from(_NAMES), st.none() | rules, st.none() | rules, rules)
    return st.builds(Template, parts) | cases


RULES = st.recursive(_LEAVES, _more, max_leaves=4)


@st.composite
def timelines(draw: st.DrawFn) -> tuple[Timeline, list[Occurrence]]:
    """Two kinds of calls of nodes in two loops, and effects of one of them that other nodes make."""
    occurrences: list[Occurrence] = []
    rng = draw(st.randoms(use_true_random=False))

    def call(
        template: str, sender: Sender, node: int, loops: tuple[int, int], cause: Occurrence | None
    ) -> Occurrence:
        order, leaves = len(occurrences), {}
        for side in Side:
            known = {"id": rng.choice([1, True, 30_000 + order]), "path": rng.choice(["/x/y", "z", b"/b"])}
            known |= {f"list[{n}].x": n + order for n in range(rng.randrange(3))}
            leaves[side] = {path: value for path, value in known.items() if rng.random() < 0.8}
        start_s = rng.choice([order, order - 0.5, 3.0])
        made = event(
            order,
            "m",
            leaves[Side.REQUEST],
            leaves[Side.RESPONSE],
            client=sender.key,
            start_s=start_s,
            end_s=start_s + rng.choice([0.0, 1.0, 4.0]),
            answered=rng.random() < 0.9,
            peer=f"10.0.0.{node}",
        )
        names = ("c.L1", "c.L2") if sender.key == "d" else ("L1", "L2")
        last = {name: rng.random() < 0.3 for name in names}
        indices = dict(zip(names, loops, strict=True))
        occurrence = Occurrence(sender.run, node, sender, template, calls(made)[0], indices, last, cause)
        occurrence.each = (rng.randrange(2),)
        occurrences.append(occurrence)
        return occurrence

    for run in range(2):
        others = Sender(run, "d", Role("d"), [])
        for node in range(rng.randrange(1, 3)):
            sender = Sender(run, f"c{node}", Role("c"), [])
            for first in range(rng.randrange(1, 4)):
                for second in range(rng.randrange(4)):
                    cause = call("c.c1", sender, node, (first, second), None)
                    call("c.c2", sender, node, (first, second), None)
                    if rng.random() < 0.5:
                        call("d.e1", others, 0, (first, second), cause)
    template = draw(st.sampled_from(["c.c1", "c.c2", "d.e1"]))
    return Timeline(occurrences[::-1]), [each for each in occurrences if each.template == template]


@settings(max_examples=examples(150))
@given(_FLOWS | RULES, timelines())
def test_a_rule_gives_the_same_at_all_calls_as_at_each(
    rule: Rule, made: tuple[Timeline, list[Occurrence]]
) -> None:
    """Whatever rule, of whatever calls."""
    timeline, takers = made
    each = [evaluate(rule, OccurrenceContext(timeline, SCALES[taker.run], taker)) for taker in takers]
    assert [(type(value), value) for value in Bulk(timeline, SCALES).values(rule, Takers(takers))] == [
        (type(value), value) for value in each
    ]
