"""A real NameNode's traffic, once by the proxy and once from packets of loopback: the same Trace."""

from __future__ import annotations

import ipaddress
from pathlib import Path

import pytest

from froude.experiment.session import Hadoop
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.rpc.connection import Connection
from froude.hadoop.rpc.errors import RemoteException
from froude.hadoop.rpc.sasl import Token
from froude.hadoop.rpc.target import Target
from froude.messages.leaves import leaves
from froude.messages.schema import Schema
from froude.trace.capture.legs import Listener
from froude.trace.capture.pcap import PcapSettings, capture_pcap
from froude.trace.capture.process import CaptureProcess
from froude.trace.capture.settings import CaptureSettings
from froude.trace.files import read_trace
from froude.trace.types import Call, Trace
from tests.support.trace.capture.sniffing import need_packets, sniffed

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
DATANODE = "org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol"
pytestmark = pytest.mark.integration


def talk(address: tuple[str, int], schema: Schema) -> None:
    """Plain calls, an error, a large answer, calls on a connection opened by a token, and who the NameNode is."""
    with Connection(*address, schema, CLIENT, user="root", caller_context="froude-test") as connection:
        for number in range(40):
            request = connection.message("mkdirs", src=f"/pcap/{number:0>200}", createParent=True)
            request.masked.perm = 0o755  # type: ignore[attr-defined]
            connection.call("mkdirs", request)
        listing = connection.message("getListing", src="/pcap", startAfter=b"", needLocation=False)
        assert len(connection.call("getListing", listing).SerializeToString()) > 8000
        with pytest.raises(RemoteException):
            connection.call(
                "getBlockLocations", connection.message("getBlockLocations", src="/none", offset=0, length=1)
            )
        given = connection.call(
            "getDelegationToken", connection.message("getDelegationToken", renewer="root")
        )
    told = leaves(given)
    token = Token(told["token.identifier"], told["token.password"])  # type: ignore[arg-type]
    with Connection(*address, schema, CLIENT, user=None, token=token) as connection:
        for _ in range(3):
            connection.call("getFileInfo", connection.message("getFileInfo", src="/pcap"))
    with Connection(*address, schema, DATANODE, user="root") as connection:
        connection.call("versionRequest", connection.message("versionRequest"))


def known(call: Call) -> tuple[object, ...]:
    """All of a call but its times; of a token, which each capture replaces by its own key, only its size."""
    response = len(call.response or b"") if call.method == "getDelegationToken" else call.response
    sender = (
        call.client_id,
        call.call_id,
        call.retry,
        call.user,
        call.real_user,
        call.caller_context,
        call.peer,
    )
    ended = call.status, call.error, call.error_message, call.target
    return *sender, call.protocol, call.method, call.request, response, *ended


def test_the_proxy_and_packets_give_the_same_trace(
    namenode: NameNode, hadoop: Hadoop, tmp_path: Path
) -> None:
    """Row by row: sender, bytes, outcome, target and its id; also on a connection opened by a token."""
    need_packets()
    schema = hadoop.schema()
    identity = namenode.cluster_id
    target = Target("namenode", f"{namenode.host}:{namenode.port}", identity)
    proxy = CaptureSettings((Listener("127.0.0.1", target=target),), tmp_path / "proxy")
    packets = tmp_path / "lo.pcap"
    with sniffed(packets, both=True), CaptureProcess(proxy, schema) as running:
        talk(running.addresses[0], schema)
    before, onward = running.addresses[0], (namenode.host, namenode.port)
    traces: list[Trace] = [read_trace(tmp_path / "proxy")]
    for name, (host, port) in (("before", before), ("onward", onward)):
        only = {(str(ipaddress.ip_address(host)), port): Target("namenode", target.address)}
        result = capture_pcap(PcapSettings(packets, tmp_path / name, only), schema)
        assert not any("hole" in remark or "lack" in remark for remark in result.remarks), result.remarks
        traces.append(read_trace(tmp_path / name))
    calls = [sorted(map(known, trace.calls), key=lambda call: (call[0], call[1])) for trace in traces]
    assert len(calls[0]) == 40 + 3 + 3 + 1
    assert calls[0] == calls[1] == calls[2]
    assert {trace.meta.source_id for trace in traces} == {identity}
    assert {trace.meta.loss.total for trace in traces} == {0}
    assert {trace.calls[0].target.id for trace in traces} == {identity}
