"""A report as JSON: the figures of the page, for machines.

The stamp, then the report's fields, then its lineage. Durations are seconds, sizes bytes, shares fractions. A
number that JSON cannot hold is null (not a number) or the text `Infinity`, `-Infinity`. A chart has the points
that the page draws, and for each series `points_total`, how many there were.
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from enum import Enum
from typing import Any

from froude.documents.artifact import Origin
from froude.documents.lineage import dump_sealed_figures
from froude.documents.migrate import Migrations
from froude.documents.plain import Fields
from froude.documents.unstamped import REPORT
from froude.render.pattern import Pattern, PatternLoop, PatternStep
from froude.render.prepare import prepare
from froude.render.types import Block, Callout, Chart, KeyFigure, KeyFigures, Report, Table, Text


def _stamped(data: Fields) -> None:
    """Version 1 said `format: froude-report` and the version apart; `froude` was the Froude that wrote it."""
    del data["format"], data["version"]


MIGRATIONS = Migrations("report", 2, {1: _stamped}, unstamped=REPORT)
"""Forms of the figures; the version is raised when a field changes its meaning or goes."""


def report_json(report: Report, origin: Origin | None = None) -> str:
    """The report as JSON text, two spaces deep, ending in a line feed."""
    # a path that is not UTF-8 arrives with lone surrogates, which no file can hold
    fields = json.loads(json.dumps(report_dict(report), ensure_ascii=False).encode(errors="replace"))
    return dump_sealed_figures(MIGRATIONS, fields, origin or Origin())


def report_dict(report: Report) -> dict[str, Any]:
    """The report as plain values that JSON can hold."""
    return {
        "title": report.title,
        "subtitle": report.subtitle,
        "lede": report.lede,
        "tone": report.tone.value,
        "figures": [_figure(figure) for figure in report.figures],
        "sections": [
            {
                "title": section.title,
                "intro": section.intro,
                "blocks": [block_dict(block) for block in section.blocks],
            }
            for section in report.sections
        ],
        "facts": dict(report.facts),
    }


def block_dict(block: Block) -> dict[str, Any]:
    """One block as plain values; `block` says which kind it is."""
    match block:
        case Text():
            return {"block": "text", "markdown": block.markdown}
        case Callout():
            return {"block": "callout", **_plain(asdict(block))}
        case KeyFigures():
            return {"block": "key-figures", "figures": [_figure(figure) for figure in block.figures]}
        case Table():
            return {"block": "table", **_plain(asdict(block))}
        case Chart():
            return _chart(block)
        case Pattern():
            return _pattern(block)


def _figure(figure: KeyFigure) -> dict[str, Any]:
    return {**_plain(asdict(figure)), "met": figure.met}


def _chart(chart: Chart) -> dict[str, Any]:
    shown = prepare(chart)
    panels = [
        {
            "title": panel.title,
            "series": [
                {
                    "name": series.name,
                    "dashed": series.dashed,
                    "xs": list(series.xs),
                    "ys": list(series.ys),
                    "points_total": series.points_total,
                    **({"ends": [list(ends) for ends in series.ends]} if series.ends else {}),
                }
                for series in panel.series
            ],
        }
        for panel in shown.panels
    ]
    return {
        "block": "chart",
        "title": chart.title,
        "kind": chart.kind.value,
        "x": _plain(asdict(chart.x)),
        "y": _plain(asdict(chart.y)),
        "panels": panels,
        "marks": [_plain(asdict(mark)) for mark in chart.marks],
        "caption": chart.caption,
        "notes": list(shown.notes),
    }


def _pattern(pattern: Pattern) -> dict[str, Any]:
    lanes = [
        {
            "name": lane.name,
            "count": lane.count,
            "start": lane.start,
            "does": lane.does,
            "steps": [_step(step) for step in lane.steps],
            "effects": [asdict(call) for call in lane.effects],
            "pulses": [asdict(each) for each in lane.periodic],
        }
        for lane in pattern.lanes
    ]
    return {
        "block": "pattern",
        "title": pattern.title,
        "caption": pattern.caption,
        "lanes": lanes,
        "arrows": [_plain(asdict(arrow)) for arrow in pattern.arrows],
    }


def _step(step: PatternStep) -> dict[str, Any]:
    if isinstance(step, PatternLoop):
        steps = [_step(inner) for inner in step.steps]
        return {"repeat": step.times, "value": step.value, "steps": steps}
    return asdict(step)


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value
