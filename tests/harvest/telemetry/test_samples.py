"""Samples of utilisation of many files."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from froude.base.columns import Style
from froude.base.errors import InputError
from froude.base.forms import Options
from froude.harvest.telemetry.samples import read_samples
from froude.harvest.telemetry.series import Telemetry
from tests.support.harvest.telemetry.rows import rows

CLOUDWATCH = "timestamp,value\n2014-02-14 14:30:00,50\n2014-02-14 14:35:00,25\n"


def telemetry(paths: list[Path], **options: Any) -> Telemetry:
    """The series of some files."""
    percent = options.pop("percent", None)
    return Telemetry.of(read_samples(paths, Options(**options), percent=percent), str(paths[0]))


def test_a_cloudwatch_export_is_one_machine(tmp_path: Path) -> None:
    """Called after its file; percent, packed or not; its times are of the given zone."""
    (tmp_path / "i-1.csv.gz").write_bytes(gzip.compress(CLOUDWATCH.encode()))
    (tmp_path / "i-2.csv").write_text(CLOUDWATCH)
    found = telemetry([tmp_path])
    assert set(found.series) == {"i-1", "i-2"}
    times, shares = found.series["i-1"]
    assert shares.tolist() == [0.5, 0.25]
    assert times.tolist() == [1392388200.0, 1392388500.0]
    berlin = telemetry([tmp_path / "i-2.csv"], style=Style(zone=ZoneInfo("Europe/Berlin")))
    assert berlin.series["i-2"][0][0] == 1392388200.0 - 3600


def test_a_table_of_machines(tmp_path: Path) -> None:
    """Parquet too; rows in any order, blanks around names; shares where that is given."""
    table = pa.table({"Time": [20, 10, 10], "machine": ["a ", "a", " b"], "utilisation": [0.2, 0.1, 1.0]})
    pq.write_table(table, tmp_path / "t.parquet")
    found = telemetry([tmp_path / "t.parquet"], percent=False)
    assert found.series["a"][0].tolist() == [10.0, 20.0]
    assert found.series["a"][1].tolist() == [0.1, 0.2]
    assert found.machines == 2


def test_times_of_parquet_are_dates_too(tmp_path: Path) -> None:
    """With and without a zone."""
    for number, zone in enumerate((None, "UTC")):
        stamps = pa.array([60_000_000], pa.timestamp("us", zone))
        pq.write_table(pa.table({"time": stamps, "cpu": [50.0]}), tmp_path / f"{number}.parquet")
    found = read_samples([tmp_path], Options())
    assert (found.time_s.tolist(), found.servers) == ([60.0, 60.0], ["0", "1"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "is not of a known layout"),
        ("time,b\n1,2\n", "has no column cpu"),
        ("time,value\n", "has no row"),
        ("time,value\nx,2\n", "time is not a time"),
        ("time,value\n1,x\n", "cpu is not a number"),
        ("time,value\n1400000000000,2\n", "may not have seconds in its time"),
        ("time,value\n1,\n", "holds no value of utilisation"),
        (
            "time,metric,host,value\n1,cpu,a,5\n1,mem,a,7\n",
            "several metrics; found 2 values of metric, such as 'cpu'",
        ),
        ("t,host,name,value\n1,a,cpu,5\n2,a,mem,7\n", "several metrics; found 2 values of name"),
        (
            "itemid,clock,value\n7,1,5\n8,3,7\n",
            "Keep the rows of one; or if it names servers: --column server=item",
        ),
        ("time,value\ntrue,50\n", "time is not a time"),
        ("time,usage_user,usage_system\n1,5,6\n", "has no column cpu"),
        ("time,service,value\n1,Memory,5\n", "utilisation of CPUs; found Memory"),
        ('{"sysstat": {"hosts": []}}', "is JSON of sysstat, not read here. Take sadf -d"),
        ("time,field,value\n1,usage_user,5\n", "a mode of a processor; found usage_user"),
        ('{"time": 1, "host": {"busy": 5}}\n', "has no column cpu; found time, host.busy"),
        ('[{"time": 1, "cpu": [5]}]', "a list where a value is wanted"),
        ("time,metric,value\n1,cpu_idle,5\n", "utilisation of CPUs; found cpu_idle"),
        ("time,cpu,cpu load pct\n1,8,5\n", "several columns cpu"),
        ("time,cpu,load percent\n1,8,5\n", "several columns cpu"),
        ("sep=,\nTime,Busy\n60,5\n", "has no column cpu; found Time, Busy"),
        ("time [ms],cpu\n1500000000,5\n", "may have seconds in its time, in spite of the title; found 1.5e"),
        ("time_s,cpu\n1500000000000,5\n", "may not have seconds in its time"),
        ("", "has no line"),
    ],
)
def test_what_is_not_a_table_of_samples(tmp_path: Path, text: str, message: str) -> None:
    """The error names the file."""
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match=message) as error:
        telemetry([tmp_path / "t.csv"])
    assert "t.csv" in str(error.value)


def test_percent_signs_show_percent(tmp_path: Path) -> None:
    """Values below 1 % are not asked about then."""
    (tmp_path / "t.csv").write_text("time;cpu\n0;0,5 %\n60;0,25 %\n")
    assert read_samples([tmp_path], Options()).share.tolist() == [0.005, 0.0025]


def test_names_that_are_not_unicode(tmp_path: Path) -> None:
    """Of a CSV they are read as Windows-1252, of Parquet they are refused, since its reader would not end."""
    (tmp_path / "t.csv").write_bytes(b"time,value,server\n1,50,\xe9\n")
    assert read_samples([tmp_path / "t.csv"], Options()).servers == ["é"]
    labels = pa.array([b"\xff"]).view(pa.string())
    pq.write_table(pa.table({"time": [1], "machine": labels, "value": [50]}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"(utf|UTF)-?8"):
        read_samples([tmp_path / "t.parquet"], Options())


def test_the_hour_at_the_end_of_summer_time_is_two(tmp_path: Path) -> None:
    """Where dates are of a zone that has one; this is said."""
    hours = ("01:30", "02:00", "02:30", "02:00", "02:30", "03:00")
    rows = "".join(f"2023-10-29 {hour},{s},50\n" for hour in hours for s in "ab")
    (tmp_path / "a.csv").write_text(f"time,server,cpu\n{rows}")
    found = read_samples([tmp_path], Options(style=Style(zone=ZoneInfo("Europe/Berlin"))))
    assert sorted(found.time_s.tolist()) == [1698537600 + 1800.0 * n for n in range(-1, 5) for _ in "ab"]
    assert "clock has twice" in found.understood


def test_a_server_in_shares_among_percent_is_named(tmp_path: Path) -> None:
    """In a file of its own, or a row among others; a person who says what it counts in has looked."""
    (tmp_path / "a.csv").write_text("time,cpu\n0,50\n60,20\n")
    (tmp_path / "b.csv").write_text("time,server,cpu\n0,x,0.35\n0,y,40\n")
    assert (
        "no value of 'x' is above 1: shares among percent?" in read_samples([tmp_path], Options()).understood
    )
    assert "among" not in read_samples([tmp_path], Options(), percent=True).understood


def test_a_column_of_idle_time_is_refused(tmp_path: Path) -> None:
    """Even where a person names it."""
    (tmp_path / "a.csv").write_text("time,%user,%idle\n0,20,80\n")
    with pytest.raises(InputError, match="utilisation of CPUs; found %idle"):
        read_samples([tmp_path], Options(columns={"cpu": "%idle"}))


def test_two_files_of_one_machine_are_one_series(tmp_path: Path) -> None:
    """Such as its months; of two samples of one time the later file's counts."""
    for month, text in (("5", CLOUDWATCH), ("6", "timestamp,value\n2014-02-14 14:35:00,75\n")):
        (tmp_path / month).mkdir()
        (tmp_path / month / "a.csv").write_text(text)
    found = telemetry([tmp_path])
    assert found.series["a"][1].tolist() == [0.5, 0.75]
    with pytest.raises(InputError, match=r"none\.csv"):
        telemetry([tmp_path / "none.csv"])


