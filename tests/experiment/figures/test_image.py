"""The page of an image, read from its values."""

from __future__ import annotations

from dataclasses import replace

from froude.experiment.figures.image import image_report
from froude.hadoop.fsimage.summary import Folder
from froude.render import Chart, Table, Treemap
from tests.support.experiment.figures.image import FOLDERS, image_summary


def test_its_page() -> None:
    """What the namespace is, in a sentence; charts begin at the first bin that has something in it."""
    page = image_report(image_summary(), {"Seed": "0"})
    assert page.lede.startswith("**3 files** in 1 folders")
    assert "100% of the files" in page.lede
    blocks = [block for section in page.sections for block in section.blocks]
    sizes, by_blocks, depths = (block for block in blocks if isinstance(block, Chart))
    assert [list(chart.series[0].xs) for chart in (sizes, by_blocks, depths)] == [
        ["up to 1B", "up to 2B", "up to 4B"],
        ["1", "2", "3 to 4"],
        ["1", "2", "3"],
    ]
    assert (
        next(block.caption for block in blocks if isinstance(block, Table))
        == "Folders with the most space below them"
    )
    assert page.facts["Last transaction"] == "9"


def test_a_namespace_without_files() -> None:
    """Its shares are none."""
    assert "0 files" in image_report(image_summary(0), {}).lede


def _map(folders: tuple[Folder, ...]) -> Treemap:
    blocks = image_report(image_summary(folders=folders), {}).sections[0].blocks
    return next(block for block in blocks if isinstance(block, Treemap))


def test_its_map() -> None:
    """Folders below the root, and those below them; what no folder accounts for is a tile of its own."""
    tiles = _map(FOLDERS).tiles
    assert [(tile.name, tile.size) for tile in tiles] == [
        ("/a", 1800),
        ("/b", 600),
        ("files and smaller folders", 300),
    ]
    assert [(tile.short, tile.size) for tile in tiles[0].children] == [
        ("x", 1200),
        ("files and smaller folders", 600),
    ]
    assert tiles[1].children == ()
    assert tiles[0].note == "10 files, 20 inodes"


def test_the_map_of_a_namespace_without_bytes() -> None:
    """By the number of inodes."""
    empty = _map(tuple(replace(folder, bytes=0, space=0) for folder in FOLDERS))
    assert (empty.title, empty.unit) == ("Where the files are", "inodes")
    assert [tile.size for tile in empty.tiles] == [20, 9, 11]
    assert not [
        block
        for block in image_report(image_summary(folders=()), {}).sections[0].blocks
        if isinstance(block, Treemap)
    ]
