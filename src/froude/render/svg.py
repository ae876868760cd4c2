"""A chart or a pattern as a picture of its own: SVG text, or PNG bytes, drawn without a browser."""

from __future__ import annotations

import re

from froude.render.pattern import Pattern
from froude.render.pattern_svg import pattern_svg
from froude.render.prepare import Panel, Shown, prepare
from froude.render.theme import DARK, LIGHT, PAGE, Palette
from froude.render.types import Chart
from froude.render.vegalite import panel_spec

_IDS = re.compile(r'(id="|url\(#|href="#)(clip|gradient)')


def panel_svg(
    chart: Chart, shown: Shown, panel: Panel, *, width: int, height: int, prefix: str, palette: Palette = PAGE
) -> str:
    """One panel of a chart as an `<svg>` element.

    Args:
        shown: what of it is drawn.
        panel: one of `shown.panels`.
        width: pixels of the plot, axes not counted.
        height: pixels of the plot.
        prefix: start of the ids inside, unique in the page.
        palette: where colours come from.

    Returns:
        SVG text.
    """
    import vl_convert

    spec = panel_spec(chart, shown, panel, width=width, height=height, palette=palette, hover=False)
    text: str = vl_convert.vegalite_to_svg(spec)
    return _IDS.sub(rf"\g<1>{prefix}\g<2>", text)


def picture_svg(block: Chart | Pattern, *, dark: bool = False, width: int = 900, height: int = 300) -> str:
    """A chart's first panel or a pattern as a file of its own, on a ground of its own.

    Args:
        dark: whether on a dark ground.
        height: pixels of a chart's plot; a pattern is as high as it needs.

    Returns:
        SVG text with literal colours.

    Raises:
        ValueError: the chart has no point to draw.
    """
    palette = Palette(DARK if dark else LIGHT)
    if isinstance(block, Pattern):
        return _grounded(pattern_svg(block, width=width, palette=palette), palette["page"])
    shown = prepare(block)
    if not shown.panels:
        raise ValueError(f"the chart {block.title!r} has no point to draw")
    text = panel_svg(block, shown, shown.panels[0], width=width, height=height, prefix="c", palette=palette)
    return _grounded(text, palette["card"])


def picture_png(block: Chart | Pattern, *, dark: bool = False, width: int = 900, scale: float = 2.0) -> bytes:
    """As `picture_svg`, as PNG bytes with `scale` pixels to one.

    Args:
        dark: colours for a dark page instead of a light one.
        width: pixels of the picture before it is scaled.
        scale: pixels of the PNG a pixel of the picture, above 0.
    """
    import vl_convert

    data: bytes = vl_convert.svg_to_png(picture_svg(block, dark=dark, width=width), scale=scale)
    return data


def _grounded(svg: str, colour: str) -> str:
    """The picture with a filled ground behind it."""
    head_end = svg.index(">") + 1
    return f'{svg[:head_end]}<rect width="100%" height="100%" fill="{colour}"/>{svg[head_end:]}'
