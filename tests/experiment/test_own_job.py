"""A command as a job: its placeholders, its Scales, and what stays of runs; recordings are stood in for."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from froude.base.errors import InputError, TargetError
from froude.base.progress import Silent
from froude.documents.artifact import Origin, State
from froude.documents.store import Workspace
from froude.experiment import own_job
from froude.experiment.own_job import (
    OwnJob,
    claim_places,
    command_line,
    failed_output,
    is_check,
    output_of,
    record_runs,
    recorded_before,
    typed,
    variation_lines,
)
from froude.trace.files import write_trace
from froude.workload.scale import Scale
from tests.support.trace.making import small_trace

JOB = OwnJob(("./job.sh", "{files}", "a b"))


def test_placeholders_become_values() -> None:
    """Of the Scale's variables only, and in base units, which a program reads without knowing ours."""
    job = OwnJob(("x", "{files}-{datanodes}", "{size}", "{wait}", "${files}", "{other}", "{1..3}"))
    scale = Scale.of(datanodes=3, files=10, size="2 kB", wait="1500 ms")
    assert job.at(scale) == ["x", "10-3", "2000", "1.5", "${files}", "{other}", "{1..3}"]
    assert job.unused(scale) == []
    assert JOB.unused(Scale.of(datanodes=3, files=1, size=2)) == ["size"]
    assert (JOB.name, OwnJob(("/opt/x/load.py",)).name) == ("job", "load")


def test_the_program_is_run_where_its_output_is_kept() -> None:
    """Beside the Trace that is being recorded."""
    asked: list[Any] = []
    recording: Any = SimpleNamespace(
        trace=Path("/w/traces/trace-7"), run=lambda words, **options: asked.append((words, options))
    )
    replace(JOB, timeout_s=5.0).run(recording, Scale.of(files=4), Path("/unused"))
    output = Path("/w/traces/trace-7.out")
    assert asked == [(["./job.sh", "4", "a b"], {"output": output, "timeout_s": 5.0})]


def test_the_command_line_of_a_run() -> None:
    """As a shell reads it again: a value that all runs share is written once, without the space of its unit."""
    scales = [Scale.of(datanodes=2, size="1 MB"), Scale.of(datanodes=2, size="2 MB")]
    assert typed(JOB, scales, ["--workspace", "w x"]) == (
        "froude record --datanodes 2 --scale size=1MB,2MB --workspace 'w x' -- ./job.sh {files} 'a b'"
    )
    assert command_line(["{a,b}", "a,b", "$x", ""]) == "'{a,b}' a,b '$x' ''"


def test_what_cannot_be_told_apart_is_said_with_the_next_run() -> None:
    """As a command to copy."""
    scales = [Scale.of(datanodes=n, files=f, size=1) for n, f in ((2, 10), (3, 15), (4, 20))]
    assert variation_lines(JOB, scales) == [
        "size was 1 in every run: nothing can be said of it at another value",
        "datanodes and files rose together: what follows one cannot be told from what follows the other",
        "One more small run separates them:",
        "  froude record --datanodes 3 --scale files=10 --scale size=1 -- ./job.sh {files} 'a b'",
    ]
    assert variation_lines(JOB, [Scale.of(datanodes=1), Scale.of(datanodes=2)]) == []


def test_three_variables_in_three_runs_are_one_too_few() -> None:
    """Said with the run that is missing, though no two rose together."""
    sizes = ((2, 30, 12), (3, 10, 11), (4, 20, 19))
    lines = variation_lines(JOB, [Scale.of(datanodes=n, files=f, size=s) for n, f, s in sizes])
    assert lines[0].startswith("datanodes, files, size varied in 3 runs that tell 2 of them apart")
    assert lines[1] == "One more small run separates them:"
    assert lines[2].startswith("  froude record --datanodes")


def test_a_name_that_is_no_variable_is_refused() -> None:
    """The command would see the braces; two of them stay as one."""
    scale = Scale.of(datanodes=3, files=10)
    job = OwnJob(("awk", "{{print}} {files}", "${HOME}"))
    job.check(scale)
    assert job.at(scale) == ["awk", "{print} 10", "${HOME}"]
    with pytest.raises(
        InputError, match=r"found \{parts\}; allowed: \{datanodes\}, \{files\}.*\{\{parts\}\}"
    ):
        OwnJob(("./job.sh", "{parts}", "{files}")).check(scale)


