"""`froude provision compile | evaluate`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.provision.inputs.plan_file import plan_json
from froude.provision.search import compile as module
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from tests.support.provision.clusters import alternatives, paper_plan

pytest.importorskip("scipy")


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
    document = json.loads(capsys.readouterr().out)
    assert document["fraction"] == pytest.approx(3 / 3.0333, rel=1e-3)
    assert "photos" in document["limits"][0]["constraint"]


def test_two_outputs_in_one_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan where the bill goes, or the page's figures, is refused; a page may have the plan's name."""
    plan, page = tmp_path / "a.json", tmp_path / "a.html"
    command = ["provision", "compile", "photoshare-calibrated", "-o", str(plan)]
    assert run([*command, "--bill", str(plan)]) == 1
    assert "a.json: " in capsys.readouterr().err
    figures = str(tmp_path / "a.figures.json")
    assert run(["provision", "compile", "photoshare-calibrated", "-o", figures, "--report", str(page)]) == 1
    assert not plan.exists()
    monkeypatch.setattr(module, "compile_plan", lambda *_: paper_plan())
    assert run([*command, "--report", str(page)]) == 0
    assert json.loads(plan.read_text())["froude"] == "cluster/2"
    assert Path(figures).exists()


def test_compile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    document = json.loads(capsys.readouterr().out)
    assert document["status"] == "infeasible"
    assert "Server1" in document["conflict"][0]["text"]


def test_a_missing_part_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """A catalog alone cannot be compiled."""
    assert run(["provision", "compile", "paper2012"]) == 1
    assert "application is missing" in capsys.readouterr().err


NONE = ProvisionPlan(Status.INFEASIBLE, conflict=(Conflict("slots of SAS", 5, 4), Conflict("network")))


def test_a_dry_run_says_what_it_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And leaves nothing behind; it ends as the run would."""
    monkeypatch.setattr(module, "compile_plan", lambda *_: NONE)
    place = tmp_path / "out.json"
    words = ["provision", "compile", "photoshare-calibrated", "-o", str(place), "--dry-run", "--json"]
    assert run(words) == 3
    document = json.loads(capsys.readouterr().out)
    assert document["would"] == f"write {place}"
    assert document["plan"]["status"] == "infeasible"
    assert list(tmp_path.iterdir()) == []


def test_what_a_plan_leaves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a plan from a file, and of the cheapest."""
    plan, out = tmp_path / "plan.json", tmp_path / "out.json"
    plan.write_text(plan_json(paper_plan()))
    command = ["provision", "evaluate", "photoshare-calibrated"]
    assert run([*command, "--cluster", str(plan), "-o", str(out)]) == 0
    document = json.loads(out.read_text())
    assert (document["froude"], len(document["groups"])) == ("evaluation/1", 3)
    assert "time of 15KDisk (photos)" in capsys.readouterr().out
    assert run([*command, "--scale", "0.01"]) == 0


def test_nothing_is_left_of_no_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """3, and nothing is written."""
    monkeypatch.setattr(module, "compile_plan", lambda *_: NONE)
    words = ["provision", "evaluate", "photoshare-calibrated", "-o", str(tmp_path / "out.json")]
    assert run(words) == 3
    assert "1 of 1 not proved: infeasible" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_evaluate_as_a_dry_run_writes_no_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the cluster reaches is said all the same."""
    plan, page = tmp_path / "plan.json", tmp_path / "page.html"
    plan.write_text(plan_json(paper_plan()))
    command = ["provision", "evaluate", "photoshare-calibrated", "--cluster", str(plan)]
    assert run([*command, "--report", str(page), "--dry-run"]) == 0
    assert "105.3% of the SLA, for $7,329.09; bottleneck: instances of photoview" in capsys.readouterr().out
    assert not page.exists()


def test_a_batch_job_is_not_evaluated_without_its_split(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody knows then how long each phase may take; the cluster's file is where it is missing."""
    inputs, cluster = tmp_path / "terasort.yaml", tmp_path / "cluster.yaml"
    assert run(["provision", "convert", "terasort", "-o", str(inputs)]) == 0
    shares = "  split:\n    - phase: map\n      share: 0.5\n    - phase: reduce\n      share: 0.5\n"
    bare = re.sub(" +#.*", "", inputs.read_text())
    assert shares in bare
    inputs.write_text(bare.replace(shares, ""))
    names = {"local": ("input", "output", "intermediate")}
    parts = [
        f"{kind}: [{', '.join(f'{{dataset: {name}, unit: 7.2KDisk, units: 1}}' for name in datasets)}]"
        for kind, datasets in names.items()
    ]
    cluster.write_text(f"froude: cluster/2\ngroups:\n  - {{server: Server1, count: 9, {', '.join(parts)}}}\n")
    capsys.readouterr()
    assert run(["provision", "evaluate", str(inputs), "--cluster", str(cluster)]) == 1
    assert "cluster.yaml: split is missing" in capsys.readouterr().err
