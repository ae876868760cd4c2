"""Hypothesis strategies of whole workloads, for every test that needs one."""

import itertools
from dataclasses import replace

from hypothesis import strategies as st

from froude.workload.scale import Count, Scale
from froude.workload.types import (
    Absent,
    Actor,
    CallTemplate,
    Cases,
    Constant,
    Counter,
    Cycle,
    Effect,
    Finding,
    Flow,
    Generated,
    Moment,
    NodeFact,
    NodeType,
    Periodic,
    Poll,
    Question,
    Recorded,
    Repeat,
    Rule,
    Scaled,
    Side,
    StartRule,
    Template,
    TextPart,
    Timing,
    Unknown,
    Wait,
    Which,
    Workload,
)
from froude.workload.walk import map_calls


def _of_the_beginning(rule: StartRule) -> StartRule:
    """A rule that waits for nothing has no moment."""
    return rule if rule.after else replace(rule, moment=Moment.FINISHED, every=True, nth=None, share=None)


names = st.from_regex(r"[a-z][a-z0-9]{0,6}", fullmatch=True)
numbers = st.integers(-1000, 1000)
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    texts,
    st.binary(max_size=12),
    st.floats(allow_nan=False, allow_infinity=False),
)
multiples = (
    st.builds("({}*{})".format, st.integers(2, 99), names)
    | st.builds("({}+{})".format, names, st.integers(1, 99))
    | st.builds("({}*{}+{})".format, st.integers(2, 99), names, st.integers(1, 99))
)
"""A name as it may be folded: `(3*L1)`, `(L1+3)`, `(3*L1+2)`."""
indices = names | st.builds(
    "{}{}{}".format, names | multiples, st.sampled_from(["%", "//"]), st.integers(1, 99).map(str) | names
)
_quantiles = st.sampled_from(
    [(), (0.0, 0.5, 3.0), (0.1, 0.1, 0.2, 0.4, 9.0), (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1e-6 + 9)]
)
counts = st.builds(
    Count,
    intercept=numbers,
    slopes=st.dictionaries(indices, numbers.filter(bool), max_size=2),
    cap=st.none() | st.integers(1, 99),
    per=st.none() | st.integers(1, 1 << 30) | names,
).map(lambda count: count if count.slopes else replace(count, intercept=abs(count.intercept)))
counters = st.builds(Counter, base=numbers, steps=st.dictionaries(indices, numbers.filter(bool), max_size=2))
padded = st.builds(
    Counter,
    numbers,
    st.dictionaries(names, numbers.filter(bool), min_size=1, max_size=1),
    st.integers(0, 9),
    st.sampled_from([10, 16, 26]),
)


def flows(ids: list[str], types: list[str]) -> st.SearchStrategy[Rule]:
    """Flows from calls and node types that exist."""
    return st.builds(
        Flow,
        call=st.sampled_from(ids),
        side=st.sampled_from(Side),
        path=names,
        which=st.sampled_from(Which),
        node_type=st.none() | st.sampled_from(types),
        plus=numbers,
        element=st.none() | counters | st.builds(Scaled, counts),
        part=st.none() | st.builds(TextPart, st.sampled_from("/_-.:=@,#é"), st.integers(0, 9)),
    )


def rules(ids: list[str], types: list[str]) -> st.SearchStrategy[Rule]:
    """Every kind of rule."""
    plain = st.one_of(
        st.builds(Constant, scalars),
        st.just(Absent()),
        counters,
        st.builds(Scaled, counts, st.integers(0, 9)),
        st.builds(Cycle, st.lists(scalars, min_size=1, max_size=3).map(tuple), counters),
        flows(ids, types),
        st.builds(NodeFact, names),
        st.builds(Generated, st.just("choice"), st.dictionaries(names, scalars, max_size=2)),
        st.builds(Unknown, st.lists(scalars, max_size=3).map(tuple)),
        st.builds(Template, st.lists(st.one_of(texts.filter(bool), padded), max_size=3).map(_merged)),
        st.builds(
            Template,
            st.tuples(texts.filter(bool), flows(ids, types) | st.builds(Scaled, counts, st.integers(0, 9))),
        ),
    )
    return st.one_of(plain, st.builds(Cases, names, st.none() | plain, st.none() | plain, plain))


def _merged(parts: list[str | Counter]) -> tuple[str | Counter, ...]:
    """Neighbouring texts joined, as a reader of the text form must give them."""
    out: list[str | Counter] = []
    for part in parts:
        if out and isinstance(part, str) and isinstance(out[-1], str):
            out[-1] += part
        else:
            out.append(part)
    return tuple(out)


