"""What an older Froude wrote is read as it was meant, and damage to it is seen where its form lets it be seen."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from froude.base.errors import ChangedError
from froude.documents.artifact import State
from froude.documents.reading import parse_figures
from froude.documents.recognise import kind_of
from froude.emulation.run.files import read_run
from froude.emulation.run.run import Run
from froude.provision.inputs.plan_file import read_cluster
from froude.provision.inputs.read import read_parts
from froude.render.json import MIGRATIONS as REPORT
from froude.trace.files import read_trace
from froude.trace.partial import recover
from froude.workload.extrapolate import extrapolate
from froude.workload.plan_file import read_plan
from froude.workload.yaml_file import open_workload
from tests.support import old_forms
from tests.support.old_forms import OLD
from tests.support.provision.clusters import photoshare


def test_a_trace() -> None:
    """Calls, facts and lineage of version 1."""
    trace = read_trace(OLD / "trace")
    assert (trace.calls, trace.meta) == (old_forms.trace().calls, old_forms.trace().meta)
    assert trace.lineage is not None
    assert trace.lineage.state is State.COMPLETE


def test_an_unfinished_trace(tmp_path: Path) -> None:
    """It is made whole in today's form."""
    shutil.copytree(OLD / "broken.partial", tmp_path / "t.partial")
    recover(tmp_path / "t.partial")
    assert read_trace(tmp_path / "t").calls == old_forms.trace().calls


def test_a_workload() -> None:
    """Every kind of rule; it had no lineage."""
    opened = open_workload(OLD / "workload.yaml")
    assert opened.workload == old_forms.workload()
    assert (opened.lineage, opened.edited) == (None, False)


def test_a_plan() -> None:
    """Worked out again from its workload."""
    assert read_plan(OLD / "plan") == extrapolate(old_forms.workload(), old_forms.SCALE)


def figures(run: Run) -> list[object]:
    """What is compared of two runs."""
    tally, series = run.tally, run.tally.series["create"]
    plain = [run.target, run.target_id, run.begun_at_s, run.elapsed_s, run.scale, run.nodes, run.record]
    plain += [run.failure, run.interrupted, run.seed, run.speed, run.cores, run.remarks, run.differences]
    counts = [series.sent, series.answered, series.errors, series.from_actual.counts, tally.lateness.counts]
    return [*plain, *counts, tally.rows, tally.notes, tally.lag.max_us, run.load, run.metrics]


def test_a_run() -> None:
    """Every figure, and its trace."""
    run = read_run(OLD / "run")
    assert figures(run) == figures(old_forms.run())
    assert run.trace is not None
    assert len(read_trace(run.trace).calls) == 4


def test_figures_of_a_report() -> None:
    """Brought to today's stamp."""
    root = parse_figures((OLD / "report.json").read_bytes(), "report.json")
    assert REPORT.apply(root) == 1
    assert root.fields["froude"] == "report/2"
    assert root.fields["title"] == "A report"


def test_documents_of_provisioning() -> None:
    """A plan as a cluster, inputs in both forms."""
    plan = read_cluster(OLD / "provision" / "plan.json", photoshare())
    assert plan.upper == pytest.approx(7329.0948)
    yaml, xml = (read_parts([OLD / "provision" / name]) for name in ("inputs.yaml", "inputs.xml"))
    assert yaml == xml


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("trace", "trace"),
        ("broken.partial", "partial-trace"),
        ("workload.yaml", "workload"),
        ("plan", "plan"),
        ("run", "run"),
        ("report.json", "report"),
        ("provision/plan.json", "cluster"),
        ("provision/sweep.json", "sweep"),
        ("provision/schedule.json", "schedule"),
        ("provision/best.json", "best"),
        ("provision/inputs.yaml", "provision"),
        ("provision/bill.csv", None),
        ("report.html", None),
    ],
)
def test_each_is_recognised(name: str, kind: str | None) -> None:
    """By its stamp, or by what stood in its place."""
    assert kind_of(OLD / name) == kind


@pytest.mark.parametrize("name", ["calls.parquet", "schema.fds", "meta.yaml"])
def test_damage_to_an_old_trace_is_seen(tmp_path: Path, name: str) -> None:
    """Version 1 has one hash over facts and files."""
    shutil.copytree(OLD / "trace", tmp_path / "t")
    file = tmp_path / "t" / name
    file.write_bytes(file.read_bytes().replace(b"CID-1", b"CID-2") if name == "meta.yaml" else b"x")
    with pytest.raises(ChangedError, match="is not what was written"):
        read_trace(tmp_path / "t")


def test_damage_to_an_old_run_is_seen(tmp_path: Path) -> None:
    """Version 1 has one hash over its figures."""
    shutil.copytree(OLD / "run", tmp_path / "r")
    file = tmp_path / "r" / "run.json"
    changed = json.loads(file.read_text()) | {"elapsed_s": 9.0}
    file.write_text(json.dumps(changed))
    with pytest.raises(ChangedError, match=r"run\.json: is not what was written"):
        read_run(tmp_path / "r")
