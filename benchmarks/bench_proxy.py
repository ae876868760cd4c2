"""What the capture proxy costs: 64 connections with one call in flight each, directly and through it.

    python benchmarks/bench_proxy.py

The target is a real NameNode, and then a small server of ours that answers `getFileInfo` with a file's status.
That one does next to nothing and so is the hardest case for a proxy. CPU is of proxies and recorders together.
Each mode of the proxy is measured between two direct runs, for the rates drift with whatever else runs.
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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import uvloop

from froude.experiment.session import Hadoop
from froude.hadoop.rpc import headers
from froude.hadoop.rpc.frames import frame
from froude.hadoop.rpc.target import target_at
from froude.messages.schema import Schema
from froude.trace.capture.process import CaptureProcess
from froude.trace.capture.proxy import Listener
from froude.trace.capture.settings import CaptureSettings

CONNECTIONS = 64
SECONDS = 3.0
ROUNDS = 5
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


# A GetFileInfoResponseProto as a NameNode sends it: a file of 256 MB by root in supergroup.
_BODY = bytes.fromhex(
    "0a490802120a706172742d3030303030188080808001220308a4032a04726f6f74320a737570657267726f7570"
    "3880ccb0d5aa334080ccb0d5aa3350035880808040688180017000800100"
)


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
        clients = [
            await loop.create_connection(lambda: _Client(counts, b"\x0a\x01/"), *address)
            for _ in range(connections)
        ]
        await asyncio.sleep(0.3)
        before, began = counts[0], time.perf_counter()
        await asyncio.sleep(seconds)
        rate = (counts[0] - before) / (time.perf_counter() - began)
        for transport, _ in clients:
            transport.abort()
        return rate

    return float(uvloop.run(main()))


@dataclass(frozen=True, slots=True)
class _Mode:
    """One way to run the proxy."""

    name: str
    """As it is called in the rows; empty for the default."""
    settings: Mapping[str, Any]
    """What differs from the default."""
    aims: bool = True
    """Whether the aims are for it."""


MODES = (
    _Mode("", {}),
    _Mode("lossless", {"lossless": True}),
    _Mode("lossless, 1 MB of backlog", {"lossless": True, "backlog_bytes": 1_000_000}, aims=False),
    _Mode("two processes", {"processes": 2}, aims=False),
)


@dataclass(slots=True)
class _Measured:
    """What the rounds of one mode gave."""

    direct: list[float] = field(default_factory=list)
    """Calls a second without the proxy, before and after."""
    through: list[float] = field(default_factory=list)
    """Calls a second through it."""
    cpu_us: list[float] = field(default_factory=list)
    """CPU a recorded call."""
    lost_bytes: int = 0
    calls: int = 0


def measure(target: tuple[str, int], modes: Sequence[_Mode], seconds: float = SECONDS) -> list[_Measured]:
    """The modes in turn, each between two direct runs, for some rounds."""
    schema = Schema.from_jars(Hadoop.find().jars)
    measured = [_Measured() for _ in modes]
    for _ in range(ROUNDS):
        before = _rate(target, seconds)
        for mode, so_far in zip(modes, measured, strict=True):
            with tempfile.TemporaryDirectory() as folder:
                listener = Listener("127.0.0.1", target=target_at("namenode", target, "CID-bench"))
                settings = CaptureSettings((listener,), Path(folder) / "t", **mode.settings)
                _through(settings, schema, seconds, so_far)
            after = _rate(target, seconds)
            so_far.direct.append((before + after) / 2)
            before = after
    return measured


def _through(settings: CaptureSettings, schema: Schema, seconds: float, so_far: _Measured) -> None:
    with CaptureProcess(settings, schema) as capture:
        idle_s = capture.cpu_seconds()
        so_far.through.append(_rate(capture.addresses[0], seconds))
    result = capture.stop()
    # The recorder goes on after the clients have stopped; its whole CPU counts, its start does not.
    used_s = result.proxy_cpu_s + result.recorder_cpu_s - idle_s
    so_far.cpu_us.append(used_s / max(1, result.calls) * 1e6)
    so_far.lost_bytes += result.loss.dropped_bytes
    so_far.calls += result.calls


@contextmanager
def _own_server() -> Iterator[tuple[str, int]]:
    port = multiprocessing.Value("i", 0)
    server = multiprocessing.Process(target=_serve, args=(port,), daemon=True)
    server.start()
    while not port.value:
        time.sleep(0.01)
    try:
        yield "127.0.0.1", port.value
    finally:
        server.terminate()
        server.join()


def rows() -> list[dict[str, Any]]:
    """The benchmark's rows: against a real NameNode, where the aims are, and against a server of ours."""
    load = os.getloadavg()[0]  # what others do meanwhile: only rates of one measurement belong together
    with Hadoop.find().namenode(heap="1 GB") as namenode:
        _rate(namenode.address, 5.0)  # warm it
        real = _rows(MODES, namenode.address, f"a NameNode {namenode.hadoop.version}", load)
    own = [replace(mode, aims=False) for mode in MODES[:2]]
    with _own_server() as address:
        return real + _rows(own, address, "a server of ours that does nothing", load)


def _rows(modes: Sequence[_Mode], address: tuple[str, int], kind: str, load: float) -> list[dict[str, Any]]:
    measured = measure(address, modes)
    conditions = (
        f"{CONNECTIONS} connections, one getFileInfo in flight each, against {kind}; client, server, proxy "
        f"and recorder share {os.cpu_count()} cores; median of {ROUNDS} rounds of {SECONDS:g} s, each between "
        f"two direct ones; load average {load:.1f} before"
    )
    return [
        row for mode, each in zip(modes, measured, strict=True) for row in _of(mode, each, kind, conditions)
    ]


def _of(mode: _Mode, measured: _Measured, kind: str, conditions: str) -> list[dict[str, Any]]:
    middle = statistics.median
    shares = [through / direct for through, direct in zip(measured.through, measured.direct, strict=True)]
    each = (
        ("calls directly", middle(measured.direct), "calls/s", ""),
        ("calls through it", middle(measured.through), "calls/s", ""),
        ("share of the direct rate", middle(shares), "", ">= 0.6"),
        ("CPU of proxy and recorder", middle(measured.cpu_us), "us/call", "<= 50"),
        ("bytes not recorded", measured.lost_bytes, "B", "<= 0"),
    )
    named = f", {mode.name}" if mode.name else ""
    return [
        {
            "measure": f"proxy: {name}{named}, {kind}",
            "value": round(value, 3),
            "unit": unit,
            "aim": aim if mode.aims else "",
            "command": COMMAND,
            "conditions": f"{conditions}; {measured.calls} calls recorded",
        }
        for name, value, unit, aim in each
    ]


def main() -> None:
    """Print the rows as JSON."""
    print(json.dumps(rows(), indent=1))


if __name__ == "__main__":
    main()
