"""The workspace as Python users see it."""

from pathlib import Path
from typing import Self, get_type_hints

from froude.documents.artifact import Origin, State
from froude.emulation.run.files import write_run
from froude.experiment.session import Hadoop, Workload, Workspace
from froude.trace.files import write_trace
from tests.support import old_forms
from tests.support.experiment.figures.workload import WORKLOAD
from tests.support.trace.making import small_trace


def test_a_new_workspace_is_empty_and_reports_what_it_is_given(tmp_path: Path) -> None:
    """Nothing is there at first; a page of a workload is one self-contained file with its figures beside."""
    ws = Workspace(tmp_path / "ws")
    assert ws.traces() == []
    assert ws.runs() == []
    page = ws.report(WORKLOAD, title="One").save(tmp_path / "page.html", interactive=False)
    assert "<title>One" in page.read_text()
    assert page.with_suffix(".json").is_file()


def test_what_did_not_end_well_is_left_out_unless_asked(tmp_path: Path) -> None:
    """Of traces and of runs."""
    ws = Workspace(tmp_path / "ws")
    write_trace(ws.store.new("trace"), small_trace(), Origin(state=State.FAILED))
    write_trace(ws.store.new("trace"), small_trace())
    write_run(ws.store.new("run"), old_forms.run())
    assert (len(ws.traces()), len(ws.traces(incomplete=True))) == (1, 2)
    assert (len(ws.runs()), len(ws.runs(incomplete=True))) == (0, 1)
    assert ws.runs(incomplete=True)[0].interrupted


def test_a_hadoop_that_is_found_is_of_the_class_that_was_asked() -> None:
    """For type checkers too: `fr.Hadoop.find().namenode()` is known to be there."""
    assert get_type_hints(Hadoop.find)["return"] is Self


def test_workloads_become_one() -> None:
    """With the methods of a workload, and the names that they were given."""
    mixed = Workload.mixed({"a": WORKLOAD, "b": WORKLOAD})
    assert isinstance(mixed, Workload)
    assert {name.split("_")[0] for name in (each.name for each in mixed.node_types)} >= {"a", "b"}
