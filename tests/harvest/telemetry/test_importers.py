"""Tables of others."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from froude.base.errors import InputError
from froude.base.forms import Options
from froude.harvest.telemetry.clean import Cleaned
from froude.harvest.telemetry.datacenter import Datacenter
from froude.harvest.telemetry.importers import (
    Inventory,
    datacenter_of,
    read_failures,
    read_inventory,
    with_reimages,
)
from froude.harvest.telemetry.samples import read_samples


def imported(
    paths: list[Path],
    *,
    slot_s: float,
    inventory: Inventory | None = None,
    percent: bool | None = None,
    **options: Any,
) -> tuple[Datacenter, Cleaned]:
    """The datacenter of some tables, without alignment."""
    samples = read_samples(paths, Options(**options), percent=percent)
    return datacenter_of(samples, paths[0], slot_s=slot_s, name="dc", inventory=inventory)


def table(path: Path, text: str) -> Path:
    """A file with this text."""
    path.write_text(text)
    return path


def test_servers_become_tenants_by_an_inventory(tmp_path: Path) -> None:
    """The mean over a tenant's servers, in slots, with racks and environments."""
    samples = table(
        tmp_path / "cpu.csv", "time,server,cpu\n0,a,10\n60,a,30\n0,b,50\n120,b,70\n120,c,\n0,c,110\n"
    )
    servers = table(
        tmp_path / "servers.csv", "server,tenant,environment,rack\na,web,x,r1\nb,web,x,r2\nc,db,x,\n"
    )
    found, cleaned = imported([samples], slot_s=120, inventory=read_inventory(servers)[0])
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
    found, _ = imported([one, two], slot_s=120)
    assert found.servers == ["one", "two"]
    assert found.start_s == 120
    assert found.slots == 7 * 720 + 1
    close, _ = datacenter_of(read_samples([one, two], Options(), align_s=120), one, slot_s=120, name="dc")
    assert np.allclose(close.utilisation, [[0.05], [0.09]])


def test_reimages_of_known_servers(tmp_path: Path) -> None:
    """In order of time, counted from the beginning of the utilisation."""
    samples = table(tmp_path / "cpu.csv", "time,server,cpu\n600,a,0.1\n600,b,0.1\n")
    found, _ = imported([samples], slot_s=120, percent=False)
    wiped, unknown, _ = with_reimages(found, table(tmp_path / "w.csv", "server,time\nb,900\nz,1\na,300\n"))
    assert wiped.reimages.server.tolist() == [0, 1]
    assert wiped.reimages.time_s.tolist() == [-300.0, 300.0]
    with pytest.raises(InputError, match="no wipe within ten years of the samples; found 2026-01-01"):
        with_reimages(found, table(tmp_path / "w.csv", "server,time\nb,2026-01-01\n"))
    assert unknown == 1
    with pytest.raises(
        InputError, match=r"no wipe of a server of the samples; found a\.acme\.net; allowed: a, b"
    ):
        with_reimages(found, table(tmp_path / "w.csv", "server,time\na.acme.net,900\n"))
    objects = '[{"host": "b", "timestamp_ms": 900000}, {"host": "z", "timestamp_ms": 0}]'
    wiped, unknown, _ = with_reimages(found, table(tmp_path / "w.json", objects))
    assert (wiped.reimages.time_s.tolist(), unknown) == ([300.0], 1)


FAR = "time,server,cpu\n" + "".join(f"{n * 360_000},s{n},5\n" for n in range(80))
"""Eighty samples that would fill a grid of nineteen million cells."""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no line"),
        ("time,server,cpu\n", "has no row"),
        ("time,server\n1,a\n", "has no column cpu; found time, server"),
        ("time,server,cpu\n1,a,5\n2,a,many\n3,a,many\n", r"cpu is not a number.* first at .*:3 \('many'\)"),
        ("time,server,cpu\n1,a,inf\n", ":2 "),
        ("time,server,cpu\n03/04/2026 10:00,a,5\n", r"time is not a time.*:2 \('03/04/2026 10:00'\)"),
        ("time,server,cpu\nsoon,a,5\n", "'soon'"),
        ("time,server,cpu\n1e30,a,5\n", ":2 "),
        ("time,server,cpu\n1,,5\n", "no server"),
        ("time,server,cpu\n0,a,5\n4e9,a,5\n", "spans too long a time"),
        (FAR, "too long a time for its samples; found 80 samples for 80 tenants in 237,001 slots. .* --slot"),
    ],
)
def test_what_is_no_table_of_samples(text: str, message: str, tmp_path: Path) -> None:
    """The file, the line, and what was found."""
    with pytest.raises(InputError, match=message) as caught:
        imported([table(tmp_path / "x.csv", text)], slot_s=120)
    assert caught.value.file == str(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("server,tenant\na,x\na,y\n", "a server twice"),
        ("server,tenant\na,x\nb,\n", "no tenant"),
        ("server,tenant\n,x\n", r"i\.csv: "),
        ("server,tenant,environment\na,x,e\nb,x,f\n", "a tenant in two environments"),
        ("server\na\n", "has no column tenant"),
    ],
)
def test_what_is_no_inventory(text: str, message: str, tmp_path: Path) -> None:
    """A server has one tenant, and a tenant one environment."""
    with pytest.raises(InputError, match=message):
        read_inventory(table(tmp_path / "i.csv", text))


