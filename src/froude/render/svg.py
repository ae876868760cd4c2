"""A panel of a chart as SVG text, drawn without a browser."""

from __future__ import annotations

import re

from froude.render.prepare import Panel, Shown
from froude.render.types import Chart
from froude.render.vegalite import panel_spec

_IDS = re.compile(r'(id="|url\(#|href="#)(clip|gradient)')


def panel_svg(chart: Chart, shown: Shown, panel: Panel, *, width: int, height: int, prefix: str) -> str:
    """One panel of a chart as an `<svg>` element.

    Args:
        shown: what of it is drawn.
        panel: one of `shown.panels`.
        width: pixels of the plot, axes not counted.
        height: pixels of the plot.
        prefix: start of the ids inside, unique in the page.

    Returns:
        SVG text.
    """
    import vl_convert

    spec = panel_spec(chart, shown, panel, width=width, height=height, hover=False)
    text: str = vl_convert.vegalite_to_svg(spec)
    return _IDS.sub(rf"\g<1>{prefix}\g<2>", text)
