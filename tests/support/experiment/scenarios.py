"""Any scenario, made from what is declared of its fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.documents.forms import AmountForm, Form, Number, PlaceForm, Plain, Seconds, Size, Text
from froude.documents.model import Declaration, Model, Shape, declared
from froude.experiment.scenario.scenario import KINDS, Scenario

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_NAMES = st.from_regex(r"[a-z][a-z_]{2,6}", fullmatch=True)
_OF_THEIR_OWN = {
    "limits": ["p99(addBlock) < 50 ms", "error_rate <= 1 %"],
    "abort_when": ["error_rate > 5 % for 30 s", "calls_per_s(create) < 10 for 20 s"],
    "release": ["3.5.0", "2.10.2"],
    "heap": ["1 GB", "512 MiB"],
    "address": ["hdfs://h:8020", "127.0.0.1:1"],
    "http": ["127.0.0.1:9870"],
    "primary": ["mean", "p99", "throughput", "p99(addBlock)"],
    "resourcemanager_heap": ["512m", "2g"],
    "time_zone": ["UTC", "Europe/Berlin"],
    "faults": ["kill datanode 0 after 20 s", "stop datanode 0 after 5 s for 3 s"],
}
"""Texts of a form of their own, by field."""
_NAMES_OF = {"properties": _TEXTS, "intervals": st.sampled_from(["blockReport", "renewLease"])}
"""What entries of a field may be called; of others any identifier."""


def _number(form: Number) -> st.SearchStrategy[Any]:
    finite = abs(form.most) < 1e300
    if form.whole:
        return st.integers(int(form.least), int(form.most)) if finite else st.integers()
    return st.floats(form.least, form.most)


def values(shape: Shape, key: str, *, fewest: int = 0) -> st.SearchStrategy[Any]:
    """What a field may hold.

    Args:
        shape: the field's.
        key: its name.
        fewest: items of a list.
    """
    if shape.section is not None:
        return sections(shape.section)
    if shape.many:
        return st.lists(values(shape.item, key), min_size=fewest, max_size=3).map(tuple)
    if shape.named:
        inner = values(shape.item, key, fewest=1)
        return st.dictionaries(_NAMES_OF.get(key, _NAMES), inner, max_size=2)
    if shape.word:
        return st.sampled_from(list(shape.base))
    match shape.form:
        case None:
            return st.booleans() if shape.base is bool else _TEXTS
        case Number():
            return _number(shape.form)
        case Text():
            return st.sampled_from(_OF_THEIR_OWN[key])
        case Seconds():
            return st.floats(0 if shape.form.zero else 1e-9, shape.form.most_s)
    simple: dict[type[Form], st.SearchStrategy[Any]] = {
        PlaceForm: st.sampled_from([Path("a"), Path("../b/c"), Path("/d")]),
        AmountForm: st.builds(
            Quantity, st.integers(0, 10**15) | st.floats(0, 1e9), st.sampled_from(["", "B", "s"])
        ),
        Size: st.integers(1, 1 << 53),  # beyond it a size is read to the nearest number that a float holds
        Plain: _TEXTS | st.integers() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
    }
    return simple[type(shape.form)]


def _maybe(each: Declaration) -> st.SearchStrategy[Any]:
    drawn = values(each.shape, each.key, fewest=1 if each.required or each.default else 0)
    return st.none() | drawn if each.default is None and not each.required else drawn


@st.composite
def sections(draw: st.DrawFn, kind: type[Model]) -> Any:
    """A value of a kind, with some of its fields; those that do not go together are not drawn."""
    left_out = draw(st.sampled_from([{"plan"}, {"workload", "at"}, set()]))
    left_out |= draw(st.sampled_from([{"trace", "made"}, {"audit_log", "made", "clients"}]))
    if "running" in {each.key for each in declared(kind)} and draw(st.booleans()):
        left_out |= {each.key for each in declared(kind)} - {"running"}
    given = {
        each.name: draw(_maybe(each))
        for each in declared(kind)
        if each.required or (each.key not in left_out and draw(st.booleans()))
    }
    try:
        return kind(**given)
    except InputError:
        reject()


def scenarios() -> st.SearchStrategy[Scenario]:
    """Of any kind."""
    return st.sampled_from(list(KINDS.values())).flatmap(sections)
