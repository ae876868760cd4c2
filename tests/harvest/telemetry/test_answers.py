"""JSON answers of monitoring systems."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from froude.base.columns import Style
from froude.base.errors import InputError
from froude.base.forms import Options
from froude.harvest.telemetry.answers import is_answer, read_answer
from froude.harvest.telemetry.samples import read_samples

AZURE = {"id": "", "name": {"value": "Percentage CPU"}, "unit": "Percent"}


def range_query(
    *metrics: dict[str, str], values: Any = ((60, "50"), (120, "+Inf"), (180, "NaN")), **more: Any
) -> str:
    """The answer to a range query with a series of each of these labels."""
    series = [{"metric": metric, "values": values} for metric in metrics]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}, **more})


def test_series_of_prometheus_have_one_server_each(tmp_path: Path) -> None:
    """By the label that names it; modes or processors of one server are refused, as it is not known how they add up."""
    path = tmp_path / "q.json"
    path.write_text(range_query({"job": "x", "nodename": "a"}, {"job": "x", "nodename": "b"}))
    found = read_samples([path], Options())
    assert found.servers == ["a", "b"]
    assert np.isnan(found.share).tolist() == [False, True, True] * 2
    path.write_text(range_query({"zone": "a"}, {"zone": "b"}))
    assert read_samples([path], Options(columns={"server": "zone"})).servers == ["a", "b"]
    path.write_text(range_query({"instance": "a", "mode": "user"}, {"instance": "a", "mode": "idle"}))
    with pytest.raises(InputError, match=r"several series of one server; .*avg by \(instance\)"):
        read_samples([path], Options())


def test_times_in_milliseconds(tmp_path: Path) -> None:
    """As a person says that they are."""
    path = tmp_path / "q.json"
    path.write_text(range_query({"instance": "a"}, values=[[1767225600000, "50"]]))
    with pytest.raises(InputError, match="--date-format"):
        read_samples([path], Options())
    assert read_samples([path], Options(style=Style(dates="ms"))).time_s.tolist() == [1767225600.0]


def test_series_alone_are_an_answer_of_prometheus(tmp_path: Path) -> None:
    """As tools show them without what is around; with a byte order mark, or as the shell of Windows redirects."""
    text = '[{"metric": {"instance": "inf"}, "values": [[60, "50"]]}]'
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        (tmp_path / "q.json").write_text(text, encoding)
        assert read_samples([tmp_path / "q.json"], Options()).servers == ["inf"]


def test_values_that_are_not_numbers_are_counted(tmp_path: Path) -> None:
    """Up to a tenth; with `strict` none is left out. What the server warns of is shown."""
    path = tmp_path / "q.json"
    values = [[60 * n, "\ud800" if n == 7 else "50"] for n in range(20)]
    path.write_text(
        range_query({"instance": "a", "__name__": "x"}, values=values, warnings=["one store is away"])
    )
    found = read_answer(path, Options())
    assert (len(found), found.dropped.total) == (19, 1)
    assert "of x, with the warning 'one store is away'" in found.understood
    with pytest.raises(InputError, match=r"cannot be read in 1 of 20 values; found .*: a"):
        read_answer(path, Options(strict=True))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"status": "error", "errorType": "bad_data", "error": "parse error"}',
            "range query; found bad_data: parse error",
        ),
        (
            '{"status": 0, "data": {"resultType": "matrix", "result": [{"values": []}]}}',
            "allowed: a range query",
        ),
        (
            '{"status": "success", "data": {"resultType": "vector", "result": []}}',
            "range query; found a vector; allowed",
        ),
        ('{"status": "success", "data": {"resultType": "scalar", "result": [1, "2"]}}', "found a scalar"),
        ('{"status": "success", "data": {"result": []}}', "has no sample; found 0 series"),
        ('{"status": 1', "allowed: a range query"),
        (
            '{"Datapoints": [{"Timestamp": "2026-01-01", "Average": 1, "Unit": "Bytes"}]}',
            "a utilisation; found unit Bytes",
        ),
        (
            '{"Datapoints": [{"Timestamp": "2026-01-01", "Maximum": 1}]}',
            "found Datapoints; allowed: .* with Average",
        ),
        ('{"Label": "MemoryUtilization", "Datapoints": []}', "utilisation of CPUs; found MemoryUtilization"),
        ('[{"metric": {"__name__": "node_load1"}}]', "utilisation of CPUs; found node_load1"),
        (
            '{"MetricDataResults": [{}]}',
            "JSON of another kind .* allowed: .* get-metric-statistics",
        ),
        ('{"MetricDataResults": [{"Label": "a"}, {"Label": "a"}]}', "of another kind"),
        (
            json.dumps({"MetricDataResults": [{"Label": "a", "Timestamps": [], "Values": []}] * 2}),
            "several series of one server; found 2 series, several of 'a'",
        ),
        (
            '[{"target": "web.memory.used", "datapoints": [[5, 60]]}]',
            "utilisation of CPUs; found web.memory.used",
        ),
        ('[{"metric": {"type": "cpu"}, "points": []}]', "JSON of another kind"),
        ('{"status": "ok", "series": [{"pointlist": []}]}', "JSON of another kind .*; found status, series"),
        (range_query({"instance": "a", "mode": "idle"}), "has CPU modes; found mode 'idle'"),
        (range_query({"instance": "a", "cpu": "0"}), "has CPU modes; found cpu '0'"),
        (
            '{"timespan": "", "value": [{"name": {"value": "Network In"}, "unit": "Bytes"}]}',
            "one utilisation; found Network In in Bytes",
        ),
        (
            json.dumps(
                {
                    "timespan": "",
                    "value": [{**AZURE, "timeseries": [{"metadatavalues": [], "data": [{"timeStamp": 1}]}]}],
                }
            ),
            "of another kind .* of Azure with average",
        ),
    ],
)
def test_other_answers_are_refused(text: str, message: str, tmp_path: Path) -> None:
    """An error with its reason, another kind, no series, another unit or statistic, a text that was cut."""
    (tmp_path / "q.json").write_text(text)
    assert is_answer(text.encode(), Options())
    with pytest.raises(InputError, match=message):
        read_samples([tmp_path / "q.json"], Options())


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("web1.example.net", False),
        ("web1.acme.io", False),
        ("disk-server-1", False),
        ("servers.disk-server-1.cpu.total.percent", False),
        ("servers.system.cpu.load", False),
        ("i-0a CPUUtilization", False),
        ("i-0a Average", False),
        ("i-0a Maximum", True),
        ("CPUUtilization p99", True),
        ("StatusCheckFailed", True),
        ("i-0a EBSReadOps", True),
        ("i-0a mem_used_percent", True),
        ("memory a", True),
        ("servers.a.users", True),
        ("servers.a.loadavg.01", True),
        ("servers.a.net.eth0.rx_bytes", True),
        ("a.cpu.wait", True),
        ("a.cpu0.softirq", True),
        ("a.cpu-0.percent", True),
    ],
)
def test_labels_of_series(name: str, refused: bool, tmp_path: Path) -> None:
    """Those of hosts are read; what shows something else is refused, unless a person names the layout."""
    data = {"Label": name, "Timestamps": ["1970-01-01T00:01:00Z"], "Values": [5], "StatusCode": "PartialData"}
    for layout, text in (
        ("graphite-json", json.dumps([{"target": name, "datapoints": [[5, 60]]}])),
        ("cloudwatch-json", json.dumps({"MetricDataResults": [data]})),
    ):
        (tmp_path / "q.json").write_text(text)
        for options in (Options(), Options(layout=layout)):
            sure = bool(options.layout) or not refused
            with (
                nullcontext()
                if sure
                else pytest.raises(InputError, match=f"found {re.escape(name)}.*--layout")
            ):
                found = read_samples([tmp_path / "q.json"], options)
                assert found.servers == [name]
                assert ("partial data" in found.understood) == (layout == "cloudwatch-json")


def test_objects_on_lines_are_no_answer() -> None:
    """Nor is a table."""
    assert not is_answer(b'{"start_time": "1", "average_usage": {"cpus": 7}}\n', Options())
    assert not is_answer(b'{"time": 1, "cpu": 5, "tags": [{"key": "a"}]}\n', Options())
    assert not is_answer(b"time,status\n", Options())


def test_objects_on_lines_whose_time_is_named(tmp_path: Path) -> None:
    """They are a table with any list in them."""
    (tmp_path / "s.json").write_text(
        "".join(
            json.dumps({"at": 1700000000 + 300 * n, "host": "a", "cpu": 20 + n % 7, "tags": [{"k": 1}]})
            + "\n"
            for n in range(30)
        )
    )
    with pytest.raises(InputError, match="of another kind"):
        read_samples([tmp_path / "s.json"], Options())
    assert read_samples([tmp_path / "s.json"], Options(columns={"time": "at"})).servers == ["a"]
