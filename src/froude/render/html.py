"""A report as one HTML file: works offline, light and dark, on paper, and with a screen reader.

The page holds its own style, its own scripts (Vega) and its own data; a content security policy inside it
forbids any connection and any script but those two, so that even an escaping mistake could not run anything.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from froude.base.files import atomic_write_all
from froude.base.version import __version__
from froude.documents.artifact import Origin
from froude.documents.lineage import BLANK, seal
from froude.documents.recognise import GENERATOR
from froude.render.format import written
from froude.render.json import report_json
from froude.render.markdown import inline, plain, to_html
from froude.render.pattern import Pattern, describe
from froude.render.pattern_svg import lane_svgs
from froude.render.prepare import Panel, Shown, prepare
from froude.render.theme import SERIES, css_variables
from froude.render.types import (
    Block,
    Callout,
    Chart,
    ChartKind,
    KeyFigure,
    KeyFigures,
    Report,
    Section,
    Table,
    Text,
    Tone,
    Value,
    ValueKind,
)
from froude.render.vegalite import panel_spec

_NUMERIC = {ValueKind.NUMBER, ValueKind.SHARE, ValueKind.DURATION, ValueKind.BYTES}
_WORDS = {Tone.GOOD: "Good", Tone.WARNING: "Caution", Tone.BAD: "Failed", Tone.NEUTRAL: "Report"}


def report_html(report: Report, *, interactive: bool = True) -> str:
    """The page's text.

    Args:
        interactive: whether charts answer the pointer and follow the window's width, for 0.9 MB of scripts
            inside the file; otherwise they are pictures and the page has no script at all.
    """
    drawer = _Drawer(interactive)
    sections = [_section_view(section, number, drawer) for number, section in enumerate(report.sections)]
    # the bundle is carried only where something is drawn with it
    scripts = (_vega(), _asset("page.js")) if drawer.specs else ()
    view = {
        "report": report,
        "word": _WORDS[report.tone],
        "lede": to_html(report.lede),
        "figures": [_figure_view(figure) for figure in report.figures],
        "sections": sections,
        "variables": _ours(css_variables()),
        "style": _ours(_asset("page.css")),
        "scripts": [_ours(script) for script in scripts],
        "specs": _ours(_embedded(drawer.specs)),
        "policy": _policy(scripts),
        "version": __version__,
        "generator": _ours(GENERATOR),
        "seal": BLANK,
    }
    text = _environment().get_template("page.html.j2").render(view)
    # a path that is not UTF-8 arrives with lone surrogates, which no file can hold
    return seal(text.encode(errors="replace").decode())


def save(
    report: Report,
    path: Path | str,
    *,
    interactive: bool = True,
    suffix: str = ".json",
    origin: Origin | None = None,
) -> tuple[Path, Path]:
    """Write the page and, beside it, the same figures as JSON; both readable by their owner only.

    Args:
        suffix: of the JSON, which has the page's name otherwise; another one where `.json` is taken by results.

    Raises:
        InputError: what stands there is no regular file.
        MissingError: the folder cannot be written, or is full; what stood there stays.
    """
    files = report_files(report, Path(path), interactive=interactive, suffix=suffix, origin=origin)
    atomic_write_all(files)
    page, figures = files
    return page, figures


def report_files(
    report: Report,
    page: Path,
    *,
    interactive: bool = True,
    suffix: str = ".json",
    origin: Origin | None = None,
) -> dict[Path, bytes]:
    """What `save` writes: the page, then its figures, by their places.

    Args:
        suffix: put in place of the page's own for the file of figures.
    """
    text, data = report_html(report, interactive=interactive), report_json(report, origin)
    return {page: text.encode(), page.with_suffix(suffix): data.encode()}


@dataclass(slots=True)
class _Drawer:
    """Collects the specifications that the page's script draws, or draws them at once."""

    interactive: bool
    specs: list[Any] = field(default_factory=list)
    drawn: int = 0

    def panel(self, chart: Chart, shown: Shown, number: int) -> dict[str, Any]:
        panel = shown.panels[number]
        height = 240 if len(shown.panels) == 1 and not chart.small else 150
        label = f"{plain(chart.title)}{': ' + panel.title if panel.title else ''}"
        view: dict[str, Any] = {"title": panel.title, "label": label, "slot": None, "svg": None}
        if self.interactive:
            spec = panel_spec(chart, shown, panel, height=height)
            del spec["$schema"]
            view["slot"] = len(self.specs)
            self.specs.append(spec)
            return view
        self.drawn += 1
        width = 700 if len(shown.panels) == 1 and not chart.small else 340
        view["svg"] = _ours(
            panel_svg(chart, shown, panel, width=width, height=height, prefix=f"v{self.drawn}")
        )
        return view


def _section_view(section: Section, number: int, drawer: _Drawer) -> dict[str, Any]:
    blocks = [_block_view(block, drawer) for block in section.blocks]
    return {
        "id": f"s{number + 1}",
        "title": section.title,
        "intro": to_html(section.intro),
        "groups": [
            {"small": small, "blocks": list(views)}
            for small, views in groupby(
                blocks, key=lambda view: view["kind"] == "chart" and view["chart"].small
            )
        ],
    }


