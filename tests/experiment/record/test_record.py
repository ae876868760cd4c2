"""Recording, with a stand-in for the cluster."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from froude.base.errors import InputError, TargetError
from froude.base.units import Quantity
from froude.documents.artifact import State
from froude.documents.store import Workspace
from froude.experiment.record import record as recording
from froude.hadoop.fsimage.aged import LastIds
from froude.hadoop.release.yarn_jars import YarnJars
from froude.hadoop.rpc.target import Target, target_at
from froude.hadoop.settings.routes import Route
from froude.trace.files import read_trace
from testbed import wire


class StandIn:
    """What `record` needs of a cluster: a NameNode that answers one call a connection, two nodes."""

    def __init__(self, sock: socket.socket) -> None:
        host, port = sock.getsockname()
        self.namenode = SimpleNamespace(
            host=host, port=port, address=(host, port), cluster_id="CID-9", last_ids=LastIds(5, 6, 7)
        )
        java = SimpleNamespace(home="/java")
        self.hadoop = SimpleNamespace(jars=[], version="3.5.0", java=java)
        self.node_addresses = ["127.77.0.10", "127.77.0.11"]
        self.home = Path()
        self.shells: list[tuple[tuple[str, ...], Any]] = []
        self.fails = False

    def start_datanodes(self, namenode_at: Mapping[int, tuple[str, int]]) -> None:
        """Each node makes a call where it was told."""
        for address in namenode_at.values():
            one_call(address)

    def wait_live(self) -> None:
        if self.fails:
            raise TargetError("DataNodes did not all come up")

    def shell(self, *arguments: str, at: tuple[str, int]) -> str:
        self.shells.append((arguments, at))
        return "out"

    def client_home(self, at: tuple[str, int]) -> Path:
        """Its address is noted there."""
        (self.home / "conf").mkdir(parents=True)
        (self.home / "conf" / "at").write_text(f"{at[0]}:{at[1]}")
        return self.home


def one_call(address: tuple[str, int]) -> None:
    """One echo."""
    with socket.create_connection(address, timeout=20) as sock:
        body = wire.message("EchoProto", text="/x").SerializeToString()
        sock.sendall(wire.PREAMBLE + wire.context() + wire.request(0, "echo", body))
        assert sock.recv(1000)


def _serve(sock: socket.socket) -> None:
    while True:
        try:
            client, _ = sock.accept()
        except OSError:
            return
        with client:
            if client.recv(10_000):
                client.sendall(wire.response(0, b""))
                client.recv(1)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A stand-in that listens."""
    monkeypatch.setattr(recording.Schema, "from_jars", lambda jars: wire.SCHEMA)
    with socket.create_server(("127.0.0.1", 0)) as sock:
        threading.Thread(target=_serve, args=(sock,), daemon=True).start()
        yield StandIn(sock)


def test_nodes_and_clients_are_recorded(cluster: Any, tmp_path: Path) -> None:
    """Nodes with addresses of their own, the user's function with the proxied URI, scale and tags kept."""
    workspace = Workspace(tmp_path / "w")
    with recording.record(cluster, workspace, scale={"datanodes": 2, "input": "1 GB"}, tags=["a"]) as r:
        assert r.uri == f"hdfs://{r.address[0]}:{r.address[1]}"
        assert r.call(lambda uri, again: (one_call(r.address), uri, again)[1:], again=1) == (r.uri, 1)
        assert r.shell("-ls", "/") == "out"
        with pytest.raises(ValueError, match="has not ended"):
            _ = r.result
    trace = read_trace(r.trace)
    assert [call.peer for call in trace.calls] == ["127.77.0.10", "127.77.0.11", "127.0.0.1"]
    assert trace.meta.scale == {"datanodes": Quantity(2), "input": Quantity(10**9, "B")}
    assert (trace.meta.source_id, trace.meta.release, r.result.calls) == ("CID-9", "3.5.0", 3)
    assert trace.meta.notes["ids given before"] == "block 5, generation stamp 6, file 7"
    assert cluster.shells == [(("-ls", "/"), r.address)]
    assert workspace.traces(tag="a") == [r.trace]
    assert trace.lineage is not None
    assert trace.lineage.command == "Workspace.record(cluster, scale={'datanodes': '2', 'input': '1 GB'})"
    assert trace.lineage.state is State.COMPLETE


