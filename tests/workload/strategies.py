"""Hypothesis strategies of whole workloads, for every test that needs one."""

from hypothesis import strategies as st

from froude.workload.scale import Count, Scale
from froude.workload.types import (
    Absent,
    CallTemplate,
    Cases,
    Constant,
    Counter,
    Effect,
    Finding,
    Flow,
    Generated,
    Interval,
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
    Unknown,
    Which,
    Workload,
)

names = st.from_regex(r"[a-z][a-z0-9]{0,6}", fullmatch=True)
numbers = st.integers(-1000, 1000)
texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    texts,
    st.binary(max_size=12),
    st.floats(allow_nan=False),
)
counts = st.builds(
    Count,
    intercept=numbers,
    slopes=st.dictionaries(names, numbers.filter(bool), max_size=2),
    cap=st.none() | st.integers(1, 99),
    per=st.none() | st.integers(1, 1 << 30),
)
counters = st.builds(Counter, base=numbers, steps=st.dictionaries(names, numbers.filter(bool), max_size=2))
padded = st.builds(
    Counter,
    numbers,
    st.dictionaries(names, numbers.filter(bool), min_size=1, max_size=1),
    st.integers(0, 9),
    st.sampled_from([10, 16]),
)


def flows(ids: list[str]) -> st.SearchStrategy[Rule]:
    """Flows from calls that exist."""
    return st.builds(
        Flow,
        call=st.sampled_from(ids),
        side=st.sampled_from(Side),
        path=names,
        which=st.sampled_from(Which),
        node_type=st.none() | names,
        plus=numbers,
    )


def rules(ids: list[str]) -> st.SearchStrategy[Rule]:
    """Every kind of rule."""
    plain = st.one_of(
        st.builds(Constant, scalars),
        st.just(Absent()),
        counters,
        st.builds(Scaled, counts),
        flows(ids),
        st.builds(NodeFact, names),
        st.builds(Generated, names, st.dictionaries(names, scalars, max_size=2)),
        st.builds(Unknown, st.lists(scalars, max_size=3).map(tuple)),
        st.builds(Template, st.lists(st.one_of(texts.filter(bool), padded), max_size=3).map(_merged)),
        st.builds(Template, st.tuples(texts.filter(bool), flows(ids))),
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


def calls(ids: list[str]) -> st.SearchStrategy[CallTemplate]:
    """Call templates whose ids and flows are among `ids`."""
    return st.builds(
        CallTemplate,
        id=st.sampled_from(ids),
        protocol=names,
        method=names,
        arguments=st.dictionaries(
            st.from_regex(r"[a-z]{1,4}(\[0\])?(\.[a-z]{1,3})?(\{\})?", fullmatch=True), rules(ids), max_size=3
        ),
        interval=st.builds(Interval, counts, st.floats(0, 9)),
        poll=st.none() | st.builds(Poll, names, scalars, st.floats(0.1, 9)),
        fails=st.none() | names,
    )


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    """Workloads whose references hold."""
    ids = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    fixed = [CallTemplate(i, "p", "m", {}) for i in ids]
    call = calls(ids)
    repeat = st.builds(Repeat, names, counts, st.lists(call, min_size=1, max_size=2).map(tuple))
    steps = st.lists(call | repeat, max_size=2).map(lambda drawn: (*fixed, *drawn))
    type_names = draw(st.lists(names, min_size=1, max_size=2, unique=True))
    after = st.none() | st.sampled_from(type_names)
    start = st.builds(
        StartRule, after, st.sampled_from(Moment), st.booleans(), st.floats(0, 9), st.floats(0, 9)
    )
    effect = st.builds(
        Effect, call, st.sampled_from(ids), names, st.none() | names, st.none() | names, st.none() | names
    )
    node_types = [
        draw(
            st.builds(
                NodeType,
                st.just(name),
                counts,
                steps,
                st.lists(
                    st.builds(Periodic, call, st.floats(0.1, 9), st.floats(0, 9), st.none() | names),
                    max_size=1,
                ).map(tuple),
                st.lists(effect, max_size=1).map(tuple),
                start.map(lambda s: s if s.after else StartRule(delay_s=s.delay_s, spacing_s=s.spacing_s)),
                st.sampled_from(["calls", "datanode"]),
                st.none() | names,
                st.none() | rules(ids).filter(lambda rule: rule != Constant(None)),
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
        st.lists(rules(ids), max_size=2).map(tuple),
        st.booleans(),
    )
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
