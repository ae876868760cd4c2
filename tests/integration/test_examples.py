"""The examples that start daemons: README, tutorial and how-to's, each block as it stands, in the order of the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.documents.store import Workspace
from froude.emulation.run.files import read_run, write_run
from froude.experiment.knee.file import write_knee
from froude.trace.files import write_trace
from froude.workload.yaml_file import write_workload
from testbed.pages import page_blocks, run_shell
from tests.support.cli.command_lines import ORIGIN
from tests.support.cli.command_lines import recorded as a_workload
from tests.support.documented import blocks, help_examples
from tests.support.experiment.knees import two_plays
from tests.support.integration.examples import BY_HAND, CI, DOWN, IN_HELP, PAGES, SCALE, TUTORIAL
from tests.support.old_forms import run as a_run
from tests.support.trace.making import small_trace

pytestmark = pytest.mark.integration

RECORD, MINE, PLAY = page_blocks("README.md")[1:4]
"""README's chain for a job of one's own; the how-to begins and ends with the same blocks."""


def _run(text: str, folder: Path) -> str:
    """Run a block; a cluster that it left running is ended."""
    done = run_shell(text, folder)
    if done.returncode:
        run_shell("froude hadoop down", folder)
    assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory, hadoop: object) -> Path:
    """README's chain for a job of one's own was run here."""
    del hadoop
    folder = tmp_path_factory.mktemp("own-job")
    said = _run(RECORD, folder)
    assert "rose together" not in said
    assert "Mine them: froude mine trace-1 trace-2 trace-3 trace-4" in said
    said = _run(f"{MINE}{PLAY}", folder)
    assert "The target counted every call once." in said
    assert (folder / "report.html").is_file()
    return folder


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_number_for_a_job_of_ones_own(chain: Path) -> None:
    """From a script to a report, by the commands of README; then what the how-to has besides: a check, a larger plan."""
    for text in page_blocks(SCALE):
        if text not in {RECORD, PLAY} and "froude knee" not in text:
            said = _run(text, chain)
            assert "trace diff" not in text or "put" in said
    assert "100  datanode" in said


def test_a_job_in_ci(tmp_path: Path, hadoop: object) -> None:
    """Where only the workload is kept: no address and no id is typed, and every call is counted once."""
    del hadoop
    write_workload(tmp_path / "workload.yaml", a_workload(), ORIGIN)
    text, *_ = page_blocks(CI)
    _run(text, tmp_path)
    assert (tmp_path / "report.html").is_file()
    assert not (tmp_path / "hadoop").exists()
    document = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (document["failure"], document["counted_differently"], document["calls_left_out"]) == (None, 0, 0)
    assert {row["method"]: row["answered"] for row in document["methods"]}["create"] == 20 * 8


@pytest.mark.long
def test_an_experiment_that_was_written_down(tmp_path: Path, hadoop: object) -> None:
    """A new scenario as it stands, on a NameNode that is started for it; the Run's own plays it again."""
    del hadoop
    write_workload(tmp_path / "workload.yaml", a_workload(), ORIGIN)
    for text in page_blocks(DOWN):
        _run(text, tmp_path)
    runs = [json.loads((tmp_path / name / "run.json").read_text()) for name in ("run", "again")]
    for document in runs:
        assert (document["failure"], document["counted_differently"], document["calls_left_out"]) == (
            None,
            0,
            0,
        )
    assert [row["answered"] for row in runs[0]["methods"] if row["method"] == "create"] == [20 * 8]
    assert "plan: ../plan\n" in (tmp_path / "run" / "scenario.yaml").read_text()
    assert read_run(tmp_path / "again").seed == 0


@pytest.mark.long
def test_the_tutorial_in_a_folder_as_the_demo_leaves_it(tmp_path: Path, hadoop: object) -> None:
    """By the names that its artifacts have there; a small workload of the same variables stands for the demo's."""
    del hadoop
    demo = Workspace(tmp_path / "froude-demo")
    write_trace(demo.new("trace"), small_trace(), ORIGIN)
    write_workload(demo.new("workload", suffix=".yaml"), a_workload(), ORIGIN)
    write_run(demo.new("run"), a_run(), ORIGIN)
    write_knee(demo.new("knee", suffix=".json"), two_plays(), ORIGIN)
    _, _, look, go_on = page_blocks(TUTORIAL)
    _run(f"{look}{go_on}", tmp_path)
    assert (demo.folder / "run-400" / "run.json").is_file()


SMALLER = {"((2, 5), (3, 12), (4, 8))": "((1, 5), (2, 12), (3, 8))", 'heap="1 GB"': 'heap="1 GB", fast=True'}
"""Parts of README's example, and what is quicker: three DataNodes less, and a NameNode that starts quickly."""


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "edits", [SMALLER, pytest.param({}, marks=pytest.mark.long)], ids=["smaller", "whole"]
)
def test_the_chain_in_python(
    edits: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hadoop: object
) -> None:
    """README's example, as it stands in `make test-all`."""
    del hadoop
    monkeypatch.chdir(tmp_path)
    (text,) = (block.text for block in blocks("python") if "Hadoop.find()" in block.text)
    for before, after in edits.items():
        assert before in text
        text = text.replace(before, after)
    names: dict[str, object] = {"__name__": "example"}
    exec(compile(text, "example", "exec"), names)
    run, plan = names["run"], names["plan"]
    assert not run.failure  # type: ignore[attr-defined]
    assert not run.errors  # type: ignore[attr-defined]
    assert run.counts["create"] == (40, 40)  # type: ignore[attr-defined]
    assert plan.counts["datanode"] == 50  # type: ignore[attr-defined]
    assert (tmp_path / "scaling" / "report.html").read_text().startswith("<!")
    assert [path.name for path in tmp_path.iterdir()] == ["scaling"]


def test_help_has_the_examples_of_the_pages() -> None:
    """Those of commands that start daemons, so that they are run here."""
    lines = {
        line.partition("  #")[0].strip()
        for page in PAGES
        for t in page_blocks(page)
        for line in t.splitlines()
    }
    examples = help_examples()
    assert {name: examples[name] for name in IN_HELP if examples[name] not in lines} == {}
    assert examples.keys() >= BY_HAND.keys()
