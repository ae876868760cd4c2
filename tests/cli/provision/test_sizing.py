"""`froude provision hdfs`."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.cli.app import run
from froude.provision.inputs.read import read_problem

pytest.importorskip("scipy")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it writes."""
    monkeypatch.chdir(tmp_path)


def test_from_a_capacity_to_a_proved_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file that it writes has all inputs, and the plan passes their check; limits are printed, and in the file."""
    words = [
        "provision",
        "hdfs",
        "--capacity",
        "400 TB",
        "--read",
        "5 GB/s",
        "--write",
        "1 GB/s",
        "--rebuild",
        "6 h",
    ]
    assert run([*words, "-o", "own.yaml", "--plan", "own.json"]) == 0
    out, err = capsys.readouterr()
    assert "$773,367.84, proved" in out
    assert "d3en.2xlarge     28  4 x hdd 13980GB d3en" in out
    assert "limits: at most 100 TB in a DataNode" in out
    assert "types left out: disks of more than 100 TB (d3en.12xlarge," in err
    problem = read_problem(["own.yaml"])
    assert problem.catalog.prices_as_of == "2026-07"
    assert "# limits: at most 100 TB" in (tmp_path / "own.yaml").read_text()
    assert run(["provision", "check", "own.yaml", "--cluster", "own.json"]) == 0


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--capacity", "0"], "--capacity: is out of range; found 0; allowed: above 0"),
        (["--capacity", "400"], "--capacity: has no unit"),
        (["--read", "5 GB"], "--read: "),
        (["--rebuild", "6"], "--rebuild: has no unit"),
        (["--replication", "1"], "--replication: keeps no block of a lost host"),
        (["--survive", "rack"], "--survive: needs racks, which the resources do not have"),
        (["--datanode-cores", "500"], "has no server that may be a DataNode"),
        (["none.yaml"], "none.yaml: cannot be read"),
    ],
)
def test_what_is_refused(
    flags: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """With the flag; nothing is written."""
    assert run(["provision", "hdfs", "--capacity", "1 TB", *flags]) in {1, 2}
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    """Nor does it look for a plan."""
    assert run(["--dry-run", "provision", "hdfs", "--capacity", "1 TB"]) == 0
    assert list(tmp_path.iterdir()) == []