def _block_view(block: Block, drawer: _Drawer) -> dict[str, Any]:
    match block:
        case Text():
            return {"kind": "text", "html": to_html(block.markdown)}
        case Callout():
            word = {"neutral": "Note", "good": "Good", "warning": "Caution", "bad": "Problem"}[
                block.tone.value
            ]
            return {"kind": "callout", "block": block, "word": word, "html": to_html(block.markdown)}
        case KeyFigures():
            return {"kind": "figures", "figures": [_figure_view(figure) for figure in block.figures]}
        case Table():
            return {"kind": "table", **_table_view(block)}
        case Chart():
            return {"kind": "chart", **_chart_view(block, drawer)}
        case Pattern():
            return {"kind": "pattern", **_pattern_view(block)}


def _figure_view(figure: KeyFigure) -> dict[str, Any]:
    aim = None
    if figure.aim is not None:
        bound = "at most" if figure.at_most else "at least"
        aim = f"aim: {bound} {written(figure.aim, figure.kind, figure.unit)}"
    missed = None if figure.met is not False else figure.aim
    number, _, unit = written(figure.value, figure.kind, figure.unit, missed).partition("\u202f")
    return {"figure": figure, "number": number, "unit": unit, "aim": aim, "met": figure.met}


def _table_view(table: Table) -> dict[str, Any]:
    columns = [
        {"title": column.title, "unit": column.unit, "numeric": column.kind in _NUMERIC}
        for column in table.columns
    ]
    rows = [
        [_cell(value, column.kind) for value, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]
    return {"table": table, "columns": columns, "rows": rows, "note": inline(table.note)}


def _cell(value: Value, kind: ValueKind) -> dict[str, Any]:
    """A cell's words and how they look; a share also has the length of its bar."""
    bar = None
    if kind is ValueKind.SHARE and isinstance(value, (int, float)) and 0 <= value <= 1:
        bar = f"{value * 100:.2f}"
    name = kind.value
    if kind is ValueKind.MET:
        name = "unknown" if value is None else ("met" if value else "missed")
    elif kind in _NUMERIC and isinstance(value, str):
        name = "word"
    return {"text": written(value, kind), "kind": name, "numeric": kind in _NUMERIC, "bar": bar}


def _chart_view(chart: Chart, drawer: _Drawer) -> dict[str, Any]:
    shown = prepare(chart)
    keys = {
        series.name: {
            "name": series.name,
            "token": SERIES[series.colour % len(SERIES)],
            "dashed": series.dashed,
            "block": chart.kind in {ChartKind.BARS, ChartKind.AREA, ChartKind.POINTS, ChartKind.INTERVALS},
        }
        for panel in shown.panels
        for series in panel.series
    }
    return {
        "chart": chart,
        "legend": list(keys.values()) if len(keys) > 1 else [],
        "panels": [drawer.panel(chart, shown, i) for i in range(len(shown.panels))],
        "caption": inline(chart.caption),
        "notes": shown.notes,
        "summary": _summary(chart, shown),
    }


def _summary(chart: Chart, shown: Shown) -> list[str]:
    """What a reader who does not see the chart is told of each series."""
    lines = []
    for panel in shown.panels:
        for series in panel.series:
            ys = [y for y in series.ys if y is not None]
            low, high, last = (written(y, chart.y.kind, chart.y.unit) for y in (min(ys), max(ys), ys[-1]))
            where = f"{panel.title}, " if panel.title else ""
            lines.append(f"{where}{series.name}: lowest {low}, highest {high}, last {last}")
    return lines


def _pattern_view(pattern: Pattern) -> dict[str, Any]:
    return {
        "title": pattern.title,
        "lanes": [_ours(svg) for svg in lane_svgs(pattern)],
        "words": describe(pattern).splitlines(),
        "caption": inline(pattern.caption),
    }


def _ours(text: str) -> Markup:
    """Marks text as HTML that needs no escaping: made here, with every string from outside escaped."""
    return Markup(text)  # noqa: S704 - the one place that vouches for it


def _embedded(data: object) -> str:
    """JSON that may stand inside a script element: no `<` can end it, no line separator can break it."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _policy(scripts: tuple[str, ...]) -> str:
    """A content security policy that allows these scripts by their hashes, and nothing from anywhere else."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in scripts
    )
    # Vega compiles its expressions with Function(); they are ours, built from quoted parts only
    allowed = f"{hashes} 'unsafe-eval'" if scripts else "'none'"
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {allowed}"


@cache
def _vega() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    # the embed menu's link to an editor on the network is never shown; without it the page names no host
    return bundle.replace("https://vega.github.io/editor/", "about:blank").strip()


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("froude.render", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _asset(name: str) -> str:
    environment = _environment()
    loader = environment.loader
    assert loader is not None
    return loader.get_source(environment, name)[0].strip()


_IDS = re.compile(r'(id="|url\(#|href="#)(clip|gradient)')


def panel_svg(chart: Chart, shown: Shown, panel: Panel, *, width: int, height: int, prefix: str) -> str:
    """One panel of a chart as an `<svg>` element.

    Args:
        width: pixels of the plot, axes not counted.
        prefix: start of the ids inside, unique in the page.
    """
    import vl_convert

    spec = panel_spec(chart, shown, panel, width=width, height=height, hover=False)
    text: str = vl_convert.vegalite_to_svg(spec)
    return _IDS.sub(rf"\g<1>{prefix}\g<2>", text)
