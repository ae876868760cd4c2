"""What a cluster says of itself, in a draft."""

from __future__ import annotations

from pathlib import Path

from froude.provision.draft.cluster import with_counts, with_jobs, with_namenode
from froude.provision.draft.counters import JobCounters
from froude.provision.draft.namespace import Counted, Namespace
from froude.provision.draft.types import Draft, DraftDataset, Number
from froude.provision.draft.yaml_text import blanks, to_text
from froude.provision.inputs.read import parse, parts_of
from froude.provision.inputs.tree import Flaws
from froude.provision.types import Application, Dependency, Io
from tests.support.provision.draft.counters import history, read

_EMPTY = Draft((), (), ())
_ROWS = (Counted("/tera/in", 2, 10, 4e9), Counted("/logs", 3, 20, 1e9, rounded=True))


def _application(draft: Draft) -> Application:
    flaws = Flaws()
    parts = parts_of(parse(to_text(draft).encode(), "draft", flaws), flaws)
    flaws.check()
    assert parts.application is not None
    return parts.application


def _jobs(folder: Path, *names: str) -> list[JobCounters]:
    return [read(folder, history(name)) for name in names]


def test_counted_paths_are_datasets() -> None:
    """Those that a trace found keep their names; the others become datasets; sizes are as counted."""
    known = DraftDataset("input", "/tera/in", Number(None, ""), Number(3.0, "asked"), "why")
    draft = with_counts(Draft((known,), (), ()), _ROWS, "count.txt")
    assert [(d.name, d.size.value, d.replication.value) for d in draft.datasets] == [
        ("input", 4e9, 3),
        ("logs", 1e9, None),
    ]
    assert "rounded by -h" in draft.datasets[1].size.note
    assert blanks(draft) == ["replication of dataset logs"]


def test_the_namenode_needs_memory() -> None:
    """Its heap is that of one task that is always there; an image tells replication as well."""
    draft = with_namenode(with_counts(_EMPTY, _ROWS, ""), _ROWS, Namespace(30, 5, 4e6, 15e9, "image"))
    assert [d.replication.value for d in draft.datasets] == [3, 3]
    task = _application(draft).task("NameNode")
    assert task.memory == 4e9
    assert with_namenode(_EMPTY, (), None) == _EMPTY


def test_jobs_are_a_map_and_a_reduce_task(tmp_path: Path) -> None:
    """Of all jobs of a name: bytes, seconds and memory of a task; the shuffle goes from one to the other."""
    draft = with_jobs(with_counts(_EMPTY, _ROWS, ""), _jobs(tmp_path, "sort 7", "sort 8"))
    maps, reduces = draft.tasks
    assert (maps.name, maps.rate.value, maps.memory.value, maps.compute.value) == ("sort_map", 0.04, 200, 0.4)
    assert (reduces.name, reduces.called, reduces.memory.value) == ("sort_reduce", True, 600)
    draft = with_counts(_EMPTY, _ROWS, "")
    filled = Draft(
        tuple(DraftDataset(d.name, d.prefix, d.size, Number(3.0, ""), "") for d in draft.datasets), (), ()
    )
    application = _application(with_jobs(filled, _jobs(tmp_path, "sort 7")))
    io, _, call = application.task("sort_map").operations
    assert isinstance(io, Io)
    assert (io.dataset, io.record_size, io.rack_local) == ("tera_in", 100, 0.8)
    assert isinstance(call, Dependency)
    assert (call.task, call.num_invocations, call.bytes) == ("sort_reduce", 0.2, 250)


def test_jobs_alone(tmp_path: Path) -> None:
    """Without any size there is one dataset, whose size is blank."""
    draft = with_jobs(_EMPTY, _jobs(tmp_path, "a"))
    assert blanks(draft) == ["size of dataset files", "replication of dataset files"]
    assert with_jobs(_EMPTY, []) == _EMPTY


def test_names_are_told_apart(tmp_path: Path) -> None:
    """A job called like another task has a name of its own."""
    draft = with_jobs(with_jobs(_EMPTY, _jobs(tmp_path, "a")), _jobs(tmp_path, "a"))
    assert [task.name for task in draft.tasks] == ["a_map", "a_reduce", "a_job_map", "a_job_reduce"]
