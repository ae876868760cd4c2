"""Plans as documents, and clusters that a user writes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import ChangedError, InputError
from froude.documents.artifact import Origin
from froude.provision.inputs.plan_file import plan_document, plan_json, read_cluster
from froude.provision.types import Bundle
from froude.provision.types.plan import Conflict, ProvisionPlan, Status
from tests.support.provision.clusters import BOX, paper_plan, photoshare, small, small_plan

CLUSTER = """froude: cluster/1
groups:
  - server: Server1
    cores: 4
    dimms: 2
    running:
      - {task: upload, instances: 3}
      - {task: photoview, instances: 4}
      - {task: tagview, instances: 1}
  - server: Server1
    cores: 2
    dimms: 1
    held: [{dataset: photos, unit: 15KDisk, units: 4}]
  - server: Server1
    cores: 2
    dimms: 1
    held:
      - {dataset: thumbs, unit: SSD, units: 1}
      - {dataset: tags, unit: 7.2KDisk, units: 1}
      - {dataset: tags, unit: DRAM, units: 1, cache: true}
"""


def test_a_plan_reads_back(tmp_path: Path) -> None:
    """What `compile` writes, `evaluate` takes."""
    path = tmp_path / "plan.json"
    path.write_text(plan_json(paper_plan()))
    assert read_cluster(path, photoshare()) == paper_plan()


def test_an_edited_plan_is_told(tmp_path: Path) -> None:
    """What `compile` wrote is what it wrote; without its lineage it is a cluster of the user's own."""
    path = tmp_path / "plan.json"
    path.write_text(plan_json(paper_plan(), Origin("froude provision compile x", seed=7)))
    assert read_cluster(path, photoshare()) == paper_plan()
    document = json.loads(path.read_text())
    assert document["lineage"]["command"] == "froude provision compile x"
    document["groups"][0]["cores"] += 1
    path.write_text(json.dumps(document))
    with pytest.raises(ChangedError, match="take its lineage away, and it is a cluster of your own"):
        read_cluster(path, photoshare())
    del document["lineage"]
    path.write_text(json.dumps(document))
    assert read_cluster(path, photoshare()).groups != paper_plan().groups


def test_a_users_cluster(tmp_path: Path) -> None:
    """Servers and contents are enough: the units tell the choices."""
    path = tmp_path / "mine.yaml"
    path.write_text(CLUSTER)
    plan = read_cluster(path, photoshare())
    assert plan.choices == paper_plan().choices
    assert plan.servers == 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("server: Server1\n    cores: 4", "server: Sever1\n    cores: 4", r"Server1\?"),
        ("task: upload", "task: uploat", r"upload\?"),
        ("unit: SSD", "unit: Tape", "groups.*unit: leads nowhere"),
        ("units: 4}", "units: -4}", "units: is out of range"),
        ("units: 4}", "units: 4, shares: 1}", "shares: "),
        ("units: 4}", "units: 4, share: 2}", "share: is out of range"),
        ("cores: 4", "cores: four", "cores: "),
        ("dataset: photos", "dataset: thumbs", "dataset photos is stored on no unit"),
        ("cluster/1", "cluster/9", r"mine\.yaml:1: froude: "),
        (
            "  - server: Server1\n    cores: 4",
            "  - server: Server1\n    count: 0\n    cores: 4",
            "count: is out",
        ),
    ],
)
def test_wrong_clusters(tmp_path: Path, old: str, new: str, message: str) -> None:
    """One clear error with its line."""
    path = tmp_path / "mine.yaml"
    path.write_text(CLUSTER.replace(old, new, 1))
    with pytest.raises(InputError, match=message) as caught:
        read_cluster(path, photoshare())
    assert caught.value.place


def test_no_servers(tmp_path: Path) -> None:
    """A cluster has at least one group."""
    path = tmp_path / "mine.yaml"
    path.write_text("froude: cluster/1\n")
    with pytest.raises(InputError, match="has no servers"):
        read_cluster(path, photoshare())


def test_infeasible_as_json() -> None:
    """No upper bound, and the constraints in conflict in words and numbers."""
    conflict = Conflict("network of Server1", 2e8, 1.25e8, "B/s")
    document = json.loads(plan_json(ProvisionPlan(Status.INFEASIBLE, conflict=(conflict,))))
    assert document["upper"] is None
    assert document["conflict"][0]["text"] == (
        "network of Server1: needs 2e+08 B/s, at most 1.25e+08 B/s can be had"
    )
    assert plan_document(paper_plan())["gap"] == 0


def test_what_plans_gained(tmp_path: Path) -> None:
    """Core types, the number of hosts spread over, spares and services read back."""
    problem = small()
    plan = small_plan(problem, cpus={"t": "core"}, spread=3, spares={"disk": 2, "box": 1})
    plan = replace(plan, choices={"d": ("store",)}, groups=plan.groups[1:])
    path = tmp_path / "plan.json"
    path.write_text(plan_json(plan))
    assert read_cluster(path, problem) == plan


BUNDLED = """froude: cluster/1
choices: {d: [store, ssd]}
groups:
  - server: box
    held: [{dataset: d, unit: ssd, cache: true}]
  - server: box
    running: [{task: t, instances: 2}]
"""


def test_included_parts_need_no_listing(tmp_path: Path) -> None:
    """Cores, DIMMs and units that a server's price includes are there unless other numbers are given."""
    problem = small()
    kit = replace(BOX, bundle=Bundle(2, (("ssd", 3), ("dram", 2))))
    problem = replace(problem, catalog=replace(problem.catalog, servers=(kit,)))
    path = tmp_path / "mine.yaml"
    path.write_text(BUNDLED)
    host, worker = read_cluster(path, problem).groups
    assert (host.cores, host.dimms, host.held[0].units) == (2, 2, 3)
    assert (worker.cores, worker.dimms) == (2, 2)
    path.write_text(
        BUNDLED.replace("unit: ssd,", "unit: ssd, units: 1,").replace(
            "server: box", "server: box\n    cores: 4"
        )
    )
    host, _ = read_cluster(path, problem).groups
    assert (host.cores, host.held[0].units) == (4, 1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "froude: cluster/1",
            "froude: cluster/1\ncpus: {tt: core}",
            r"cpus.tt: .*t\?",
        ),
        (
            "froude: cluster/1",
            "froude: cluster/1\ncpus: {t: cores}",
            r"cpus\.t: .*core\?",
        ),
        (
            "froude: cluster/1",
            "froude: cluster/1\nspares: {dsk: 1}",
            r"spares.dsk: .*disk\?",
        ),
        ("froude: cluster/1", "froude: cluster/1\nspares: {disk: -1}", "spares.disk: "),
        ("froude: cluster/1", "froude: cluster/1\nspread: -3", "spread: "),
        ("choices: {d: [store, ssd]}", "", "dataset d "),
        ("cache: true", "cache: true}, {dataset: d, unit: disk", "units is missing"),
    ],
)
def test_wrong_new_fields(tmp_path: Path, old: str, new: str, message: str) -> None:
    """A name that leads nowhere, a number out of range; a cache does not tell what a service keeps."""
    path = tmp_path / "mine.yaml"
    path.write_text(BUNDLED.replace("unit: ssd,", "unit: ssd, units: 1,").replace(old, new, 1))
    with pytest.raises(InputError, match=message) as caught:
        read_cluster(path, small())
    assert caught.value.place
