"""`froude provision check | convert`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.cli.provision import inputs
from froude.documents.lineage import open_document
from froude.provision.inputs.read import Parts, read_parts
from froude.provision.inputs.yaml_form import MIGRATIONS
from tests.support.provision.inputs.figure2 import APPLICATION, RESOURCES, SLA

pytest.importorskip("scipy")


def _files(folder: Path) -> list[str]:
    texts = {"hw.xml": RESOURCES, "app.xml": APPLICATION, "sla.xml": SLA}
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [str(folder / name) for name in texts]


def test_check_the_papers_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing wrong, and what was found."""
    assert run(["provision", "check", *_files(tmp_path)]) == 0
    assert "No errors; found resources, application, sla" in capsys.readouterr().out


def test_check_tells_every_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each on a line of its own, as JSON too; ends with 3."""
    files = _files(tmp_path)
    Path(files[0]).write_text(RESOURCES.replace("8ms", "8").replace('price="85"', 'price="a"'))
    assert run(["provision", "check", *files]) == 3
    assert len(capsys.readouterr().err.splitlines()) == 3
    assert run(["provision", "check", *files, "--json"]) == 3
    document = json.loads(capsys.readouterr().out)["errors"]
    assert [int(error["place"]) for error in document] == [3, 3, 12]
    assert run(["provision", "compile", *files, "-o", str(tmp_path / "plan.json")]) == 1
    assert not (tmp_path / "plan.json").exists()


def test_convert_there_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three XML files to one YAML file to one XML file, which is the same again."""
    there, back, again = (str(tmp_path / name) for name in ("a.yaml", "b.xml", "c.yaml"))
    assert run(["provision", "convert", *_files(tmp_path), "-o", there]) == 0
    assert run(["provision", "convert", there, "-o", back]) == 0
    assert run(["provision", "convert", back, "-o", again]) == 0
    assert read_parts([there]) == read_parts([again])
    lineages = [open_document(Path(file), MIGRATIONS).check() for file in (there, again)]
    assert lineages[0].content_hash == lineages[1].content_hash
    assert [len(lineage.inputs) for lineage in lineages] == [3, 1]
    assert run(["provision", "convert", there, "-o", str(tmp_path / "d.txt")]) == 1
    assert "has no suffix" in capsys.readouterr().err


def test_a_name_that_is_not_shipped(capsys: pytest.CaptureFixture[str]) -> None:
    """Is named."""
    assert run(["provision", "check", "photoshare"]) == 3
    assert "photoshare" in capsys.readouterr().err


def test_check_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """What was found, with nothing wrong."""
    assert run(["provision", "check", "paper2012", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"errors": [], "warnings": [], "found": ["resources"]}


def test_what_is_rarely_meant_is_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is no error: ends with 0, the notes on stderr."""
    files = _files(tmp_path)
    assert run(["provision", "check", *files]) == 0
    notes = capsys.readouterr().err
    assert all(line.startswith("note: ") for line in notes.splitlines())
    assert [f"note: {warning}" for warning in inputs._warnings(read_parts(files))] == notes.splitlines()


def test_the_notes() -> None:
    """No headroom for storage; storage servers that need no core; neither of a catalog alone."""
    parts = read_parts(["photoshare-calibrated"])
    assert parts.application is not None
    hosts = replace(parts.application, host_cores=1)
    none = replace(parts.application, host_cores=0)
    local = replace(none, datasets=tuple(replace(each, remote=False) for each in none.datasets))
    options = replace(parts.options, peak_utilization=1.0)
    careful = replace(options, peak_utilization=0.8)

    def words(**changes: object) -> list[str]:
        return [warning.split(":")[0] for warning in inputs._warnings(replace(parts, **changes))]  # type: ignore[arg-type]

    assert words(application=hosts, options=careful) == []
    assert words(application=local, options=careful) == []
    assert words(application=none, options=careful) == ["no host element"]
    assert words(application=hosts, options=options) == ["peak_utilization is 1"]
    assert inputs._warnings(Parts(parts.catalog, options=options)) == []


def test_the_form_by_flag_or_by_suffix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The flag counts for more."""
    for name, flags, start in (
        ("a.yml", (), "froude: provision/"),
        ("b.dat", ("--form", "xml"), "<provision"),
        ("c.yaml", ("--form", "xml"), "<provision"),
    ):
        place = tmp_path / name
        assert run(["provision", "convert", "paper2012", "-o", str(place), *flags, "--json"]) == 0
        assert start in place.read_text()
        assert json.loads(capsys.readouterr().out)["output"] == str(place)


def test_what_is_flawed_is_not_converted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """1, with every error; nothing is written, on a dry run as well."""
    files = _files(tmp_path)
    there = tmp_path / "a.yaml"
    assert run(["provision", "convert", *files, "-o", str(there), "--dry-run"]) == 0
    assert f"Would write {there}" in capsys.readouterr().out.replace("\n", "")
    Path(files[0]).write_text(RESOURCES.replace("8ms", "8"))
    assert run(["provision", "convert", *files, "-o", str(there)]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert not there.exists()
