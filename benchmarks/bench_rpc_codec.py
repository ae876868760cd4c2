"""What one call costs the codec: encoding it, decoding its answer, reading a capture, flattening a message.

    python benchmarks/bench_rpc_codec.py

Each is the least of a few rounds, in CPU time of this process a call. `protobuf_header` is the same request
with its headers made by protobuf, the reason why the client writes them by hand.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc import headers
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import Response
from froude.hadoop.rpc.frames import frame
from froude.hadoop.rpc.observer import Observer
from froude.hadoop.rpc.server import ServerConnection
from froude.messages.leaves import build, leaves
from froude.messages.schema import Schema

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
_CALLS = 5000
_ROUNDS = 7
_BATCH = 50  # answers in one read of a busy connection


def _least(work: Callable[[], object], calls: int = _CALLS) -> float:
    """Microseconds of CPU a call, in the quickest round."""
    times = []
    for _ in range(_ROUNDS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times) / calls * 1e6


def _client() -> ClientConnection:
    connection = ClientConnection(CLIENT, client_id=bytes(range(16)), user="ada", caller_context="bench")
    connection.open()
    return connection


def _encode(schema: Schema) -> None:
    """Make a request message, serialise it and frame it."""
    connection, kind = _client(), schema.method(CLIENT, "getFileInfo").request
    for call_id in range(_CALLS):
        connection.request(call_id, "getFileInfo", kind(src="/user/ada/data/part-00001").SerializeToString())


def _frame_only() -> None:
    connection = _client()
    for call_id in range(_CALLS):
        connection.request(call_id, "getFileInfo", b"\n\x19/user/ada/data/part-00001")


def _frame_by_protobuf() -> None:
    for call_id in range(_CALLS):
        header = headers.RequestHeader(
            rpcKind=2,
            rpcOp=0,
            callId=call_id,
            clientId=bytes(16),
            retryCount=0,
            callerContext={"context": b"bench"},
        )
        named = headers.MethodHeader(
            methodName=b"getFileInfo", declaringClassProtocolName=CLIENT.encode(), clientProtocolVersion=1
        )
        frame(header.SerializeToString(), named.SerializeToString(), b"\n\x19/user/ada/data/part-00001")


def _answers(body: bytes) -> tuple[bytes, list[bytes]]:
    """All requests, and their answers in reads of a batch each."""
    connection, server = _client(), ServerConnection()
    opening = ClientConnection(CLIENT, client_id=bytes(range(16)), user="ada").open()
    requests = b"".join(connection.request(call_id, "getFileInfo", b"\n\x01/") for call_id in range(_CALLS))
    server.receive(opening + requests)
    answers = [server.respond(call_id, body) for call_id in range(_CALLS)]
    return opening + requests, [b"".join(answers[at : at + _BATCH]) for at in range(0, _CALLS, _BATCH)]


def _decode(connection: ClientConnection, reads: list[bytes], schema: Schema) -> None:
    """Read answers and parse their bodies."""
    parse = schema.method(CLIENT, "getFileInfo").response.FromString
    for data in reads:
        for event in connection.receive(data):
            if isinstance(event, Response):
                parse(event.body)


def _ready_clients(count: int) -> list[ClientConnection]:
    """Clients with all calls in flight, one a round."""
    clients = []
    for _ in range(count):
        connection = _client()
        for call_id in range(_CALLS):
            connection.request(call_id, "getFileInfo", b"\n\x01/")
        clients.append(connection)
    return clients


def _observe(requests: bytes, reads: list[bytes]) -> None:
    observer = Observer()
    for at in range(0, len(requests), 16384):
        observer.events(requests[at : at + 16384], from_client=True)
    for data in reads:
        observer.events(data, from_client=False)


def rows() -> list[dict[str, object]]:
    """One row a measure: `{measure, value, unit, aim}`."""
    schema = Hadoop.find().schema()
    status = schema.method(CLIENT, "getFileInfo").response()
    body = build(type(status), _FILE_STATUS).SerializeToString()
    create = build(schema.method(CLIENT, "create").request, _CREATE)
    flat = leaves(create)
    requests, reads = _answers(body)
    waiting = _ready_clients(_ROUNDS)
    measured = [
        ("encode a call (getFileInfo)", _least(lambda: _encode(schema)), 5.0),
        ("its frame alone", _least(_frame_only), None),
        ("the same with headers by protobuf", _least(_frame_by_protobuf), None),
        ("decode an answer with its body", _least(lambda: _decode(waiting.pop(), reads, schema)), 10.0),
        ("observe a call and its answer", _least(lambda: _observe(requests, reads)), None),
        ("flatten a create request", _least(lambda: [leaves(create) for _ in range(_CALLS)]), 30.0),
        (
            "build it again from its leaves",
            _least(lambda: [build(type(create), flat) for _ in range(_CALLS)]),
            None,
        ),
    ]
    return [
        {"measure": name, "value": round(value, 2), "unit": "us", "aim": aim} for name, value, aim in measured
    ]


_CREATE = {
    "src": "/in/part-0._COPYING_",
    "masked.perm": 0o644,
    "clientName": "DFSClient_NONMAPREDUCE_1_1",
    "createFlag": 3,
    "createParent": True,
    "replication": 2,
    "blockSize": 1 << 27,
    "cryptoProtocolVersion[0]": 2,
    "unmasked.perm": 0o666,
}
_FILE_STATUS = {
    "fs.fileType": 2,
    "fs.path": b"part-00001",
    "fs.length": 1 << 27,
    "fs.permission.perm": 0o644,
    "fs.owner": "ada",
    "fs.group": "staff",
    "fs.modification_time": 1_700_000_000_000,
    "fs.access_time": 1_700_000_000_000,
    "fs.block_replication": 3,
    "fs.blocksize": 1 << 27,
    "fs.fileId": 16_400,
}


if __name__ == "__main__":
    for row in rows():
        print(json.dumps(row))
