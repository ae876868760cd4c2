"""Tables of others."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from froude.base.errors import InputError
from froude.harvest.telemetry.importers import (
    LAYOUTS,
    Layout,
    read_failures,
    read_inventory,
    read_samples,
    with_reimages,
)


def table(path: Path, text: str) -> Path:
    """A file with this text."""
    path.write_text(text)
    return path


def test_servers_become_tenants_by_an_inventory(tmp_path: Path) -> None:
    """The mean over a tenant's servers, in slots, with racks and environments."""
    samples = table(
        tmp_path / "cpu.csv", "time,server,cpu\n0,a,10\n60,a,30\n0,b,50\n120,b,70\n120,c,\n0,c,250\n"
    )
    servers = table(
        tmp_path / "servers.csv", "server,tenant,environment,rack\na,web,x,r1\nb,web,x,r2\nc,db,x,\n"
    )
    found, cleaned = read_samples(
        [samples], LAYOUTS["csv"], slot_s=120, name="dc", inventory=read_inventory(servers)
    )
    assert found.tenants == ["db", "web"]
    assert found.environments == ["x"]
    assert found.server_rack.tolist() == [0, 1, -1]
    assert np.allclose(found.utilisation, [[1.0, np.nan], [0.35, 0.7]], equal_nan=True)
    assert (cleaned.above, cleaned.missing, cleaned.gaps) == (1, 1, 0)


def test_a_file_a_server_and_dates(tmp_path: Path) -> None:
    """As CloudWatch exports them, packed or not; without a zone the dates are UTC."""
    one = tmp_path / "one.csv.gz"
    one.write_bytes(gzip.compress(b"timestamp,value\n1970-01-01 00:02:00,5\n1970-01-01 00:04:00,7\n"))
    two = table(tmp_path / "two.csv", "timestamp,value\n1970-01-08 00:02:00,9\n")
    found, _ = read_samples([one, two], LAYOUTS["cloudwatch"], slot_s=120, name="dc")
    assert found.servers == ["one", "two"]
    assert found.start_s == 120
    assert found.slots == 7 * 720 + 1
    close, _ = read_samples([one, two], LAYOUTS["cloudwatch"], slot_s=120, name="dc", align=True)
    assert np.allclose(close.utilisation, [[0.05], [0.09]])


@pytest.mark.parametrize(
    ("name", "line"), [("azure", "0,vm1,1,9,5\n300,vm1,1,9,7\n"), ("alibaba", "vm1,0,5,x,y\nvm1,300,7,x,y\n")]
)
def test_layouts_without_a_header(name: str, line: str, tmp_path: Path) -> None:
    """Columns by number, in percent."""
    found, _ = read_samples([table(tmp_path / "x.csv", line)], LAYOUTS[name], slot_s=300, name="dc")
    assert found.servers == ["vm1"]
    assert np.allclose(found.utilisation, [[0.05, 0.07]])


def test_reimages_of_known_servers(tmp_path: Path) -> None:
    """In order of time, counted from the beginning of the utilisation."""
    samples = table(tmp_path / "cpu.csv", "time,server,cpu\n600,a,0.1\n600,b,0.1\n")
    layout = Layout(LAYOUTS["csv"].columns, percent=False)
    found, _ = read_samples([samples], layout, slot_s=120, name="dc")
    wiped, unknown = with_reimages(found, table(tmp_path / "w.csv", "server,time\nb,900\nz,1\na,300\n"))
    assert wiped.reimages.server.tolist() == [0, 1]
    assert wiped.reimages.time_s.tolist() == [-300.0, 300.0]
    assert unknown == 1


