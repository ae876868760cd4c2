"""What the capture proxy costs: 64 connections with one call in flight each, directly and through it.

    python benchmarks/bench_proxy.py

The target is a real NameNode, and then a small server of ours that answers `getFileInfo` with 120 bytes. That
one does next to nothing and so is the hardest case for a proxy. CPU is of the proxy and its recorder together.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import statistics
import struct
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

import uvloop

from froude.hadoop.distribution import Hadoop
from froude.hadoop.rpc import headers
from froude.hadoop.rpc.frames import frame
from froude.hadoop.schema import Schema
from froude.trace.capture.process import CaptureProcess
from froude.trace.capture.proxy import Listener
from froude.trace.capture.settings import CaptureSettings

CONNECTIONS = 64
SECONDS = 3.0
ROUNDS = 3
PROTOCOL = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
COMMAND = "python benchmarks/bench_proxy.py"
_LENGTH = struct.Struct(">I")


class _Server(asyncio.Protocol):
    """Answers each call with the same body; reads no more of a frame than its call id."""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.rest = b""
        self.begun = False

    def data_received(self, data: bytes) -> None:
        data = self.rest + data
        at = 0
        if not self.begun and len(data) >= 7:
            at, self.begun = 7, True
        answers = []
        while len(data) - at >= 4:
            (size,) = _LENGTH.unpack_from(data, at)
            if len(data) - at - 4 < size:
                break
            header = headers.RequestHeader.FromString(data[at + 5 : at + 5 + data[at + 4]])
            at += 4 + size
            if header.callId >= 0:
                answers.append(
                    frame(headers.ResponseHeader(callId=header.callId, status=0).SerializeToString(), _BODY)
                )
        self.rest = data[at:]
        if answers:
            self.transport.write(b"".join(answers))


_BODY = b"\x0a\x76" + bytes(118)


class _Client(asyncio.Protocol):
    """One call in flight, again and again."""

    def __init__(self, counts: list[int], body: bytes) -> None:
        self.counts, self.body, self.next = counts, body, 0
        self.client = uuid.uuid4().bytes
        self.rest = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        header = headers.RequestHeader(rpcKind=2, rpcOp=0, callId=-3, clientId=self.client, retryCount=-1)
        body = headers.ConnectionContext(protocol=PROTOCOL.encode())
        body.userInfo.effectiveUser = b"root"
        transport.write(b"hrpc\x09\x00\x00" + frame(header.SerializeToString(), body.SerializeToString()))
        self.call()

    def call(self) -> None:
        header = headers.RequestHeader(
            rpcKind=2, rpcOp=0, callId=self.next, clientId=self.client, retryCount=0
        )
        self.next += 1
        self.transport.write(frame(header.SerializeToString(), _NAMED, self.body))

    def data_received(self, data: bytes) -> None:
        self.rest += data
        if len(self.rest) >= 4 and len(self.rest) - 4 >= _LENGTH.unpack_from(self.rest)[0]:
            self.rest = b""
            self.counts[0] += 1
            self.call()


_NAMED = headers.MethodHeader(
    methodName=b"getFileInfo", declaringClassProtocolName=PROTOCOL.encode(), clientProtocolVersion=1
).SerializeToString()


def _serve(port: Any) -> None:
    async def main() -> None:
        server = await asyncio.get_running_loop().create_server(_Server, "127.0.0.1", 0)
        port.value = server.sockets[0].getsockname()[1]
        await server.serve_forever()

    uvloop.run(main())


def _rate(address: tuple[str, int], seconds: float, connections: int = CONNECTIONS) -> float:
    """Calls a second, after a short warm-up."""

    async def main() -> float:
        loop = asyncio.get_running_loop()
        counts = [0]
        made = [
            await loop.create_connection(lambda: _Client(counts, b"\x0a\x01/"), *address)
            for _ in range(connections)
        ]
        await asyncio.sleep(0.3)
        before, began = counts[0], time.perf_counter()
        await asyncio.sleep(seconds)
        rate = (counts[0] - before) / (time.perf_counter() - began)
        for transport, _ in made:
            transport.abort()
        return rate

    return float(uvloop.run(main()))


def measure(
    target: tuple[str, int] | None = None, seconds: float = SECONDS, rounds: int = ROUNDS
) -> dict[str, Any]:
    """Rates directly and through the proxy, alternating; CPU a call; loss."""
    server = None
    if target is None:
        port = multiprocessing.Value("i", 0)
        server = multiprocessing.Process(target=_serve, args=(port,), daemon=True)
        server.start()
        while not port.value:
            time.sleep(0.01)
        target = ("127.0.0.1", port.value)
    schema = Schema.from_jars(Hadoop.find().jars)
    shares, direct, through, cpu, lost, calls = [], [], [], [], 0, 0
    try:
        for _ in range(rounds):
            direct.append(_rate(target, seconds))
            with tempfile.TemporaryDirectory() as folder:
                settings = CaptureSettings(target, (Listener("127.0.0.1"),), Path(folder) / "t")
                with CaptureProcess(settings, schema) as capture:
                    idle = capture.cpu_seconds()
                    through.append(_rate(capture.addresses[0], seconds))
                result = capture.stop()
            # The recorder goes on after the clients have stopped; its whole CPU counts, its start does not.
            used = result.proxy_cpu_s + result.recorder_cpu_s - idle
            cpu.append(used / max(1, result.calls) * 1e6)
            shares.append(through[-1] / direct[-1])
            lost += result.loss.dropped_bytes
            calls += result.calls
    finally:
        if server is not None:
            server.terminate()
            server.join()
    middle = statistics.median
    return {
        "direct": middle(direct),
        "through": middle(through),
        "share": middle(shares),
        "cpu_us": middle(cpu),
        "lost_bytes": lost,
        "calls": calls,
    }


def rows() -> list[dict[str, Any]]:
    """The benchmark's rows: against a real NameNode, where the aims are, and against a server of ours."""
    with Hadoop.find().namenode(heap="1 GB") as namenode:
        _rate(namenode.address, 5.0)  # warm it
        real = _rows(measure(namenode.address), f"a NameNode {namenode.hadoop.version}", aims=True)
    return real + _rows(measure(), "a server of ours that does nothing", aims=False)


def _rows(m: dict[str, Any], kind: str, *, aims: bool) -> list[dict[str, Any]]:
    conditions = (
        f"{CONNECTIONS} connections, one getFileInfo in flight each, against {kind}; client, server, proxy "
        f"and recorder share {os.cpu_count()} cores; median of {ROUNDS} alternating rounds of {SECONDS:g} s"
    )
    each = (
        ("calls directly", m["direct"], "calls/s", ""),
        ("calls through it", m["through"], "calls/s", ""),
        ("share of the direct rate", m["share"], "", ">= 0.6"),
        ("CPU of proxy and recorder", m["cpu_us"], "us/call", "<= 50"),
        ("bytes not recorded", m["lost_bytes"], "B", "<= 0"),
    )
    return [
        {
            "measure": f"proxy: {name}, {kind}",
            "value": round(value, 3),
            "unit": unit,
            "aim": aim if aims else "",
            "command": COMMAND,
            "conditions": conditions,
        }
        for name, value, unit, aim in each
    ]


def main() -> None:
    """Print the rows as JSON."""
    print(json.dumps(rows(), indent=1))


if __name__ == "__main__":
    main()
