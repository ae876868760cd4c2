"""A workload written and read again is the same workload."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from froude.base.documents import parse_document
from froude.base.errors import InputError
from froude.workload.types import Workload
from froude.workload.yaml_file import dump_workload, read_workload, workload_from, write_workload
from tests.workload.strategies import workloads

SMALL = """\
froude: workload/1
nodes:
  client:
    count: clients
    steps:
      - call: create
        id: c1
        protocol: p
        arguments: {src: {template: '/in/f-{L1:05}'}}
"""


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(workloads())
def test_round_trip(workload: Workload) -> None:
    """Every kind of rule, step and question survives the file."""
    root = parse_document(dump_workload(workload).encode(), "w.yaml")
    root.value("froude", str)
    assert workload_from(root) == workload


def test_reads_what_a_person_writes(tmp_path: Path) -> None:
    """The short forms are enough."""
    file = tmp_path / "w.yaml"
    file.write_text(SMALL)
    workload = read_workload(file)
    assert str(workload.node_type("client").count) == "clients"
    write_workload(file, workload)
    assert read_workload(file) == workload


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("count: clients", "count: clients^2", r"w\.yaml:4: nodes\.client\.count: not a count"),
        ("id: c1", "id: 7", r"w\.yaml:7: .*id: has the wrong type; found 7; allowed: str"),
        ("arguments:", "argumnets:", r"argumnets: is not a field here"),
        (
            "{template: '/in/f-{L1:05}'}",
            "{from: c9, response: x}",
            "flows from a call that is not there; found c9",
        ),
        ("{template: '/in/f-{L1:05}'}", "{from: c1}", "says no side"),
        ("{template: '/in/f-{L1:05}'}", "{template: '/in/{'}", "a brace stands alone"),
        ("{template: '/in/f-{L1:05}'}", "{templet: x}", "not a rule"),
        ("workload/1", "trace/1", "another kind or version"),
    ],
)
def test_errors_name_line_and_field(tmp_path: Path, old: str, new: str, message: str) -> None:
    """A slip in an edited file is found where it stands."""
    file = tmp_path / "w.yaml"
    file.write_text(SMALL.replace(old, new))
    with pytest.raises(InputError, match=message):
        read_workload(file)
