"""The JSON says what the page says."""

import json
import math

from froude.render import (
    Axis,
    Chart,
    Column,
    KeyFigure,
    KeyFigures,
    Report,
    Section,
    Series,
    Table,
    ValueKind,
    report_dict,
    report_html,
    report_json,
)

from .sample import large_pattern, report


def test_head() -> None:
    """The file says what it is, of which version, and the verdict."""
    data = json.loads(report_json(report()))
    assert list(data)[:2] == ["froude", "lineage"]
    assert (data["froude"], data["lineage"]["kind"]) == ("report/2", "report")
    assert data["tone"] == "good"
    assert [figure["met"] for figure in data["figures"]] == [True, False, None, True]
    assert [section["title"] for section in data["sections"]][1] == "The mined pattern"


def test_equals_the_page() -> None:
    """Each chart's points in the JSON are those of the specification inside the page, in the same order."""
    page = report_html(report())
    inside = page.split('<script type="application/json" id="specs">')[1].split("</script>")[0]
    drawn = [[row["y"] for row in spec["data"]["values"]] for spec in json.loads(inside)]
    rows = [
        [y for series in panel["series"] for y in series["ys"]]
        for section in report_dict(report())["sections"]
        for block in section["blocks"]
        if block["block"] == "chart"
        for panel in block["panels"]
    ]
    assert drawn == rows


def test_not_finite() -> None:
    """JSON stays JSON: NaN is null, infinities are words."""
    table = Table((Column("a", ValueKind.NUMBER),), [(math.nan,), (math.inf,), (-math.inf,), (None,)])
    chart = Chart("t", Axis("x", unit="s"), Axis("y", unit="s"), (Series("a", [0.0, 1.0], [math.nan, 1.0]),))
    figures = KeyFigures((KeyFigure("k", math.nan, aim=1.0),))
    data = json.loads(report_json(Report("t", sections=(Section("s", (table, chart, figures)),))))
    blocks = data["sections"][0]["blocks"]
    assert blocks[0]["rows"] == [[None], ["Infinity"], ["-Infinity"], [None]]
    assert blocks[1]["panels"][0]["series"][0]["ys"] == [None, 1.0]
    assert blocks[2]["figures"][0]["met"] is None


def test_pattern_is_whole() -> None:
    """What the picture folds, the JSON keeps."""
    block = report_dict(Report("t", sections=(Section("s", (large_pattern(),)),)))["sections"][0]["blocks"][0]
    master = next(lane for lane in block["lanes"] if lane["name"] == "ApplicationMaster")
    assert len(master["steps"]) == 63
    assert master["steps"][1]["repeat"] == "maps + reduces"