@pytest.mark.parametrize(
    ("name", "checks"),
    [("check", True), ("check-2", True), ("held-out", True), ("trace-1", False), ("testbed", False)],
)
def test_a_trace_may_be_named_as_a_check(name: str, *, checks: bool) -> None:
    """It is kept apart from those that are mined."""
    assert is_check(name) is checks


def test_sizes_of_one_digit_hide_the_order_of_names() -> None:
    """Up to nine files, the order of text is that of numbers: a run with more is proposed, on the fewest nodes."""
    scales = [Scale.of(datanodes=n, files=f) for n, f in ((2, 4), (3, 9), (4, 6))]
    assert variation_lines(JOB, scales) == [
        "files stayed below 10: names in the order of text (part-10 before part-2) look like numbers there",
        "  froude record --datanodes 2 --scale files=12 -- ./job.sh {files} 'a b'",
    ]
    assert variation_lines(JOB, [*scales, Scale.of(datanodes=2, files=12)]) == []
    assert (
        variation_lines(JOB, [Scale.of(datanodes=n, size=f"{s} MB") for n, s in ((2, 4), (3, 9), (4, 6))])
        == []
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty one."""
    return Workspace(tmp_path / "w")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What was asked of each run; one of three files fails, one of four is interrupted."""
    asked: list[dict[str, Any]] = []

    def record_job(job: OwnJob, scale: Scale, workspace: Workspace, *_: object, **options: Any) -> Any:
        asked.append({"scale": scale, **options})
        path = workspace.new("trace", options["name"])
        output_of(path).write_text(f"files {scale['files']}\n")
        trace = small_trace()
        meta = replace(trace.meta, scale=dict(scale), notes=options["notes"])
        state = State.FAILED if scale["files"].value in (3, 4) else State.COMPLETE
        write_trace(path, replace(trace, meta=meta), Origin("x", state=state, tags=(job.name,)))
        if scale["files"].value == 3:
            raise InputError("failed with exit code 1", file="./job.sh")
        if scale["files"].value == 4:
            raise KeyboardInterrupt
        return SimpleNamespace(path=path)

    monkeypatch.setattr(own_job, "record_job", record_job)
    return asked


def recorded(workspace: Workspace, *files: int, **options: Any) -> Iterator[Any]:
    """Runs with so many files."""
    hadoop: Any = SimpleNamespace()
    scales = [Scale.of(datanodes=2, files=number) for number in files]
    return record_runs(JOB, scales, workspace, hadoop, progress=Silent(), **options)


def test_each_run_is_named_and_noted(workspace: Workspace, asked: list[dict[str, Any]]) -> None:
    """By numbers, or by the name that was given; what was recorded of the same command is found again."""
    assert [each.path.name for each in recorded(workspace, 1, 2, command="froude x")] == [
        "trace-1",
        "trace-2",
    ]
    assert [each.path.name for each in recorded(workspace, 1, 2, name="small")] == ["small-1", "small-2"]
    assert [each.path.name for each in recorded(workspace, 5, name="large")] == ["large"]
    assert len({each["aged"] for each in asked}) == 5
    list(recorded(workspace, 6, seed=None))
    assert asked.pop()["aged"] is False
    assert (asked[0]["command"], asked[0]["notes"]) == ("froude x", {"job": "./job.sh {files} 'a b'"})
    scales = {name: scale["files"].value for name, scale in recorded_before(workspace, JOB).items()}
    assert scales == {"trace-1": 1, "trace-2": 2, "small-1": 1, "small-2": 2, "large": 5, "trace-3": 6}
    assert recorded_before(workspace, OwnJob(("./job.sh",))) == {}
    count = len(asked)
    with pytest.raises(InputError, match="small-2: "):
        list(recorded(Workspace(_without(workspace, "small-1")), 1, 2, name="small"))
    assert len(asked) == count


def _without(workspace: Workspace, name: str) -> Path:
    """The workspace's folder, after this Trace is gone with its output."""
    output_of(workspace.place("trace") / name).unlink()
    workspace.discard(workspace.place("trace") / name)
    return workspace.folder


@pytest.mark.parametrize(("files", "error"), [(3, InputError), (4, KeyboardInterrupt)])
def test_of_a_run_that_failed_only_its_output_is_kept(
    workspace: Workspace, asked: list[dict[str, Any]], files: int, error: type[BaseException]
) -> None:
    """Under a name of its own, so that the next run takes the number; whole runs before it stay."""
    runs = recorded(workspace, 1, files, 2)
    next(runs)
    with pytest.raises(error):
        next(runs)
    place = workspace.place("trace")
    assert sorted(path.name for path in place.iterdir()) == ["failed.out", "trace-1", "trace-1.out"]
    assert failed_output(workspace).read_text() == f"files {files}\n"
    assert len(asked) == 2
    assert [each.path.name for each in recorded(workspace, 7)] == ["trace-2"]
    assert not failed_output(workspace).exists()


def take(place: Path, kind: str) -> None:
    """Put something of the user's at a place."""
    if kind == "a link":
        place.symlink_to("../../precious")
    elif kind == "a folder":
        place.mkdir()
    elif kind == "a named pipe":
        os.mkfifo(place)
    else:
        place.write_text("mine")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(
            (name, kind)
            for name in ("gg.out", "failed.out")
            for kind in ("a link", "a folder", "a named pipe")
        ),
        ("gg.out", "a file"),
        ("gg", "a link"),
        ("gg.partial", "a folder"),
    ],
)
def test_what_stands_at_an_outputs_place_is_left_alone(
    workspace: Workspace, asked: list[dict[str, Any]], tmp_path: Path, name: str, kind: str
) -> None:
    """Refused before anything is started: nothing is written through a link, replaced or removed."""
    (tmp_path / "precious").write_text("PRECIOUS")
    place = workspace.place("trace") / name
    place.parent.mkdir()
    take(place, kind)
    before = place.lstat()
    with pytest.raises(InputError) as caught:
        list(recorded(workspace, 1, name="gg"))
    assert caught.value.file == str(place)
    assert (place.lstat().st_ino, place.lstat().st_mode) == (before.st_ino, before.st_mode)
    assert [each.name for each in place.parent.iterdir()] == [name]
    assert (tmp_path / "precious").read_text() == "PRECIOUS"
    assert asked == []


