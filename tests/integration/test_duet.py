"""A duet on two real NameNodes: both are called in the same seconds, and end together."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.emulation.run.files import read_run
from froude.experiment.duet.comparison import comparison_of
from froude.experiment.duet.duet import duet
from froude.experiment.knee.loads import first_scale
from froude.experiment.scenario.options import DuetComparing, DuetOptions, Sending
from froude.experiment.session import Hadoop
from froude.workload.extrapolate import extrapolate
from froude.workload.yaml_file import read_workload
from testbed.workloads import WORKLOADS

pytestmark = pytest.mark.integration


def test_two_namenodes_at_once(hadoop: Hadoop, tmp_path: Path) -> None:
    """The candidate has a property of its own, which the comparison names; the run of each arm is whole and kept."""
    workload = read_workload(WORKLOADS["demo"])
    plan = extrapolate(workload, first_scale(workload, {"datanodes": 4, "clients": 4, "files": 5}))
    options = DuetOptions(load=Sending(speed=20.0), compare=DuetComparing(time_limit_s=16.0, warm_up_s=2.0))
    found = duet(
        plan,
        (
            lambda: hadoop.namenode(heap="256 MB", fast=True),
            lambda: hadoop.namenode(heap="384 MB", fast=True),
        ),
        options,
        folder=tmp_path / "duet",
    )
    assert [run.failure for run in found.runs] == [None, None]
    assert [run.interrupted for run in found.runs] == [False, False]
    assert len({run.target_id for run in found.runs}) == 2
    assert all(each.cpu_s is not None for each in found.slices)
    # Next to other processes a slice may be too short for a call of the same method to both.
    assert any(each.service_s for each in found.slices)
    assert min(map(sum, zip(*(each.calls for each in found.slices), strict=True))) > 0
    for arm in ("baseline", "candidate"):
        assert read_run(tmp_path / "duet" / arm).steady_from_s is not None
    compared = comparison_of(found, options)
    assert "heap limit" in {name for name, _, _ in compared.differences} or compared.differences