def test_several_servers_without_a_column_are_refused(tmp_path: Path) -> None:
    """Their samples would be one server's; so would those of two columns of one name be anyone's."""
    (tmp_path / "a.csv").write_text("who,time,cpu\na,0,50\nb,0,60\na,60,50\nb,60,60\n")
    with pytest.raises(InputError, match="several values of one server at one time; found 2 of 4 samples"):
        read_samples([tmp_path / "a.csv"], Options())
    (tmp_path / "a.csv").write_text("time,server,cpu,CPU\n0,a,50,60\n")
    with pytest.raises(InputError, match=r"has several columns cpu; found columns 2, 3\. .*--column cpu=2"):
        read_samples([tmp_path / "a.csv"], Options())
    assert read_samples([tmp_path / "a.csv"], Options(columns={"cpu": "3"})).share.tolist() == [0.6]


def test_tables_of_others_that_a_published_layout_would_fit(tmp_path: Path) -> None:
    """A header with other names, an average outside of its range, servers that never come again."""
    path = tmp_path / "t.csv"
    other = "when,host,cpu,memory,disk\n" + "".join(f"{n * 300},web,50,30,7\n" for n in range(40))
    path.write_text(other)
    with pytest.raises(InputError, match="has no column time; found when, host"):
        read_samples([path], Options())
    path.write_text(other.partition("\n")[2])
    with pytest.raises(InputError, match="the average is not between the least and the largest"):
        read_samples([path], Options())
    path.write_text("".join(f"7,{n * 300},50,30,7,1,1,1\n" for n in range(40)))
    with pytest.raises(InputError, match="has another column for its server"):
        read_samples([path], Options())


