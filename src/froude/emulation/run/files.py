"""The Run as a folder: `meta.yaml` for people, `run.json` for scripts, every figure, histograms, and a Trace.

`run.json` is flat and stable (`run_summary`); `figures.json` holds every figure exactly, and a Run is read from it;
`histograms.hlog` holds the same distributions for HdrHistogram's tools, `gc.log` what the target's JVM wrote of its
garbage collector, where there was one. `meta.yaml` holds the lineage, and the hashes
of all the rest. `scenario.yaml`, where the run was made by one, plays it again.
"""

from __future__ import annotations

import math
from dataclasses import asdict, astuple, replace
from functools import partial
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram

from froude.base.errors import ChangedError, InputError
from froude.base.files import (
    atomic_folder,
    atomic_write_text,
    create_file,
    open_regular,
    read_bounded,
)
from froude.documents.artifact import Lineage, Origin, State, check_files, hash_files, hash_parts
from froude.documents.lineage import (
    Opened,
    dump_sealed,
    lineage_of,
    open_document,
    open_figures,
    read_lineage,
)
from froude.documents.migrate import Migrations, same
from froude.documents.plain import Fields
from froude.documents.reading import dump_figures, parse_document
from froude.documents.unstamped import RUN, RUN_FIGURES
from froude.emulation.run.figures import PLAIN, read_figures
from froude.emulation.run.run import Run
from froude.emulation.run.summary import RunSummary, summarise, summary_text
from froude.emulation.run.tally import Histogram, Phase
from froude.emulation.run.verdict import Verdict

META, SUMMARY, FIGURES, HISTOGRAMS, TRACE, SCENARIO, GC_LOG = (
    "meta.yaml",
    "run.json",
    "figures.json",
    "histograms.hlog",
    "trace",
    "scenario.yaml",
    "gc.log",
)
_FIGURES_BEFORE, _SPLIT = "run.json", 3
"""Where the figures stood, and the version from which they stand apart."""
_LIMIT_BYTES = 256 << 20
_META_LIMIT_BYTES = 1 << 20
_LONGEST_US = 3_600_000_000
_PHASE = ("series", "lateness", "lag")
_REMEDY = "Restore it from a copy, or play again"


def _without(name: str) -> Any:
    """The step from version 1, which said its version in a field."""

    def step(data: Fields) -> None:
        del data[name]

    return step


def _unpaced(data: Fields) -> None:
    """The step from version 1: every play was closed, and a lost connection ended it."""
    del data["format"]
    data["pacing"] = "closed"
    series = data.get("series")
    for each in series.values() if isinstance(series, dict) else ():
        if isinstance(each, dict):
            each["resent"], each["held_up"] = 0, []


def _unphased(data: Fields) -> None:
    """The step from version 2: the ramp was not told from the load, nor failures by message."""
    data["steady"] = Fields({name: data.pop(name) for name in _PHASE if name in data})
    data["ramp"] = Fields(
        {name: Fields({"max_us": 0, "counts": []} if name != "series" else {}) for name in _PHASE}
    )
    data["steady_from_s"] = 0.0
    load = data.get("load")
    for each in load if isinstance(load, list) else ():
        if isinstance(each, list):
            each.append(None)
    data["failures"], data["limits"], data["environment"] = [], [], Fields()


def _without_gc_log(data: Fields) -> None:
    """The step from version 3: nobody had read a log of the garbage collector."""
    data["gc"] = None


def _by_one_player(data: Fields) -> None:
    """The step from version 5: one process played all nodes."""
    load = data.get("load")
    for each in load if isinstance(load, list) else ():
        if isinstance(each, list):
            each.append(None)


def _played_once(data: Fields) -> None:
    """The step from version 6: no load was sustained."""
    data["mode"] = "once"


def _without_grants(data: Fields) -> None:
    """The step from version 7: how long containers took was not noted."""
    for name in ("steady", "ramp"):
        phase = data.get(name)
        if isinstance(phase, dict):
            phase["allocation"] = Fields({"max_us": 0, "counts": []})


