"""New names in every place of a workload that refers to them."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest

from froude.workload.references import indices
from froude.workload.renaming import REFERENCES, Names, renamed
from froude.workload.types import (
    Cases,
    Constant,
    Counter,
    Generated,
    Question,
    Unknown,
    Workload,
)
from froude.workload.walk import templates
from froude.workload.yaml_file import dump_workload, read_workload
from testbed.workloads import OTHERS, WORKLOADS

OTHER_TEXTS = {
    "CallTemplate.protocol",
    "CallTemplate.method",
    "CallTemplate.arguments",  # by leaf path
    "CallTemplate.fails",
    "CallTemplate.service",
    "CallTemplate.confirmed_by",
    "Constant.value",
    "Cycle.values",
    "Effect.each",
    "Effect.owner",
    "Effect.owner_fact",
    "Finding.what",
    "Flow.path",
    "Generated.generator",
    "NodeFact.fact",
    "NodeType.program",
    "NodeType.user",
    "NodeType.in_any_order",  # methods
    "Poll.path",
    "Poll.until",
    "Quantity.unit",
    "Question.path",
    "Question.examples",
    "Recorded.source_ids",
    "Recorded.release",
    "Recorded.traces",
    "Repeat.id",  # of its node type alone
    "Template.parts",
    "TextPart.separator",
    "Unknown.examples",
    "Wait.argument",
    "Wait.method",
    "Wait.made",
}
"""Fields that have texts, and no name of a node type, a call, a loop of another type or a Scale variable."""


def within(annotation: object) -> Iterator[type]:
    """Every class that a value of that type may consist of."""
    if isinstance(annotation, type):
        yield annotation
    for inner in typing.get_args(annotation):
        yield from within(inner)


def values_of(cls: type, known: set[type]) -> set[type]:
    """The dataclasses that a value may have in it, and its own."""
    known.add(cls)
    for annotation in typing.get_type_hints(cls).values():
        for inner in set(within(annotation)) - known:
            if is_dataclass(inner):
                values_of(inner, known)
    return known


def test_every_text_of_a_workload_is_a_name_or_something_else() -> None:
    """A new field with a text must be put where it belongs, so that no name is forgotten."""
    texts = set[str]()
    for cls in values_of(Workload, set()):
        hints = typing.get_type_hints(cls)
        texts |= {f"{cls.__name__}.{each.name}" for each in fields(cls) if str in within(hints[each.name])}
    assert texts - REFERENCES.keys() == OTHER_TEXTS
    assert REFERENCES.keys() <= texts


@pytest.mark.parametrize("file", [*WORKLOADS.values(), *OTHERS.values()], ids=lambda path: path.stem)
def test_new_names_and_back(file: Path) -> None:
    """A real workload keeps no old name, and is itself again under its old names."""
    workload = read_workload(file)
    names = _all_new(workload)
    other = renamed(workload, names)
    text = dump_workload(replace(other, questions=()))
    for old in {"datanode.", "client.", "shell", "clients", "files", "datanodes"}:
        assert f" {old}" not in text.replace("part.", "")
    back = Names(
        *({new: old for old, new in each.items()} for each in (names.types, names.calls, names.indices))
    )
    assert renamed(other, back) == workload


def _all_new(workload: Workload) -> Names:
    """A new name for everything."""
    types = {each.name: f"x_{each.name}" for each in workload.node_types}
    ids = {call.id: f"x_{call.id}" for each in workload.node_types for call in templates(each)}
    variables = {name for scale in workload.recorded.scales for name in scale}
    loops = [f"{each.name}.{index}" for each in workload.node_types for index in indices(each)]
    return Names(types, ids, ids | {name: f"x_{name}" for name in (*variables, *loops)})


NEW = Names(
    {"client": "a_client"}, {"client.c1": "a_client.c1"}, {"files": "a_files", "client.L1": "a_client.L1"}
)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (Counter(0, {"client.L1%files": 2, "node": 1}), Counter(0, {"a_client.L1%a_files": 2, "node": 1})),
        (Counter(0, {"(2*client.L1)//files": 1}), Counter(0, {"(2*a_client.L1)//a_files": 1})),
        (
            Cases("client.L1", Constant("files"), None, Unknown(("client.c1",))),
            Cases("a_client.L1", Constant("files"), None, Unknown(("client.c1",))),
        ),
        (
            Generated("container-asks", {"input": "client.c1", "hosts": "all"}),
            Generated("container-asks", {"input": "a_client.c1", "hosts": "all"}),
        ),
    ],
)
def test_names_in_rules(rule: object, expected: object) -> None:
    """Within terms, and the call that a generator's parameter names; no constant and no example."""
    assert renamed(rule, NEW) == expected


def test_the_name_at_the_beginning_of_a_question() -> None:
    """Its id begins with its call, its text with its node type; what else is written for people stays."""
    question = Question("client.c1:src", "client: src of create in client?", "client", "client.c1", "src")
    new = renamed(question, NEW)
    assert (new.node_type, new.call, new.path) == ("a_client", "a_client.c1", "src")
    assert (new.id, new.text) == ("a_client.c1:src", "a_client: src of create in client?")
