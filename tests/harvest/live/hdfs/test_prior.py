"""What a NameNode had before, as a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import ChangedError, InputError
from froude.harvest.live.hdfs.prior import HdfsPrior, prior_json, read_prior

PRIOR = HdfsPrior(
    address="h:1",
    id="CID",
    conf="/conf",
    properties={"a": None, "b": "x"},
    files={"/m": None, "/n": "t"},
    hosts="/hosts",
    marked=("i:1",),
)


def test_it_reads_back(tmp_path: Path) -> None:
    """All of it, or nothing but who it was."""
    for prior in (PRIOR, HdfsPrior(address="h:1", id="CID")):
        (tmp_path / "s.json").write_text(prior_json(prior))
        assert read_prior(tmp_path / "s.json") == prior


def test_of_what_was_changed_twice_the_first_counts() -> None:
    """Marks are those of the file as it is: of now, where it was looked at now."""
    later = HdfsPrior(
        address="h:1",
        id="CID",
        conf="",
        properties={"b": "y", "c": "z"},
        files={"/n": "u", "/o": None},
        hosts="",
        marked=("i:2",),
    )
    both = later.with_earlier(PRIOR)
    assert both.properties == {"a": None, "b": "x", "c": "z"}
    assert both.files == {"/m": None, "/n": "t", "/o": None}
    assert (both.conf, both.hosts, both.marked) == ("/conf", "/hosts", ("i:1",))
    assert later.replaced(hosts="/hosts").with_earlier(PRIOR).marked == ("i:2",)
    assert later.with_earlier(None) is later


def test_a_cluster_is_not_set_to_what_somebody_typed(tmp_path: Path) -> None:
    """Edited, or something else."""
    (tmp_path / "s.json").write_text(prior_json(PRIOR).replace('"x"', '"w"'))
    with pytest.raises(ChangedError):
        read_prior(tmp_path / "s.json")
    (tmp_path / "s.json").write_text("{}")
    with pytest.raises(InputError):
        read_prior(tmp_path / "s.json")