FAR = "time,server,cpu\n" + "".join(f"{n * 360_000},s{n},5\n" for n in range(80))
"""Eighty samples that would fill a grid of nineteen million cells."""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no table"),
        ("time,server,cpu\n", "holds no line"),
        ("time,server\n1,a\n", "has no such column; found cpu"),
        ("time,server,cpu\n1,a,5\n2,a,many\n", "line 3: is no utilisation; found many"),
        ("time,server,cpu\n1,a,inf\n", "line 2: "),
        ("time,server,cpu\n03/04/2026 10:00,a,5\n", "line 2: is no time; found 03/04/2026 10:00"),
        ("time,server,cpu\nsoon,a,5\n", "line 2: .*found soon"),
        ("time,server,cpu\n1e30,a,5\n", "line 2: "),
        ("time,server,cpu\n1,,5\n", "line 2: names no server"),
        ("time,server,cpu\n0,a,5\n1e10,a,5\n", "spans too long a time"),
        (FAR, "too long a time for its samples; found 80 samples for 80 tenants in 237,001 slots. .* --slot"),
    ],
)
def test_what_is_no_table_of_samples(text: str, message: str, tmp_path: Path) -> None:
    """The file, the line, and what was found."""
    with pytest.raises(InputError, match=message) as caught:
        read_samples([table(tmp_path / "x.csv", text)], LAYOUTS["csv"], slot_s=120, name="dc")
    assert caught.value.file == str(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("server,tenant\na,x\na,y\n", "a server twice"),
        ("server,tenant\na,x\nb,\n", "a server without a tenant; found b"),
        ("server,tenant\n,x\n", r"i\.csv: "),
        ("server,tenant,environment\na,x,e\nb,x,f\n", "a tenant in two environments"),
        ("server\na\n", "found tenant"),
    ],
)
def test_what_is_no_inventory(text: str, message: str, tmp_path: Path) -> None:
    """A server has one tenant, and a tenant one environment."""
    with pytest.raises(InputError, match=message):
        read_inventory(table(tmp_path / "i.csv", text))


def test_a_server_that_the_inventory_lacks(tmp_path: Path) -> None:
    """Is named, rather than taken for a tenant of its own."""
    samples = table(tmp_path / "cpu.csv", "time,server,cpu\n0,a,1\n0,b,1\n")
    known = read_inventory(table(tmp_path / "i.csv", "server,tenant\na,x\n"))
    with pytest.raises(InputError, match="does not name every server; found b"):
        read_samples([samples], LAYOUTS["csv"], slot_s=120, name="dc", inventory=known)
    with pytest.raises(InputError, match="1 s to 1 day"):
        read_samples([samples], LAYOUTS["csv"], slot_s=0.1, name="dc")


def test_blanks_around_a_name_make_no_other_server(tmp_path: Path) -> None:
    """Nor another tenant, environment or rack: names join tables, as numbers and times do."""
    samples = table(tmp_path / "cpu.csv", "time, server ,cpu\n0,a ,10\n600, a,20\n1200,a,30\n0, b , 5\n")
    servers = table(
        tmp_path / "servers.csv", "server,tenant,environment,rack\n a,web , x,r1\nb , web,x ,r1 \n"
    )
    wipes = table(tmp_path / "wipes.csv", "server,time\na ,3\n b,4\n")
    found, cleaned = read_samples(
        [samples], LAYOUTS["csv"], slot_s=600, name="dc", inventory=read_inventory(servers)
    )
    assert (found.servers, found.tenants, found.environments) == (["a", "b"], ["web"], ["x"])
    assert found.server_rack.tolist() == [0, 0]
    assert cleaned.apart_s == 600
    assert with_reimages(found, wipes)[1] == 0
    failures = table(tmp_path / "failures.csv", "server,rack,time\na,r,0\nb, r ,60\n a,r,120\n")
    assert (read_failures(failures)[0].failures, read_failures(failures)[0].pairs) == (2, 1)


@pytest.mark.parametrize("separator", [",", ";", "\t", ";\t"])
def test_separators(separator: str, tmp_path: Path) -> None:
    """That of the first line; blanks behind it are none of the name."""
    rows = [["time", "server", "cpu"], ["0", "a", "10"], ["600", "a", "20"]]
    samples = table(tmp_path / "cpu.csv", "".join(f"{separator.join(row)}\n" for row in rows))
    found, _ = read_samples([samples], LAYOUTS["csv"], slot_s=600, name="dc")
    assert np.allclose(found.utilisation, [[0.1, 0.2]])


