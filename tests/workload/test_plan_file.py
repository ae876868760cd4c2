"""A Plan's folder: what stands in it, that it reads back, and that a change to it is noticed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from froude.base.errors import ChangedError, InputError
from froude.documents.artifact import Origin
from froude.documents.store import read_artifact
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Plan
from froude.workload.plan_file import PLAN, WORKLOAD, plan_hash, plan_summary, read_plan, write_plan
from froude.workload.scale import Count, Scale
from froude.workload.types import CallTemplate, NodeType, Question, Recorded, Repeat, Workload
from froude.workload.yaml_file import open_workload, workload_hash, write_workload

TRACES = ("aa" * 32, "bb" * 32)


def workload(files_per_client: int = 1) -> Workload:
    """Clients that write files; recorded at two sizes, one question open."""
    create, close = CallTemplate("c1", "p", "create", {}), CallTemplate("c2", "p", "complete", {})
    loop = Repeat("L1", Count(0, {"files": files_per_client}), (create, close))
    client = NodeType("client", Count(0, {"clients": 1}), (loop, CallTemplate("c3", "p", "delete", {})))
    scales = (Scale.of(clients=1, files=4), Scale.of(clients=2, files=6), Scale.of(clients=3, files=5))
    question = Question("q1", "what is it?", "client")
    return Workload((client,), Recorded(scales, ("CID-1",), traces=TRACES), (question,))


def plan(**scale: int) -> Plan:
    """That workload at a scale."""
    return extrapolate(workload(), Scale.of(**{"clients": 5, "files": 8, **scale}))


@settings(max_examples=20)
@given(clients=st.integers(0, 500), files=st.integers(0, 500), racks=st.none() | st.integers(0, 3))
def test_a_plan_reads_back(
    clients: int, files: int, racks: int | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """At any scale, with its refusals where it cannot be played; written twice it stands there once."""
    written = plan(clients=clients, files=files, **({} if racks is None else {"racks": racks}))
    folder = tmp_path_factory.mktemp("plan") / "plan"
    write_plan(folder, written)
    write_plan(folder, written)
    assert written.playable is (racks is None)
    assert read_plan(folder) == written


def test_a_summary_says_what_would_be_played() -> None:
    """Scale, nodes, calls of each node, and what is refused and why."""
    assert plan_summary(plan()) == {
        "scale": {"clients": 5, "files": 8},
        "nodes": {"client": 5},
        "calls_per_node": {"client": 17},
        "refusals": [
            {
                "what": "1 question not answered: the likeliest rule or an example stands in "
                "(`froude review` shows what hangs on them)",
                "node_type": None,
                "fatal": False,
            }
        ],
        "playable": True,
    }


def test_a_plan_that_was_refused_has_no_nodes_to_count() -> None:
    """And says that it cannot be played."""
    summary = plan_summary(plan(racks=2))
    assert (summary["nodes"], summary["calls_per_node"], summary["playable"]) == ({}, {}, False)


def test_the_hash_follows_scale_and_workload() -> None:
    """Equal plans have one; another size or another pattern has another."""
    assert plan_hash(plan()) == plan_hash(plan())
    assert plan_hash(plan()) != plan_hash(plan(files=9))
    assert plan_hash(plan()) != plan_hash(extrapolate(workload(2), plan().scale))


def test_a_plan_comes_from_its_workload_unless_it_is_said(tmp_path: Path) -> None:
    """The lineage names the workload's hash, or what the origin says; the hash is the plan's."""
    lineage = write_plan(tmp_path / "a", plan())
    assert (lineage.kind, lineage.inputs, lineage.content_hash) == (
        "plan",
        (workload_hash(workload()),),
        plan_hash(plan()),
    )
    write_plan(tmp_path / "b", plan(), Origin("froude extrapolate", ("cc" * 32,), tags=("night",)))
    artifact = read_artifact(tmp_path / "b")
    assert artifact is not None
    assert (artifact.lineage.command, artifact.lineage.inputs) == ("froude extrapolate", ("cc" * 32,))
    assert artifact.tags == {"night"}


def test_the_workload_inside_keeps_the_lineage_of_its_file(tmp_path: Path) -> None:
    """As long as nobody edited the file: then it comes from the traces, by the plan's command."""
    file = tmp_path / "w.yaml"
    write_workload(file, workload(), Origin("froude mine t", TRACES))
    opened = open_workload(file)
    lineage = write_plan(tmp_path / "a", plan(), workload=opened)
    assert lineage.inputs == (opened.content,)
    assert open_workload(tmp_path / "a" / WORKLOAD).lineage == opened.lineage
    edited = replace(opened, content="dd" * 32)
    write_plan(tmp_path / "b", plan(), Origin("froude extrapolate"), workload=edited)
    inside = open_workload(tmp_path / "b" / WORKLOAD).lineage
    assert inside is not None
    assert (inside.command, inside.inputs) == ("froude extrapolate", TRACES)


