"""Where an image cuts a log; with a real NameNode in `integration`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

import pytest

from froude.experiment.session import Hadoop
from froude.hadoop.cluster.edits import Around, Operation
from froude.trace.importers import image_cut
from froude.trace.importers.image_cut import cut_by_edits, cut_by_image
from tests.support.hadoop.fsimage import images

LAST = Operation(70, "OP_DELETE", 1000, ("/a",))
SET = Operation(71, "OP_SET_OWNER", None, ("/b",))
NEXT = Operation(72, "OP_RENAME", 2000, ("/c", "/d"))


@pytest.fixture
def image(hadoop: Hadoop, tmp_path: Path) -> Path:
    """A small one."""
    return images.write(tmp_path / "fsimage_70", hadoop.schema(), images.sections(hadoop.schema()))


def test_by_edits(image: Path, hadoop: Hadoop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the transactions around the image's last one, with the paths of those behind that have no time."""
    near = Around(LAST, "edits_1-99", NEXT, (SET,))
    monkeypatch.setattr(image_cut, "around", lambda *_: near)
    cut = cut_by_edits(image, image.parent, hadoop.schema(), cast("Hadoop", None))
    assert (cut.last_us, cut.next_us, cut.behind) == (1_000_000, 2_000_000, frozenset(["/b"]))
    assert "edits_1-99, transaction 70 (OP_DELETE) was at 1970-01-01 00:00:01.000+00:00" in cut.words
    assert "transaction 72 (OP_RENAME) behind it at 1970-01-01 00:00:02.000" in cut.words


def test_by_edits_that_end(image: Path, hadoop: Hadoop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing with a time behind, perhaps for want of later edits: all behind the last one stays."""
    monkeypatch.setattr(image_cut, "around", lambda *_: Around(LAST, "e", None, (SET,)))
    cut = cut_by_edits(image, image.parent, hadoop.schema(), cast("Hadoop", None))
    assert cut.next_us is None
    assert "none behind it has a time" in cut.words


def test_by_the_image(image: Path, hadoop: Hadoop) -> None:
    """Its newest time, but none later than the file: a client may set any."""
    schema = hadoop.schema()
    cut = cut_by_image(image, schema)
    assert cut.next_us is None
    assert cut.last_us > 0
    os.utime(image, (0, 0))
    assert cut_by_image(image, schema).last_us < 1_000_000
