"""The bill of materials adds up to the plan's cost."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from froude.provision.bill import Line, bill, bill_csv
from froude.provision.checker import cost_of
from tests.provision.clusters import paper_plan, photoshare


def test_the_papers_cluster() -> None:
    """Three servers, four 15K, one SSD, one 7.2K, one DRAM for data, eight cores, four DRAM for memory."""
    lines = bill(photoshare(), paper_plan())
    found = {(line.kind, line.item): line.quantity for line in lines}
    assert found == {
        ("server", "Server1"): 3,
        ("storage", "7.2KDisk"): 1,
        ("storage", "15KDisk"): 4,
        ("storage", "SSD"): 1,
        ("storage", "DRAM"): 1,
        ("core", "CPU core"): 8,
        ("memory", "DRAM"): 4,
    }
    total = sum(line.total for line in lines)
    assert total == pytest.approx(7329.0948)
    assert total == pytest.approx(cost_of(photoshare(), paper_plan().groups))


def test_counts_multiply() -> None:
    """A group's contents are of one server."""
    plan = paper_plan()
    plan = replace(plan, groups=tuple(replace(group, count=10) for group in plan.groups))
    assert sum(line.total for line in bill(photoshare(), plan)) == pytest.approx(73290.948)


def test_as_csv() -> None:
    """Head, lines, total; a name that a spreadsheet would run is made text."""
    rows = list(csv.reader(io.StringIO(bill_csv((Line("server", "=1+1", 2, 100.0, 0.5),)))))
    assert rows[1] == ["server", "'=1+1", "2", "100.00", "0.50", "100.50", "201.00"]
    assert rows[2][0] == "total"
    assert rows[2][-1] == "201.00"
