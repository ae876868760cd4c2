"""What stands somewhere, told by its stamp."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from froude.render import Report, save
from froude.workspace.recognise import head_of, kind_of


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("froude: workload/2\n", "workload"),
        ("\ufeff# a comment\n\n  # another\n---\nfroude: 'plan/1'\n", "plan"),
        ('{"froude": "cluster/2", "x": 1}', "cluster"),
        ('{\n  "froude": "partial-trace/2"}', "partial-trace"),
        ("", None),
        ("hello\n", None),
        ("notes: 1\nfroude: workload/2\n", None),
        ("# Forms\n\n```\nfroude: workload/2\n```\n", None),
        ("A page that names froude: workload/2\n", None),
        ('{"a": {"froude": "cluster/2"}}', None),
        ('{"froude": "0.1.0"}', None),
        ("<!doctype html>\n<p>froude: run/2</p>", None),
        (" " * 100_000 + "froude: run/2", None),
        ("#\n" * 50_000, None),
    ],
)
def test_kinds_of_files(tmp_path: Path, text: str, kind: str | None) -> None:
    """The stamp must be the first thing that is said: a text about forms is none."""
    (tmp_path / "f").write_text(text)
    assert kind_of(tmp_path / "f") == kind


def test_pages_and_their_figures(tmp_path: Path) -> None:
    """HTML says who made it in its head."""
    page, figures = save(Report("A title"), tmp_path / "r.html")
    assert (kind_of(page), kind_of(figures)) == ("page", "report")


def test_what_is_no_file_is_nothing(tmp_path: Path) -> None:
    """A pipe is not waited for."""
    os.mkfifo(tmp_path / "pipe")
    assert (kind_of(tmp_path / "pipe"), kind_of(tmp_path), kind_of(tmp_path / "none")) == (None, None, None)
    assert head_of(tmp_path / "pipe") == b""
