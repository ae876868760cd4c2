"""Plans as documents, and clusters that a user writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.provision.plan import Conflict, Plan, Status
from froude.provision.plan_file import plan_document, plan_json, read_cluster
from tests.provision.clusters import paper_plan, photoshare

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
        ("server: Server1\n    cores: 4", "server: Sever1\n    cores: 4", "did you mean Server1"),
        ("task: upload", "task: uploat", "did you mean upload"),
        ("unit: SSD", "unit: Tape", "groups.*unit: leads nowhere"),
        ("units: 4}", "units: -4}", "units: is out of range"),
        ("units: 4}", "units: 4, shares: 1}", "shares: is not a field"),
        ("units: 4}", "units: 4, share: 2}", "share: is out of range"),
        ("cores: 4", "cores: four", "cores: has the wrong type"),
        ("dataset: photos", "dataset: thumbs", "dataset photos is stored on no unit"),
        ("cluster/1", "cluster/9", "another kind or version"),
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
    document = json.loads(plan_json(Plan(Status.INFEASIBLE, conflict=(conflict,))))
    assert document["upper"] is None
    assert document["conflict"][0]["text"] == (
        "network of Server1: needs 2e+08 B/s, at most 1.25e+08 B/s can be had"
    )
    assert plan_document(paper_plan())["gap"] == 0
