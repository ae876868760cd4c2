"""Lineage."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.workspace.artifact import Artifact, Lineage, hash_parts, stamp

LINEAGES = st.builds(
    Lineage,
    st.sampled_from(["trace", "run"]),
    st.integers(1, 9),
    st.text("0123456789abcdef", min_size=64, max_size=64),
    st.lists(st.text("abcdef", min_size=1), max_size=3).map(tuple),
    st.text(max_size=20),
    st.none() | st.integers(),
)


@given(LINEAGES)
def test_lineages_survive_their_mapping(lineage: Lineage) -> None:
    """To plain data and back."""
    assert Lineage.from_mapping(lineage.to_mapping()) == lineage


def test_an_incomplete_lineage_is_an_error() -> None:
    """With the file."""
    with pytest.raises(InputError, match="f: a lineage is incomplete"):
        Lineage.from_mapping({"kind": "trace"}, file="f")


def test_the_content_hash_depends_on_names_contents_and_facts(tmp_path: Path) -> None:
    """And on nothing else."""
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").write_text("x")
    a, b = tmp_path / "a", tmp_path / "b"
    assert hash_parts([a], {"k": 1}) == hash_parts([a], {"k": 1})
    assert len({hash_parts([a], {"k": 1}), hash_parts([b], {"k": 1}), hash_parts([a], {"k": 2})}) == 3
    with pytest.raises(InputError, match="cannot be read"):
        hash_parts([tmp_path / "none"], {})


def test_an_artifact_has_a_short_identity() -> None:
    """Name without suffix, id of twelve digits."""
    one = Artifact(Path("/w/workloads/job.yaml"), Lineage("workload", 1, "ab" * 32))
    assert (one.name, one.id, one.kind) == ("job", "abababababab", "workload")
    assert stamp(0) == "1970-01-01T00:00:00+00:00"
