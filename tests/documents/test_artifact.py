"""Lineage and content hashes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import ChangedError, InputError
from froude.documents.artifact import (
    Artifact,
    Lineage,
    State,
    check_files,
    hash_fields,
    hash_files,
    hash_parts,
    stamp,
)
from froude.documents.plain import Fields
from froude.documents.reading import Section, dump_document, parse_document

HEX = st.text("0123456789abcdef", min_size=1, max_size=64)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LINEAGES = st.builds(
    Lineage,
    st.sampled_from(["trace", "run"]),
    st.integers(1, 9),
    HEX,
    st.lists(HEX, max_size=3).map(tuple),
    TEXT,
    st.none() | st.integers(-(2**64), 2**64),
    state=st.sampled_from(State),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | TEXT
    | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)


@given(LINEAGES)
def test_lineages_survive_their_mapping(lineage: Lineage) -> None:
    """To plain data and back, also through a file."""
    text = dump_document("x", 1, {"lineage": lineage.to_mapping()})
    assert Lineage.read(parse_document(text.encode(), "f").section("lineage")) == lineage


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"content": None}, "content: is no hash"),
        ({"content": "xyz"}, "content: "),
        ({"format": "1"}, "format: "),
        ({"inputs": ["ab", 3]}, "inputs: "),
        (
            {"state": "well"},
            "state: is none of the words that may stand here; found 'well'; allowed: complete, interrupted, failed",
        ),
        ({"seed": 1.5}, "seed: "),
        ({"more": 1}, "more: "),
    ],
)
def test_a_damaged_lineage_is_an_error(change: dict[str, Any], message: str) -> None:
    """With the part that is wrong."""
    parts = {**Lineage("trace", 2, "ab").to_mapping(), **change}
    with pytest.raises(InputError, match=message):
        Lineage.read(Section(Fields(parts), "f"))


@given(st.dictionaries(TEXT, VALUES, max_size=4))
def test_the_content_hash_is_of_values_not_of_their_writing(fields: dict[str, Any]) -> None:
    """What a file gives back hashes as what was written; stamp, lineage and tags do not count."""
    read = parse_document(dump_document("x", 1, fields).encode(), "f").fields
    assert hash_fields(read) == hash_fields(fields)
    assert hash_fields({**fields, "froude": "x/2", "lineage": 1, "tags": [1]}) == hash_fields(fields)


def test_comments_and_forms_of_numbers_do_not_count() -> None:
    """The order of fields does: the arguments of a call stand in the order of its message."""
    one = parse_document(b"a: 1.0 # one\nb: [x, 'y']\n", "f").fields
    two = parse_document(b'# two\na: 1\nb:\n- "x"\n- y\n', "f").fields
    assert hash_fields(one) == hash_fields(two)
    assert hash_fields({"a": 1, "b": 2}) != hash_fields({"b": 2, "a": 1})


def test_the_content_hash_of_version_1_depends_on_names_contents_and_facts(tmp_path: Path) -> None:
    """And on nothing else."""
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").write_text("x")
    a, b = tmp_path / "a", tmp_path / "b"
    assert hash_parts([a], {"k": 1}) == hash_parts([a], {"k": 1})
    assert len({hash_parts([a], {"k": 1}), hash_parts([b], {"k": 1}), hash_parts([a], {"k": 2})}) == 3
    with pytest.raises(InputError, match="none: "):
        hash_parts([tmp_path / "none"], {})


def test_files_are_compared_with_their_hashes(tmp_path: Path) -> None:
    """The one that differs is named, with how to get on."""
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    hashes = Fields(hash_files(tmp_path, ("a", "b")))
    check_files(tmp_path, Section(hashes, "f"), "Restore it")
    (tmp_path / "b").write_text("c")
    with pytest.raises(ChangedError, match=r"b: is not what was written.*\. Restore it"):
        check_files(tmp_path, Section(hashes, "f"), "Restore it")
    (tmp_path / "a").unlink()
    with pytest.raises(InputError, match="/a: "):
        check_files(tmp_path, Section(hashes, "f"), "Restore it")


def test_an_artifact_has_a_short_identity() -> None:
    """Name without suffix, id of twelve digits."""
    artifact = Artifact(Path("/w/workloads/job.yaml"), Lineage("workload", 1, "ab" * 32))
    assert (artifact.name, artifact.id, artifact.kind) == ("job", "abababababab", "workload")
    assert stamp(0) == "1970-01-01T00:00:00+00:00"
