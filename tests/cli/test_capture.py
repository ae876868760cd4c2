"""`froude capture`: what it may be asked, that several proxies make one Trace, and packet captures."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from froude.base.scratch import sweep
from froude.cli.app import run
from froude.hadoop.release.distribution import Hadoop
from froude.trace.files import read_trace
from testbed.packet_bytes import file_of
from tests.support.hadoop.class_writer import ping_jar
from tests.support.trace.capture.pcap import talk_of

Out = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Targets here never say who they are; nobody waits for that."""
    monkeypatch.setattr("froude.trace.capture.identity._TIMEOUT_S", 0.2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--backlog", "5 s"], "--backlog: "),
        (["--backlog", "1 kB"], "backlog: is too small a backlog"),
        *(
            (["--duration", text], "--duration: is no time")
            for text in ("5 GB", "-5 s", "1e29 s", "0 s", "5")
        ),
        (["--processes", "0"], "processes: is no number of processes"),
    ],
)
def test_numbers_that_cannot_be(
    words: list[str], said: str, tmp_path: Path, hadoop: Hadoop, capsys: pytest.CaptureFixture[str]
) -> None:
    """One clear error, and nothing made."""
    del hadoop
    usual = ["--target", "127.0.0.1:1", "--listen", "127.0.0.1:0", "-o", str(tmp_path / "t")]
    assert run(["capture", "proxy", *usual, *words]) in {1, 2}
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "both are needed: which daemon to record, and where its clients connect instead"),
        (["--target", "h:1"], "--target, --listen: both are needed"),
        (["--listen", "h:1"], "Such as --target NAMENODE:8020 --listen 0.0.0.0:18020"),
        (
            ["--target", "yarn=h:1", "--listen", "h:1"],
            "found yarn; allowed: namenode",
        ),
        (["--target", "h:x", "--listen", "h:1"], "--target: "),
        (
            ["--forward", "h:1"],
            "--forward: needs two addresses: where clients connect, then the daemon's own",
        ),
        (["--forward", "namenode=h:1"], "such as 0.0.0.0:18020=namenode=NAMENODE:8020"),
        (["--forward", "h:1=h:0"], "--forward: "),
        (["--forward", "h:x=h:1"], "--forward: "),
    ],
)
def test_whom_to_record_is_said_clearly(
    words: list[str], said: str, tmp_path: Path, hadoop: Hadoop, capsys: pytest.CaptureFixture[str]
) -> None:
    """One clear error, and nothing made."""
    del hadoop
    assert run(["capture", "proxy", "-o", str(tmp_path / "t"), *words]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_several_daemons_are_watched_at_once(
    tmp_path: Path, hadoop: Hadoop, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each behind an address of its own."""
    del hadoop
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        words = []
        for service, server in (("", one), ("resourcemanager=", other)):
            host, port = server.getsockname()
            words += ["--forward", f"127.0.0.1:0={service}{host}:{port}"]
        out = str(tmp_path / "t")
        assert run(["capture", "proxy", *words, "--source-id", "x", "--duration", "100 ms", "-o", out]) == 0
    assert capsys.readouterr().err.count("127.0.0.1:") == 2


def test_one_silent_target_does_not_end_the_capture_of_others(
    tmp_path: Path, hadoop: Hadoop, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is named, and may answer later; where none answers there is nothing to record."""
    del hadoop
    with socket.create_server(("127.0.0.1", 0)) as alive:
        host, port = alive.getsockname()
        with socket.create_server(("127.0.0.1", 0)) as other:
            dead = f"127.0.0.1:{other.getsockname()[1]}"
        words = [
            "--forward",
            f"127.0.0.1:0={dead}",
            "--source-id",
            "x",
            "--duration",
            "100 ms",
            "-o",
            str(tmp_path / "t"),
        ]
        assert run(["capture", "proxy", *words, "--forward", f"127.0.0.1:0={host}:{port}"]) == 0
        out, err = capsys.readouterr()
        assert f"{dead}: " in err
        assert "Its clients are refused until it answers" in err
        assert "0 clients, 0 DataNodes. No DataNode was seen: they speak to the NameNode directly" in out
        words[-1] = str(tmp_path / "u")
        assert run(["capture", "proxy", *words]) == 1
        assert not (tmp_path / "u").exists()


def test_several_lossless_processes_for_a_moment(
    tmp_path: Path, hadoop: Hadoop, capsys: pytest.CaptureFixture[str]
) -> None:
    """A Trace is made and no process is left."""
    del hadoop
    with socket.create_server(("127.0.0.1", 0)) as target:
        host, port = target.getsockname()
        usual = ["--target", f"{host}:{port}", "--listen", "127.0.0.1:0", "-o", str(tmp_path / "t")]
        words = [
            "--lossless",
            "--processes",
            "2",
            "--backlog",
            "1 MB",
            "--source-id",
            "x",
            "--duration",
            "100 ms",
        ]
        before = set(psutil.Process().children(recursive=True))
        assert run(["capture", "proxy", *usual, *words]) == 0
        assert set(psutil.Process().children(recursive=True)) <= before
    assert "0 calls on 0 connections" in capsys.readouterr().out
    assert read_trace(tmp_path / "t").calls == []


def test_what_a_killed_one_leaves_is_swept(tmp_path: Path) -> None:
    """After kill -9 nothing of it is among the temporary files once the next has started."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    (tmp_path / "jars").mkdir()
    ping_jar(tmp_path / "jars" / "a.jar")
    with socket.create_server(("127.0.0.1", 0)) as target:
        host, port = target.getsockname()
        words = ["--target", f"{host}:{port}", "--listen", "127.0.0.1:0", "--source-id", "x"]
        words += ["--hadoop", str(tmp_path / "jars"), "-o", str(tmp_path / "t")]
        process = subprocess.Popen(
            [sys.executable, "-c", "from froude.cli.app import main; main()", "capture", "proxy", *words],
            stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(temporary)},
        )
        assert process.stderr is not None
        assert b"recording on" in process.stderr.readline()
        process.kill()
        process.communicate()
    left = list(temporary.iterdir())
    assert left
    assert sorted(sweep(temporary)) == sorted(left)
    assert list(temporary.iterdir()) == []


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
    assert pcap(*words) in {1, 2}
    assert said in capsys.readouterr().err
    assert sorted(path.name for path in here.iterdir()) == ["jars", "x.pcap"]


def test_a_target_by_service_and_address_of_ipv6(here: Path, capsys: Out) -> None:
    """However the address is written."""
    talk = talk_of(client=("2001:db8::7", 4), server=("2001:db8::5", 8020))
    (here / "x.pcap").write_bytes(file_of(talk.segments))
    assert pcap("--target", "namenode=[2001:DB8:0::5]:8020") == 0
    capsys.readouterr()
    assert {call.target[:2] for call in read_trace(here / "t").calls} == {("namenode", "2001:db8::5:8020")}
