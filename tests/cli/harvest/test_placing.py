"""`froude harvest place` and its way back; on a real NameNode in `tests/integration/test_placement.py`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from froude.cli.app import run
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.site import read_site
from froude.harvest.live.hdfs.plugin import CLASS, POLICY
from froude.harvest.telemetry.files import write_datacenter
from tests.support.harvest.datacenters import made
from tests.support.harvest.live.hdfs.namenodes import NODES, namenode

Out = pytest.CaptureFixture[str]
STATE = Path("harvest-placement.json")


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A datacenter of two servers, which are called as two of three DataNodes are; and a folder of settings."""
    monkeypatch.chdir(tmp_path)
    load = np.array([np.full(48, 0.2), np.full(48, 0.6)])
    write_datacenter(tmp_path / "lab", replace(made(load), servers=["s0", "10.0.0.1"]))
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "hdfs-site.xml").write_text("<configuration/>")
    (tmp_path / "use.csv").write_text("server,cpu\ns0,0.9\n10.0.0.1,0.66\n")
    return tmp_path


def test_nothing_is_written_unless_told(lab: Path, hadoop: Hadoop, capsys: Out) -> None:
    """It shows the settings, where the plug-in is, who is left out, and what no block can have."""
    with namenode(hadoop.schema()) as (host, port, calls):
        assert run(["harvest", "place", "lab", "--namenode", f"{host}:{port}", "--usage", "use.csv"]) == 0
    said = capsys.readouterr()
    assert "NameNode CID-1: 2 DataNodes of tenants, 1 busy" in said.out
    assert f"{POLICY} = {CLASS}" in said.out
    assert "policy history, 4 replicas a block (the NameNode's dfs.replication)" in said.out
    assert "and on its class path:" in said.out
    assert "1 DataNode of no known server, such as 10.0.0.2:9866: the plug-in gives none" in said.err
    assert "4 replicas must differ in environment, of which DataNodes have 2; in peak_row" in said.err
    assert "Nothing was changed. Choose a policy that relaxes" in said.err
    assert [call for call in calls if call != "versionRequest"] == ["getDatanodeReport", "getServerDefaults"]
    with namenode(hadoop.schema()) as (host, port, calls):
        command = ["harvest", "place", "lab", "--namenode", f"{host}:{port}", "--policy", "environment"]
        assert run([*command, "--replicas", "2"]) == 0
    said = capsys.readouterr()
    assert "To do it: --target-is CID-1" in said.err
    assert "policy environment, 2 replicas a block (--replicas)" in said.out
    assert [call for call in calls if call != "versionRequest"] == ["getDatanodeReport"]
    assert sorted(path.name for path in lab.iterdir()) == ["conf", "lab", "use.csv"]


