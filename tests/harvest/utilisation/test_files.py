"""Utilisation tables."""

from __future__ import annotations

import gzip
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from froude.base.errors import InputError
from froude.harvest.utilisation.files import read_telemetry
from froude.harvest.utilisation.series import Scale

CLOUDWATCH = "timestamp,value\n2014-02-14 14:30:00,50\n2014-02-14 14:35:00,25\n"


def test_a_cloudwatch_export_is_one_machine(tmp_path: Path) -> None:
    """Called after its file; percent, gzipped or not; its times are of the zone said."""
    (tmp_path / "i-1.csv.gz").write_bytes(gzip.compress(CLOUDWATCH.encode()))
    (tmp_path / "i-2.csv").write_text(CLOUDWATCH)
    telemetry = read_telemetry([tmp_path / "i-1.csv.gz", tmp_path / "i-2.csv"])
    assert set(telemetry.series) == {"i-1", "i-2"}
    times, shares = telemetry.series["i-1"]
    assert shares.tolist() == [0.5, 0.25]
    assert times.tolist() == [1392388200.0, 1392388500.0]
    berlin = read_telemetry([tmp_path / "i-2.csv"], zone=ZoneInfo("Europe/Berlin"))
    assert berlin.series["i-2"][0][0] == 1392388200.0 - 3600


def test_a_table_of_machines(tmp_path: Path) -> None:
    """Parquet too; rows in any order, blanks around names; shares when it is said."""
    table = pa.table({"Time": [20, 10, 10], "machine": ["a ", "a", " b"], "utilisation": [0.2, 0.1, 1.0]})
    pq.write_table(table, tmp_path / "t.parquet")
    telemetry = read_telemetry([tmp_path / "t.parquet"], scale=Scale.SHARE)
    assert telemetry.series["a"][0].tolist() == [10.0, 20.0]
    assert telemetry.series["a"][1].tolist() == [0.1, 0.2]
    assert telemetry.machines == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "has no column time"),
        ("time,value\n", "holds no sample"),
        ("time,value\nx,2\n", "is no time"),
        ("time,value\n1,x\n", "is not a number"),
        ("time,value\n1400000000000,2\n", r"t\.csv:time: "),
        ("time,value\n-1,2\n", r"t\.csv:time: "),
        ("time,value\n1,\n2,3\n", "empty values"),
        ("time,value\n1,300\n", "is no utilisation"),
        ("time,value\n1,-3\n", r"t\.csv: "),
        ("time,value\n1,0.5\n", "may be percent or shares"),
        ("time,value\ntrue,0.5\n", r"t\.csv:time: "),
        ("", "cannot be read"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, message: str) -> None:
    """With the file."""
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match=message) as error:
        read_telemetry([tmp_path / "t.csv"])
    assert "t.csv" in str(error.value)


def test_what_is_not_unicode_is_refused(tmp_path: Path) -> None:
    """In a name of a CSV's column, and in a text of Parquet, which nothing else checks."""
    (tmp_path / "t.csv").write_bytes(b"time,value,\xe9\n1,50,1\n")
    labels = pa.array([b"\xff"]).view(pa.string())
    pq.write_table(pa.table({"time": [1], "machine": labels, "value": [50]}), tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        with pytest.raises(InputError, match=f"{name}: .*; found .*(utf|UTF)-?8"):
            read_telemetry([tmp_path / name])


def test_a_machine_stands_in_one_file(tmp_path: Path) -> None:
    """Two files of one machine would count it twice."""
    (tmp_path / "x").mkdir()
    for place in (tmp_path / "a.csv", tmp_path / "x" / "a.csv"):
        place.write_text(CLOUDWATCH)
    with pytest.raises(InputError, match="another file"):
        read_telemetry([tmp_path / "a.csv", tmp_path / "x" / "a.csv"])
    with pytest.raises(InputError, match=r"none\.csv: "):
        read_telemetry([tmp_path / "none.csv"])
