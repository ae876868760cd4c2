"""What calls have alike is written once, and read as if it stood everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.documents.plain import dump_yaml, parse_yaml
from froude.documents.reading import Section
from froude.workload.types import Constant, Template
from froude.workload.walk import templates
from froude.workload.yaml_file import read_workload
from froude.workload.yaml_shared import calls_of, expand, share
from tests.support.seeds import examples

LEAVES = st.dictionaries(
    st.text("ab.[0]", min_size=1, max_size=8), st.one_of(st.integers(0, 2), st.booleans()), max_size=8
)
REGISTRATION = {"reg.id": 1, "reg.port": 2, "reg.keys.a": 3}


def workload_fields(*arguments: dict[str, object]) -> dict[str, object]:
    """A node that makes a call with each of these."""
    steps = [
        {"call": "m", "id": f"n.c{number}", "protocol": "p", "arguments": dict(leaves)}
        for number, leaves in enumerate(arguments, 1)
    ]
    return {"recorded": {}, "nodes": {"n": {"count": 1, "steps": steps}}}


def test_a_message_of_two_calls_is_written_once() -> None:
    """By its name; each call has its place only."""
    fields = share(workload_fields({"x": 1, **REGISTRATION}, {"y": 2, **REGISTRATION}))
    assert fields["shared"] == {"reg": {".id": 1, ".port": 2, ".keys.a": 3}}
    assert [call["arguments"] for call in calls_of(fields["nodes"])] == [
        {"x": 1, "reg": {"shared": "reg"}},
        {"y": 2, "reg": {"shared": "reg"}},
    ]
    assert fields["methods"] == {"m": {"protocol": "p"}}


def test_a_call_is_written_as_another_with_changes() -> None:
    """Where few of its rules differ, and several calls do so; what is read is what was written."""
    like = {f"a{n}": n for n in range(8)}
    calls = [like, like | {"a3": 33}, like | {"a5": 55}]
    fields = share(workload_fields(*calls))
    assert [call["arguments"] for call in calls_of(fields["nodes"])] == [
        {"*": {"shared": "m"}},
        {"*": {"shared": "m"}, "a3": 33},
        {"*": {"shared": "m"}, "a5": 55},
    ]


def test_numbers_are_no_flags() -> None:
    """Equal only to Python."""
    assert "shared" not in share(
        workload_fields({"a.x": 1, "a.y": 1, "a.z": 1}, {"a.x": True, "a.y": 1, "a.z": 1})
    )


TEXT = """\
froude: workload/3
recorded: {{}}
methods: {{m: {{protocol: p}}}}
shared: {{one: {{.a: 1, .b: {{shared: {inner}}}}}, two: {{.c: 2}}}}
nodes:
  n:
    count: 1
    steps:
      - call: {{method: m, id: n.c1, think_s: 0.5}}
        arguments: {{x: {{shared: {name}}}, y: 3}}
"""


def test_names_are_read_as_what_they_stand_for(tmp_path: Path) -> None:
    """In place, parts within parts too, with the protocol of the method."""
    path = tmp_path / "w.yaml"
    path.write_text(TEXT.format(inner="two", name="one"))
    (call,) = templates(read_workload(path).node_types[0])
    assert list(call.arguments.items()) == [("x.a", Constant(1)), ("x.b.c", Constant(2)), ("y", Constant(3))]
    assert (call.protocol, call.method, call.timing.think.intercept) == ("p", "m", 0.5)


def test_a_rule_that_earlier_versions_shared_is_read(tmp_path: Path) -> None:
    """A long text, under an empty path."""
    path = tmp_path / "w.yaml"
    path.write_text(
        TEXT.format(inner="two", name="one").replace("two: {.c: 2}", "two: {'': {template: /job.xml}}")
    )
    (call,) = templates(read_workload(path).node_types[0])
    assert call.arguments["x.b"] == Template(("/job.xml",))


@pytest.mark.parametrize(("inner", "name"), [("two", "three"), ("one", "one")])
def test_a_name_that_stands_for_nothing_is_an_error(tmp_path: Path, inner: str, name: str) -> None:
    """So is a part that is within itself."""
    path = tmp_path / "w.yaml"
    path.write_text(TEXT.format(inner=inner, name=name))
    with pytest.raises(InputError, match="nothing is shared"):
        read_workload(path)


@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(LEAVES, min_size=2, max_size=4))
def test_whatever_is_shared_reads_the_same(arguments: list[dict[str, object]]) -> None:
    """Leaves, their values and their order."""
    text = dump_yaml(share(workload_fields(*arguments)))
    full = expand(Section(parse_yaml(text.encode(), "w"), "w"))
    read = [list(call["arguments"].items()) for call in full.fields["nodes"]["n"]["steps"]]
    assert str(read) == str([list(leaves.items()) for leaves in arguments])
