"""The Run as a folder: `meta.yaml` for people, `run.json`, histograms in HdrHistogram's log form, and a Trace.

`run.json` holds every figure exactly; `histograms.hlog` holds the same distributions for HdrHistogram's tools.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram
from ruamel.yaml import YAML

from froude.base.clock import RealClock
from froude.base.errors import InputError
from froude.base.files import atomic_folder, atomic_write_text, read_bounded
from froude.emulation.run import Difference, Load, Measured, Run
from froude.emulation.tally import Histogram, Row, Series, Tally
from froude.workspace.artifact import Lineage, hash_parts, stamp

FORMAT = 1
META, FIGURES, HISTOGRAMS, TRACE = "meta.yaml", "run.json", "histograms.hlog", "trace"
_LIMIT_BYTES = 256 << 20
_LONGEST_US = 3_600_000_000
_PLAIN = ("target", "target_id", "begun_at_s", "elapsed_s", "scale", "nodes", "record", "failure", "interrupted", "seed",
          "speed", "cores")  # fmt: skip


def write_run(folder: Path, run: Run, *, inputs: tuple[str, ...] = (), command: str = "") -> None:
    """Write a run's folder, whole or not at all; its trace, written before, is moved in.

    Args:
        folder: the folder to make.
        run: what happened.
        inputs: content hashes of the plan's workload and traces.
        command: what made it.

    Raises:
        InputError: the folder exists.
        MissingError: it cannot be written.
    """
    with atomic_folder(folder) as beside:
        atomic_write_text(beside / FIGURES, json.dumps(_figures(run), separators=(",", ":")))
        atomic_write_text(beside / HISTOGRAMS, hdr_log(run))
        facts = {"target_id": run.target_id, "begun_at_s": run.begun_at_s}
        content = hash_parts([beside / FIGURES], facts)
        lineage = Lineage(
            "run", FORMAT, content, inputs, command, run.seed, made_at=stamp(RealClock().wall())
        )
        atomic_write_text(beside / META, _meta(run, lineage))
        if run.trace is not None:
            run.trace.replace(beside / TRACE)
    run.folder = folder
    run.trace = folder / TRACE if run.trace is not None else None


def read_run(folder: Path) -> Run:
    """Read a run's folder.

    Raises:
        InputError: it is no run's folder, or damaged, or of a newer Froude.
    """
    path = folder / FIGURES
    try:
        figures = json.loads(read_bounded(path, limit_bytes=_LIMIT_BYTES))
        version = figures["format"]
        if version != FORMAT:
            raise InputError(
                "is a run of another Froude", file=path, place="format", found=version, allowed=FORMAT
            )
        run = Run(_read_tally(figures), **{name: figures[name] for name in _PLAIN})
        run.load = [Load(*each) for each in figures["load"]]
        run.metrics = [Measured(each[0], each[1]) for each in figures["metrics"]]
        run.remarks = list(figures["remarks"])
        differences = figures["differences"]
        run.differences = None if differences is None else [Difference(*each) for each in differences]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError("is no readable run", file=path, found=f"{type(error).__name__}: {error}") from error
    run.folder = folder
    run.trace = folder / TRACE if (folder / TRACE).is_dir() else None
    return run


def hdr_log(run: Run) -> str:
    """Every method's two distributions in HdrHistogram's log form, microseconds."""
    lines = [
        "#[Histogram log format version 1.2]",
        f"#[StartTime: {run.begun_at_s:.3f} (seconds since epoch)]",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    for method, series in sorted(run.tally.series.items()):
        for side, histogram in (("intended", series.from_intended), ("actual", series.from_actual)):
            encoded = HdrHistogram(1, _LONGEST_US, 3)
            for value, count in histogram.counts.items():
                encoded.record_value(min(value, _LONGEST_US), count)
            text = encoded.encode().decode()
            lines.append(f"Tag={method}.{side},0.000,{run.elapsed_s:.3f},{histogram.max_us / 1e3:.3f},{text}")
    return "\n".join(lines) + "\n"


def _figures(run: Run) -> dict[str, Any]:
    tally = run.tally
    return {
        "format": FORMAT,
        **{name: getattr(run, name) for name in _PLAIN},
        "series": {
            method: {
                "sent": one.sent,
                "answered": one.answered,
                "errors": dict(one.errors),
                "intended": _histogram(one.from_intended),
                "actual": _histogram(one.from_actual),
            }
            for method, one in tally.series.items()
        },
        "lateness": _histogram(tally.lateness),
        "lag": _histogram(tally.lag),
        "notes": dict(tally.notes),
        "rows": tally.rows,
        "load": list(run.load),
        "metrics": [[one.time_s, dict(one.values)] for one in run.metrics],
        "remarks": list(run.remarks),
        "differences": None if run.differences is None else [
            [each.method, each.sent, each.counted] for each in run.differences
        ],
    }  # fmt: skip


def _read_tally(figures: Mapping[str, Any]) -> Tally:
    tally = Tally(rows=[Row(*row) for row in figures["rows"]], notes=Counter(figures["notes"]))
    tally.lateness, tally.lag = _read_histogram(figures["lateness"]), _read_histogram(figures["lag"])
    for method, one in figures["series"].items():
        series = tally.series[method] = Series(method)
        series.sent, series.answered, series.errors = one["sent"], one["answered"], Counter(one["errors"])
        series.from_intended = _read_histogram(one["intended"])
        series.from_actual = _read_histogram(one["actual"])
    return tally


def _histogram(histogram: Histogram) -> dict[str, Any]:
    return {"max_us": histogram.max_us, "counts": sorted(histogram.counts.items())}


def _read_histogram(fields: Mapping[str, Any]) -> Histogram:
    histogram = Histogram()
    histogram.counts = Counter({int(value): int(count) for value, count in fields["counts"]})
    histogram.total, histogram.max_us = histogram.counts.total(), int(fields["max_us"])
    return histogram


def _meta(run: Run, lineage: Lineage) -> str:
    out = io.StringIO()
    document = {
        "froude": "run",
        "version": FORMAT,
        "bottleneck": str(run.bottleneck),
        **{name: getattr(run, name) for name in _PLAIN},
        "calls_answered": sum(answered for _, answered in run.counts.values()),
        "calls_per_second": round(run.throughput(), 1),
        "errors": {method: dict(by) for method, by in run.errors.items()},
        "remarks": list(run.remarks),
        "tags": [],
        "lineage": lineage.to_mapping(),
    }
    YAML().dump(document, out)
    return out.getvalue()
