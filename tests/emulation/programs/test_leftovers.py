"""What clients leave behind, and who deletes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.programs.events import NodeId
from froude.emulation.programs.leftovers import Removal
from froude.emulation.programs.population import PlaySettings
from froude.emulation.programs.registry import populate
from froude.emulation.programs.yarn.protocols import HDFS
from froude.emulation.settings import Leftovers, Mode, Turnover
from froude.emulation.sustained import check_turnover
from froude.hadoop.release.distribution import Hadoop
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Plan
from froude.workload.scale import Scale
from froude.workload.types import Flow, NodeType, Side, StartRule
from froude.workload.yaml_file import read_workload
from testbed.plans import FOLDER, call_template, plan
from testbed.workloads import WORKLOADS

REMOVE = Turnover(Mode.POPULATION, leftovers=Leftovers.REMOVE)
SCRIPT = extrapolate(read_workload(WORKLOADS["README"]), Scale.of(datanodes=3, clients=4, files=12))


class Clients:
    """Calls of clients by hand."""

    def __init__(self, hadoop: Hadoop, planned: Plan, turnover: Turnover = REMOVE) -> None:
        self.schema = hadoop.schema()
        population = populate(planned, self.schema, seeds=Seeds(1), settings=PlaySettings(turnover=turnover))
        self.removal = population.common(Removal)

    def did(self, node: NodeId, method: str, **paths: str) -> None:
        """One answered call."""
        self.removal.answered(node, method, self.schema.method(HDFS, method).request(**paths))

    def left(self, node_type: str) -> list[str]:
        """What the next one that begins deletes."""
        return list(self.removal.take(NodeId(node_type, 99)))


def test_what_the_next_client_made_as_well_stays(hadoop: Hadoop) -> None:
    """Of the rest files come before their folders, under the name that they have at the end; what is gone is gone."""
    clients = Clients(hadoop, plan())
    for number in range(3):
        node, home = NodeId("client", number), f"/shared/c{number}"
        clients.did(node, "mkdirs", src="/shared/logs")
        clients.did(node, "create", src=f"{home}/tmp/a")
        clients.did(node, "create", src=f"{home}/tmp/b")
        clients.did(node, "delete", src=f"{home}/tmp/b")
        clients.did(node, "rename2", src=f"{home}/tmp", dst=f"{home}/out")
        clients.did(node, "createSymlink", link=f"{home}/link", target="/else")
        clients.removal.ended(node)
        expected = [f"/shared/c{number - 1}{path}" for path in ("/out/a", "/link", "/out", "")]
        assert clients.left("client") == (expected if number else [])
    assert clients.left("client") == []


def test_what_is_moved_into_a_folder_is_in_it(hadoop: Hadoop) -> None:
    """That the client, or a node before all clients, has made; else, and with `rename2`, it has the path."""
    clients = Clients(hadoop, SCRIPT)
    clients.did(NodeId("shell-1", 0), "mkdirs", src="/done/")
    for number in range(2):
        node, home = NodeId("shell-2", number), f"/home/{number}"
        clients.did(node, "mkdirs", src=f"{home}/d")
        for name in "abcde":
            clients.did(node, "create", src=f"{home}/{name}{number}")
        clients.did(node, "rename", src=f"{home}/a{number}", dst="/done")
        clients.did(node, "rename", src=f"{home}/b{number}", dst=f"{home}/d/")
        clients.did(node, "rename", src=f"{home}/c{number}", dst=f"{home}/d/b{number}")
        clients.did(node, "rename2", src=f"{home}/d{number}", dst=f"{home}/d")
        clients.did(node, "rename", src=f"{home}/d", dst=f"/done/{number}")
        clients.did(node, "rename", src=f"{home}/e{number}", dst=f"/done/{number}")
        clients.removal.ended(node)
        clients.removal.ended(NodeId("shell-3", number))
    below = ["/done/0/b0", "/done/0/e0", "/done/0", "/done/a0", "/home/0"]
    assert clients.left("shell-2") == below


def test_what_is_next_to_a_path_stays(hadoop: Hadoop) -> None:
    """A name that begins as the path that is deleted or moved is another one."""
    clients = Clients(hadoop, plan())
    for number in range(2):
        node, home = NodeId("client", number), f"/c{number}"
        for name in ("a", "ab", "a/x", "m/x", "mn"):
            clients.did(node, "create", src=f"{home}/{name}")
        clients.did(node, "delete", src=f"{home}/a")
        clients.did(node, "rename", src=f"{home}/m", dst=f"{home}/to")
        clients.removal.ended(node)
    assert clients.left("client") == [f"/c0{path}" for path in ("/to/x", "/ab", "/mn", "/to", "")]


def test_a_client_has_ended_with_the_last_node_of_its_chain(hadoop: Hadoop) -> None:
    """What `put` made and `mv` moved is the client's; a node that is no client's leaves nothing."""
    clients = Clients(hadoop, SCRIPT)
    for number in range(2):
        put, moved = NodeId("shell-2", number), NodeId("shell-3", number)
        clients.did(put, "create", src=f"/in/{number}")
        clients.removal.ended(put)
        clients.did(moved, "rename", src=f"/in/{number}", dst=f"/done/{number}")
        clients.removal.ended(moved)
    clients.did(NodeId("shell-1", 0), "mkdirs", src="/setup")
    clients.removal.ended(NodeId("shell-1", 0))
    assert clients.left("shell-3") == []
    assert clients.left("shell-2") == ["/done/0"]


@pytest.mark.parametrize("turnover", [Turnover(), Turnover(Mode.ARRIVALS, 1.0)])
def test_nothing_is_seen_where_leftovers_stay(hadoop: Hadoop, turnover: Turnover) -> None:
    """So that a play without removal costs no more than before."""
    assert not Clients(hadoop, plan(), turnover).removal.methods
    assert "create" in Clients(hadoop, plan()).removal.methods


def test_clients_that_may_need_what_others_left_are_refused() -> None:
    """With the types, and the way out; kept, their load can be kept up."""
    reads = NodeType(
        "reader",
        plan().workload.node_types[1].count,
        (call_template("look", "getFileInfo", {"src": FOLDER}),),
        start=StartRule(),
    )
    planned = plan()
    types = (*planned.workload.node_types, reads)
    apart = replace(
        planned, workload=replace(planned.workload, node_types=types), counts=planned.counts | {"reader": 2}
    )
    check_turnover(apart, REMOVE)
    taking = replace(
        reads,
        steps=(call_template("take", "getFileInfo", {"src": Flow("client.create", Side.REQUEST, "src")}),),
    )
    types = (*planned.workload.node_types, taking)
    together = replace(apart, workload=replace(planned.workload, node_types=types))
    check_turnover(together, replace(REMOVE, leftovers=Leftovers.KEEP))
    with pytest.raises(
        InputError, match=r"^reader: may need .*; found calls that follow from those of client\. Keep"
    ):
        check_turnover(together, REMOVE)
