"""Files of samples, and whose they are."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.base.forms import Options
from froude.harvest.telemetry.samples import read_samples
from tests.support.harvest.telemetry.rows import rows


@pytest.mark.parametrize("column", ["", ",a"])
def test_a_file_that_is_there_twice_is_refused(column: str, tmp_path: Path) -> None:
    """Whether it is one server or has several; two servers with nothing to do are no copies."""
    header = "time,value" + ",server" * bool(column) + "\n"
    rows = "".join(f"{n * 60},{20 + n % 3}{column}\n" for n in range(20))
    (tmp_path / "a.csv").write_text(header + rows)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress((header + rows).encode()))
    with pytest.raises(InputError, match=r"b\.csv\.gz: has the samples of another file; found .*a\.csv"):
        read_samples([tmp_path], Options())
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "c.csv").write_text("time,value\n" + "".join(f"{n * 60},0\n" for n in range(20)))
    assert len(read_samples([tmp_path / "a", tmp_path / "b"], Options(), percent=True).servers) == 2


def test_files_of_one_name_at_the_same_time_are_servers_of_their_own(tmp_path: Path) -> None:
    """Called after their folders, up to the one that all are in; those of other names are not."""
    for folder, value in (("web-1/x", 50), ("web-2/x", 20)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "load.csv").write_text(f"time,value\n0,{value}\n60,{value}\n")
    for ending in ("csv.zstd", "txt"):
        (tmp_path / f"load.2.{ending}").write_text("time,value\n0,7\n")
    found = read_samples([tmp_path], Options())
    assert found.servers == ["load.2", "web-1/x/load", "web-2/x/load"]
    assert found.share.tolist() == [0.5, 0.5, 0.2, 0.2, 0.07, 0.07]
    assert (
        "servers of their own, such as 'web-1/x/load'; files of one name are one server, such as 'load.2'"
        in (found.understood)
    )


@pytest.mark.parametrize(
    ("text", "servers", "said"),
    [
        (rows("a b", "5 -1 7 -1 9"), 2, "-1 taken for a missing value"),
        (rows("a b", "5 255 70 9 8"), 2, "255 taken for a missing value"),
        (rows("web-1 web-1.acme.net", "5 6"), 2, "'web-1' and 'web-1.acme.net' are two servers, and may be"),
        (rows("web-1.acme.net web-1.acme.net.", "5 6"), 2, "are two servers, and may be one"),
        (rows("\u00fc1 u\u03081", "5 6"), 2, "are two servers, and may be one"),
        (rows("web-1 WEB-1", "5 6"), 2, "'WEB-1' and 'web-1' are two servers, and may be one"),
        (rows("10.0.0.1:9100 10.0.0.1 10.0.0.2", "5 6"), 3, "'10.0.0.1' and '10.0.0.1:9100' are two"),
        (rows("a.x.net a.y.net", "5 6"), 2, "percent"),
        (rows("web-1 web-2 _Total", "5 60 7"), 2, "without '_Total'"),
        (rows("7 7.0", "5 60"), 2, "'7' and '7.0' are two servers, and may be one"),
        ("Unnamed: 0,time,n1,n2\n0,60,5,7\n1,120,60,8\n", 2, "without 'Unnamed: 0'"),
        (rows("a", "8 " * 15) + rows("b", "16 " * 15)[16:], 2, "each server has one value: is it of another"),
    ],
)
def test_what_would_be_a_value_or_a_server_and_is_none(
    tmp_path: Path, text: str, servers: int, said: str
) -> None:
    """It is left out, or named."""
    (tmp_path / "a.csv").write_text(text)
    found = read_samples([tmp_path / "a.csv"], Options())
    assert len(found.servers) == servers
    assert said in found.understood
    assert (found.invalid > 0) == ("missing" in said)


@pytest.mark.parametrize(
    ("names", "servers", "said"),
    [
        (
            "load/web-1-2026-03-01.csv load/web-1-2026-03-02.csv",
            ["web-1"],
            "files of one name are one server",
        ),
        ("a/2026-03-01.csv a/2026-03-02.csv b/2026-03-01.csv b/2026-03-02.csv", ["a", "b"], "of their own"),
        ("2026-03/x.csv 2026-04/x.csv", ["x"], "files of one name are one server"),
        ("load/x_202603.csv load/y_202603.csv", ["x_202603", "y_202603"], "percent"),
    ],
)
def test_days_in_names_of_files(tmp_path: Path, names: str, servers: list[str], said: str) -> None:
    """A file a day of one server is not a server a day."""
    for day, name in enumerate(names.split()):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        begin_s = 86400 * (day if said.startswith("files") else day % 2)
        path.write_text(f"time,cpu\n{begin_s + 60},{day + 5}\n{begin_s + 86000},{day + 50}\n")
    found = read_samples([tmp_path], Options())
    assert found.servers == servers
    assert said in found.understood


def test_a_tree_of_collectd(tmp_path: Path) -> None:
    """A server a host, of what is not idle of all processors; without that it is refused."""
    for host in ("a", "b"):
        for plugin, what in (
            ("aggregation-cpu-average", "percent-idle"),
            ("cpu-0", "percent-user"),
            ("df-root", "used"),
        ):
            folder = tmp_path / host / plugin
            folder.mkdir(parents=True)
            for day in (1, 2):
                text = f"epoch,value\n{86400 * day},{80 + day}\n{86400 * day + 60},90\n"
                (folder / f"{what}-2026-03-0{day}").write_text(text)
    found = read_samples([tmp_path], Options())
    assert found.servers == ["a", "b"]
    assert found.share.tolist() == pytest.approx([0.19, 0.1, 0.18, 0.1] * 2)
    assert "left out: 8 other files of collectd" in found.understood
    with pytest.raises(
        InputError, match="files of collectd; found cpu-0/percent-user; allowed: cpu/percent-active"
    ):
        read_samples([tmp_path / "a" / "cpu-0"], Options())