MIGRATIONS = Migrations("run", _SPLIT, {1: _without("version"), 2: same}, unstamped=RUN)
_FIGURES_STEPS = {
    1: _unpaced,
    2: _unphased,
    3: _without_gc_log,
    4: same,
    5: _by_one_player,
    6: _played_once,
    7: _without_grants,
}
FIGURES_MIGRATIONS = Migrations("run-figures", 8, _FIGURES_STEPS, unstamped=RUN_FIGURES)


def write_run(
    folder: Path, run: Run, origin: Origin | None = None, *, scenario: str | None = None
) -> Lineage:
    """Write a run's folder, whole or not at all; its trace, written before, is moved in.

    Args:
        run: what happened; it says seed and state itself.
        scenario: the text of the scenario that was played, by which it can be played again; None where there was none.

    Returns:
        Its lineage.

    Raises:
        InputError: the folder exists.
        MissingError: it cannot be written.
    """
    origin = replace(origin or Origin(), seed=run.seed, state=state_of(run))
    summary = summarise(run)
    with atomic_folder(folder) as beside:
        figures = dump_figures(FIGURES_MIGRATIONS.kind, FIGURES_MIGRATIONS.newest, _figures(run), indent=None)
        atomic_write_text(beside / FIGURES, figures)
        atomic_write_text(beside / HISTOGRAMS, hdr_log(run))
        atomic_write_text(beside / SUMMARY, summary_text(summary))
        parts = [SUMMARY, FIGURES, HISTOGRAMS]
        if scenario is not None:
            atomic_write_text(beside / SCENARIO, scenario)
            parts.append(SCENARIO)
        if run.gc_log is not None:
            _copy(run.gc_log, beside / GC_LOG)
            parts.append(GC_LOG)
        fields = _meta(run, summary) | {"files": hash_files(beside, parts)}
        if run.trace is not None:
            fields["trace"] = _trace_hash(run.trace)
        lineage = lineage_of(MIGRATIONS, fields, origin)
        atomic_write_text(beside / META, dump_sealed(MIGRATIONS, fields, lineage, origin.tags))
        if run.trace is not None:
            run.trace.replace(beside / TRACE)
    run.folder = folder
    run.trace = folder / TRACE if run.trace is not None else None
    run.gc_log = folder / GC_LOG if run.gc_log is not None else None
    run.inputs = origin.inputs
    return lineage


def _copy(source: Path, target: Path) -> None:
    """A file that may grow meanwhile."""
    with open_regular(source) as read, create_file(target) as written:
        written.writelines(iter(partial(read.read, 1 << 20), b""))


def read_run(folder: Path | str) -> Run:
    """Read a run's folder.

    Raises:
        ChangedError: it was edited, cut short or damaged since it was written.
        InputError: it is no run's folder, or of a newer Froude.
    """
    folder = Path(folder)
    document = open_document(folder / META, MIGRATIONS, limit_bytes=_META_LIMIT_BYTES)
    file = folder / (FIGURES if document.version >= _SPLIT else _FIGURES_BEFORE)
    figures = open_figures(file, FIGURES_MIGRATIONS, limit_bytes=_LIMIT_BYTES).root
    if document.version == 1:
        _check_first_version(folder, document)
    else:
        document.check()
        check_files(folder, document.root.section("files"), _REMEDY)
        _check_trace(folder, document)
    run = read_figures(figures)
    run.folder = folder
    run.trace = folder / TRACE if (folder / TRACE).is_dir() else None
    run.gc_log = folder / GC_LOG if (folder / GC_LOG).is_file() else None
    run.inputs = () if document.lineage is None else document.lineage.inputs
    return run


def state_of(run: Run) -> State:
    """How a run ended."""
    if run.failure is not None:
        return State.FAILED
    return State.INTERRUPTED if run.interrupted else State.COMPLETE


