"""Rules that stand within many others are written once, and read as if they stood everywhere."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.documents.plain import dump_yaml, parse_yaml
from froude.documents.reading import Section
from froude.workload.yaml_named import name_rules, with_rules

JOB = {"from": "client.c1", "response": "application_submission_context.application_id.cluster_timestamp"}
SHORT = {"from": "client.c1", "response": "id"}


def path_of(file: str) -> dict[str, Any]:
    """A file of the job."""
    return {"template": ["/staging/job_", dict(JOB), f"/{file}"]}


def read(fields: dict[str, Any]) -> Section:
    """What is written, read again."""
    return Section(parse_yaml(dump_yaml(fields).encode(), "w.yaml"), "w.yaml")


def test_a_rule_of_many_texts_is_written_once() -> None:
    """By the last part of what it takes; short ones stand where they are."""
    fields = {"nodes": {"n": {"steps": [path_of(file) for file in "abc"] + [SHORT] * 3}}, "version": 1}
    named = name_rules(fields)
    assert named["rules"] == {"cluster_timestamp": JOB}
    assert named["nodes"]["n"]["steps"][0] == {
        "template": ["/staging/job_", {"rule": "cluster_timestamp"}, "/a"]
    }
    assert named["nodes"]["n"]["steps"][3:] == [SHORT] * 3
    assert name_rules({"nodes": {"n": [path_of(file) for file in "ab"]}}).keys() == {"nodes"}


def test_named_rules_stand_within_each_other() -> None:
    """A text that stands at several places holds a rule that stands at more."""
    fields = {"nodes": {"n": [path_of("a")] * 3}, "shared": {"s": [path_of("b")] * 3}}
    named = name_rules(fields)
    assert named["nodes"] == {"n": [{"rule": "text"}] * 3}
    assert named["rules"]["text"] == {"template": ["/staging/job_", {"rule": "cluster_timestamp"}, "/a"]}
    assert {name: with_rules(read(named)).fields[name] for name in fields} == fields


rules = st.recursive(
    st.sampled_from([JOB, SHORT]) | st.text("ab", max_size=3),
    lambda inner: st.builds(lambda parts: {"template": parts}, st.lists(inner, min_size=1, max_size=3)),
    max_leaves=6,
)


@given(st.dictionaries(st.text("xy", min_size=1, max_size=2), st.lists(rules, max_size=6), max_size=3))
def test_what_is_written_is_read(nodes: dict[str, Any]) -> None:
    """Whatever stands within what."""
    fields = {"nodes": nodes, "methods": {}}
    full = with_rules(read(name_rules(fields)))
    assert full.fields == fields


@pytest.mark.parametrize("rules", [{"other": JOB}, {"job": {"rule": "job"}}])
def test_a_name_without_a_rule_is_refused(rules: dict[str, Any]) -> None:
    """As is one that is its own."""
    with pytest.raises(InputError, match=r"w\.yaml:\d+: .*no rule has this name"):
        with_rules(read({"nodes": {"n": [{"rule": "job"}]}, "rules": rules}))


def test_rules_that_are_no_mapping() -> None:
    """One clear error."""
    with pytest.raises(InputError, match=r"w\.yaml:\d+: rules"):
        with_rules(read({"nodes": {}, "rules": 3}))
