"""`froude image show`: text, JSON, page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.experiment.block_lists import open_block_lists
from froude.experiment.session import Hadoop
from tests.hadoop.fsimage import images

Out = pytest.CaptureFixture[str]


@pytest.fixture
def image(hadoop: Hadoop, tmp_path: Path) -> Path:
    """A small one."""
    return images.write(tmp_path / "fsimage_70", hadoop.schema(), images.sections(hadoop.schema()))


def test_show(image: Path, capsys: Out) -> None:
    """The answer first, then folders, files and owners."""
    assert run(["image", "show", str(image)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "5 files in 4 folders, 3 MB in 6 blocks; 60% of the files are shorter than one block"
    )
    for part in ("/a/b ", "less than one block", "alice", "ops", "inodes that only snapshots hold"):
        assert part in out


def test_show_as_json_and_as_a_page(image: Path, tmp_path: Path, capsys: Out) -> None:
    """The same figures; the page has them beside it."""
    page = tmp_path / "image.html"
    assert (
        run(["image", "show", str(image), "--json", "-o", str(tmp_path / "i.json"), "--report", str(page)])
        == 0
    )
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "i.json").read_text())
    assert (printed["counts"]["files"], printed["folders"][0]["path"]) == (5, "/")
    assert "A namespace" in page.read_text()
    assert page.with_suffix(".figures.json").is_file()


def test_a_dry_run_writes_nothing(image: Path, tmp_path: Path, capsys: Out) -> None:
    """And says what it would."""
    assert run(["--dry-run", "image", "show", str(image), "-o", str(tmp_path / "i.json")]) == 0
    assert "i.json" in capsys.readouterr().out
    assert not (tmp_path / "i.json").exists()


def test_what_is_no_image(tmp_path: Path, capsys: Out) -> None:
    """One clear error."""
    (tmp_path / "x").write_bytes(b"nothing of the kind")
    assert run(["image", "show", str(tmp_path / "x")]) == 1
    assert "x: is no image; found b'nothing '" in capsys.readouterr().err


def test_blocks(image: Path, tmp_path: Path, capsys: Out) -> None:
    """Lists of who holds what; more racks than nodes, or a storage of no type, is refused."""
    words = ["image", "blocks", str(image), "--datanodes", "4", "-o", str(tmp_path / "lists")]
    assert run([*words, "--racks", "2", "--storage", "DISK", "--storage", "SSD"]) == 0
    assert "18 replicas of 6 blocks on 4 DataNodes written to" in capsys.readouterr().out
    opened = open_block_lists(tmp_path / "lists")
    assert (opened.lists.nodes, opened.cluster.storages, opened.lineage.seed) == (4, ("DISK", "SSD"), 0)
    assert run([*words, "--racks", "5"]) == 1
    assert "--racks: more racks than nodes; found 5; allowed: at most 4" in capsys.readouterr().err
    assert run([*words, "--storage", "TAPE"]) == 1
    assert "--storage: no type of storage; found TAPE" in capsys.readouterr().err
    assert run(["--dry-run", *words]) == 0