def test_a_server_that_the_inventory_lacks(tmp_path: Path) -> None:
    """Is named, rather than taken for a tenant of its own."""
    samples = table(tmp_path / "cpu.csv", "time,server,cpu\n0,a,5\n0,b,5\n")
    known, _ = read_inventory(table(tmp_path / "i.csv", "server,tenant\na,x\n"))
    with pytest.raises(InputError, match=r"i\.csv: does not name every server; found b"):
        imported([samples], slot_s=120, inventory=known)
    samples = table(tmp_path / "cpu.csv", "time,server,cpu\n0,web-01,5\n0,a,5\n0,b,5\n")
    known, _ = read_inventory(table(tmp_path / "i.csv", "Hostname,tenant\na,x\nweb01,x\n"))
    with pytest.raises(InputError, match=r"every server; found b, and 1 more"):
        imported([samples], slot_s=120, inventory=known)
    samples = table(tmp_path / "cpu.csv", "time,server,cpu\n0,web-01,5\n")
    with pytest.raises(
        InputError, match=r"every server, did you mean web01\?; found web-01; allowed: 2 servers, such as a$"
    ):
        imported([samples], slot_s=120, inventory=known)


def test_servers_that_lack_a_begin_or_an_end_are_named(tmp_path: Path) -> None:
    """By more than a tenth of the time that samples span; or that have no value at all."""
    rows = [f"{60 * n},{server},5\n" for n in range(21) for server in "abcd"]
    rows = [row for row in rows if row not in {f"{60 * n},b,5\n" for n in range(3)}]
    rows = [row for row in rows if row not in {f"{60 * n},c,5\n" for n in (19, 20)}]
    samples = table(tmp_path / "cpu.csv", "".join(["time,server,cpu\n", *rows, "0,e,\n"]))
    _, cleaned = imported([samples], slot_s=60)
    assert cleaned.shorter == ("b", "e")
    assert "2 servers without samples at the begin or end, such as b" in cleaned.text()
    with pytest.raises(InputError, match="1 s to 1 day"):
        imported([samples], slot_s=0.1)


def test_blanks_around_a_name_make_no_other_server(tmp_path: Path) -> None:
    """Nor another tenant, environment or rack: names join tables, as numbers and times do."""
    samples = table(tmp_path / "cpu.csv", "time, server ,cpu\n0,a ,10\n600, a,20\n1200,a,30\n0, b , 5\n")
    servers = table(
        tmp_path / "servers.csv", "server,tenant,environment,rack\n a,web , x,r1\nb , web,x ,r1 \n"
    )
    wipes = table(tmp_path / "wipes.csv", "server,time\na ,3\n b,4\n")
    found, cleaned = imported([samples], slot_s=600, inventory=read_inventory(servers)[0])
    assert (found.servers, found.tenants, found.environments) == (["a", "b"], ["web"], ["x"])
    assert found.server_rack.tolist() == [0, 0]
    assert cleaned.apart_s == 600
    assert with_reimages(found, wipes)[1] == 0
    failures = table(tmp_path / "failures.csv", "server,rack,time\na,r,0\nb, r ,60\n a,r,120\n")
    together, _ = read_failures(failures)
    assert (together.failures, together.pairs) == (2, 1)


@pytest.mark.parametrize("separator", [",", ";", "\t", ";\t"])
def test_separators(separator: str, tmp_path: Path) -> None:
    """That of the first line; blanks behind it are none of the name."""
    rows = [["time", "server", "cpu"], ["0", "a", "10"], ["600", "a", "20"]]
    samples = table(tmp_path / "cpu.csv", "".join(f"{separator.join(row)}\n" for row in rows))
    found, _ = imported([samples], slot_s=600)
    assert np.allclose(found.utilisation, [[0.1, 0.2]])