def calls(ids: list[str], types: list[str]) -> st.SearchStrategy[CallTemplate]:
    """Call templates whose ids and flows are among `ids`, and their node types among `types`."""

    def waiting(call: CallTemplate) -> st.SearchStrategy[CallTemplate]:
        if not call.arguments:
            return st.just(call)
        waits = st.builds(
            Wait,
            st.sampled_from(sorted(call.arguments)),
            st.integers(0, 9),
            names,
            names,
            st.sampled_from(types),
        )
        return (st.none() | waits).map(lambda wait: replace(call, after=wait))

    return st.builds(
        CallTemplate,
        id=st.sampled_from(ids),
        protocol=names,
        method=names,
        arguments=st.dictionaries(
            st.from_regex(r"[a-z]{1,4}(\[0\])?(\.[a-z]{1,3})?(\{\})?", fullmatch=True),
            rules(ids, types),
            max_size=3,
        ),
        timing=st.builds(Timing, counts, _quantiles, st.none() | counts, _quantiles),
        poll=st.none() | st.builds(Poll, names, scalars, st.floats(0.1, 9)),
        fails=st.none() | names,
        service=st.just("") | names,
        callee=st.none() | rules(ids, types).filter(lambda rule: rule != Constant(None)),
        confirmed_by=st.none() | names,
    ).flatmap(waiting)


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    """Workloads whose references hold."""
    ids = draw(st.lists(names.map("c.{}".format), min_size=1, max_size=3, unique=True))
    fixed = [CallTemplate(i, "p", "m", {}) for i in ids]
    type_names = draw(st.lists(names, min_size=1, max_size=2, unique=True))
    call = calls(ids, type_names)
    serial = itertools.count()
    drawn = st.none() | st.builds(Generated, st.just("gauge"), st.just({"low": 1, "high": 4}))
    each = st.none() | st.builds(Flow, st.sampled_from(ids), st.just(Side.RESPONSE), st.just("a[{each}].b"))
    body = st.lists(call, min_size=1, max_size=2).map(tuple)
    repeat = st.builds(Repeat, names, counts, body, drawn, each=each)
    steps = st.lists(call | repeat, max_size=2).map(lambda drawn: (*fixed, *drawn))
    after = st.none() | st.sampled_from(type_names)
    each_s = st.floats(0, 9)
    succession = each_s.map(lambda s: StartRule(spacing_s=s)) | each_s.map(lambda s: StartRule(pause_s=s))
    succession |= st.builds(StartRule, spacing_s=each_s, within_s=each_s)
    how_many = st.booleans().map(lambda every: {"every": every})
    how_many |= st.integers(1, 99).map(lambda nth: {"every": False, "nth": nth})
    how_many |= st.floats(0.01, 1).map(lambda share: {"every": False, "share": share})
    awaited = st.builds(
        lambda moment, delay_s, some: {"moment": moment, "delay_s": delay_s} | some,
        st.sampled_from(Moment), each_s, how_many,
    )  # fmt: skip
    start = st.builds(
        lambda rule, after, more: replace(rule, after=after, **more), succession, after, awaited
    )
    effect = st.builds(
        Effect, call, st.sampled_from(ids), st.sampled_from(type_names), st.none() | names, st.sampled_from(Actor),
        st.none() | names, st.none() | names,
    )  # fmt: skip
    opening = st.lists(st.sampled_from(ids), max_size=2, unique=True).map(tuple)
    node_types = [
        draw(
            st.builds(
                NodeType,
                st.just(name),
                counts,
                steps,
                st.lists(
                    st.builds(
                        Periodic,
                        call,
                        st.floats(0.1, 9),
                        st.floats(0, 9),
                        opening,
                        opening,
                        st.none() | st.floats(0.1, 9),
                    ),
                    max_size=1,
                ).map(tuple),
                st.lists(effect, max_size=1).map(tuple),
                start.map(_of_the_beginning),
                st.none() | start.filter(lambda rule: rule.after is not None),
                st.sampled_from(["scripted", "datanode"]),
                st.none() | names,
                st.none() | rules(ids, type_names).filter(lambda rule: rule != Constant(None)),
            )
        )
        for name in type_names
    ]
    scale = st.dictionaries(names, st.integers(0, 99), max_size=2).map(Scale.from_mapping)
    question = st.builds(
        Question,
        names,
        texts,
        names,
        st.none() | names,
        st.none() | names,
        st.lists(scalars, max_size=2).map(tuple),
        st.lists(rules(ids, type_names), max_size=2).map(tuple),
        st.booleans(),
    )
    # Ids are unique, and those that others refer to stand in the first type.
    bare = [
        replace(
            each,
            # What their loops would go through, only the first type has.
            steps=tuple(
                replace(step, each=None) if isinstance(step, Repeat) else step
                for step in each.steps[len(fixed) :]
            ),
        )
        for each in node_types
    ]
    node_types = [
        map_calls(each, lambda call: replace(call, id=f"{call.id}.{next(serial)}")) for each in bare
    ]
    node_types[0] = replace(node_types[0], steps=(*fixed, *node_types[0].steps))
    return Workload(
        tuple(node_types),
        draw(
            st.builds(
                Recorded,
                st.lists(scale, max_size=2).map(tuple),
                st.lists(names, max_size=2).map(tuple),
                names,
            )
        ),
        tuple(draw(st.lists(question, max_size=2))),
        tuple(
            draw(
                st.lists(
                    st.builds(Finding, texts, st.booleans(), st.none() | names, st.none() | names), max_size=2
                )
            )
        ),
    )
