"""The traffic matrix."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.provision.inputs.read import read_problem
from froude.provision.model.build import build
from froude.provision.model.instance import Instance
from froude.provision.model.traffic import traffic
from froude.provision.types import Dependency
from tests.support.provision.clusters import photoshare
from tests.support.provision.small import DATA, DISK, DRAM, STORE, small


def test_photoshare() -> None:
    """Photo views read 60 MB/s from the photos; the sum is what passes the web servers."""
    problem = photoshare()
    flows = traffic(problem)
    first = flows[0]
    assert (first.source, first.target, first.bytes_per_s) == ("dataset photos", "task photoview", 60e6)
    instance = build(problem)
    assert isinstance(instance, Instance)
    assert sum(f.bytes_per_s for f in flows) == pytest.approx(sum(t.nic_bytes[0] for t in instance.tasks))


def test_local_data_stays_off_the_network() -> None:
    """Query processors read beside themselves; only the repository is reached over the network (paper 6.3)."""
    flows = traffic(read_problem(["productsearch"]))
    assert [(f.source, f.target) for f in flows] == [("dataset tables_repository", "task worker")]
    flows = traffic(read_problem(["terasort"]))
    assert [(f.source, f.target, f.phase) for f in flows] == [("task mapper", "dataset intermediate", "map")]


def test_replicas_pass_from_host_to_host() -> None:
    """10 writes of 10 bytes a second: one to the dataset, two more from its hosts to each other."""
    flows = traffic(small(data=replace(DATA, replication=3)))
    assert {(f.source, f.target): f.bytes_per_s for f in flows} == {
        ("dataset data", "dataset data"): 200,
        ("task serve", "dataset data"): 100,
        ("dataset data", "task serve"): 100,
    }


def test_the_writer_sends_parity() -> None:
    """Fragments of (2, 1) are half as much again; on a service there are none, and no replicas either."""
    coded = small(data=replace(DATA, erasure=(2, 1)), units=(DISK, DRAM, STORE))
    assert [f.bytes_per_s for f in traffic(coded)] == pytest.approx([150, 100])
    assert [f.bytes_per_s for f in traffic(coded, {"data": ("disk",)})] == pytest.approx([150, 100])
    assert [f.bytes_per_s for f in traffic(coded, {"data": ("store", "disk")})] == pytest.approx([100, 100])
    copied = replace(coded, application=small(data=replace(DATA, replication=3)).application)
    assert len(traffic(copied, {"data": ("store",)})) == 2


def test_calls_carry_bytes() -> None:
    """Rate times probability times invocations times bytes."""
    problem = read_problem(["productsearch"])
    worker, processor = problem.application.tasks
    call = Dependency("queryprocessor", 2, probability=0.5, bytes=1e6)
    tasks = (replace(worker, operations=(call,)), processor)
    flows = traffic(replace(problem, application=replace(problem.application, tasks=tasks)))
    assert [(f.source, f.target) for f in flows] == [("task worker", "task queryprocessor")]
    assert flows[0].bytes_per_s == pytest.approx(0.2e6)
