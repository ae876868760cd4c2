"""Tables with a column a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.base.forms import Options
from froude.harvest.telemetry.samples import read_samples


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_column_a_server(encoding: str, tmp_path: Path) -> None:
    """Below a title, as a spreadsheet has it; its first servers are named."""
    text = "time\tn1\tn2\tn3\tn4\n" + "".join(f"{60 * n}\t50\t40\t30\t\n" for n in range(3))
    (tmp_path / "t.csv").write_text(text, encoding)
    found = read_samples([tmp_path / "t.csv"], Options())
    assert found.servers == ["n1", "n2", "n3", "n4"]
    assert found.share[:6].tolist() == [0.5, 0.5, 0.5, 0.4, 0.4, 0.4]
    assert "wide (time in 'time', 4 servers in columns 'n1', 'n2', 'n3', …)" in found.understood


@pytest.mark.parametrize("title", ["Average", "Value", "max"])
@pytest.mark.parametrize("layout", ["", "wide"])
def test_a_statistic_of_the_servers_is_not_a_server(title: str, layout: str, tmp_path: Path) -> None:
    """Nor the only one: it is left out, and named, unless a person names it."""
    (tmp_path / "t.csv").write_text(f"time,n1,n2,{title}\n0,50,40,45\n60,50,40,45\n")
    found = read_samples([tmp_path / "t.csv"], Options(layout=layout))
    assert found.servers == ["n1", "n2"]
    assert f"without '{title}'" in found.understood
    alone = read_samples([tmp_path / "t.csv"], Options(columns={"cpu": title}))
    assert (len(alone.servers), alone.share.tolist()) == (1, [0.45, 0.45])


def test_a_value_beside_what_is_not_a_server_is_a_value(tmp_path: Path) -> None:
    """A number of requests is not taken for a server."""
    (tmp_path / "t.csv").write_text("time,value,requests\n0,50,40\n60,50,40\n")
    assert len(read_samples([tmp_path / "t.csv"], Options()).servers) == 1


@pytest.mark.parametrize(
    "header",
    [
        "us,sy,id",
        "cpu0,cpu1,cpu2",
        "load1,load5,load15",
        "%user,%system,%idle",
        "alpha,beta,x",
        "sda1,sdb1,p99",
        "web-1 memory,web-1 network in,web-1 requests",
        "connections_1,Queue 1,Temperature 1",
        "heap_used_1,user1,system1",
        "heapUsed1,threads1,sessions-1",
    ],
)
def test_columns_that_may_be_of_one_server_are_asked_about(header: str, tmp_path: Path) -> None:
    """Metrics and processors are not taken for servers, unless a person says that they are."""
    (tmp_path / "t.csv").write_text(f"time,{header}\n0,50,40,30\n60,50,40,30\n")
    with pytest.raises(
        InputError, match=r"may have a server in each column.*--layout wide, or .*--column cpu=NAME"
    ):
        read_samples([tmp_path / "t.csv"], Options())
    found = read_samples([tmp_path / "t.csv"], Options(layout="wide"))
    assert found.servers == sorted(header.split(","))
    (tmp_path / "idle.csv").write_text("time,web-1 cpu_idle,web-2 cpu_idle\n0,50,40\n")
    with pytest.raises(InputError, match="utilisation of CPUs; found web-1 cpu_idle"):
        read_samples([tmp_path / "idle.csv"], Options(layout="wide"))
    (tmp_path / "t.csv").write_text(f"time,busy,{header}\n0,50,50,40,30\n60,50,50,40,30\n")
    assert len(read_samples([tmp_path / "t.csv"], Options(columns={"cpu": "1"})).share) == 2


@pytest.mark.parametrize(
    ("text", "layout", "message"),
    [
        ("time,n1,n1\n0,50,40\n", "", "another header; found time, n1, n1; allowed: .* differ"),
        ("when,n1\n0,50\n", "wide", "has another header"),
        ("time,n1,n2\n0,50,big\n", "", "n2 is not a number"),
        ("time,who,busy\n0,a,50\n", "", "has no column cpu"),
        ("time,host,busy\n0,a1,50\n", "", "has no column cpu"),
    ],
)
def test_what_is_not_such_a_table(text: str, layout: str, message: str, tmp_path: Path) -> None:
    """The reason is that of the form which it plainly has."""
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_samples([tmp_path / "t.csv"], Options(layout=layout))


@pytest.mark.parametrize(("head", "begin_s"), [(" (W. Europe Standard Time)(-60)", -3600), ("", 0)])
def test_counters_of_windows(head: str, begin_s: float, tmp_path: Path) -> None:
    """The processor time of each server is taken; its clock is the one that the header names, else that of the zone."""
    counters = ["web-1\\\\Processor(_Total)\\% Processor Time", "web-1\\\\Memory\\Pages/sec"]
    titles = ",".join(f'"\\\\\\\\{each}"'.replace("\\\\", "\\") for each in counters)
    rows = "".join(f'"01/0{n}/1970 00:00:00.250"," {10 * n + (n == 1) / 2}","7"\n' for n in (1, 2))
    (tmp_path / "t.csv").write_text(f'"(PDH-CSV 4.0){head}",{titles}\n{rows}')
    found = read_samples([tmp_path / "t.csv"], Options())
    assert (found.servers, found.share.tolist()) == (["web-1"], [0.105, 0.2])
    assert found.time_s.tolist() == [begin_s + 0.25, begin_s + 86400.25]
