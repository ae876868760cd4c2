"""Where renames of a log end."""

from __future__ import annotations

import pyarrow as pa
import pytest

from froude.emulation.programs.audit.lines import Line
from froude.experiment.replay.into_folders import changes_by, ends_of, opened_by, with_ends

LINES = [
    Line(0.0, 0, "mkdirs", "/new"),
    Line(1.0, 0, "rename", "/a/f", dst="/new"),
    Line(1.5, 0, "create", "/a/g"),
    Line(2.0, 0, "rename", "/a/g", dst="/there"),
    Line(3.0, 0, "rename", "/a/h", dst="/new", options="(options=[NONE])"),
    Line(4.0, 0, "open", "/there/x"),
    Line(5.0, 0, "rename", "/a/i", dst="/nowhere"),
    Line(6.0, 0, "rename", "/a/j", dst="/new", allowed=False),
]


@pytest.mark.parametrize("image", [True, False])
def test_a_rename_onto_a_folder_ends_in_it(image: bool) -> None:
    """One that the log made, or that was there: by the image, or by what is opened there; not with options."""
    changes = [change for number, line in enumerate(LINES, 1) for change in changes_by(line, number)]
    assert [change.number for change in changes] == [1, 2, 3, 4, 5, 7]
    opened = {path for line in LINES for path in opened_by(line)}
    assert opened == {"/there/x"}
    there = {"/there"}
    ends, before, known = ends_of(
        lambda: changes, opened, lambda paths: there.intersection(paths) if image else None
    )
    assert (ends, set(before), known) == ({2: "/new/f", 4: "/there/g"}, there, image)


def test_lines_get_the_path_where_they_end() -> None:
    """By their number over all batches."""
    batches = [
        pa.record_batch({"dst": pa.array(texts, pa.string())}) for texts in ([None, "/a"], [], ["/b"], ["/c"])
    ]
    found = [batch.column("dst").to_pylist() for batch in with_ends(batches, {2: "/a/x", 4: "/c/y"})]
    assert found == [[None, "/a/x"], [], ["/b"], ["/c/y"]]
    assert list(with_ends(batches, {})) == batches
