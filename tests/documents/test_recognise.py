"""What stands somewhere, told by its stamp."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from froude.documents.recognise import artifact_around, head_of, kind_of
from froude.render import Report, save


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("froude: workload/2\n", "workload"),
        ("\ufeff# a comment\n\n  # another\n---\nfroude: 'plan/1'\n", "plan"),
        ('{"froude": "cluster/2", "x": 1}', "cluster"),
        ('{\n  "froude": "partial-trace/2"}', "partial-trace"),
        ("<!-- Froude: comparison; -->\n", "comment"),
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


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"meta.yaml": "froude: trace/2\n"}, "trace"),
        ({"meta.yaml": "froude: partial-trace/2\n"}, "partial-trace"),
        ({"meta.yaml": "froude: run\nversion: 1\n"}, "run"),
        ({"meta.yaml": "format: 1\nkind: partial trace\n"}, "partial-trace"),
        ({"plan.yaml": "froude: plan/2\n"}, "plan"),
        ({"plan.yaml": "froude: plan/2\n", "meta.yaml": "somebody's\n"}, "plan"),
        ({"plan.yaml": "froude: workload/2\n", "meta.yaml": "froude: plan/2\n"}, None),
        ({"w.yaml": "froude: workload/2\n"}, None),
    ],
)
def test_kinds_of_folders(tmp_path: Path, files: dict[str, str], kind: str | None) -> None:
    """By the document that such a folder has: a workload that is named `plan.yaml` makes no artifact around it."""
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert kind_of(tmp_path) == kind
    around = None if kind is None else tmp_path
    assert artifact_around(tmp_path / "x") == artifact_around(tmp_path / "x" / "y.json") == around
    assert artifact_around(tmp_path) is None


def test_the_artifact_around_a_place(tmp_path: Path) -> None:
    """The innermost one, through links; a document that cannot be read tells nothing."""
    inner = tmp_path / "run" / "trace"
    inner.mkdir(parents=True)
    (tmp_path / "run" / "meta.yaml").write_text("froude: run/2\n")
    (inner / "meta.yaml").write_text("froude: trace/2\n")
    (tmp_path / "link").symlink_to(inner)
    assert artifact_around(tmp_path / "link" / "calls.parquet") == inner
    assert artifact_around(inner) == tmp_path / "run"
    (inner / "meta.yaml").unlink()
    (inner / "meta.yaml").symlink_to("meta.yaml")
    assert artifact_around(inner / "calls.parquet") == tmp_path / "run"


def test_what_is_no_file_is_nothing(tmp_path: Path) -> None:
    """A pipe is not waited for."""
    os.mkfifo(tmp_path / "pipe")
    assert (kind_of(tmp_path / "pipe"), kind_of(tmp_path), kind_of(tmp_path / "none")) == (None, None, None)
    assert head_of(tmp_path / "pipe") == b""
