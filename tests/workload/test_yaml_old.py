"""Workloads of version 1 read as those of today."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.workload.types import SCRIPTED, Actor
from froude.workload.walk import calls
from froude.workload.yaml_file import read_workload

OLD = """\
froude: workload/1
nodes:
  datanode:
    count: datanodes
    program: datanode
    effects:
    - id: datanode.e1
      call: blockReceivedAndDeleted
      protocol: DatanodeProtocol
      cause: client.add
      cause_type: client
      each: block.locs
      owner: id.datanodeUuid
      owner_fact: registration.datanodeID.datanodeUuid
      batch: blocks
    - id: datanode.e2
      call: errorReport
      protocol: DatanodeProtocol
      cause: client.add
      cause_type: client
  client:
    count: 2
    program: calls
    steps:
    - id: client.create
      call: create
      protocol: ClientProtocol
      interval_s: 0.5
    - repeat: L1
      times: 3
      steps:
      - id: client.add
        call: addBlock
        protocol: ClientProtocol
        interval_s: 0.25
    - id: client.complete
      call: complete
      protocol: ClientProtocol
    periodic:
    - id: client.lease
      call: renewLease
      protocol: ClientProtocol
      every_s: 30.0
      while_open: client.create
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file of version 1."""
    path = tmp_path / "old.yaml"
    path.write_text(OLD)
    return path


def test_an_interval_is_think_time_and_service_time_is_not_known(old: Path) -> None:
    """So that such a workload is played with closed pacing."""
    client = read_workload(old).node_type("client")
    assert client.program == SCRIPTED
    times = [(call.id, call.timing.think.intercept, call.timing.service) for call in calls(client.steps)]
    assert times == [("client.create", 0.5, None), ("client.add", 0.25, None), ("client.complete", 0, None)]


def test_who_acts_and_what_opens_and_closes(old: Path) -> None:
    """What version 1 knew of HDFS stands in the file now."""
    workload = read_workload(old)
    owner, own = workload.node_type("datanode").effects
    assert (owner.actor, owner.owner) == (Actor.OWNER, "id.datanodeUuid")
    assert own.actor is Actor.SELF
    (lease,) = workload.node_type("client").periodic
    assert (lease.opened_by, lease.closed_by) == (("client.create",), ("client.complete",))


def test_what_refers_to_nothing_is_named(old: Path) -> None:
    """A cause of a node type that is not there is an error of the file."""
    old.write_text(OLD.replace("cause_type: client", "cause_type: clint", 1))
    with pytest.raises(InputError, match=r"old\.yaml.*datanode\.e1 .*clint"):
        read_workload(old)


def test_calls_of_a_later_version_are_refused(old: Path) -> None:
    """A first line changed by hand is one clear error with file and line."""
    old.write_text(OLD.replace("call: create", "call: {method: create}", 1))
    line = OLD.splitlines().index("      call: create") + 1
    with pytest.raises(InputError, match=rf"old\.yaml:{line}: call is not written as in version 1"):
        read_workload(old)


def test_nodes_that_are_no_mapping(old: Path) -> None:
    """The reader of today's version says so."""
    old.write_text("froude: workload/1\nnodes: [client]\n")
    with pytest.raises(InputError, match=r"old\.yaml:2: nodes"):
        read_workload(old)