def test_files_of_percent_and_of_shares_are_not_mixed(tmp_path: Path) -> None:
    """By a published layout in shares next to a plain table in percent."""
    (tmp_path / "a.csv").write_text("time,server,cpu\n0,a,50\n")
    (tmp_path / "b.csv").write_text("start_time,end_time,machine_id,average_usage.cpus\n0,300000000,7,0.5\n")
    with pytest.raises(InputError, match="with percent and with shares; found csv, google2019"):
        read_samples([tmp_path], Options())


@pytest.mark.parametrize(("begin_s", "servers"), [(1140, 1), (600, 2), (0, 2), (1200, 1), (-1140, 1)])
def test_months_of_one_server_may_meet_a_little(begin_s: int, servers: int, tmp_path: Path) -> None:
    """By less than a tenth of a file."""
    for folder, first_s in (("5", 0), ("6", begin_s)):
        (tmp_path / folder).mkdir()
        rows = "".join(f"{first_s + 60 * n},{20 + n % int(folder)}\n" for n in range(21))
        (tmp_path / folder / "a.csv").write_text(f"time,value\n{rows}")
    assert len(read_samples([tmp_path], Options()).servers) == servers


def test_files_of_one_sample_at_one_time_are_servers_of_their_own(tmp_path: Path) -> None:
    """They meet although they have no length."""
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "load.csv").write_text("time,value\n60,50\n")
    assert read_samples([tmp_path], Options()).servers == ["a/load", "b/load"]


@pytest.mark.parametrize(
    ("folder", "begin_s"),
    [
        ("19700103", 172800),
        ("1970-01-03", 172800),
        ("1970.01.03", 172800),
        ("1970_01-03", 0),
        ("19701340", 0),
    ],
)
def test_the_day_of_lines_without_times_is_that_of_their_folder(
    folder: str, begin_s: float, tmp_path: Path
) -> None:
    """As a date is written; where it is none, that is said. Shares are not taken for percent."""
    path = tmp_path / folder / "vm"
    path.parent.mkdir()
    path.write_text("12\n0\n")
    found = read_samples([path], Options())
    assert found.time_s.tolist() == [begin_s, begin_s + 300]
    assert ("times from 0" in found.understood) == (begin_s == 0)
    path.write_text("0.65\n1\n")
    with pytest.raises(InputError, match="may have percent or shares; found no value above 1"):
        read_samples([path], Options())
    assert read_samples([path], Options(), percent=True).share.tolist() == pytest.approx([0.0065, 0.01])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pai_machine_metric.header", "worker_name,machine,start_time\n"),
        ("README", "What this is\n"),
        ("Readme.txt", "What this is\n"),
        ("notes.md", "# Notes\n"),
        ("SHA256SUMS", "abc  a.csv\n"),
        ("Thumbs.db", "\0\1"),
        ("empty.csv", ""),
        ("z.csv", "time,server,cpu\n"),
    ],
)
def test_what_is_beside_tables_in_a_folder_is_left_out(name: str, text: str, tmp_path: Path) -> None:
    """It is named; given by itself it is refused, and so is what may be a table of another form."""
    (tmp_path / "a.csv").write_text("time,server,cpu\n0,m1,50\n")
    (tmp_path / name).write_text(text)
    found = read_samples([tmp_path], Options())
    assert found.servers == ["m1"]
    assert f"left out: {name}" in found.understood
    with pytest.raises(InputError, match=name):
        read_samples([tmp_path / "a.csv", tmp_path / name], Options())
    (tmp_path / "a.csv").unlink()
    with pytest.raises(InputError, match=f"has no table; found {name}"):
        read_samples([tmp_path], Options())
    (tmp_path / "other.csv").write_text("x,y\n1,2\n")
    with pytest.raises(InputError, match="not of a known layout"):
        read_samples([tmp_path], Options())


