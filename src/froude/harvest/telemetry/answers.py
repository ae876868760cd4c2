"""JSON answers of monitoring systems: series of Prometheus and Graphite, statistics of CloudWatch and Azure Monitor.

Sources: Prometheus' HTTP API, "Format overview" and "Expression query result formats"; Amazon CloudWatch's API,
GetMetricStatistics and GetMetricData; Azure Monitor's REST API, "Metrics - List"; Graphite's "The Render URL API".
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from froude.base.columns import Column, Kind, convert, how_to_write
from froude.base.dropped import Dropped
from froude.base.errors import InputError
from froude.base.forms import Options, flat
from froude.base.input_limits import check_limit
from froude.base.packed import read_unpacked
from froude.base.tables import Table
from froude.harvest.telemetry.idle import ALL
from froude.harvest.telemetry.layouts import (
    ADDRESSES,
    AZURE,
    CLOUDWATCH,
    GRAPHITE,
    PROMETHEUS,
    SERVERS,
    TIMES,
    Layout,
)
from froude.harvest.telemetry.plausible import MODES, refuse_others, refuse_path

_LIMIT_BYTES = 2 << 30
_DECODER = json.JSONDecoder()
_RESOURCE = re.compile(r"/([^/]+)/providers/Microsoft\.Insights/", re.IGNORECASE)
"""In the id of a metric of Azure, the name of what it is of."""
_LABELS = ("instance", *SERVERS, "name", *ADDRESSES)
"""Labels of Prometheus that name a server, in the order in which they count."""
_TIME, _CPU = Column("time", kind=Kind.TIME), Column("cpu", kind=Kind.NUMBER, empty=True)
_Series = list[tuple[str, list[tuple[Any, Any]]]]
"""Of each server its name, and times and values."""
_TIMES = frozenset(TIMES)
_INFINITE = re.compile("[+-]?inf(inity)?", re.IGNORECASE)
_PARTS: tuple[tuple[frozenset[str], Callable[[str], bool]], ...] = (
    (frozenset({"cpu", "core", "processor"}), lambda value: value in {"", "total", *ALL}),
    (frozenset({"mode", "state", "cpu_mode"}), lambda value: not re.fullmatch(MODES, value)),
)
"""Labels of one processor or one of its modes, and whether a value is of all of them, or of something else."""


def is_answer(head: bytes, options: Options) -> bool:
    """Whether a file that begins so is JSON other than the objects of a table, whose time `options` may name."""
    plain = head.decode("utf-8", "replace").lstrip("\ufeff[ \t\r\n")
    if not plain.startswith("{"):
        return False
    try:
        first, _ = _DECODER.raw_decode(plain)
    except (ValueError, RecursionError):  # it is cut, or longer
        return True
    if isinstance(first, dict) and options.columns.get("time") in flat(first):
        return False
    if not isinstance(first, dict) or not _FIELDS.isdisjoint(first) or isinstance(first.get("metric"), dict):
        return True
    lists = any(isinstance(value, list) and isinstance((value or [0])[0], dict) for value in first.values())
    return lists and _TIMES.isdisjoint(map(str.lower, first))


def read_answer(path: Path, options: Options) -> Table:
    """The samples of an answer, as columns `time`, `cpu` and, where it names servers, `server`.

    Args:
        path: the answer, as it was sent; may be packed.
        options: `server` may be the label of Prometheus that names the servers.

    Raises:
        InputError: it is an error, of another kind, or without a sample; two series are of one server; too many values
            are not numbers.
    """
    document: Any = None
    try:
        document = _parsed(read_unpacked(path, limit_bytes=_LIMIT_BYTES))
        if isinstance(document, list):
            document = {"result": document}  # of Graphite, or of a tool that shows series alone
        first = {**document, **(document["result"] or [{}])[0]} if "result" in document else document
        layout, read = next(
            (_READERS[each] for each in _READERS if each in first), (PROMETHEUS, _range_query)
        )
        if options.layout and options.layout != layout.form.name:
            raise KeyError(options.layout)
        series, understood = read(path, document, options)
        _distinct(path, [name for name, _ in series])
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError, OverflowError) as error:
        found = ", ".join(document) if isinstance(document, dict) else " ".join(str(error).split())
        allowed = "a range query of Prometheus, get-metric-statistics with Average or get-metric-data of CloudWatch, "
        allowed += "metrics of Azure with average, targets of Graphite"
        message = "is JSON of another kind than is read"
        raise InputError(message, file=path, found=found[:80], allowed=allowed) from error
    count = sum(len(pairs) for _, pairs in series)
    check_limit("rows", count, file=path)
    if not count:
        raise InputError("has no sample", file=path, found=f"{len(series)} series")
    names = [name for name, pairs in series for _ in pairs]
    dropped, keep = Dropped("value"), np.ones(count, bool)
    columns: dict[str, Any] = {}
    for which, column in enumerate((_TIME, _CPU)):
        texts = [_text(pair[which]) for _, pairs in series for pair in pairs]
        texts = ["NaN" if _INFINITE.fullmatch(text) else text for text in texts]
        converted = convert(column, pa.array(texts), replace(options.style, decimal="."))
        columns[column.what] = converted.values
        dropped.without(keep, converted.odd, lambda row: f"{path}: {names[row]}", texts.__getitem__)
    remedy = how_to_write(dropped.counts(), options.style, fixed=False)
    dropped.refuse(path, count, strict=options.strict, remedy=remedy)
    columns = {what: values[keep] for what, values in columns.items()}
    if any(names):
        columns["server"] = pa.array(names).filter(pa.array(keep)).dictionary_encode()
    return Table(path, layout.form, columns, np.flatnonzero(keep), dropped, understood)


def _parsed(data: bytes) -> Any:
    """What a text of JSON holds; of several lines, as VictoriaMetrics exports series, a list of them."""
    try:
        document = json.loads(data)
    except ValueError:
        document = [json.loads(line) for line in data.splitlines() if line.strip()]
    return [document] if isinstance(document, dict) and "timestamps" in document else document


def _text(value: object) -> str:
    return str(value).encode("utf-8", "backslashreplace").decode()  # a lone surrogate cannot be written


def _range_query(path: Path, document: Mapping[str, Any], options: Options) -> tuple[_Series, str]:
    if document.get("status") == "error":
        found = f"{document.get('errorType', 'an error')}: {document.get('error', 'without a reason')}"
        raise InputError("is an error, not the answer to a range query", file=path, found=found)
    data = document.get("data", document)
    if (kind := data.get("resultType", "matrix")) != "matrix":
        remedy = "Ask /api/v1/query_range, with start, end and step"
        message = "is not the answer to a range query"
        raise InputError(message, file=path, found=f"a {kind}", allowed="matrix", remedy=remedy)
    metrics = [dict(each["metric"]) for each in data["result"]]
    label = _label(path, metrics, options.columns.get("server"))
    understood = f"prometheus (server in label {label!r})" if label else "prometheus"
    if measured := sorted({str(metric["__name__"]) for metric in metrics if "__name__" in metric}):
        for name in measured:
            refuse_others(str(path), name)
        understood += f" of {', '.join(measured)[:80]}"
    for labels, whole in _PARTS:
        others = {
            f"{name} {metric[name]!r}"
            for metric in metrics
            for name in labels & metric.keys() - {label}
            if not whole(str(metric[name]))
        }
        if others:
            remedy = f"Ask for the utilisation over all CPUs: avg by ({label or 'instance'}) (...)"
            raise InputError(
                "has CPU modes",
                file=path,
                found=", ".join(sorted(others)[:3]),
                remedy=remedy,
            )
    partial = ["isPartial"] * bool(document.get("isPartial"))
    if warnings := [*document.get("warnings", ()), *document.get("infos", ()), *partial]:
        understood += f", with the warning {'; '.join(map(str, warnings))[:200]!r}"
    unit = 1 if options.style.dates else 1e-3
    pairs = [
        [(time * unit, value) for time, value in zip(each["timestamps"], each["values"], strict=True)]
        if "timestamps" in each
        else [(time, value) for time, value in ([] if "histograms" in each else each["values"])]
        for each in data["result"]
    ]
    return [
        (_text(metric.get(label, "")), own) for metric, own in zip(metrics, pairs, strict=True)
    ], understood


def _statistics(path: Path, document: Mapping[str, Any], options: Options) -> tuple[_Series, str]:
    del options
    points = document["Datapoints"]
    units = {str(point.get("Unit", "Percent")) for point in points}
    if units - {"Percent"}:
        found = ", ".join(sorted(units))
        raise InputError("is not a utilisation", file=path, found=f"unit {found}", allowed="Percent")
    name = str(document.get("Label", "a metric without a name"))
    refuse_others(str(path), name)
    understood = f"cloudwatch-json (Average of {name!r})"
    return [("", [(point["Timestamp"], point["Average"]) for point in points])], understood


def _metric_data(path: Path, document: Mapping[str, Any], options: Options) -> tuple[_Series, str]:
    results = document["MetricDataResults"]
    for each in results if not options.layout else ():
        refuse_path(str(path), str(each["Label"]), CLOUDWATCH.form.name)
    understood = "cloudwatch-json (a server in each Label)"
    understood += ", of the first page" * ("NextToken" in document)
    understood += ", with partial data" * any(each.get("StatusCode") == "PartialData" for each in results)
    return [
        (_text(each["Label"]), list(zip(each["Timestamps"], each["Values"], strict=True))) for each in results
    ], understood


def _metrics(path: Path, document: Mapping[str, Any], options: Options) -> tuple[_Series, str]:
    del options
    names = {(str(metric["name"]["value"]), str(metric["unit"])) for metric in document["value"]}
    (name, unit), *others = sorted(names)
    if others or unit != "Percent":
        found = ", ".join(f"{each} in {of}" for each, of in sorted(names))
        raise InputError("is not one utilisation", file=path, found=found, allowed="a metric in Percent")
    refuse_others(str(path), name)
    series: _Series = []
    for metric in document["value"]:
        resource = _RESOURCE.search(str(metric["id"]))
        for each in metric["timeseries"]:
            parts = [resource[1] if resource else "", *(_text(of["value"]) for of in each["metadatavalues"])]
            pairs = [(point["timeStamp"], point.get("average")) for point in each["data"]]
            series.append(("/".join(filter(None, parts)), pairs))
            if pairs and all(value is None for _, value in pairs):
                raise KeyError("average")
    return series, f"azure-json (average of {name!r})"


def _targets(path: Path, document: Mapping[str, Any], options: Options) -> tuple[_Series, str]:
    for each in document["result"] if not options.layout else ():
        refuse_path(str(path), each["target"], GRAPHITE.form.name)
    return [
        (_text(each["target"]), [(time, value) for value, time in each["datapoints"]])
        for each in document["result"]
    ], "graphite-json (a server in each target)"


_READERS: Mapping[str, tuple[Layout, Callable[[Path, Mapping[str, Any], Options], tuple[_Series, str]]]] = {
    "Datapoints": (CLOUDWATCH, _statistics),
    "MetricDataResults": (CLOUDWATCH, _metric_data),
    "timespan": (AZURE, _metrics),
    "datapoints": (GRAPHITE, _targets),
}
"""By a field of the answer, or of its first series."""
_FIELDS = frozenset({"data", "result", "values", "errorType", *_READERS})
"""Fields of answers that a record of a sample does not have."""


def _distinct(path: Path, names: Sequence[str]) -> None:
    """Refuse two series of one name.

    Raises:
        InputError: there are such.
    """
    twice = [name for name, count in Counter(names).items() if count > 1 or (not name and len(names) > 1)]
    if twice:
        found = f"{len(names)} series, several of {twice[0]!r}"
        remedy = "Ask for one series a server"
        raise InputError("has several series of one server", file=path, found=found, remedy=remedy)


def _label(path: Path, metrics: Sequence[Mapping[str, Any]], given: str | None) -> str:
    """The label that names a server.

    Raises:
        InputError: there is none, or several series have the same value of it.
    """
    present = {label for metric in metrics for label in metric}
    plain = {label.replace("_", "").lower(): label for label in present}
    label = given or next((plain[name] for each in _LABELS if (name := each.replace("_", "")) in plain), "")
    names = [metric.get(label, "") for metric in metrics]
    if len(set(names)) < len(names) or (len(names) > 1 and "" in names):
        query = f"avg by ({label or 'instance'}) (...)"
        remedy = f"Ask for one series a server: {query}; or name the label: --column server=LABEL"
        found = f"{len(names)} series with {len(set(names))} values of {label or 'a label of servers'}"
        raise InputError(
            "has several series of one server", file=path, found=found, allowed=", ".join(sorted(present)) or None,
            remedy=remedy,
        )  # fmt: skip
    return label
