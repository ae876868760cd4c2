"""A datacenter written and read."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from froude.base.errors import ChangedError, FroudeError, InputError
from froude.documents.recognise import kind_of
from froude.harvest.telemetry.datacenter import Datacenter, Reimages
from froude.harvest.telemetry.files import META, PARTS, UTILISATION, read_datacenter, write_datacenter
from tests.support.harvest.datacenters import drawn, made


def same(left: Datacenter, right: Datacenter) -> None:
    """Every field, arrays by value."""
    for field in fields(Datacenter):
        one, other = getattr(left, field.name), getattr(right, field.name)
        if isinstance(one, Reimages):
            assert np.array_equal(one.server, other.server)
            assert np.array_equal(one.time_s, other.time_s)
        elif isinstance(one, dict):
            assert {k: v.tolist() for k, v in one.items()} == {k: v.tolist() for k, v in other.items()}
        elif isinstance(one, np.ndarray):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other, equal_nan=True)
        else:
            assert one == other or list(one) == list(other), field.name


@pytest.mark.parametrize("rows", [np.zeros((2, 0)), np.array([[0.1, np.nan], [np.nan, np.nan]])])
def test_it_reads_back(rows: np.ndarray, tmp_path: Path) -> None:
    """Gaps, and no slot at all."""
    wanted = replace(made(rows), cores=5, start_s=1.5, name="a b")
    write_datacenter(tmp_path / "d", wanted)
    same(read_datacenter(tmp_path / "d"), wanted)


def test_a_generated_one_reads_back(tmp_path: Path) -> None:
    """With its truth; the folder is known for what it is, and written again over itself."""
    write_datacenter(tmp_path / "d", drawn())
    write_datacenter(tmp_path / "d", drawn())
    same(read_datacenter(tmp_path / "d"), drawn())
    assert kind_of(tmp_path / "d") == "datacenter"
    assert {path.name for path in (tmp_path / "d").iterdir()} == set(PARTS)


@pytest.mark.parametrize("name", PARTS)
def test_what_was_changed_is_refused(name: str, tmp_path: Path) -> None:
    """Cut, or another file in its place."""
    folder = tmp_path / "d"
    write_datacenter(folder, made(np.zeros((2, 4))))
    whole = (folder / name).read_bytes()
    for data in (whole[:-9], b"", whole.replace(b"t0", b"t9")):
        (folder / name).write_bytes(data)
        if data != whole:
            with pytest.raises(FroudeError):
                read_datacenter(folder)
    (folder / name).unlink()
    with pytest.raises(InputError):
        read_datacenter(folder)


def test_tables_of_another_datacenter(tmp_path: Path) -> None:
    """A file that was swapped is named."""
    write_datacenter(tmp_path / "d", made(np.zeros((2, 4))))
    write_datacenter(tmp_path / "e", made(np.zeros((2, 5))))
    (tmp_path / "d" / UTILISATION).write_bytes((tmp_path / "e" / UTILISATION).read_bytes())
    with pytest.raises(ChangedError, match=UTILISATION):
        read_datacenter(tmp_path / "d")
    assert (tmp_path / "d" / META).is_file()


@pytest.mark.parametrize(
    ("name", "odd", "said"),
    [
        ("slot_s", -120.0, "slot_s is 1 ms to 1 day"),
        ("server_tenant", np.array([1 << 32, 1], np.int64), "tenant has a number that is out of range"),
        ("utilisation", np.full((2, 4), 7, np.float32), "utilisation is 0 to 1"),
    ],
)
def test_a_folder_that_others_made_is_looked_at(name: str, odd: object, said: str, tmp_path: Path) -> None:
    """Its hashes are right, and what it holds cannot be."""
    forged = made(np.zeros((2, 4)))
    object.__setattr__(forged, name, odd)
    write_datacenter(tmp_path / "d", forged)
    with pytest.raises(InputError, match=f"its tables are of no datacenter; found {said}"):
        read_datacenter(tmp_path / "d")
