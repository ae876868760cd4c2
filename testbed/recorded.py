"""Traces of real clusters that are in the repository: HDFS, YARN and MapReduce of release 3.4.2.

See `tests/data/recorded/README.md` for what ran, and how they were made.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from froude.base.locks import in_turn
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.server import ServerConnection
from froude.messages.schema import Schema
from froude.mining.traces import mine
from froude.trace.files import read_trace
from froude.trace.tape import RecordKind, pack
from froude.trace.types import Call, Status, Trace
from froude.workload.types import Workload

FOLDER = Path(__file__).parents[1] / "tests" / "data" / "recorded"
NODES = {"k2a": 2, "k2b": 2, "k2c": 2, "k3": 3, "k4": 4}
"""DataNodes and NodeManagers by name; k2c, k3 and k4 are one job, k2a and k2b another."""


@cache
def recorded(name: str) -> Trace:
    """One of them."""
    return read_trace(FOLDER / name)


@cache
def mined(run: Path | None = None) -> Workload:
    """The pattern of the job that was recorded on 2 and 3 nodes.

    Args:
        run: a folder that processes of one run share; the first of them mines, which takes it ten seconds.
    """
    if run is None:
        return mine([recorded("k2c"), recorded("k3")])
    kept = run / "mined.pickle"
    with in_turn(run / "mined.lock"):
        if not kept.exists():
            kept.write_bytes(pickle.dumps(mined()))
    workload: Workload = pickle.loads(kept.read_bytes())
    return workload


@cache
def schema() -> Schema:
    """Every protocol of HDFS, YARN and MapReduce of that release, not only those that were spoken."""
    path = FOLDER / "hadoop-3.4.2.fds"
    return Schema.from_bytes(path.read_bytes(), source=path)


def tape_of(trace: Trace) -> Iterator[bytes]:
    """A Trace's calls as they would pass a proxy, record by record: real messages in real frames, without SASL."""
    passing: list[tuple[float, int, int, Call]] = []
    for number, call in enumerate(trace.calls):
        passing.append((call.start_s, 0, number, call))
        if call.duration_s is not None:
            passing.append((call.start_s + call.duration_s, 1, number, call))
    pairs: dict[int, tuple[ClientConnection, ServerConnection]] = {}
    for time_s, answer, _, call in sorted(passing, key=lambda moment: moment[:3]):
        if call.connection not in pairs:
            pairs[call.connection] = _pair(call)
            facts = {"peer": [call.peer, 1], "at": call.target.host, "port": call.target.port}
            yield pack(time_s, call.connection, RecordKind.OPEN, json.dumps(facts).encode())
            opening = pairs[call.connection][0].open()
            pairs[call.connection][1].receive(opening)
            yield pack(time_s, call.connection, RecordKind.TO_SERVER, opening)
        client, server = pairs[call.connection]
        yield pack(
            time_s,
            call.connection,
            *(_answer(call, client, server) if answer else _ask(call, client, server)),
        )


def _pair(call: Call) -> tuple[ClientConnection, ServerConnection]:
    client = ClientConnection(
        call.protocol, client_id=call.client_id, user=call.user, real_user=call.real_user
    )
    return client, ServerConnection()


def _ask(call: Call, client: ClientConnection, server: ServerConnection) -> tuple[RecordKind, bytes]:
    asked = client.request(
        call.call_id, call.method, call.request or b"",
        protocol=call.protocol, retry=call.retry, caller_context=call.caller_context,
    )  # fmt: skip
    server.receive(asked)
    return RecordKind.TO_SERVER, asked


def _answer(call: Call, client: ClientConnection, server: ServerConnection) -> tuple[RecordKind, bytes]:
    if call.status is Status.SUCCESS:
        answer = server.respond(call.call_id, call.response or b"")
    else:
        answer = server.fail(call.call_id, call.error or "", call.error_message or "")
    client.receive(answer)
    return RecordKind.TO_CLIENT, answer
