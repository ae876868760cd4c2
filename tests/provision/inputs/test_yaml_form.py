"""YAML into elements, each with its line, and elements back into YAML."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.documents.migrate import Migrations
from froude.provision.inputs.tree import Element, Flaws, Text
from froude.provision.inputs.yaml_form import dump_yaml, parse_elements, parse_yaml
from tests.support.provision.inputs.elements import element, messages

HEAD = "froude: provision/1\n"


def _elements(text: str) -> tuple[list[Element], list[str]]:
    flaws = Flaws()
    return parse_yaml((HEAD + text).encode(), "f", flaws), messages(flaws)


def test_scalars_are_fields_and_mappings_are_children() -> None:
    """Truths as words, which no number reads; each with its line."""
    text = "options:\n  busy: 0.5\n  fast: true\n  slow: false\n  deep: {x: word}\n"
    (options,), flaws = _elements(text)
    assert flaws == []
    assert (options.tag, options.file, options.line) == ("options", "f", 2)
    assert options.fields == {"busy": Text("0.5", 3), "fast": Text("true", 4), "slow": Text("false", 5)}
    (deep,) = options.children
    assert (deep.tag, deep.line, deep.fields) == ("deep", 6, {"x": Text("word", 6)})


def test_lists_are_elements_of_their_tag() -> None:
    """One for each item, on its line."""
    elements, flaws = _elements("sla:\n  - {task: a}\n  - {task: b}\n")
    assert flaws == []
    assert [(element.tag, element.line, element.fields["task"].text) for element in elements] == [
        ("sla", 3, "a"),
        ("sla", 4, "b"),
    ]


def test_operations_keep_their_order() -> None:
    """A list of several tags in one."""
    text = "application:\n  operations:\n    - io: {op: R}\n    - compute: {time: 1s}\n    - io: {op: W}\n"
    (application,), flaws = _elements(text)
    assert flaws == []
    assert [(child.tag, child.line) for child in application.children] == [
        ("io", 4),
        ("compute", 5),
        ("io", 6),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sla: 3\n", "f:2: sla: has the wrong type; found '3'; allowed: one of sla, batch,"),
        ("sla:\n", "f:2: sla: has no value"),
        ("options:\n  fast:\n", "f:3: options: fast has no value"),
        ("sla: [{task: a}, 7]\n", "f:2: sla: item 1 has the wrong type; allowed: a mapping"),
        (
            "task:\n  operations: [7]\n",
            "item 0 has the wrong type; allowed: io:, compute: or dependency: with",
        ),
        ("task:\n  operations: [{io: {}, compute: {}}]\n", "f:3: operations: item 0 has the wrong type"),
        ("task:\n  operations: [{io: 7}]\n", "f:3: operations: item 0 has the wrong type"),
    ],
)
def test_what_is_no_element(text: str, message: str) -> None:
    """Each is noted with its line, and the rest is read."""
    elements, flaws = _elements(text + "growth: {load: 1}\n")
    assert len(flaws) == 1
    assert message in flaws[0]
    assert elements[-1].tag == "growth"


def test_lineage_is_not_looked_at() -> None:
    """Neither is the stamp an element."""
    elements, flaws = _elements("lineage: {anything: goes}\ntags: [a]\nsla: [{task: a}]\n")
    assert (len(elements), flaws) == (1, [])


@pytest.mark.parametrize(
    "text", ["froude: trace/1\n", "sla: []\n", "froude: provision/99\n", "[1]", "a: b: c"]
)
def test_another_kind_of_file(text: str) -> None:
    """Is refused as a whole, with its name."""
    with pytest.raises(InputError) as caught:
        parse_yaml(text.encode(), "f", Flaws())
    assert caught.value.file == "f"


def test_a_file_of_another_kind_is_one_element() -> None:
    """Named by the kind, with its fields and children."""
    flaws = Flaws()
    root = parse_elements(b"froude: rates/1\nslots: 3\nmemory: {x: 1}\n", "f", flaws, Migrations("rates", 1))
    assert (root.tag, root.line, root.fields) == ("rates", 1, {"slots": Text("3", 2)})
    assert [child.tag for child in root.children] == ["memory"]
    assert not flaws


def test_what_is_written() -> None:
    """One of a kind as a mapping, what may be several as a list, numbers plain, operations in their order."""
    task = element(
        "task", element("io", op="R"), element("compute", time="1s"), element("io", op="W"), memory="1GB"
    )
    text = dump_yaml(
        [element("sla", task="t", rate="10"), element("application", task, element("host", cores="2"))]
    )
    assert text == (
        "froude: provision/1\n"
        "sla:\n  - task: t\n    rate: 10\n"
        "application:\n"
        "  task:\n"
        "    - memory: 1GB\n"
        "      operations:\n"
        "        - io:\n            op: R\n"
        "        - compute:\n            time: 1s\n"
        "        - io:\n            op: W\n"
        "  host:\n    cores: 2\n"
    )


def test_several_of_what_is_one_are_a_list() -> None:
    """Core types have names where there are several of them."""
    assert "cpu:\n    price: 1\n" in dump_yaml([element("resources", element("cpu", price="1"))])
    two = element("resources", element("cpu", price="1"), element("cpu", price="2"))
    assert "cpu:\n    - price: 1\n    - price: 2\n" in dump_yaml([two])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.text("abc", min_size=1),
            st.sampled_from(["1", "01", "1e3", "1.50", "-0", "true", "null", "", " a ", "0x1", "nan", "1_0"])
            | st.text(max_size=8),
            min_size=1,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_texts_come_back_as_they_are(items: list[dict[str, str]]) -> None:
    """Whatever they look like: a number is written plain only where it reads back the same."""
    written = [element("sla", **item) for item in items]
    flaws = Flaws()
    again = parse_yaml(dump_yaml(written).encode(), "f", flaws)
    assert messages(flaws) == []
    assert [{name: text.text for name, text in element.fields.items()} for element in again] == items
