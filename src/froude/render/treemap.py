"""A treemap: areas in proportion to sizes, in two levels, drawn as SVG whose tiles say what they are.

Source: M. Bruls, K. Huizing, J. van Wijk, Squarified Treemaps, 2000.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import escape

from froude.render.format import one_line, written
from froude.render.pattern_text import fit
from froude.render.theme import PAGE, SANS, Palette
from froude.render.types import Tile, Treemap

_SHAPE = 0.48
"""Height of the picture for a width of one; it is never lower than `_LEAST`."""
_LEAST = 300.0
_HEAD, _SMALL = 19.0, 13.0
"""Room of a name over the tiles below it, and in a tile."""
_SIZE, _SMALL_SIZE = 12.0, 10.5
_GAP = 2.0
_LEAST_NAME = 34.0
"""A tile that is narrower has no name in it, only under the pointer."""


class Box(NamedTuple):
    """A rectangle, in pixels."""

    x: float
    y: float
    width: float
    height: float


def squarify(sizes: Sequence[float], box: Box) -> list[Box]:
    """A rectangle for each size, in proportion, together filling a box and each as near to a square as can be.

    Rows are filled along the shorter side while that makes their worst rectangle squarer. O(n).

    Args:
        sizes: above 0, the largest first.
    """
    rest, boxes = box, list[Box]()
    scale = box.width * box.height / (sum(sizes) or 1.0)
    row: list[float] = []
    for area in (size * scale for size in sizes):
        side = min(rest.width, rest.height)
        if row and _worst([*row, area], side) > _worst(row, side):
            laid, rest = _row(row, rest)
            boxes += laid
            row = []
        row.append(area)
    return boxes + (_row(row, rest)[0] if row else [])


def _worst(areas: Sequence[float], side: float) -> float:
    """How long the longest of some rectangles in a row is, in its width."""
    length = sum(areas) / side if side else 0.0
    if not length:
        return math.inf
    return max(max(area / length**2, length**2 / area) for area in (min(areas), max(areas)))


def _row(areas: Sequence[float], rest: Box) -> tuple[list[Box], Box]:
    """A row along the shorter side of what is left, and what is left then."""
    upright = rest.width >= rest.height
    side = rest.height if upright else rest.width
    depth = min(sum(areas) / side if side else 0.0, rest.width if upright else rest.height)
    boxes, at = [], 0.0
    for area in areas:
        length = area / depth if depth else 0.0
        boxes.append(
            Box(rest.x, rest.y + at, depth, length) if upright else Box(rest.x + at, rest.y, length, depth)
        )
        at += length
    if upright:
        return boxes, Box(rest.x + depth, rest.y, rest.width - depth, rest.height)
    return boxes, Box(rest.x, rest.y + depth, rest.width, rest.height - depth)


def treemap_svg(
    treemap: Treemap, *, width: float = 1080.0, palette: Palette = PAGE, prefix: str = "t"
) -> str:
    """The picture as one `<svg>` element.

    Args:
        width: pixels to fit into.
        palette: where colours come from.
        prefix: start of the ids inside, unique in the page.

    Returns:
        SVG text; every name is escaped.
    """
    height = max(_LEAST, width * _SHAPE)
    tiles = sorted((tile for tile in treemap.tiles if tile.size > 0), key=lambda tile: -tile.size)
    boxes = squarify([tile.size for tile in tiles], Box(0, 0, width, height))
    drawing = _Drawing(treemap, palette)
    body = "".join(
        part
        for number, (tile, box) in enumerate(zip(tiles, boxes, strict=True))
        for part in drawing.tile(tile, _inside(box, _GAP / 2), number)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{prefix}-t"'
        f' viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
        f' font-family="{escape(SANS)}"><title id="{prefix}-t">{escape(one_line(treemap.title))}</title>{body}</svg>'
    )


def describe_tiles(treemap: Treemap) -> list[str]:
    """The same in words: a line a tile of the first level, the largest first."""
    tiles = sorted(treemap.tiles, key=lambda tile: -tile.size)
    return [f"{one_line(tile.name)}: {written(tile.size, treemap.kind, treemap.unit)}" for tile in tiles]


@dataclass(frozen=True, slots=True)
class _Drawing:
    treemap: Treemap
    palette: Palette

    def tile(self, tile: Tile, box: Box, number: int) -> Iterator[str]:
        """A tile of the first level, with those in it."""
        colour = self.palette.series(number)
        yield f"<g>{self._hint(tile)}{_rect(box, self.palette['card'])}{_rect(box, colour, 0.3)}"
        yield self._name(tile, box, _HEAD, _SIZE, 600)
        yield "</g>"
        children = sorted((child for child in tile.children if child.size > 0), key=lambda child: -child.size)
        room = Box(box.x + 2, box.y + _HEAD, box.width - 4, box.height - _HEAD - 2)
        if not children or min(room.width, room.height) < _SMALL:
            return
        for child, inner in zip(children, squarify([each.size for each in children], room), strict=True):
            shown = _inside(inner, _GAP / 2)
            yield f"<g>{self._hint(child)}{_rect(shown, self.palette['card'], 0.72)}"
            yield self._name(child, shown, _SMALL + 2, _SMALL_SIZE, 400)
            yield "</g>"

    def _hint(self, tile: Tile) -> str:
        words = f"{tile.name}: {written(tile.size, self.treemap.kind, self.treemap.unit)}"
        return f"<title>{escape(one_line(', '.join(filter(None, (words, tile.note)))))}</title>"

    def _name(self, tile: Tile, box: Box, height: float, size: float, weight: int) -> str:
        if box.width < _LEAST_NAME or box.height < height:
            return ""
        words = fit(one_line(tile.short or tile.name), box.width - 8, size, bold=weight > 500)
        return (
            f'<text x="{box.x + 4:.1f}" y="{box.y + size + 2:.1f}" font-size="{size}" font-weight="{weight}"'
            f' fill="{self.palette["ink"]}">{escape(words)}</text>'
        )


def _inside(box: Box, gap: float) -> Box:
    return Box(box.x + gap, box.y + gap, max(box.width - 2 * gap, 0.0), max(box.height - 2 * gap, 0.0))


def _rect(box: Box, colour: str, opacity: float = 1.0) -> str:
    return (
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="2"'
        f' fill="{colour}" fill-opacity="{opacity}"/>'
    )
