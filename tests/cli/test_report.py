"""`froude report` writes the page and its figures, or one clear error and nothing."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from froude.base.errors import InputError
from froude.cli.report import report
from froude.cli.settings import Settings
from froude.experiment.knee.file import write_knee
from froude.workload.scale import Count
from froude.workload.types import CallTemplate, Constant, NodeType, Recorded, Repeat, Workload
from froude.workload.yaml_file import write_workload
from tests.support.experiment.knees import two_plays


def run(folder: Path, *words: str, dry_run: bool = False, as_json: bool = False) -> str:
    """The command's output, in a workspace of its own; its errors are raised."""
    app = typer.Typer()
    app.command()(report)
    settings = Settings(workspace=folder, dry_run=dry_run, json=as_json)
    result = CliRunner().invoke(app, list(words), obj=settings, catch_exceptions=False, standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.output


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    """A workload of one looping client."""
    call = CallTemplate("c1", "p.ClientProtocol", "create", {"src": Constant("/a")})
    client = NodeType("client", Count(1), (Repeat("L1", Count(2), (call,)),))
    path = tmp_path / "workload.yaml"
    write_workload(path, Workload((client,), Recorded((), ())))
    return path


def test_workload(workload: Path, tmp_path: Path) -> None:
    """A workload becomes a page with its picture, and the same as JSON; --json says where they are."""
    output = tmp_path / "out" / "r.html"
    document = json.loads(run(tmp_path, str(workload), "-o", str(output), "--static", as_json=True))
    assert document == {"html": str(output), "json": str(output.with_suffix(".json"))}
    figures = json.loads(output.with_suffix(".json").read_text())
    assert figures["title"] == "Workload of 1 node type: 0 open questions"
    pattern = next(block for block in figures["sections"][0]["blocks"] if block["block"] == "pattern")
    assert [lane["name"] for lane in pattern["lanes"]] == ["client"]
    assert "create" in output.read_text()


def test_figures_leave_the_artifact_of_the_same_name(tmp_path: Path) -> None:
    """`knee.json` is shown in `knee.html`: the figures take another name, the second time too, and it is said."""
    artifact, page = tmp_path / "knee.json", tmp_path / "knee.html"
    write_knee(artifact, two_plays(), None)
    before = artifact.read_bytes()
    assert "knee.report.json" in run(tmp_path, str(artifact), "-o", str(page), dry_run=True)
    for _ in range(2):
        said = run(tmp_path, str(artifact), "-o", str(page), "--static")
        assert "knee.report.json" in said.replace("\n", "")
    assert artifact.read_bytes() == before
    assert json.loads((tmp_path / "knee.report.json").read_text())["title"].startswith("How far does")


def test_dry_run(workload: Path, tmp_path: Path) -> None:
    """Says what it would write, and writes nothing."""
    run(tmp_path, str(workload), "-o", str(tmp_path / "r.html"), dry_run=True)
    assert not (tmp_path / "r.html").exists()


def test_foreign_file(tmp_path: Path) -> None:
    """A file that is no artifact is a stated error that says what may be shown."""
    odd = tmp_path / "notes.txt"
    odd.write_text("hello")
    with pytest.raises(InputError, match=r"notes\.txt: cannot be shown.*workload"):
        run(tmp_path, str(odd), "-o", str(tmp_path / "r.html"))
    assert not (tmp_path / "r.html").exists()


def test_artifacts_of_one_name_are_told_apart(workload: Path, tmp_path: Path) -> None:
    """By what was typed; the page begins with the answer of what it shows."""
    other = tmp_path / "old" / workload.name
    other.parent.mkdir()
    other.write_bytes(workload.read_bytes())
    run(tmp_path, str(workload), str(other), "-o", str(tmp_path / "r.html"), "--static")
    figures = json.loads((tmp_path / "r.json").read_text())
    assert [section["title"] for section in figures["sections"]] == [
        f"The mined pattern: {workload}",
        f"The mined pattern: {other}",
    ]
    assert figures["lede"] == "**1 node type**, 1 call of the pattern; no open question."