def _check_first_version(folder: Path, document: Opened) -> None:
    """A run/1 has one hash over its figures and two facts."""
    lineage = document.lineage or document.check()
    facts = {name: document.root.fields.get(name) for name in ("target_id", "begun_at_s")}
    actual = hash_parts([folder / _FIGURES_BEFORE], facts)
    if actual != lineage.content_hash:
        message = "is not what was written: edited, cut or damaged"
        expected = lineage.content_hash
        raise ChangedError(
            message, file=folder / _FIGURES_BEFORE, found=actual, allowed=expected, remedy=_REMEDY
        )


def _check_trace(folder: Path, document: Opened) -> None:
    """The trace beside is the run's own, and whole: what is shown of the run counts for its trace, too."""
    expected = document.root.optional("trace", str)
    actual = _trace_hash(folder / TRACE) if expected is not None else None
    if actual != expected:
        message = "is not the trace of this run"
        raise ChangedError(message, file=folder / TRACE, found=actual, allowed=expected, remedy=_REMEDY)
    if expected is not None:
        from froude.trace.files import read_meta  # players, which write runs, go without pyarrow

        read_meta(folder / TRACE)


def _trace_hash(trace: Path) -> str:
    file = trace / META
    lineage = read_lineage(
        parse_document(read_bounded(file, limit_bytes=_META_LIMIT_BYTES), str(file)), "trace"
    )
    if lineage is None:
        raise InputError("has no lineage", file=file, allowed="a trace")
    return lineage.content_hash


def hdr_log(run: Run) -> str:
    """Every method's two distributions in HdrHistogram's log form, microseconds."""
    lines = [
        "#[Histogram log format version 1.2]",
        f"#[StartTime: {run.begun_at_s:.3f} (seconds since epoch)]",
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ]
    for method, series in sorted(run.tally.whole.series.items()):
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
        **{name: getattr(run, name) for name in PLAIN},
        "steady_from_s": tally.steady_from_s,
        "steady": _phase(tally),
        "ramp": _phase(tally.ramp),
        "failures": [list(astuple(group)) for group in tally.failures],
        "limits": [list(astuple(result)) for result in run.limits],
        "environment": dict(run.environment),
        "notes": dict(tally.notes),
        "rows": tally.rows,
        "load": list(run.load),
        "metrics": [
            [sample.time_s, {name: value for name, value in sample.values.items() if math.isfinite(value)}]
            for sample in run.metrics
        ],
        "gc": None if run.gc is None else asdict(run.gc),
        "remarks": list(run.remarks),
        "differences": None if run.differences is None else [
            [each.method, each.sent, each.counted] for each in run.differences
        ],
    }  # fmt: skip


def _phase(phase: Phase) -> dict[str, Any]:
    return {
        "series": {
            method: {
                "daemon": series.daemon,
                "sent": series.sent,
                "resent": series.resent,
                "answered": series.answered,
                "errors": dict(series.errors),
                "intended": _histogram(series.from_intended),
                "actual": _histogram(series.from_actual),
                "held_up": [[*key, times] for key, times in sorted(series.held_up.items())],
            }
            for method, series in phase.series.items()
        },
        "lateness": _histogram(phase.lateness),
        "lag": _histogram(phase.lag),
        "allocation": _histogram(phase.allocation),
    }


def _histogram(histogram: Histogram) -> dict[str, Any]:
    return {"max_us": histogram.max_us, "counts": sorted(histogram.counts.items())}


def _meta(run: Run, summary: RunSummary) -> dict[str, Any]:
    """What a person wants to know of a run at a glance."""
    return {
        "verdict": str(Verdict(summary.verdict, tuple(summary.reasons))),
        "bottleneck": f"{summary.bottleneck}: {summary.bottleneck_reason}",
        **{name: getattr(run, name) for name in PLAIN},
        "calls_answered": summary.calls_answered,
        "calls_per_second": round(summary.calls_per_s, 1),
        "errors": {method: dict(by) for method, by in run.errors.items()},
        "remarks": list(run.remarks),
    }
