"""A recording of a real cluster, against the NameNode's own audit log."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import hdfs_native
import pytest

from froude.documents.store import Workspace
from froude.experiment.record.record import record
from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.rpc.connection import Connection
from froude.hadoop.rpc.target import Target, target_at
from froude.trace.capture.identity import with_identities
from froude.trace.capture.legs import Listener
from froude.trace.capture.process import CaptureProcess
from froude.trace.capture.settings import CaptureSettings
from froude.trace.files import read_trace
from froude.trace.importers.audit import closure
from froude.trace.types import Status
from froude.trace.validate import validate_trace

pytestmark = pytest.mark.integration


def _client(uri: str) -> None:
    """Write, read, rename, list, delete by a client that is not Hadoop's."""
    client = hdfs_native.Client(uri)
    client.mkdirs("/dir with space", 0o755, True)
    with client.create("/dir with space/é", hdfs_native.WriteOptions()) as file:
        file.write(b"x" * 100_000)
    with client.read("/dir with space/é") as file:
        assert len(file.read(200_000)) == 100_000
    client.rename("/dir with space/é", "/dir with space/b")
    assert [status.path for status in client.list_status("/dir with space")] == ["/dir with space/b"]
    client.delete("/dir with space", True)
    with pytest.raises(FileNotFoundError):
        client.get_file_info("/absent")


def test_a_recording_is_what_the_namenode_says_happened(hadoop: Hadoop, tmp_path: Path) -> None:
    """Every audited call has its line and every line its call; DataNodes call from their own addresses."""
    (tmp_path / "hello").write_text("hello")
    workspace = Workspace(tmp_path / "w")
    with hadoop.cluster(datanodes=2, replication=2, fast=True) as cluster:
        with record(cluster, workspace, scale={"datanodes": 2}, settle_s=0.5) as recording:
            recording.shell("-put", str(tmp_path / "hello"), "/hello")
            recording.call(_client)
        log = cluster.namenode.audit_log
        assert log is not None
        trace = read_trace(recording.trace)
        result = closure(trace, log)
        assert trace.meta.source_id == cluster.namenode.cluster_id
        nodes = set(cluster.node_addresses)
        last = cluster.namenode.last_ids
    blocks = [trace.response(call).block.b for call in trace.calls if call.method == "addBlock"]  # type: ignore[attr-defined]
    files = [trace.response(call).fs.fileId for call in trace.calls if call.method == "create"]  # type: ignore[attr-defined]
    assert last is not None
    assert (blocks[0].blockId, blocks[0].generationStamp) == (last.block + 1, last.generation + 1)
    assert files[0] == last.inode + 1
    assert result.closed, result
    assert result.matched > 10
    assert trace.meta.loss.total == 0
    assert validate_trace(recording.trace).good
    counts = Counter(call.method for call in trace.calls)
    assert counts["registerDatanode"] == counts["versionRequest"] == counts["blockReport"] == 2
    assert {call.peer for call in trace.calls if call.method == "registerDatanode"} == nodes
    assert {call.caller_context for call in trace.calls if call.method == "create"} == {"CLI", None}
    assert all(call.status is Status.SUCCESS for call in trace.calls)


def test_one_capture_watches_several_daemons(hadoop: Hadoop, namenode: NameNode, tmp_path: Path) -> None:
    """Every call says who was called: what it does, its address, and the id that it was asked for beforehand."""
    schema = hadoop.schema()
    protocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
    with hadoop.namenode(heap="256 MB", fast=True) as other:
        targets = [target_at("namenode", each.address, "") for each in (namenode, other)]
        settings = CaptureSettings(
            tuple(Listener("127.0.0.1", target=target) for target in targets), tmp_path / "t"
        )
        with CaptureProcess(with_identities(settings, schema), schema) as capture:
            for number, address in enumerate(capture.addresses):
                with Connection(*address, schema, protocol) as connection:
                    for _ in range(number + 1):
                        message = connection.message("getFileInfo", src=f"/{number}")
                        connection.call("getFileInfo", message)
        trace = read_trace(tmp_path / "t")
        expected = [Target("namenode", f"{nn.host}:{nn.port}", nn.cluster_id) for nn in (namenode, other)]
    called = Counter((call.target, trace.request(call).src) for call in trace.calls)  # type: ignore[attr-defined]
    assert called == {(expected[0], "/0"): 1, (expected[1], "/1"): 2}
    assert trace.meta.source_id == namenode.cluster_id
    assert trace.meta.release == hadoop.version