def test_a_decimal_comma_that_may_be_one_of_thousands_is_asked_about(tmp_path: Path) -> None:
    """1,234 may be more than a thousand, or about one."""
    samples = table(tmp_path / "cpu.csv", "time;server;cpu\n0;a;1,234\n")
    with pytest.raises(
        InputError, match=r"commas of thousands; found 1,234\. Say what the comma is: --decimal"
    ):
        imported([samples], slot_s=600)
    found, _ = imported([samples], slot_s=600, decimal=",", percent=True)
    assert np.allclose(found.utilisation, [[0.01234]])


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        (
            "alibaba2018",
            "39600,12,30.5,40,20\n39900,12,31,40,20\n",
            "column 0 is not the server; found 39600",
        ),
        ("alibaba", "m_1,0,3000,40,20\n", "column 2 is not the cpu; found 3000; allowed: a number"),
        ("azure", "0,12,1,9,5\n", "column 1 is not the server; found 12; allowed: a name. Name the columns"),
        ("", "39600,12,30.5,40,20\n39900,12,31,40,20\n", "is not of a known layout"),
    ],
)
def test_another_order_of_columns_is_refused(name: str, line: str, message: str, tmp_path: Path) -> None:
    """A table without a header would be read without a word, times as servers and load as utilisation."""
    with pytest.raises(InputError, match=message):
        imported([table(tmp_path / "x.csv", line)], slot_s=300, layout=name)


def test_values_that_a_published_trace_calls_invalid(tmp_path: Path) -> None:
    """101 and what is below 0 are no utilisation."""
    samples = table(tmp_path / "x.csv", "m_1,0,101,1,1\nm_1,10,-1,1,1\nm_1,20,50,1,1\n")
    found, cleaned = imported([samples], slot_s=60, layout="alibaba")
    assert (cleaned.missing, cleaned.invalid, cleaned.above, cleaned.negative) == (2, 2, 0, 0)
    assert np.allclose(found.utilisation, [[0.5]])


def test_columns_that_are_named_keep_what_stands_for_an_invalid_value(tmp_path: Path) -> None:
    """Only the order of the columns is another one."""
    samples = table(tmp_path / "x.csv", "0,m_1,101\n10,m_1,-1\n20,m_1,50\n")
    columns = {"time": "0", "server": "1", "cpu": "2"}
    found, cleaned = imported([samples], slot_s=60, layout="alibaba", columns=columns)
    assert cleaned.missing == 2
    assert np.allclose(found.utilisation, [[0.5]])


def test_commas_in_a_table_with_another_separator(tmp_path: Path) -> None:
    """In a header, quoted or not; in quotes a semicolon separates nothing."""
    plain = table(tmp_path / "a.csv", "time;server;cpu, %\n0;a;50\n")
    quoted = table(tmp_path / "b.csv", 'time,server,"cpu; %"\n0,a,50\n')
    for path, cpu in ((plain, "cpu, %"), (quoted, "cpu; %")):
        columns = {"time": "time", "server": "server", "cpu": cpu}
        assert np.allclose(imported([path], slot_s=60, columns=columns)[0].utilisation, [[0.5]])


def test_use_of_machines_adds_up_over_their_tasks(tmp_path: Path) -> None:
    """By the time that each record covers of its slot; a record longer than a slot is refused."""
    head = "start_time,end_time,collection_id,instance_index,machine_id,average_usage.cpus\n"
    rows = "0,300000000,1,0,7,0.25\n0,150000000,2,0,7,0.5\n300000000,600000000,1,0,7,0.125\n0,300000000,1,1,8,0.1\n"
    path = table(tmp_path / "u.csv", head + rows)
    found, _ = imported([path], slot_s=300)
    assert np.allclose(found.utilisation, [[0.5, 0.125], [0.1, np.nan]], equal_nan=True)
    with pytest.raises(
        InputError, match=r"records longer than a slot; found a record of 300 s\. .* --slot 300s"
    ):
        imported([path], slot_s=120)


def test_an_outage_that_is_written_as_zeros_is_named(tmp_path: Path) -> None:
    """With when it began; the values stay what they are."""
    rows = "".join(f"{n * 120},{s},{0 if 30 <= n < 35 else 20 + n % 3}\n" for n in range(60) for s in "abc")
    _, cleaned = imported([table(tmp_path / "a.csv", "time,server,cpu\n" + rows)], slot_s=120)
    assert "at 0 in 5 slots from 1970-01-01T01:00 on: an outage" in cleaned.text()
