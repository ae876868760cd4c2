"""`froude provision`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.provision.inputs.read import read_parts
from froude.provision.inputs.yaml_form import MIGRATIONS
from froude.provision.plan_file import plan_json
from froude.workspace.document import open_document
from tests.provision.clusters import alternatives, paper_plan
from tests.provision.inputs.figure2 import APPLICATION, RESOURCES, SLA

pytest.importorskip("scipy")


def _files(folder: Path) -> list[str]:
    texts = {"hw.xml": RESOURCES, "app.xml": APPLICATION, "sla.xml": SLA}
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [str(folder / name) for name in texts]


def test_validate_the_papers_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing wrong, and what was found."""
    assert run(["provision", "validate", *_files(tmp_path)]) == 0
    assert "No errors; found resources, application, sla" in capsys.readouterr().out


def test_validate_tells_every_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each on a line of its own, as JSON too; ends with 3."""
    files = _files(tmp_path)
    Path(files[0]).write_text(RESOURCES.replace("8ms", "8").replace('price="85"', 'price="a"'))
    assert run(["provision", "validate", *files]) == 3
    assert len(capsys.readouterr().err.splitlines()) == 3
    assert run(["provision", "validate", *files, "--json"]) == 3
    found = json.loads(capsys.readouterr().out)["errors"]
    assert [int(error["place"]) for error in found] == [3, 3, 12]
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


def test_evaluate_a_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The paper's cluster meets its SLA; with three photo disks it misses it, and ends with 3."""
    plan = tmp_path / "plan.json"
    plan.write_text(plan_json(paper_plan()))
    command = ["provision", "evaluate", "photoshare-calibrated", "--cluster", str(plan)]
    page = tmp_path / "page.html"
    assert run([*command, "--report", str(page)]) == 0
    assert page.exists()
    assert "for $7,329.09" in capsys.readouterr().out
    plan.write_text(plan_json(alternatives()["Alt3"]))
    assert run([*command, "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["fraction"] == pytest.approx(3 / 3.0333, rel=1e-3)
    assert "photos" in found["limits"][0]["constraint"]


def test_wrong_numbers_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each flag with its range; an unknown name with the nearest."""
    for flag, value in (("--gap", "2"), ("--time-limit", "0"), ("--scale", "-1")):
        assert run(["provision", "compile", "photoshare-calibrated", flag, value]) == 1
        assert flag in capsys.readouterr().err
    assert run(["provision", "sweep", "terasort", "--from", "2", "--to", "1"]) == 1
    assert "is no range" in capsys.readouterr().err
    assert run(["provision", "validate", "photoshare"]) == 3
    assert "photoshare" in capsys.readouterr().err


def test_two_outputs_in_one_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A plan where the bill goes, or the page's figures, is refused; a page may have the plan's name."""
    plan, page = tmp_path / "a.json", tmp_path / "a.html"
    command = ["provision", "compile", "photoshare-calibrated", "-o", str(plan)]
    assert run([*command, "--bill", str(plan)]) == 1
    assert "is the place of two outputs" in capsys.readouterr().err
    figures = str(tmp_path / "a.figures.json")
    assert run(["provision", "compile", "photoshare-calibrated", "-o", figures, "--report", str(page)]) == 1
    assert not plan.exists()
    pytest.importorskip("highspy")
    assert run([*command, "--report", str(page)]) == 0
    assert json.loads(plan.read_text())["froude"] == "cluster/2"
    assert Path(figures).exists()


def test_compile_and_sweep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Plan, bill and pages; an SLA that no stock of servers meets ends with 3 and names what is short."""
    pytest.importorskip("highspy")
    plan, bill, page = (str(tmp_path / name) for name in ("plan.json", "bill.csv", "page.html"))
    command = ["provision", "compile", "photoshare-calibrated", "-o", plan]
    assert run([*command, "--bill", bill, "--report", page]) == 0
    assert "$7,329.09, proved" in capsys.readouterr().out
    assert Path(bill).read_text().splitlines()[-1] == "total,,,,,,7329.09"
    assert run(["provision", "evaluate", "photoshare-calibrated", "--cluster", plan]) == 0
    text = Path(files := str(tmp_path / "few.yaml"))
    assert run(["provision", "convert", "photoshare-calibrated", "-o", files]) == 0
    text.write_text(text.read_text().replace("cpus: 4", "cpus: 4\n      max_count: 2"))
    capsys.readouterr()
    assert run(["provision", "compile", files, "-o", plan, "--report", page, "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert found["status"] == "infeasible"
    assert "Server1" in found["conflict"][0]["text"]
    sweep = ["provision", "sweep", "photoshare-calibrated", "--points", "2", "--to", "1"]
    assert run([*sweep, "-o", str(tmp_path / "sweep.json"), "--report", page]) == 0
    points = json.loads((tmp_path / "sweep.json").read_text())["points"]
    assert [point["factor"] for point in points] == [0.1, 1.0]
    assert set(points[0]["baselines"]) == {"7.2KDisk", "15KDisk", "SSD"}


def test_a_missing_part_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """A catalog alone cannot be compiled."""
    assert run(["provision", "compile", "paper2012"]) == 1
    assert "application is missing" in capsys.readouterr().err
