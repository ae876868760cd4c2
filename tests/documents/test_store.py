"""Workspaces."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.documents.artifact import Origin, State
from froude.documents.store import MARKER, Workspace, check_name, read_artifact
from froude.trace.files import write_trace
from froude.workload.yaml_file import write_workload
from testbed.plans import workload
from tests.support.old_forms import OLD
from tests.support.trace.making import small_trace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """With two traces and a workload."""
    ws = Workspace(tmp_path / "w")
    write_trace(ws.new("trace"), small_trace(1), Origin(tags=("base",)))
    write_trace(ws.new("trace"), small_trace(2))
    origin = Origin("froude mine", ("ab" * 32,), tags=("base",))
    write_workload(ws.new("workload", "job", ".yaml"), workload(), origin)
    return ws


def test_a_workspace_is_made_for_its_owner(tmp_path: Path) -> None:
    """A folder with a marker, opened again as it is."""
    ws = Workspace(tmp_path / "w")
    assert stat.S_IMODE(ws.folder.stat().st_mode) == 0o700
    before = (ws.folder / MARKER).read_text()
    assert Workspace(tmp_path / "w").folder == ws.folder
    assert (ws.folder / MARKER).read_text() == before
    assert ws.artifacts() == []


def test_artifacts_are_listed_by_kind_and_tag(workspace: Workspace) -> None:
    """With their lineage, from within or from beside."""
    assert [a.name for a in workspace.artifacts()] == ["trace-1", "trace-2", "job"]
    assert [a.kind for a in workspace.artifacts(tag="base")] == ["trace", "workload"]
    assert [p.name for p in workspace.traces(tag="base")] == ["trace-1"]
    assert workspace.runs() == []


def test_artifacts_are_found_by_name_id_and_path(workspace: Workspace) -> None:
    """One or an error that lists what is there."""
    artifact = workspace.find("trace-2")
    assert workspace.find(artifact.id).path == workspace.find(str(artifact.path)).path == artifact.path
    with pytest.raises(InputError, match="allowed: trace-1, trace-2, job"):
        workspace.find("nothing")


def test_names_are_free_and_plain(workspace: Workspace) -> None:
    """Numbers go on; taken and odd names are refused."""
    assert workspace.new("trace").name == "trace-3"
    with pytest.raises(InputError, match="trace-1: "):
        workspace.new("trace", "trace-1")
    for odd in ("../x", ".hidden", "a/b", ""):
        with pytest.raises(InputError) as caught:
            workspace.new("trace", odd)
        assert caught.value.found == odd
    with pytest.raises(ValueError, match="kind must be"):
        workspace.new("song")


def test_unfinished_and_foreign_things_are_no_artifacts(workspace: Workspace) -> None:
    """A recording that runs or broke off, a file without lineage."""
    place = workspace.folder / "traces"
    (place / "trace-9.partial").mkdir()
    (place / "notes.txt").write_text("x")
    assert len(workspace.traces()) == 2


def test_folders_that_are_something_else(tmp_path: Path) -> None:
    """A full folder is not taken over; a file is none; a newer marker is refused."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="not a workspace and not empty"):
        Workspace(tmp_path)
    with pytest.raises(InputError, match="is a file"):
        Workspace(tmp_path / "file")
    for text, message in (("format = 99", "another Froude"), ("[", "not readable TOML")):
        (tmp_path / MARKER).write_text(text)
        with pytest.raises(InputError, match=message):
            Workspace(tmp_path)


def test_the_workspace_around_a_folder(workspace: Workspace) -> None:
    """Found from any depth."""
    inner = workspace.folder / "traces"
    around = Workspace.around(inner)
    assert around is not None
    assert around.folder == workspace.folder


def test_a_folder_of_ones_own_becomes_a_workspace(tmp_path: Path) -> None:
    """With all it holds; one that lies in a workspace stays its part."""
    (tmp_path / "job.sh").touch()
    mode = tmp_path.stat().st_mode
    begun = Workspace.begin(tmp_path)
    assert begun.folder == tmp_path
    assert sorted(path.name for path in tmp_path.iterdir()) == [MARKER, "job.sh"]
    assert tmp_path.stat().st_mode == mode
    assert Workspace.begin(tmp_path / "traces").folder == tmp_path
    assert Workspace(tmp_path).artifacts() == []


def test_what_is_discarded_leaves_its_name_free(workspace: Workspace) -> None:
    """Twice is harmless."""
    path = workspace.folder / "traces" / "trace-1"
    for _ in range(2):
        workspace.discard(path)
        assert not path.exists()
    assert workspace.new("trace") == path
    assert workspace.place("trace") == path.parent


def test_a_damaged_lineage_is_named(workspace: Workspace) -> None:
    """The file is in the error."""
    file = workspace.folder / "traces" / "trace-1" / "meta.yaml"
    file.write_text("lineage: {kind: trace}\n")
    with pytest.raises(InputError, match=r"meta\.yaml:1: lineage: format "):
        workspace.artifacts()


def test_what_did_not_end_well_is_left_out_unless_asked(workspace: Workspace) -> None:
    """A failed recording is kept, found by name, and no input by mistake."""
    for state in (State.FAILED, State.INTERRUPTED):
        write_trace(workspace.new("trace", state.value), small_trace(), Origin(state=state))
    assert [path.name for path in workspace.traces()] == ["trace-1", "trace-2"]
    assert len(workspace.traces(incomplete=True)) == 4
    assert workspace.find("failed").lineage.state is State.FAILED


def test_a_workspace_of_before_lineage_stood_inside(tmp_path: Path) -> None:
    """What lies beside an artifact is read still."""
    shutil.copytree(OLD / "workspace", tmp_path / "w")
    old = Workspace(tmp_path / "w")
    assert [(a.kind, a.name) for a in old.artifacts()] == [
        ("workload", "job"),
        ("plan", "big"),
        ("trace", "small"),
    ]
    assert old.find("job").tags == {"base"}
    assert read_artifact(OLD / "report.html") is None


def test_a_link_to_nothing_takes_a_place(tmp_path: Path) -> None:
    """What is written there would come into being elsewhere."""
    workspace = Workspace(tmp_path / "w")
    (workspace.new("trace", "a")).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="found a link"):
        workspace.new("trace", "a")


@pytest.mark.parametrize("name", ["../x", "a\n", "x" * 102, "", "-x", "a\u202eb"])
def test_what_is_no_name_for_an_artifact(name: str) -> None:
    """It would leave the folder, steer a terminal, or be too long for a file."""
    with pytest.raises(InputError, match="is no name for a plan"):
        check_name(name, "plan")
    check_name("x" * 101, "plan")