def test_a_packed_part_without_a_line_is_left_out(tmp_path: Path) -> None:
    """As an empty one is."""
    (tmp_path / "a.csv").write_text("time,server,cpu\n0,m1,50\n")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(b"\n"))
    assert "left out: b.csv.gz" in read_samples([tmp_path], Options()).understood


def test_only_the_first_file_of_a_folder_has_a_header(tmp_path: Path) -> None:
    """As tools write a table in parts; where rows are of another kind, they are refused."""
    (tmp_path / "part-1").write_text("server,cpu,rack,time\na,50,r,0\n")
    (tmp_path / "part-2").write_text("a,60,r,60\nb,7,r,0\n")
    found = read_samples([tmp_path], Options())
    assert (found.servers, found.share.tolist()) == (["a", "b"], [0.5, 0.6, 0.07])
    (tmp_path / "part-2").write_text("60,a,60,r\n0,b,7,r\n")
    with pytest.raises(InputError, match="part-2:1: is not of a known layout"):
        read_samples([tmp_path], Options())


def test_the_span_of_samples(tmp_path: Path) -> None:
    """From the first to the last."""
    (tmp_path / "a.csv").write_text("time,server,cpu\n60,a,50\n0,a,50\n7,b,50\n")
    assert read_samples([tmp_path / "a.csv"], Options()).span_s == 60


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("time,metric,value\n0,cpu,5\n60,cpu,7\n", "of metric 'cpu'"),
        ("time,host,name,value\n0,a,cpu,5\n0,b,cpu,7\n", "of name 'cpu'"),
        ("time,host,name,value\n0,a,The first,5\n0,b,The second,7\n", ""),
    ],
)
def test_a_column_of_one_metric_is_named(text: str, said: str, tmp_path: Path) -> None:
    """One that has a value of its own for each server describes it."""
    (tmp_path / "t.csv").write_text(text)
    understood = read_samples([tmp_path / "t.csv"], Options()).understood
    assert said in understood if said else " of " not in understood


@pytest.mark.parametrize("name", ["UTC", "Etc/UTC", "GMT", "Z", "+00:00", "UTC+00:00", "-0000"])
def test_a_column_of_time_zones_may_say_utc(name: str, tmp_path: Path) -> None:
    """As dates without a zone are read; of another one a person says it."""
    (tmp_path / "a.csv").write_text(f"time,server,tz,cpu\n1970-01-01 01:00:00,a,{name},50\n")
    assert read_samples([tmp_path], Options()).time_s.tolist() == [3600]
    for written in ("3600", "1970-01-01 02:00:00+01:00"):
        (tmp_path / "a.csv").write_text(f"time,server,tz,cpu\n{written},a,Europe/Paris,50\n")
        assert read_samples([tmp_path], Options()).time_s.tolist() == [3600]
    (tmp_path / "a.csv").write_text("time,server,tz,cpu\n1970-01-01 01:00:00,a,Europe/Paris,50\n")
    style = Style(zone=ZoneInfo("Europe/Paris"))
    assert read_samples([tmp_path], Options(style=style)).time_s.tolist() == [0]


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        (rows("_Total 0 1", "5 60"), {}, "a total among its servers; found _Total, and 0, 1"),
        (rows("a b", "1.5 14.5", head="time,server,cores_used"), {"cpu": "cores_used"}, "divide cores by"),
        (rows("a b", "150 1450", head="time,server,CPU MHz"), {"cpu": "CPU MHz"}, "divide cores by"),
        (
            rows("a b", "Cores,5 Cores,7", head="time,server,unit,value"),
            {},
            "a utilisation; found unit Cores",
        ),
        (
            rows("a", "percent,5 ratio,0.7", head="time,server,unit,value"),
            {},
            "a utilisation; found unit percent, ratio",
        ),
        ("time,0,1,2\n5,6,7,8\n", {}, "a server in each column, or what was measured of one; found '0'"),
        (rows("1.5 2.25 3.5 8.75 9.5", "5 60"), {}, "numbers for its servers; found 5 servers, such as 1.5"),
        ("time,tz,cpu\n1970-01-01 01:00:00,CET,5\n", {}, "a column of time zones; found CET"),
        (
            rows("a", "5 6") + "time,server,memory\n9,a,7\n",
            {},
            ":4: has another header below; found time, server, memory",
        ),
        ('time,server,cpu\n0,"a,5\n60,"a,6\n', {}, "found 2 lines left out: a quote that does not end"),
        (rows("user system", "5 60"), {}, "modes of a processor for its servers; found 'system', 'user'"),
        (
            rows("a.cpu.idle b.cpu.idle", "5 60"),
            {},
            "modes of a processor for its servers; found 'a.cpu.idle', 'b.cpu.idle'",
        ),
        (
            rows("a", "user,5 user,15", head="time,server,mode,value"),
            {},
            "a mode of a processor; found user",
        ),
        (rows("a", "user,5 system,1", head="time,server,mode,value"), {}, "has several metrics"),
        (rows("a", "idle,95 idle,85", head="time,server,mode,value"), {}, "utilisation of CPUs; found idle"),
        (
            "start_time,end_time,machine_id,average_usage.cpus\n300,600,7,0.5\n",
            {},
            "times of another unit; found records of 0.0003 s",
        ),
        (
            "".join(f"{m},{300 * n},5.5,40,20,1,2,3\n" for n in range(20) for m in (1, 2)),
            {},
            "times for its servers; found 20 servers, such as 0 and 300",
        ),
    ],
)
def test_processors_and_cores_are_no_servers_in_percent(
    tmp_path: Path, text: str, columns: dict[str, str], message: str
) -> None:
    """They are refused."""
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_samples([tmp_path / "a.csv"], Options(columns=columns))


