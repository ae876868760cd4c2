"""What a dyno run is played on, made ready."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.base.progress import Silent
from froude.emulation.programs.audit.lines import Client, read_head
from froude.experiment.replay.block_lists import open_block_lists
from froude.experiment.replay.preparation import account_properties, prepare
from froude.experiment.scenario.replay_options import (
    LogGrowth,
    MadeLog,
    MadeNamespace,
    ReplayedDatanodes,
    ReplayLoad,
    ReplayNodes,
)
from froude.experiment.scenario.scenario import DynoScenario
from froude.hadoop.release.distribution import Hadoop
from testbed.recorded import FOLDER, recorded

MADE = DynoScenario(
    load=ReplayLoad(made=MadeLog(rate=100, duration_s=2, clients=7)),
    namespace=MadeNamespace(profile=Path("analytics"), inodes=300),
    nodes=ReplayNodes(datanodes=ReplayedDatanodes(count=9)),
)


def test_an_image_and_a_log_that_are_made_up(hadoop: Hadoop, tmp_path: Path) -> None:
    """As large as asked; the DataNodes hold the image's blocks."""
    ready = prepare(MADE, hadoop, tmp_path, Silent())
    assert ready.image is not None
    head = read_head(tmp_path / "lines.json")
    assert len(head.clients) <= 7
    assert head.lines == pytest.approx(200, rel=0.3)
    assert ready.plan.counts == {"datanode": 9, "client": len(head.clients)}
    assert ready.datanodes.blocks is not None
    assert open_block_lists(ready.datanodes.blocks).blocks > 0
    texts = [each.what for each in ready.plan.refusals]
    assert "The namespace was made up from analytics.yaml, with seed 0." in texts
    assert any("7 clients, 100 lines a second for 2 s, 10% of them changes" in text for text in texts)
    assert not any("cut" in text for text in texts)


def test_a_namespace_that_grows_apart_from_its_clients(hadoop: Hadoop, tmp_path: Path) -> None:
    """The log is as it was, the image larger, and so are its blocks."""
    for name in ("before", "after"):
        (tmp_path / name).mkdir()
    before = prepare(MADE, hadoop, tmp_path / "before", Silent())
    grown = MADE.replaced(load=MADE.load.replaced(growth=LogGrowth(namespace=3)))
    after = prepare(grown, hadoop, tmp_path / "after", Silent())
    assert (tmp_path / "after/lines.json").read_text() == (tmp_path / "before/lines.json").read_text()
    (remark,) = [each.what for each in after.plan.refusals if "grown by 3" in each.what]
    assert ".grown-2" in remark
    counts = [open_block_lists(each.datanodes.blocks or Path()).blocks for each in (before, after)]
    assert counts[1] == pytest.approx(3 * counts[0], rel=0.1)
    assert before.image is not None
    assert after.image is not None
    assert after.image.stat().st_size > 2 * before.image.stat().st_size


def test_a_trace(hadoop: Hadoop, tmp_path: Path) -> None:
    """What it was recorded from is never played against; another release is said."""
    ready = prepare(DynoScenario(load=ReplayLoad(trace=FOLDER / "k3")), hadoop, tmp_path, Silent())
    assert ready.image is None
    assert ready.plan.workload.recorded.source_ids == (recorded("k3").meta.source_id,)
    texts = [each.what for each in ready.plan.refusals]
    assert any(each.startswith("Left out, ") and "DataNodes" in each for each in texts)
    assert "The Trace is of release 3.4.2." in texts
    assert not any(each.startswith("Taken instead") for each in texts)


def test_a_folder_that_is_no_trace(hadoop: Hadoop, tmp_path: Path) -> None:
    """By its name."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty"):
        prepare(DynoScenario(load=ReplayLoad(trace=tmp_path / "empty")), hadoop, tmp_path, Silent())


def test_what_the_log_shows_to_have_been_on(hadoop: Hadoop, tmp_path: Path) -> None:
    """Is on in the NameNode, and nothing else."""
    message = "allowed=true\tugi=a\tip=/10.0.0.1\tcmd={}\tsrc=/a\tdst=null\tperm=null\tproto=rpc"
    for command, value in (("satisfyStoragePolicy", "external"), ("setStoragePolicy", None)):
        log = tmp_path / f"{command}.log"
        log.write_text(f"2026-12-01 09:00:00,000 INFO x: {message.format(command)}\n")
        (tmp_path / command).mkdir()
        scenario = DynoScenario(load=ReplayLoad(audit_log=(log,)), nodes=MADE.nodes, namespace=MADE.namespace)
        ready = prepare(scenario, hadoop, tmp_path / command, Silent())
        assert ready.properties.get("dfs.storage.policy.satisfier.mode") == value


def test_groups_proxies_and_superusers() -> None:
    """Everybody has a group of its own; what is known besides is added; a name that cannot be said is left out."""
    clients = [Client("alice", "oozie"), Client("bob"), Client("a;b")]
    properties = account_properties(clients, {"bob": {"staff"}, "carol": {"x,y", "ops"}}, ["hdfs"])
    assert properties == {
        "hadoop.user.group.static.mapping.overrides": (
            "alice=alice;bob=bob,staff;carol=carol,ops;hdfs=hdfs,supergroup"
        ),
        "dfs.permissions.superusergroup": "supergroup",
        "hadoop.proxyuser.oozie.hosts": "*",
        "hadoop.proxyuser.oozie.groups": "*",
    }
