"""Real daemons for tests: each is started once a session, small and quick, and shared."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from froude.experiment.session import Hadoop
from froude.hadoop.cluster.cluster import Cluster
from froude.hadoop.cluster.namenode import NameNode


@pytest.fixture(scope="session")
def namenode(hadoop: Hadoop) -> Iterator[NameNode]:
    """A NameNode without DataNodes, for emulated ones and for RPC; users keep to paths of their own."""
    conf = {"dfs.namenode.delegation.token.always-use": "true"}  # issue tokens without Kerberos
    with hadoop.namenode(heap="512 MB", fast=True, conf=conf) as running:
        yield running


@pytest.fixture(scope="session")
def cluster(hadoop: Hadoop) -> Iterator[Cluster]:
    """A NameNode and two real DataNodes, live; whoever uses it keeps to paths of their own."""
    with hadoop.cluster(datanodes=2, replication=2, fast=True) as running:
        running.wait_live()
        yield running
