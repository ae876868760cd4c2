"""Targets that refuse, hang, reset or answer nonsense: one clear error that names the peer, and nothing left."""

from __future__ import annotations

import functools
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from froude.cli.app import run
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.events import Request
from froude.hadoop.rpc.identity import ask_identity
from froude.hadoop.rpc.server import ServerConnection
from froude.workload.plan_file import write_plan
from froude.workload.types import Recorded
from testbed.plans import plan
from tests.support.hadoop.rpc.double import daemon, reset

Out = pytest.CaptureFixture[str]
DATANODE = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol"
Greet = Callable[[socket.socket], bool]


def hang(peer: socket.socket) -> bool:
    """Take everything, say nothing."""
    return True


def reset_it(peer: socket.socket) -> bool:
    """Reset as soon as something was said."""
    peer.recv(10)
    reset(peer)
    return True


def hang_up(peer: socket.socket) -> bool:
    """End without a word."""
    peer.close()
    return True


def says(data: bytes) -> Greet:
    """Answer these bytes, whatever is asked, and end."""

    def greet(peer: socket.socket) -> bool:
        peer.recv(10)
        peer.sendall(data)
        peer.shutdown(socket.SHUT_WR)
        return True

    return greet


WRONG: dict[str, Greet] = {
    "hangs": hang,
    "resets": reset_it,
    "hangs up": hang_up,
    "speaks HTTP": says(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
    "claims a frame of 2 GB": says(b"\x7f\xff\xff\xff" + bytes(100)),
    "claims a negative frame": says(b"\xff\xff\xff\xff" + bytes(100)),
    "answers zeros": says(bytes(5000)),
    "answers noise": says(bytes(range(256)) * 40),
}


def silent(core: ServerConnection, call: Request) -> None:
    """Close at the first call."""
    return


@contextmanager
def namenode(schema: object, cluster_id: str) -> Iterator[str]:
    """What says that it is a NameNode of this id, and nothing more."""
    answer = schema.method(DATANODE, "versionRequest").response()  # type: ignore[attr-defined]
    info = answer.info
    info.buildVersion, info.unused, info.blockPoolID, info.softwareVersion = "x", 0, "BP-1", "3.5.0"
    storage = info.storageInfo
    storage.layoutVersion, storage.namespceID, storage.clusterID, storage.cTime = 66, 1, cluster_id, 0

    def respond(core: ServerConnection, call: Request) -> bytes:
        return core.respond(call.call_id, answer.SerializeToString())

    with daemon(respond) as (host, port):
        yield f"hdfs://{host}:{port}"


def nothing() -> str:
    """A port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        host, port = taken.getsockname()
    return f"{host}:{port}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hadoop: Hadoop) -> Path:
    """A plan of a recorded source; nobody waits long."""
    planned = plan(datanodes=2, clients=1)
    write_plan(
        tmp_path / "plan",
        replace(
            planned, workload=replace(planned.workload, recorded=Recorded((planned.scale,), ("CID-source",)))
        ),
    )
    patient = functools.partial(ask_identity, timeout_s=0.3)
    monkeypatch.setattr("froude.experiment.play.admission.ask_identity", patient)
    monkeypatch.setattr("froude.trace.capture.identity._TIMEOUT_S", 0.2)
    return tmp_path


OTHERS: set[int] = set()
"""Children that other tests left to the session, such as a resource tracker."""


def children() -> set[int]:
    """Process ids below this process."""
    return {child.pid for child in psutil.Process().children(recursive=True)}


@pytest.fixture(autouse=True)
def others() -> None:
    """Look who is here before."""
    OTHERS.clear()
    OTHERS.update(children())


def play(folder: Path, target: str, *words: str) -> int:
    """Run the command in a workspace of its own."""
    plan_, out = str(folder / "plan"), str(folder / "run")
    return run(["--workspace", str(folder), "play", plan_, "--target", target, "-o", out, *words])


def stated(folder: Path, code: int, err: str, *names: str) -> None:
    """One line that names these; no run, no remains, no child."""
    assert code in {1, 2}, err
    assert err.count("\n") == 1, err
    for name in names:
        assert name in err
    assert [path.name for path in folder.iterdir()] == ["plan"]
    assert children() == OTHERS


@pytest.mark.parametrize("how", WRONG)
def test_a_target_of_a_play_that_does_wrong(how: str, folder: Path, capsys: Out) -> None:
    """It is named, with what it did."""
    with daemon(silent, greet=WRONG[how]) as (host, port):
        code = play(folder, f"hdfs://{host}:{port}", "--target-is", "CID-1")
        stated(folder, code, capsys.readouterr().err, f"{host}:{port}")


def test_a_target_of_a_play_that_refuses(folder: Path, capsys: Out) -> None:
    """Nobody listens, or the name means nothing."""
    target = nothing()
    stated(folder, play(folder, target), capsys.readouterr().err, target)
    stated(folder, play(folder, "no-such-host.invalid:8020"), capsys.readouterr().err, "no-such-host.invalid")


@pytest.mark.parametrize(
    ("cluster_id", "words", "said"),
    [
        ("CID-1", (), "--target-is"),
        ("CID-1", ("--target-is", "CID-2"), "CID-2"),
        ("CID-source", (), "recorded on"),
        ("CID-source", ("--target-is", "CID-source"), "recorded on"),
    ],
)
def test_the_guard(  # noqa: PLR0917
    cluster_id: str, words: tuple[str, ...], said: str, folder: Path, hadoop: Hadoop, capsys: Out
) -> None:
    """Another's cluster without its id, with a wrong one, and the recorded source in any case are refused."""
    with namenode(hadoop.schema(), cluster_id) as target:
        stated(folder, play(folder, target, *words), capsys.readouterr().err, said)


def test_a_run_that_is_in_the_way(folder: Path, capsys: Out) -> None:
    """It is refused before anything is played, and stays."""
    (folder / "run").mkdir()
    assert play(folder, nothing()) == 1
    assert "run: " in capsys.readouterr().err


def test_a_state_file_does_not_open_another_target(folder: Path, hadoop: Hadoop, capsys: Out) -> None:
    """A cluster of this workspace that is gone vouches for nobody who took its address."""
    with namenode(hadoop.schema(), "CID-1") as target:
        gone = {"name": "supervisor", "pid": 2**22, "started_s": 0.0, "address": ""}
        state = {"supervisor": gone, "release": "3.5.0", "uri": target, "http": "", "daemons": []}
        (folder / "hadoop").mkdir()
        (folder / "hadoop" / "state.json").write_text(
            json.dumps({**state, "cluster_id": "CID-1", "block_pool_id": ""})
        )
        assert play(folder, target) == 1
    assert "--target-is" in capsys.readouterr().err


def capture(folder: Path, target: str) -> int:
    """Record for a moment."""
    words = ["--target", target, "--listen", "127.0.0.1:0", "--duration", "100 ms", "-o", str(folder / "t")]
    return run(["--workspace", str(folder), "capture", "proxy", *words])


@pytest.mark.parametrize("how", ["hangs", "speaks HTTP", "claims a frame of 2 GB"])
def test_a_target_of_a_capture_that_does_wrong(how: str, folder: Path, capsys: Out) -> None:
    """It may be no NameNode at all: a Trace is made, and the advice says that it has no source."""
    with daemon(silent, greet=WRONG[how]) as (host, port):
        assert capture(folder, f"{host}:{port}") == 0
    assert "--source-id" in capsys.readouterr().err
    assert run(["trace", "validate", str(folder / "t")]) == 0
    assert children() == OTHERS


def test_a_capture_that_cannot_begin(folder: Path, capsys: Out) -> None:
    """A target where nobody listens, an address that is taken, a place that is taken: 1 and nothing made."""
    target = nothing()
    stated(folder, capture(folder, target), capsys.readouterr().err, target)
    with daemon(silent) as (host, port):
        words = ["--target", f"{host}:{port}", "--listen", f"{host}:{port}", "-o", str(folder / "t")]
        code = run(["capture", "proxy", *words, "--source-id", "x"])
        stated(folder, code, capsys.readouterr().err, f"{host}:{port}")
        words = ["--target", f"{host}:{port}", "--listen", "127.0.0.1:0", "-o", str(folder / "plan")]
        code = run(["capture", "proxy", *words, "--source-id", "x"])
        stated(folder, code, capsys.readouterr().err, "plan")


def test_a_target_that_dies_while_it_is_played_on(folder: Path, hadoop: Hadoop, capsys: Out) -> None:
    """What was played is kept as a run, the exit code is 1, and the line says what happened."""
    calls: list[float] = []
    schema = hadoop.schema()
    answer = schema.method(DATANODE, "versionRequest").response()
    info = answer.info  # type: ignore[attr-defined]
    info.buildVersion, info.unused, info.blockPoolID, info.softwareVersion = "x", 0, "BP-1", "3.5.0"
    storage = info.storageInfo
    storage.layoutVersion, storage.namespceID, storage.clusterID, storage.cTime = 66, 1, "CID-1", 0

    def respond(core: ServerConnection, call: Request) -> bytes | None:
        calls.append(time.monotonic())
        return core.respond(call.call_id, answer.SerializeToString()) if len(calls) == 1 else None

    with daemon(respond) as (host, port):
        code = play(folder, f"{host}:{port}", "--target-is", "CID-1", "--duration", "20 s", "--quiet")
    err = capsys.readouterr().err
    assert code == 1, err
    assert err.startswith("froude: ")
    assert err.count("\n") == 1
    assert (folder / "run" / "run.json").is_file()
    assert children() == OTHERS


def test_no_target_where_nothing_runs(folder: Path, capsys: Out) -> None:
    """Without --target it is what runs in the workspace; where nothing does, the error says how to start it."""
    code = run(["--workspace", str(folder), "play", str(folder / "plan"), "-o", str(folder / "run")])
    stated(folder, code, capsys.readouterr().err, "froude hadoop up")
