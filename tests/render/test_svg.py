"""Pictures of their own."""

import pytest
from lxml import etree

from froude.render import Axis, Chart, Series, ValueKind, picture_png, picture_svg
from froude.render.theme import DARK, LIGHT

from .sample import pattern

CHART = Chart(
    "t",
    Axis("time", ValueKind.DURATION),
    Axis("heap", ValueKind.BYTES),
    (Series("a", [0.0, 9.0], [1e6, 4e6]),),
)


@pytest.mark.parametrize("dark", [False, True])
def test_chart_and_pattern_are_files(dark: bool) -> None:
    """Well-formed SVG on its own ground, with literal colours."""
    for block, ground in ((CHART, "card"), (pattern(), "page")):
        svg = picture_svg(block, dark=dark)
        assert etree.fromstring(svg.encode()).tag.endswith("svg")
        assert (DARK if dark else LIGHT)[ground] in svg
        assert "var(" not in svg


def test_png() -> None:
    """PNG bytes, without a browser."""
    assert picture_png(CHART, scale=1.0).startswith(b"\x89PNG")


def test_nothing_to_draw() -> None:
    """A chart without a point is no picture."""
    with pytest.raises(ValueError, match="no point"):
        picture_svg(Chart("t", CHART.x, CHART.y, ()))
