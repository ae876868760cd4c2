"""`froude capture pcap`: what it may be asked, what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from froude.cli.app import run
from froude.trace.files import read_trace
from testbed.packet_bytes import file_of
from tests.support.hadoop.class_writer import ping_jar
from tests.support.trace.capture.pcap import talk_of

Out = pytest.CaptureFixture[str]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a packet capture and the jar of a protocol."""
    (tmp_path / "jars").mkdir()
    ping_jar(tmp_path / "jars" / "a.jar")
    (tmp_path / "x.pcap").write_bytes(file_of(talk_of().segments))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pcap(*words: str) -> int:
    """Run the command."""
    return run(["capture", "pcap", "x.pcap", "-o", "t", "--hadoop", "jars", *words])


def test_what_came_of_a_capture(here: Path, capsys: Out) -> None:
    """Calls and senders on standard output, what is missing beside it; scale, tag and id are kept."""
    assert pcap("--scale", "datanodes=3", "--tag", "monday", "--source-id", "CID-1") == 0
    out, err = capsys.readouterr()
    assert out.startswith(
        "t: 3 calls on 1 connections in 10 packets\n0 clients, 0 DataNodes, 1 other sender\n"
    )
    assert "3 calls kept without payload, which the schema does not know (ToyProtocol)" in err
    assert "nothing told" not in err
    trace = read_trace(here / "t")
    assert (trace.meta.source_id, str(trace.meta.scale["datanodes"])) == ("CID-1", "3")
    assert "monday" in (here / "t" / "meta.yaml").read_text()
    assert trace.lineage is not None
    assert trace.lineage.command.startswith("froude capture pcap x.pcap")
    assert run(["trace", "validate", "t"]) == 0


def test_as_json(here: Path, capsys: Out) -> None:
    """One document."""
    del here
    assert run(["--json", "capture", "pcap", "x.pcap", "-o", "t", "--hadoop", "jars"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["path"], told["calls"], told["packets"], len(told["remarks"])) == ("t", 3, 10, 1)
    assert told["loss"]["dropped_bytes"] == 0


def test_a_dry_run_makes_nothing(here: Path, capsys: Out) -> None:
    """It says what it would do."""
    assert run(["--dry-run", "capture", "pcap", "x.pcap", "-o", "t", "--hadoop", "jars"]) == 0
    assert "Would read x.pcap into t" in capsys.readouterr().out
    assert not (here / "t").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--target", "nn.example:8020"), "--target: is no IP address; found nn.example"),
        (("--target", "10.0.0.5"), "--target: "),
        (("--target", "yarn=10.0.0.5:1"), "--target: is no service"),
        (("--target", "10.0.0.5:1"), "x.pcap: "),
        (("--scale", "x"), "x"),
    ],
)
def test_what_may_not_be_asked(words: tuple[str, ...], said: str, here: Path, capsys: Out) -> None:
    """One clear error, and nothing made."""
    assert pcap(*words) == 1
    assert said in capsys.readouterr().err
    assert sorted(path.name for path in here.iterdir()) == ["jars", "x.pcap"]


def test_a_target_by_service_and_address_of_ipv6(here: Path, capsys: Out) -> None:
    """However the address is written."""
    talk = talk_of(client=("2001:db8::7", 4), server=("2001:db8::5", 8020))
    (here / "x.pcap").write_bytes(file_of(talk.segments))
    assert pcap("--target", "namenode=[2001:DB8:0::5]:8020") == 0
    capsys.readouterr()
    assert {call.target[:2] for call in read_trace(here / "t").calls} == {("namenode", "2001:db8::5:8020")}
