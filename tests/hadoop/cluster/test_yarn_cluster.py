"""A cluster with YARN, as far as it can be looked at without starting a JVM."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError, TargetError
from froude.hadoop.cluster.yarn_cluster import JobResult, YarnCluster
from froude.hadoop.release import jvm
from froude.hadoop.release.distribution import Hadoop


@pytest.fixture
def hadoop(tmp_path: Path) -> Hadoop:
    """A release with YARN, whose jars are empty."""
    jar = tmp_path / "hadoop-yarn-server-resourcemanager-3.5.0.jar"
    jar.touch()
    java = jvm.Java(tmp_path / "java", "17.0.1", 17, "PATH")
    return Hadoop("3.5.0", [jar], java, "folder", tmp_path)


@pytest.mark.parametrize("nodemanagers", [-1, 0, 241])
def test_numbers_of_nodes_that_cannot_be(hadoop: Hadoop, nodemanagers: int) -> None:
    """What fits behind one network."""
    with pytest.raises(InputError, match=f"found {nodemanagers}; allowed: 1 to 240"):
        YarnCluster(hadoop, nodemanagers=nodemanagers)


def test_nothing_runs_before_it_is_entered(hadoop: Hadoop) -> None:
    """And what it would be asked then is one error."""
    cluster = YarnCluster(hadoop, datanodes=0, nodemanagers=1, conf={"yarn.x": "1", "dfs.y": "2"})
    assert cluster.processes() == []
    with pytest.raises(TargetError, match="cluster: "):
        cluster.start_nodemanagers()
    cluster.stop()


def test_a_jobs_applications_are_those_that_its_client_named() -> None:
    """Each once, in order."""
    log = "Submitted application application_17_0002\n/proxy/application_17_0002/\napplication_17_0003 done"
    assert JobResult(0, log).applications == ["application_17_0002", "application_17_0003"]
    assert JobResult(1, "no such file").applications == []
