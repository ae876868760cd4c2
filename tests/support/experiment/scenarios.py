"""Any scenario, made from what is declared of its fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.documents.declared import Declared, Inner, declared
from froude.documents.forms import (
    Amount,
    Each,
    Flag,
    Form,
    Maybe,
    Named,
    Number,
    Place,
    Plain,
    Seconds,
    Size,
    Text,
    Word,
)
from froude.experiment.scenario.scenario import KINDS, Command, Scenario

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


def values(form: Form, key: str) -> st.SearchStrategy[Any]:
    """What a field may hold.

    Args:
        form: the field's.
        key: its name.
    """
    match form:
        case Inner():
            return sections(form.kind)
        case Maybe():
            return st.none() | values(form.form, key)
        case Command():
            return st.lists(_TEXTS, min_size=1, max_size=3).map(tuple)
        case Each():
            return st.lists(values(form.form, key), min_size=form.fewest, max_size=3).map(tuple)
        case Named():
            return st.dictionaries(_NAMES_OF.get(key, _NAMES), values(form.form, key), max_size=2)
        case Number():
            return _number(form)
        case Text():
            return st.sampled_from(_OF_THEIR_OWN[key]) if form.check else _TEXTS
        case Word():
            return st.sampled_from(list(form.kind))
        case Seconds():
            return st.floats(0 if form.zero else 1e-9, form.most_s)
    simple: dict[type[Form], st.SearchStrategy[Any]] = {
        Flag: st.booleans(),
        Place: st.sampled_from([Path("a"), Path("../b/c"), Path("/d")]),
        Amount: st.builds(
            Quantity, st.integers(0, 10**15) | st.floats(0, 1e9), st.sampled_from(["", "B", "s"])
        ),
        Size: st.integers(1, 1 << 53),  # beyond it a size is read to the nearest number that a float holds
        Plain: _TEXTS | st.integers() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
    }
    return simple[type(form)]


@st.composite
def sections(draw: st.DrawFn, kind: type[Declared]) -> Any:
    """A value of a kind, with some of its fields; those that do not go together are not drawn."""
    left_out = draw(st.sampled_from([{"plan"}, {"workload", "at"}, set()]))
    left_out |= draw(st.sampled_from([{"trace", "made"}, {"audit_log", "made", "clients"}]))
    if "running" in {each.key for each in declared(kind)} and draw(st.booleans()):
        left_out |= {each.key for each in declared(kind)} - {"running"}
    given = {
        each.name: draw(values(each.form, each.key))
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