def test_a_decimal_comma_is_named(tmp_path: Path) -> None:
    """10,5 could be another number than ten and a half."""
    samples = table(tmp_path / "cpu.csv", "time;server;cpu\n0;a;10,5\n")
    with pytest.raises(
        InputError, match="line 2: is no utilisation; found 10,5; allowed: a number with a dec"
    ):
        read_samples([samples], LAYOUTS["csv"], slot_s=600, name="dc")


def test_bitbrains(tmp_path: Path) -> None:
    """A VM a file; times are seconds though the header has them in milliseconds."""
    head = "Timestamp [ms];\tCPU cores;\tCPU usage [MHZ];\tCPU usage [%]\n"
    rows = "".join(f"{1400000000 + 300 * n};\t4;\t500.0;\t{5 + n}.0\n" for n in range(3))
    found, _ = read_samples(
        [table(tmp_path / "7.csv", head + rows)], LAYOUTS["bitbrains"], slot_s=300, name="dc"
    )
    assert (found.servers, found.slots, found.start_s) == (["7"], 3, 1400000000 // 300 * 300)


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        (
            "alibaba",
            "39600,12,30.5,40,20\n39900,12,31,40,20\n",
            "line 1: is of another layout: column 0 is not",
        ),
        ("alibaba", "m_1,0,3000,40,20\n", "column 2 is not the cpu; found 3000; allowed: at most 101"),
        ("azure", "0,12,1,9,5\n", "column 1 is not the server; found 12; allowed: a name. Say which columns"),
    ],
)
def test_another_order_of_columns_is_refused(name: str, line: str, message: str, tmp_path: Path) -> None:
    """A table without a header would be read without a word, times as servers and load as utilisation."""
    with pytest.raises(InputError, match=message):
        read_samples([table(tmp_path / "x.csv", line)], LAYOUTS[name], slot_s=300, name="dc")


def test_values_that_a_published_trace_calls_invalid(tmp_path: Path) -> None:
    """101 and what is below 0 are no utilisation."""
    samples = table(tmp_path / "x.csv", "m_1,0,101,1,1\nm_1,10,-1,1,1\nm_1,20,50,1,1\n")
    found, cleaned = read_samples([samples], LAYOUTS["alibaba"], slot_s=60, name="dc")
    assert (cleaned.missing, cleaned.above, cleaned.negative) == (2, 0, 0)
    assert np.allclose(found.utilisation, [[0.5]])


def test_columns_that_are_named_keep_what_stands_for_an_invalid_value(tmp_path: Path) -> None:
    """Only the order of the columns is another one."""
    samples = table(tmp_path / "x.csv", "0,m_1,101\n10,m_1,-1\n20,m_1,50\n")
    layout = replace(LAYOUTS["alibaba"], columns={"time": "0", "server": "1", "cpu": "2"}, fixed=False)
    found, cleaned = read_samples([samples], layout, slot_s=60, name="dc")
    assert cleaned.missing == 2
    assert np.allclose(found.utilisation, [[0.5]])


def test_commas_in_a_table_with_another_separator(tmp_path: Path) -> None:
    """In a header, quoted or not; in quotes a semicolon separates nothing."""
    plain = table(tmp_path / "a.csv", "time;server;cpu, %\n0;a;50\n")
    quoted = table(tmp_path / "b.csv", 'time,server,"cpu; %"\n0,a,50\n')
    for path, cpu in ((plain, "cpu, %"), (quoted, "cpu; %")):
        layout = replace(LAYOUTS["csv"], columns={"time": "time", "server": "server", "cpu": cpu})
        assert np.allclose(read_samples([path], layout, slot_s=60, name="dc")[0].utilisation, [[0.5]])