def test_a_namenode_whose_settings_are_here_takes_it_up_and_back(
    lab: Path, hadoop: Hadoop, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was there is written first; a second time, only the first counts; then all is as before."""
    hosts = [{"hostName": node.host} for node in NODES]
    (lab / "hosts").write_text(json.dumps(hosts))
    with namenode(hadoop.schema()) as (host, port, calls):
        command = ["harvest", "place", "lab", "--namenode", f"{host}:{port}", "--conf", "conf"]
        assert run([*command, "--target-is", "CID-2"]) == 1
        assert "is not the NameNode that was named; found CID-1" in capsys.readouterr().err
        assert not STATE.exists()
        assert run([*command, "--target-is", "CID-1"]) == 1
        assert "would leave every block without some of its replicas" in capsys.readouterr().err
        assert not STATE.exists()
        flags = ["--usage", "use.csv", "--hosts", "hosts", "--policy", "environment-soft"]
        for _ in range(2):
            assert run([*command, *flags, "--target-is", "CID-1"]) == 0
        assert [call for call in calls if call != "versionRequest"][-3:] == [
            *("refreshNodes", "startReconfiguration", "getReconfigurationStatus")
        ]
        assert read_site(lab / "conf" / "hdfs-site.xml")[POLICY] == CLASS
        assert list((lab / "conf").rglob("*.class"))
        assert "10.0.0.0:9866\tbusy" in (lab / "placement-map.tsv").read_text()
        states = [each.get("adminState") for each in json.loads((lab / "hosts").read_text())]
        assert states == ["IN_MAINTENANCE", None, None]
        # The NameNode knows one map, and Froude what was there before: neither is mistaken for another.
        assert run([*command, "--map", "other.tsv", "--target-is", "CID-1"]) == 1
        assert f"is not what the NameNode reads; found {lab / 'placement-map.tsv'}" in capsys.readouterr().err
        assert run([*command, "--state", "other.json", "--target-is", "CID-1"]) == 1
        assert "was set up already" in capsys.readouterr().err
        (lab / "hosts2").write_text("[]")
        assert run([*command, "--hosts", "hosts2", "--target-is", "CID-1"]) == 1
        assert "--hosts: is another one than before" in capsys.readouterr().err
        (lab / "hosts2").unlink()
        (lab / "elsewhere").mkdir()
        monkeypatch.chdir(lab / "elsewhere")
        again = ["harvest", "place", "../lab", "--namenode", f"{host}:{port}", "--conf", "../conf"]
        again += ["--policy", "environment-soft"]
        assert run([*again, "--state", f"../{STATE}", "--target-is", "CID-1"]) == 0
        assert not list((lab / "elsewhere").iterdir())
        monkeypatch.chdir(lab)
        (lab / "elsewhere").rmdir()
        assert run(["harvest", "rollback", str(STATE), "--dry-run"]) == 0
        assert STATE.exists()
        assert run(["harvest", "rollback", str(STATE)]) == 0
    assert read_site(lab / "conf" / "hdfs-site.xml") == {}
    assert json.loads((lab / "hosts").read_text()) == hosts
    assert sorted(path.name for path in lab.iterdir()) == ["conf", "hosts", "lab", "use.csv"]


def test_without_java(lab: Path, hadoop: Hadoop, capsys: Out) -> None:
    """Environments are racks, and the NameNode must be started again, there and back."""
    with namenode(hadoop.schema()) as (host, port, calls):
        command = ["harvest", "place", "lab", "--namenode", f"{host}:{port}", "--way", "racks"]
        assert run([*command, "--conf", "conf", "--target-is", "CID-1"]) == 0
        assert "s0 /e0" in (lab / "racks.txt").read_text()
        assert "start it again" in capsys.readouterr().err
        assert run(["harvest", "rollback", str(STATE)]) == 0
        assert "start it again" in capsys.readouterr().err
        assert "startReconfiguration" not in calls
        (lab / "hosts").write_text(json.dumps([{"hostName": node.host} for node in NODES]))
        flags = ["--usage", "use.csv", "--hosts", "hosts", "--target-is", "CID-1"]
        assert run([*command, *flags]) == 0
        assert json.loads((lab / "hosts").read_text())[0]["adminState"] == "IN_MAINTENANCE"
        assert run(["harvest", "rollback", str(STATE)]) == 0
    assert not (lab / "racks.txt").exists()


def test_an_edited_map_is_not_replaced(lab: Path, hadoop: Hadoop, capsys: Out) -> None:
    """What Froude wrote last it writes again; a line that a person added stays, unless --force is given."""
    with namenode(hadoop.schema()) as (host, port, _):
        command = ["harvest", "place", "lab", "--namenode", f"{host}:{port}", "--way", "racks"]
        command += ["--conf", "conf", "--target-is", "CID-1"]
        assert run(command) == 0
        assert run(command) == 0
        written = (lab / "racks.txt").read_text()
        (lab / "racks.txt").write_text(f"{written}# mine\n")
        for flags in ((), ("--dry-run",)):
            capsys.readouterr()
            assert run([*command, *flags]) == 1
            assert "racks.txt: " in capsys.readouterr().err
        assert (lab / "racks.txt").read_text() == f"{written}# mine\n"
        assert run([*command, "--force"]) == 0
        assert (lab / "racks.txt").read_text() == written


def test_another_namenode(lab: Path, hadoop: Hadoop, capsys: Out) -> None:
    """Its state is never mixed in, nor rolled back without its id."""
    from froude.harvest.live.hdfs.prior import HdfsPrior, prior_json

    with namenode(hadoop.schema()) as (host, port, _):
        STATE.write_text(prior_json(HdfsPrior(address=f"{host}:{port}", id="CID-9")))
        assert run(["harvest", "place", "lab", "--namenode", f"{host}:{port}"]) == 1
        assert "holds what another NameNode had; found CID-9; allowed: CID-1" in capsys.readouterr().err
        assert run(["harvest", "rollback", str(STATE)]) == 1
        assert "say --target-is CID-1" in capsys.readouterr().err
        assert run(["harvest", "rollback", str(STATE), "--target-is", "CID-1"]) == 0
    assert not STATE.exists()


def test_what_stands_in_the_way(lab: Path, hadoop: Hadoop, capsys: Out) -> None:
    """A file that is no map is not replaced; a folder without settings, or hosts that are no list, are refused."""
    (lab / "notes.txt").write_text("mine\n")
    command = ["harvest", "place", "lab", "--target-is", "CID-1"]
    with namenode(hadoop.schema()) as (host, port, calls):
        command += ["--namenode", f"{host}:{port}"]
        assert run([*command, "--map", "notes.txt"]) == 1
        assert not calls
        assert "notes.txt" in capsys.readouterr().err
        assert run([*command, "--hosts", "notes.txt"]) == 1
        assert "dfs.hosts: " in capsys.readouterr().err
        assert run([*command, "--conf", "lab"]) == 1
        assert "hdfs-site.xml" in capsys.readouterr().err
    assert (lab / "notes.txt").read_text() == "mine\n"
    assert not STATE.exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--way", "magic"], "--way: is not one of its words; found magic; allowed: plugin, racks"),
        (["--policy", "best"], "policy: "),
        (["--distinct", "colour"], "found colour"),
        (["--busy", "7"], "--busy"),
        (["--busy-for", "soon"], "--busy-for"),
        (["--usage", "lab/meta.yaml"], "meta.yaml"),
        (["--way", "racks", "--usage", "use.csv"], "--usage: is of no use here"),
        (["--way", "racks", "--policy", "history"], "--policy: is of the plug-in only"),
        (["--way", "racks", "--distinct", "rack"], "--distinct: is of the plug-in only"),
    ],
)
def test_flags_that_cannot_be(lab: Path, flags: list[str], said: str, capsys: Out) -> None:
    """Before anything is asked."""
    assert run(["harvest", "place", "lab", "--namenode", "127.0.0.1:1", *flags]) in {1, 2}
    assert said in capsys.readouterr().err