def test_a_workload_of_no_lineage_gets_one_inside(tmp_path: Path) -> None:
    """A file written by hand has none; the plan's copy names the traces."""
    write_workload(tmp_path / "w.yaml", workload())
    by_hand = replace(open_workload(tmp_path / "w.yaml"), lineage=None)
    write_plan(tmp_path / "p", plan(), workload=by_hand)
    inside = open_workload(tmp_path / "p" / WORKLOAD).lineage
    assert inside is not None
    assert inside.inputs == TRACES


@pytest.mark.parametrize("prepare", [Path.mkdir, lambda path: path.write_text("x")], ids=["folder", "file"])
def test_another_folder_is_not_overwritten(tmp_path: Path, prepare: Callable[[Path], object]) -> None:
    """What is no plan stays as it is."""
    prepare(tmp_path / "precious")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match="exists and is not a plan"):
        write_plan(tmp_path / "precious", plan())
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (PLAN, "files: 8", "files: 9"),
        (PLAN, "client: 5", "client: 6"),
        (WORKLOAD, "count: clients", "count: files"),
    ],
)
def test_an_edited_plan_is_noticed(tmp_path: Path, name: str, old: str, new: str) -> None:
    """The scale, a figure that is worked out again, the workload inside: the error names the file."""
    write_plan(tmp_path / "p", plan())
    file = tmp_path / "p" / name
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(ChangedError) as caught:
        read_plan(tmp_path / "p")
    assert caught.value.file == str(file)


def test_a_workload_of_another_plan_is_noticed(tmp_path: Path) -> None:
    """Whole and unedited, but not the one that this plan was made of; the remedy is to extrapolate it again."""
    write_plan(tmp_path / "p", plan())
    write_workload(tmp_path / "p" / WORKLOAD, workload(2))
    with pytest.raises(ChangedError, match="is not the workload of this plan") as caught:
        read_plan(tmp_path / "p")
    assert (caught.value.found, caught.value.allowed) == (
        workload_hash(workload(2)),
        workload_hash(workload()),
    )
    assert "extrapolate" in str(caught.value.remedy)


def _first_version(folder: Path, text: str) -> None:
    """A plan of version 1, which had no hash of its workload."""
    write_plan(folder, plan())
    (folder / PLAN).write_text(f"froude: plan/1\n{text}")


def test_a_plan_of_version_1_reads(tmp_path: Path) -> None:
    """What is worked out again may stand there, and is not believed."""
    _first_version(tmp_path / "p", "scale: {clients: 5, files: 8}\nnodes: {client: 99}\nplayable: false\n")
    assert read_plan(tmp_path / "p") == plan()


def test_a_field_that_no_plan_has_is_an_error(tmp_path: Path) -> None:
    """With its name."""
    _first_version(tmp_path / "p", "scale: {clients: 5, files: 8}\nspeed: 2\n")
    with pytest.raises(InputError, match="speed: "):
        read_plan(tmp_path / "p")


def test_what_is_no_plan_is_named(tmp_path: Path) -> None:
    """Also where it is a workload, whose Scale is to be chosen first; a place where nothing is stays missing."""
    pattern = tmp_path / "workload.yaml"
    write_workload(pattern, workload())
    for path, found, remedy in (
        (pattern, "a workload", "Choose its Scale first: froude extrapolate"),
        (tmp_path, "a folder without plan.yaml", None),
    ):
        with pytest.raises(InputError) as caught:
            read_plan(path)
        assert (caught.value.file, caught.value.found, caught.value.remedy) == (str(path), found, remedy)
    with pytest.raises(InputError, match="No such file"):
        read_plan(tmp_path / "nothing")


def test_a_scale_and_a_workload_that_do_not_fit_are_said_of_the_plan(tmp_path: Path) -> None:
    """Which variable the workload needs, and in which plan it is missing."""
    _first_version(tmp_path / "p", "scale: {files: 8}\n")
    recorded = Recorded((Scale.of(files=4), Scale.of(files=6)), ())
    write_workload(tmp_path / "p" / WORKLOAD, replace(workload(), recorded=recorded))
    with pytest.raises(InputError, match="lacks a variable") as caught:
        read_plan(tmp_path / "p")
    error = caught.value
    assert (error.file, error.place) == (str(tmp_path / "p" / PLAN), "scale.clients")
    assert (error.found, error.allowed) == ("files=8", "clients=…")
