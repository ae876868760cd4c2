"""The workspace as Python users see it."""

from pathlib import Path

from froude.experiment.session import Workspace
from tests.experiment.figures.test_workload import WORKLOAD


def test_a_new_workspace_is_empty_and_reports_what_it_is_given(tmp_path: Path) -> None:
    """Nothing is there at first; a page of a workload is one self-contained file with its figures beside."""
    ws = Workspace(tmp_path / "ws")
    assert ws.traces() == []
    assert ws.runs() == []
    page = ws.report(WORKLOAD, title="One").save(tmp_path / "page.html", interactive=False)
    assert "<title>One" in page.read_text()
    assert page.with_suffix(".json").is_file()
