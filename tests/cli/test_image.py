"""`froude image show`: text, JSON, page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.experiment.replay.block_lists import open_block_lists
from froude.experiment.session import Hadoop
from tests.support.hadoop.fsimage import images

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


def test_the_newest_image_of_a_folder_is_shown(image: Path, capsys: Out) -> None:
    """As a replay takes it; a folder with none is refused."""
    assert run(["image", "show", str(image.parent)]) == 0
    assert "5 files in 4 folders" in capsys.readouterr().out
    image.unlink()
    assert run(["image", "show", str(image.parent)]) == 1
    assert f"{image.parent}: " in capsys.readouterr().err


def test_a_dry_run_writes_nothing(image: Path, tmp_path: Path, capsys: Out) -> None:
    """And says what it would."""
    assert run(["--dry-run", "image", "show", str(image), "-o", str(tmp_path / "i.json")]) == 0
    assert "i.json" in capsys.readouterr().out
    assert not (tmp_path / "i.json").exists()


def test_what_is_no_image(tmp_path: Path, capsys: Out) -> None:
    """One clear error."""
    (tmp_path / "x").write_bytes(b"nothing of the kind")
    assert run(["image", "show", str(tmp_path / "x")]) == 1
    assert "found b'nothing '" in capsys.readouterr().err


def test_blocks(image: Path, tmp_path: Path, capsys: Out) -> None:
    """Lists of who holds what; more racks than nodes, or a storage of no type, is refused."""
    words = ["image", "blocks", str(image), "--datanodes", "4", "-o", str(tmp_path / "lists")]
    assert run([*words, "--racks", "2", "--storage", "DISK", "--storage", "SSD"]) == 0
    assert "18 replicas of 6 blocks on 4 DataNodes written to" in capsys.readouterr().out
    opened = open_block_lists(tmp_path / "lists")
    assert (opened.lists.nodes, opened.cluster.storages, opened.lineage.seed) == (4, ("DISK", "SSD"), 0)
    assert run([*words, "--racks", "5"]) == 2
    assert "--racks: more racks than nodes; found 5; allowed: at most 4" in capsys.readouterr().err
    assert run([*words, "--storage", "TAPE"]) == 2
    assert "--storage: no type of storage; found TAPE" in capsys.readouterr().err
    assert run(["--dry-run", *words]) == 0


def test_synth_and_scale(tmp_path: Path, capsys: Out) -> None:
    """A namespace from a profile, half of it, and what both hold; compressed, of another layout."""
    whole, half = (tmp_path / name / "fsimage_0000000000000000003" for name in ("whole", "half"))
    assert run(["image", "synth", "analytics", "--inodes", "3000", "-o", str(whole)]) == 0
    assert "folders" in capsys.readouterr().out
    words = ["image", "scale", str(whole), "--factor", "0.5", "-o", str(half)]
    assert run(["--json", *words, "--codec", "GzipCodec", "--layout", "-66"]) == 0
    counts = json.loads(capsys.readouterr().out)
    assert abs(counts["inodes"] - 1500) < 10
    assert run(["--json", "image", "show", str(half)]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["counts"]["files"], shown["transaction"]) == (counts["files"], 3)
    assert (shown["layout_version"], shown["codec"]) == (-66, "GzipCodec")
    assert (half.with_name("VERSION").is_file(), half.with_name(f"{half.name}.md5").is_file()) == (True, True)


def test_one_seed_one_image(tmp_path: Path) -> None:
    """Byte for byte; another seed makes another."""
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        command = ["--seed", str(seed), "image", "synth", "analytics", "--inodes", "500", "-o"]
        assert run([*command, str(tmp_path / name / "i")]) == 0
    first, again, other = ((tmp_path / name / "i").read_bytes() for name in "abc")
    assert first == again != other


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["synth", "nowhere"], "nowhere: "),
        (["synth", "analytics", "--inodes", "9000000000"], "--inodes: too many"),
        (["synth", "analytics", "--codec", "Zip"], "--codec: is no codec; found Zip; allowed: DefaultCodec"),
        (["scale", "IMAGE", "--factor", "0"], "--factor: cannot be; found 0"),
        (["scale", "IMAGE", "--factor", "nan"], "--factor: "),
        (["scale", "IMAGE", "--factor", "1e12"], "--factor: "),
        (["scale", "IMAGE", "--factor", "1e-30"], "--factor: "),
    ],
)
def test_what_cannot_be_written(
    words: list[str], said: str, image: Path, tmp_path: Path, capsys: Out
) -> None:
    """One error, and no file."""
    words = [str(image) if word == "IMAGE" else word for word in words]
    assert run(["image", *words, "-o", str(tmp_path / "out" / "i")]) in {1, 2}
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("words", [["synth", "analytics", "-o", ""], ["show", "IMAGE", "--report", ""]])
def test_an_output_without_a_name(words: list[str], image: Path, capsys: Out) -> None:
    """Nothing could be written beside it."""
    assert run(["image", *(str(image) if word == "IMAGE" else word for word in words)]) == 1
    assert ".: is not replaced; found a folder" in capsys.readouterr().err


def test_the_heap_that_a_namespace_needs(capsys: Out) -> None:
    """The law's answer with its interval, as text and as JSON."""
    assert run(["image", "heap", "--objects", "800M", "--blocks", "1"]) == 0
    text = capsys.readouterr()
    assert "400,000,000 blocks of" in text.out
    assert "times the largest namespace that was measured" in text.err
    assert run(["image", "heap", "--objects", "800M", "--blocks", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    low, high = told["interval_bytes"]
    assert 60e9 < low < told["heap_used_bytes"] < high < 300e9


@pytest.mark.parametrize(
    ("words", "place"),
    [(["800Q"], "--objects"), (["900G"], "--objects"), (["8M", "--blocks", "9"], "--blocks")],
)
def test_a_heap_outside_the_law(words: list[str], place: str, capsys: Out) -> None:
    """One line that names the option and what is allowed."""
    assert run(["image", "heap", "--objects", *words]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert place in err