@pytest.mark.parametrize("name", ["../x", "a\nb", "a\u202eb", "x" * 300, "", ".x"])
def test_names_that_no_trace_may_have(tmp_path: Path, name: str) -> None:
    """Nor one whose output would be taken for that of a command which failed; nothing is made."""
    with pytest.raises(InputError) as caught:
        claim_places(tmp_path / "traces", name, 1)
    assert caught.value.found == name
    for taken in ("failed", "failed.out"):
        with pytest.raises(InputError, match="is where what a command printed is kept"):
            claim_places(tmp_path / "traces", taken, 1)
    assert claim_places(tmp_path / "traces", "a", 2) == ["a-1", "a-2"]
    assert claim_places(tmp_path / "traces", None, 2) == [None, None]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["much\n", ""])
def test_the_error_names_where_the_output_lies(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """In `failed.out`, its owner's only; where nothing was printed, there is no file."""

    def record_job(job: OwnJob, scale: Scale, workspace: Workspace, *_: object, **options: Any) -> Any:
        output = output_of(workspace.place("trace") / options["name"])
        output.write_text(text)
        raise TargetError("failed", remedy=f"Its output is {output}")

    monkeypatch.setattr(own_job, "record_job", record_job)
    with pytest.raises(TargetError) as caught:
        list(recorded(workspace, 1, name="ff"))
    failed = failed_output(workspace)
    assert [each.name for each in failed.parent.iterdir()] == ["failed.out"] * bool(text)
    if text:
        assert caught.value.remedy == f"Its output is {failed}"
        assert stat.S_IMODE(failed.stat().st_mode) == 0o600


def test_what_came_meanwhile_is_not_replaced_by_what_failed(
    workspace: Workspace, asked: list[dict[str, Any]]
) -> None:
    """The output then stays where it was printed."""
    runs = recorded(workspace, 1, 3)
    next(runs)
    failed_output(workspace).mkdir()
    with pytest.raises(InputError):
        next(runs)
    assert failed_output(workspace).is_dir()
    assert (workspace.place("trace") / "trace-2.out").read_text() == "files 3\n"
    assert len(asked) == 2
