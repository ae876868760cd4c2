"""Panels drawn without a browser."""

from lxml import etree

from froude.render import Axis, Chart, Series, ValueKind
from froude.render.prepare import prepare
from froude.render.svg import panel_svg

CHART = Chart(
    "t",
    Axis("time", ValueKind.DURATION),
    Axis("heap", ValueKind.BYTES),
    (Series("a", [0.0, 9.0], [1e6, 4e6]),),
)


def test_a_panel_is_well_formed() -> None:
    """With the page's colours, and ids that no other drawing of the page has."""
    shown = prepare(CHART)
    svg = panel_svg(CHART, shown, shown.panels[0], width=300, height=150, prefix="v1")
    root = etree.fromstring(svg.encode())
    assert root.tag.endswith("svg")
    assert "var(--c1)" in svg
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert all(each.startswith("v1") for each in ids)
