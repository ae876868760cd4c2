"""Tables and rates from files, packed or not, and the date in their names."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.provision.prices import files
from froude.provision.prices.files import date_of, load_rates, load_table, rates_file, sourced
from froude.provision.prices.rates import Rates, TypeFigures
from tests.support.provision.prices.tables import DISKS, RATES

PACKED = gzip.compress(DISKS.encode() * 50, mtime=0)


def test_a_table_is_read_packed_or_not(tmp_path: Path) -> None:
    """Whatever the file is called: the bytes say."""
    plain, packed = tmp_path / "a.csv", tmp_path / "b.csv"
    plain.write_text(DISKS)
    packed.write_bytes(gzip.compress(DISKS.encode()))
    assert load_table(plain).rows == load_table(packed).rows
    assert load_table(packed).file == str(packed)
    assert len(load_table(packed).rows) == 2


@pytest.mark.parametrize(
    "data",
    [gzip.compress(b'[{"a": 1}, {"a": 2}]' * 9)[:-12], PACKED[:10] + b"\xff" * 20, b"\x1f\x8b"],
    ids=["cut", "damaged", "header"],
)
def test_a_packed_file_that_is_not_whole(tmp_path: Path, data: bytes) -> None:
    """Is an error that names it."""
    path = tmp_path / "a.gz"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"a\.gz: ") as caught:
        load_table(path)
    assert caught.value.file == str(path)


def test_a_packed_table_that_is_cut_short(tmp_path: Path) -> None:
    """Its whole lines are read, and the cut is named."""
    (tmp_path / "a.gz").write_bytes(PACKED[:-12])
    table = load_table(tmp_path / "a.gz")
    assert len(table.rows) > 2
    assert [each.message for each in table.malformed] == ["is cut short"]


def test_a_small_file_that_unpacks_to_a_huge_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is unpacked no further than the limit; one of just that size is read."""
    path = tmp_path / "a.gz"
    path.write_bytes(PACKED)
    monkeypatch.setattr(files, "LIMIT_BYTES", len(DISKS) * 50)
    assert len(load_table(path).rows) > 2
    monkeypatch.setattr(files, "LIMIT_BYTES", len(DISKS) * 50 - 1)
    with pytest.raises(InputError, match=r"a\.gz: "):
        load_table(path)


def test_rates_of_a_file_or_none(tmp_path: Path) -> None:
    """Without a file nothing is given."""
    path = tmp_path / "rates.yaml"
    path.write_text(RATES)
    assert load_rates([]) == Rates()
    assert load_rates([path]).volume_slots == 20
    with pytest.raises(InputError):
        load_rates([tmp_path / "none.yaml"])


def test_shipped_rates_have_names(tmp_path: Path) -> None:
    """Each is read, behind a file of one's own that counts first; a name that is none lists them."""
    path = tmp_path / "rates.yaml"
    path.write_text(RATES)
    assert sourced() == ["aws", "gcp"]
    for name in sourced():
        shipped = load_rates([rates_file(name)])
        assert shipped.memory is not None
        assert shipped.volumes
        assert load_rates([path, rates_file(name)]).memory == load_rates([path]).memory
    assert rates_file(str(path)) == path
    with pytest.raises(InputError, match=r"did you mean aws.*allowed: a file, or one of aws, gcp"):
        rates_file("awss")


def test_figures_of_the_providers_documentation() -> None:
    """A few of them, by hand: EBS-optimized instances, instance store volumes, CPU credits, EBS volume types."""
    aws = load_rates([rates_file("aws")])
    assert aws.of("m5.large") == TypeFigures("m5.large", 0.75e9 / 8, 650e6 / 8, 3600, 26)
    assert aws.of("m5d.24xlarge").volumes == 22
    assert aws.of("t3.xlarge").baseline == 1.6
    assert [entry.disk for entry in aws.local("m5d.24xlarge")] == [900e9]
    (gp3,) = (volume for volume in aws.volumes if volume.name == "gp3")
    assert (gp3.iops.included, gp3.iops.most, gp3.throughput.most) == (3000, 16000, 1000 * 2**20)
    assert [round(volume.throughput.at(2**40) / 2**20) for volume in aws.volumes] == [125, 40, 12]


@pytest.mark.parametrize(
    ("names", "date"),
    [
        (["ec2-2026-07.csv"], "2026-07"),
        (["ec2_2026-07-31.csv.gz"], "2026-07-31"),
        (["a-2026-07.csv", "b-2025-12-01.csv", "c-2026-01.csv"], "2025-12-01"),
    ],
)
def test_the_oldest_date_of_the_names_counts(names: list[str], date: str) -> None:
    """Prices are no newer than the oldest of them."""
    assert date_of([Path(name) for name in names], None) == date


@pytest.mark.parametrize(
    "name", ["ec2.csv", "ec2-2026.csv", "ec2-2026-13.csv", "12026-07.csv", "2026-071.csv"]
)
def test_a_name_without_a_date(name: str) -> None:
    """The date must be said then, and what is said counts."""
    with pytest.raises(InputError, match="has no date in its name") as caught:
        date_of([Path("a-2026-07.csv"), Path(name)], None)
    assert caught.value.file == name
    assert date_of([Path(name)], "2026-07-31") == "2026-07-31"


@pytest.mark.parametrize("said", ["July", "2026-13", "2026-07-32", "on 2026-07", ""])
def test_what_is_said_is_a_date(said: str) -> None:
    """A month or a day."""
    with pytest.raises(InputError, match="is not a date"):
        date_of([Path("a-2026-07.csv")], said)