class YarnStandIn:
    """What `record` needs of a cluster with YARN: the same NameNode, known under another address."""

    def __init__(self, hdfs: StandIn) -> None:
        self.hdfs = hdfs
        release = SimpleNamespace(jars=["a"], beside=["b"], java=hdfs.hadoop.java)
        self.jars = YarnJars(release, {})  # type: ignore[arg-type]
        self.known = Target("nodemanager", "127.77.0.10:8041")
        self.captured = False

    def routes(self) -> list[Route]:
        """Clients find the NameNode at a free port, and somebody a NodeManager that listens elsewhere."""
        namenode = target_at("namenode", self.hdfs.namenode.address, "CID-9")
        behind = self.hdfs.namenode.address
        return [
            Route(("127.77.0.4", 0), namenode),
            Route(("127.77.0.10", 0), self.known, "127.77.0.11", behind),
        ]

    def start_nodemanagers(self, *, captured: bool) -> None:
        self.captured = captured

    def wait_live(self) -> None:
        """At once."""

    def shell(self, *words: str) -> str:
        return f"shell {words}"

    def client_home(self) -> Path:
        return self.hdfs.client_home(("yarn", 1))


def test_all_ways_of_a_cluster_with_yarn_are_recorded(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the address that callers know, from the address they are said to come from; one more way for other clients."""
    cluster.home = tmp_path / "home"
    asked: list[list[str]] = []
    monkeypatch.setattr(recording.Schema, "from_jars", lambda jars: (asked.append(jars), wire.SCHEMA)[1])
    monkeypatch.setattr(recording, "YarnCluster", YarnStandIn)
    yarn: Any = YarnStandIn(cluster)
    with recording.record(yarn, Workspace(tmp_path / "w"), listen=("127.0.0.1", 0)) as r:
        assert (yarn.captured, asked, r.address[0]) == (True, [["a", "b"]], "127.0.0.1")
        for address in r._capture.addresses:
            one_call(address)
        assert r.shell("-ls") == "shell ('-ls',)"
        r.run(["sh", "-c", 'cat "$HADOOP_CONF_DIR/at"'], output=tmp_path / "out")
    assert (tmp_path / "out").read_text() == "yarn:1"
    calls = read_trace(r.trace).calls
    assert [call.target.service for call in calls] == ["namenode", "namenode", "nodemanager"]
    assert (calls[2].target, calls[2].peer) == (yarn.known, "127.77.0.11")


def test_children_are_waited_for(cluster: Any, tmp_path: Path) -> None:
    """A client process gets the URI and may end after the block; one left behind by an error is ended."""
    workspace = Workspace(tmp_path / "w")
    script = "import sys, time; time.sleep(0.3); open(sys.argv[2], 'w').write(sys.argv[1])"
    with recording.record(cluster, workspace) as r:
        r.spawn([sys.executable, "-c", script, "{uri}", str(tmp_path / "said")])
    assert (tmp_path / "said").read_text() == r.uri
    children = []

    def block() -> None:
        with recording.record(cluster, workspace) as r:
            children.append(r.spawn([sys.executable, "-c", "import time; time.sleep(600)"]))
            raise KeyError

    with pytest.raises(KeyError):
        block()
    assert children[0].returncode == -9


def test_a_program_finds_the_proxy(cluster: Any, tmp_path: Path) -> None:
    """By its configuration and by the URI; what it printed is kept, also when it fails."""
    cluster.home = tmp_path / "home"
    script = tmp_path / "job.sh"
    script.write_text('cat "$HADOOP_CONF_DIR/at"; echo " $FS_DEFAULT_NAME $1"; exit $1\n')
    script.chmod(0o755)
    output = tmp_path / "out"
    with recording.record(cluster, Workspace(tmp_path / "w")) as r:
        r.run([str(script), "0"], output=output)
        host, port = r.address
        assert output.read_text() == f"{host}:{port} hdfs://{host}:{port} 0\n"
        (tmp_path / "home" / "conf" / "at").unlink()
        (tmp_path / "home" / "conf").rmdir()
        with pytest.raises(InputError, match=r"job\.sh: failed with exit code 3\. Its output is "):
            r.run([str(script), "3"], output=output)


def test_an_error_of_the_cluster_is_the_one_shown(cluster: Any, tmp_path: Path) -> None:
    """The proxy is ended, too; what it saw is kept."""
    cluster.fails = True
    workspace = Workspace(tmp_path / "w")
    with pytest.raises(TargetError, match="did not all come up"), recording.record(cluster, workspace):
        pass
    assert workspace.traces() == []
    trace = read_trace(workspace.traces(incomplete=True)[0])
    assert len(trace.calls) == 2
    assert trace.lineage is not None
    assert trace.lineage.state is State.FAILED


def test_a_wrong_scale_is_told_before_anything_starts(cluster: Any, tmp_path: Path) -> None:
    """With the variable's name."""
    workspace = Workspace(tmp_path / "w")
    wrong = recording.record(cluster, workspace, scale={"input": "ten"})
    with pytest.raises(InputError, match="input: "), wrong:
        pass
    assert workspace.traces() == []
