"""Treemaps: areas in proportion, within their box, apart from each other; names escaped and cut to fit."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from froude.render import Tile, Treemap, ValueKind
from froude.render.format import THIN
from froude.render.json import block_dict
from froude.render.treemap import Box, describe_tiles, squarify, treemap_svg

SVG = "{http://www.w3.org/2000/svg}"
SIZES = st.lists(st.floats(0.001, 1e6), min_size=1, max_size=60).map(
    lambda sizes: sorted(sizes, reverse=True)
)


@given(SIZES, st.floats(10, 2000), st.floats(10, 2000))
def test_areas_are_in_proportion(sizes: list[float], width: float, height: float) -> None:
    """And fill the box, without one over another."""
    boxes = squarify(sizes, Box(5, 7, width, height))
    whole = width * height
    for size, box in zip(sizes, boxes, strict=True):
        assert math.isclose(
            box.width * box.height, size / sum(sizes) * whole, rel_tol=1e-6, abs_tol=whole * 1e-9
        )
        assert box.x >= 5 - 1e-6
        assert box.y >= 7 - 1e-6
        assert box.x + box.width <= 5 + width * (1 + 1e-9) + 1e-6
        assert box.y + box.height <= 7 + height * (1 + 1e-9) + 1e-6
    for number, one in enumerate(boxes):
        for other in boxes[number + 1 :]:
            across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
            down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
            assert min(across, down) < 1e-6 * max(width, height)


def test_like_the_paper() -> None:
    """Its example: 6, 6, 4, 3, 2, 2, 1 in six by four begin with two of three by two, one over the other."""
    boxes = squarify([6, 6, 4, 3, 2, 2, 1], Box(0, 0, 6, 4))
    assert [tuple(round(value, 2) for value in box) for box in boxes[:3]] == [
        (0, 0, 3, 2),
        (0, 2, 3, 2),
        (3, 0, 1.71, 2.33),
    ]


def test_nothing() -> None:
    """No tile, or tiles of no size."""
    assert squarify([], Box(0, 0, 1, 1)) == []
    for tiles in ((), (Tile("a", 0),)):
        assert etree.fromstring(treemap_svg(Treemap("empty", tiles))).findall(f"{SVG}g") == []


TREEMAP = Treemap(
    "Where <it> is",
    (
        Tile("/a", 1e9, (Tile("/a/x", 6e8, short="x"), Tile("/a/y", 4e8, short="y")), "7 files"),
        Tile("/<b>&" + "long" * 50, 3e9),
        Tile("/tiny", 1.0),
    ),
)


@pytest.mark.parametrize("width", [1080.0, 340.0])
def test_the_picture(width: float) -> None:
    """Every tile says what it is under the pointer; names stay within their tiles."""
    root = etree.fromstring(treemap_svg(TREEMAP, width=width))
    hints = [group.findtext(f"{SVG}title").replace(THIN, " ") for group in root.findall(f"{SVG}g")]
    assert hints[1:] == ["/a: 1 GB, 7 files", "/a/x: 600 MB", "/a/y: 400 MB", "/tiny: 1 B"]
    assert hints[0].startswith("/<b>&long")
    for group in root.findall(f"{SVG}g"):
        name, box = group.find(f"{SVG}text"), group.find(f"{SVG}rect")
        if name is not None:
            room = float(box.get("width"))
            assert len(name.text) * float(name.get("font-size")) * 0.5 <= room


def test_in_words_and_as_json() -> None:
    """The largest first; all figures."""
    assert [line[:6] for line in describe_tiles(TREEMAP)] == ["/<b>&l", f"/a: 1{THIN}", "/tiny:"]
    block = block_dict(TREEMAP)
    assert (block["block"], block["kind"], len(block["tiles"])) == ("treemap", ValueKind.BYTES.value, 3)
    assert block["tiles"][0]["children"][1]["size"] == 4e8
