"""What an image holds, in numbers that are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.hadoop.fsimage.container import open_image
from froude.hadoop.fsimage.namespace import read_namespace
from froude.hadoop.fsimage.summary import Folder, ImageSummary, Owner, summarise_image
from froude.messages.schema import Schema
from tests.support.hadoop.fsimage import images


@pytest.fixture
def summary(tmp_path: Path, schema: Schema) -> ImageSummary:
    """Of the small namespace."""
    image = open_image(images.write(tmp_path / "i", schema, images.sections(schema)), schema)
    (tmp_path / "columns").mkdir()
    return summarise_image(image, schema, read_namespace(image, schema, tmp_path / "columns"))


def test_counts(summary: ImageSummary) -> None:
    """Each of them by hand; the largest number that a quota can be is none."""
    assert dict(summary.counts) == {
        "files": 5,
        "directories": 4,
        "symlinks": 1,
        "blocks": 6,
        "bytes": 3_000_266,
        # XOR-2-1: two MiB and one of parity, then 902,848 bytes and as many of parity; the others three times
        "space_bytes": 3 * 266 + 3_000_000 + (1 << 20) + (3_000_000 - (2 << 20)),
        "empty_files": 1,
        "open_files": 1,
        "erasure_coded_files": 1,
        "with_acl": 0,
        "with_xattrs": 0,
        "with_quota": 1,
        "only_in_snapshots": 1,
        "snapshots": 1,
        "snapshottable_directories": 1,
    }
    assert (summary.transaction, summary.layout_version, summary.codec) == (70, -67, "")


def test_distributions(summary: ImageSummary) -> None:
    """Every file in one bin; bins end at powers of two."""
    assert sum(each.count for each in summary.sizes) == 5
    shown = [(each.low, each.high, each.count) for each in summary.sizes if each.count]
    assert shown == [(0, 0, 1), (1, 1024, 3), (2_097_153, 4_194_304, 1)]
    assert [(each.high, each.count) for each in summary.blocks] == [(0, 1), (1, 3), (2, 0), (4, 1)]
    assert [each.count for each in summary.depths] == [2, 3, 4, 1]
    assert [(each.high, each.count) for each in summary.small][-1] == (-1, 3)


def test_folders_and_owners(summary: ImageSummary) -> None:
    """With all that lies below; the most first."""
    space = summary.counts["space_bytes"] - 27
    assert summary.folders[0] == Folder("/", 0, 9, 4, 3_000_257, space)
    assert summary.folders[1] == Folder("/a", 1, 5, 3, 3_000_250, space - 21)
    assert summary.users == (Owner("hdfs", 4, 3_000_016), Owner("alice", 1, 250))
    assert summary.groups == (Owner("ops", 5, 3_000_266),)
