"""`froude harvest inspect`; of a real NameNode in `tests/integration/test_placement.py`."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.harvest.telemetry.files import write_datacenter
from tests.support.harvest.even import datacenter

Out = pytest.CaptureFixture[str]
SERVERS = 60


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twelve tenants in six environments on sixty servers."""
    monkeypatch.chdir(tmp_path)
    made = datacenter(12, 5, 6, days=100)
    write_datacenter(tmp_path / "lab", replace(made, servers=[f"10.0.0.{n}" for n in range(SERVERS)]))
    return tmp_path


def line(number: int, nodes: list[int]) -> str:
    """What fsck says of a block."""
    where = ", ".join(f"DatanodeInfoWithStorage[10.0.0.{node}:9866,DS-1,DISK]" for node in nodes)
    return f"0. BP-1-127.0.0.1-1:blk_{number}_1 len=5 Live_repl={len(nodes)}  [{where}]\n"


def test_constraints_and_losses_of_a_real_listing(lab: Path, capsys: Out) -> None:
    """From packed text; blocks all of whose replicas are on one tenant are lost, others are not."""
    together = [line(n, [0, 1, 2]) for n in range(200)]
    with gzip.open(lab / "fsck.gz", "wt") as file:
        file.writelines([*together, line(999, [0, 99]), "FSCK ended at now\n"])
    command = [
        "harvest",
        "inspect",
        "lab",
        "fsck.gz",
        "--days",
        "40",
        "--runs",
        "1",
        "--policy",
        "environment",
    ]
    assert run([*command, "-o", "found.json", "--report", "page.html"]) == 0
    said = capsys.readouterr()
    assert "of 201 blocks have replicas in the same environment" in said.out
    assert "end of fsck" not in said.err
    found = json.loads((lab / "found.json").read_text())
    assert found["unknown"] == ["10.0.0.99:9866"]
    assert found["broken"]["environment"] == {
            "blocks": 200, "replicas": 400, "judged": 601 / 602,
        }  # fmt: skip
    assert [each["policy"] for each in found["as_it_is"]] == ["environment"]
    assert found["as_it_is"][0]["outcomes"][0]["placed"] == 201
    assert "Blocks as they lie" in (lab / "page.html").read_text()


def test_the_lists_of_an_image(lab: Path, capsys: Out) -> None:
    """DataNode n is server n; more nodes than servers cannot be."""
    image = ["image", "synth", "analytics", "--inodes", "300", "-o", "fsimage_1"]
    assert run(image) == 0
    for nodes in (SERVERS, SERVERS + 1):
        assert run(["image", "blocks", "fsimage_1", "--datanodes", f"{nodes}", "-o", f"blocks{nodes}"]) == 0
    capsys.readouterr()
    assert run(["--json", "harvest", "inspect", "lab", f"blocks{SERVERS}", "--days", "0"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["blocks"] > 0
    assert found["unknown"] == []
    assert run(["harvest", "inspect", "lab", f"blocks{SERVERS + 1}", "--days", "0"]) == 1
    assert "has more DataNodes than the datacenter has servers; found 61" in capsys.readouterr().err


def test_a_listing_that_ends_early_is_said_to(lab: Path, capsys: Out) -> None:
    """So is one without the states of replicas; and where blocks lie must be told once."""
    (lab / "cut.txt").write_text(line(1, [0, 30]))
    assert run(["harvest", "inspect", "lab", "cut.txt", "--days", "0"]) == 0
    said = capsys.readouterr().err
    assert "the end of fsck's output is not there" in said
    assert "without -replicaDetails fsck does not say which replicas are corrupt, in excess" in said
    for flags in ([], ["cut.txt", "--namenode", "127.0.0.1:1"]):
        assert run(["harvest", "inspect", "lab", *flags]) == 1
        assert "does not know where blocks lie" in capsys.readouterr().err


def test_bad_replicas_are_said(lab: Path, capsys: Out) -> None:
    """They keep no constraint."""
    listed = line(1, [0, 30, 40]).replace("DISK]", "DISK](CORRUPT)", 1) + "FSCK ended at now\n"
    listed = listed.replace("DISK],", "DISK](EXCESS),", 1)
    (lab / "detailed.txt").write_text(listed)
    assert run(["--json", "harvest", "inspect", "lab", "detailed.txt", "--days", "0"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["bad_replicas"] == {"corrupt": 1, "in excess": 1}
    assert "note: 2 replicas left out: 1 corrupt, 1 in excess" in said.err
    assert "without -replicaDetails" not in said.err


def test_without_reimages_only_counts_can_be_had(lab: Path, capsys: Out) -> None:
    """A year needs some."""
    from froude.harvest.telemetry.datacenter import Reimages

    servers = [f"10.0.0.{n}" for n in range(SERVERS)]
    calm = replace(datacenter(12, 5, 6), reimages=Reimages.none(), servers=servers)
    write_datacenter(lab / "calm", calm)
    (lab / "cut.txt").write_text(line(1, [0, 30]))
    assert run(["harvest", "inspect", "calm", "cut.txt"]) == 1
    assert "froude harvest import --reimages" in capsys.readouterr().err