@pytest.mark.parametrize(
    ("text", "servers"),
    [
        (rows("db-user cpu-1-web-system", "5 60"), "cpu-1-web-system db-user"),
        (rows("web-idle web_wait", "5 60"), "web-idle web_wait"),
        (rows("user web", "5 60"), "user web"),
        (rows("a", "turbo,5 normal,60", head="time,server,mode,value"), "a"),
        (rows("a", "OK,5 WARNING,60", head="time,server,state,value"), "a"),
        ("time,101,102,103\n0,50,40,30\n60,50,40,30\n", "101 102 103"),
    ],
)
def test_servers_that_are_called_like_something_else(text: str, servers: str, tmp_path: Path) -> None:
    """They are servers; so is a column of states not one of metrics."""
    (tmp_path / "a.csv").write_text(text)
    assert read_samples([tmp_path / "a.csv"], Options()).servers == servers.split()


@pytest.mark.parametrize("unit", ["Percent", "Percentage", "percent", "%", "pct"])
def test_a_column_of_units_says_percent(unit: str, tmp_path: Path) -> None:
    """Of values that may be shares."""
    (tmp_path / "a.csv").write_text(rows("a", f"{unit},0.5 {unit},0.7", head="time,server,unit,value"))
    assert read_samples([tmp_path], Options()).share.tolist() == pytest.approx([0.005, 0.007])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cpu_load,host=a value=5 1772323200\n", "InfluxDB's line protocol without .* influx query --raw"),
        (
            "cpu,cpu=cpu-total,host=a usage_user=5 1772323200000000000\n",
            "line protocol without usage_idle of cpu=cpu-t",
        ),
        (
            "".join(
                f"cpu,cpu=cpu{each} usage_idle=5 1772323200000000000\n"
                for each in ("-total,host=a", "0,host=b")
            ),
            "the processors of a server apart; found cpu0 of b",
        ),
        ("AAA,progname,nmon\n", "is of nmon"),
        (",result,table,_time,_value,_field,host\n,result,table,_time,_value,_field,host", "has no row"),
        (
            ",result,table,_time,_value,host\n,,0,1970-01-01T00:01:00Z,5,a\n\n,result,table,_time,host,_value\n",
            "another header below",
        ),
        ("top - 00:00:01 up 1 day\n", "text of top, not read here. Take sar -u"),
        ("# HELP node_cpu_seconds_total Seconds\n", "what Prometheus scrapes"),
        ("                cpu\n\n1772323200: 5.0e+00\n", "of rrdtool fetch"),
        ('"pcp-dstat 5.0 CSV Output"\n', "of dstat"),
        (
            "Linux 5.15.0 (a)  2026-03-01  (4 CPU)\n\navg-cpu:  %user  %idle\n  1.00  98.40\n",
            "another tool of sysstat",
        ),
        ("procs ----\n r b us sy id wa st\n 1 0 11 1 87 1 0\n", "text of vmstat without times"),
    ],
)
def test_tools_that_are_not_read_are_named(tmp_path: Path, text: str, message: str) -> None:
    """With what to take instead."""
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(InputError, match=message):
        read_samples([tmp_path / "a.txt"], Options())
