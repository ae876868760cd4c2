"""What was there before, as a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import ChangedError, InputError
from froude.documents.artifact import Origin
from froude.documents.lineage import dump_sealed_figures
from froude.documents.migrate import Migrations
from froude.documents.reading import STAMP
from froude.harvest.live.prior_file import prior_json, read_prior
from froude.harvest.live.types import Prior, Resource

PRIOR = Prior(
    address="h:1",
    id="7",
    labels_added=("a",),
    scheduler={"x": None, "y": "5"},
    node_labels={"n:1": "", "m:1": "b"},
    resources={"n:1": Resource(memory_mb=1024, vcores=2)},
    node_attributes={"n": ""},
)


def test_it_reads_back(tmp_path: Path) -> None:
    """Properties that were not there, nodes without a label."""
    for prior in (PRIOR, Prior(address="h:1", id="7")):
        (tmp_path / "s.json").write_text(prior_json(prior))
        assert read_prior(tmp_path / "s.json") == prior


def test_a_cluster_is_not_set_to_what_somebody_typed(tmp_path: Path) -> None:
    """Edited, cut, or something else."""
    text = prior_json(PRIOR)
    (tmp_path / "s.json").write_text(text.replace("1024", "2048"))
    with pytest.raises(ChangedError):
        read_prior(tmp_path / "s.json")
    for wrong in (text[:-30], "{}", ""):
        (tmp_path / "s.json").write_text(wrong)
        with pytest.raises(InputError):
            read_prior(tmp_path / "s.json")


def test_what_was_written_before_there_were_attributes_is_read(tmp_path: Path) -> None:
    """As a state without any."""
    first = Migrations("harvest-prior-state", 1)
    fields = {key: value for key, value in PRIOR.plain().items() if key != "node_attributes"}
    text = dump_sealed_figures(first, {STAMP: first.stamp, **fields}, Origin())
    (tmp_path / "s.json").write_text(text)
    assert read_prior(tmp_path / "s.json") == PRIOR.replaced(node_attributes={})
