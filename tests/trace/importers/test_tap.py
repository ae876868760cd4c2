"""Import of taps."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.hadoop.rpc.target import Target
from froude.trace.importers.tap import import_tap
from froude.trace.tape import RecordKind, pack
from testbed import wire
from testbed.recorded import NODES, recorded, schema, tape_of
from tests.support.trace.importers.tap import tap_bytes


@pytest.mark.parametrize("zipped", [False, True])
def test_plain_and_gzipped_taps(tmp_path: Path, zipped: bool) -> None:
    """Times count from the first record; the wall time of that is the beginning."""
    path = tmp_path / "x.tap"
    path.write_bytes(gzip.compress(tap_bytes()) if zipped else tap_bytes())
    trace = import_tap(path, wire.SCHEMA, scale={"nodes": Quantity(2)}, source_id="S")
    assert [call.start_s for call in trace.calls] == [1.0, 2.0]
    assert (trace.meta.started_at_s, trace.meta.source_id, trace.meta.loss.total) == (100.0, "S", 0)


@pytest.mark.parametrize("zipped", [False, True])
def test_a_cut_tap_gives_what_is_whole(tmp_path: Path, zipped: bool) -> None:
    """A tap whose writer was killed is read up to there and says so."""
    path = tmp_path / "x.tap"
    path.write_bytes(gzip.compress(tap_bytes())[:-12] if zipped else tap_bytes()[:-20])
    trace = import_tap(path, wire.SCHEMA)
    assert len(trace.calls) == 2
    assert "cut" in trace.meta.notes


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no record"),
        (b"\x1f\x8b\x08garbage that is no deflate stream" * 3, "gzip file|not a tape|no record"),
        (b"PAR1" + bytes(range(256)), r"x\.tap:byte 0: "),
    ],
)
def test_foreign_files_are_one_clear_error(tmp_path: Path, data: bytes, message: str) -> None:
    """Empty, damaged, of another kind."""
    path = tmp_path / "x.tap"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message):
        import_tap(path, wire.SCHEMA)
    with pytest.raises(InputError, match="none: "):
        import_tap(tmp_path / "none", wire.SCHEMA)


@pytest.mark.parametrize("name", sorted(NODES))
def test_a_tap_of_a_whole_cluster_is_read_whole(name: str, tmp_path: Path) -> None:
    """Every frame decodes, every call has its answer, its sender and its target, and the cluster its id."""
    trace = recorded(name)
    (tmp_path / "x.tap").write_bytes(b"".join(tape_of(trace)))
    again = import_tap(tmp_path / "x.tap", schema())
    assert again.meta.loss.total == again.meta.loss.unanswered_calls == 0
    assert again.meta.source_id == trace.meta.source_id
    kept = ("user", "caller_context", "client_id", "call_id", "protocol", "method", "status", "error")
    assert [[getattr(call, part) for part in kept] for call in again.calls] == [
        [getattr(call, part) for part in kept] for call in trace.calls
    ]


def test_who_was_called_follows_from_the_listener(tmp_path: Path) -> None:
    """Daemons that all nodes call are one target, and the node that called stands as the peer; NodeManagers are many."""
    opened = [
        ("nn", "127.0.0.11", 1),
        ("nn", "127.0.0.12", 1),
        ("nm", "127.0.0.11", 2),
        ("x", "127.0.0.1", 3),
    ]
    tape = []
    for number, (short, at, port) in enumerate(opened):
        for time_s, connection, kind, payload in wire.conversation(calls=1, start_s=100.0 + number):
            facts = {"peer": ["10.0.0.9", 5], "at": at, "port": port, "svc": short}
            opening = kind == RecordKind.OPEN
            payload = json.dumps(facts).encode() if opening else payload  # noqa: PLW2901
            tape.append(pack(time_s, connection + 10 * number, RecordKind(kind), payload))
    (tmp_path / "x.tap").write_bytes(b"".join(tape))
    trace = import_tap(tmp_path / "x.tap", wire.SCHEMA, source_id="CID-1")
    assert [(call.peer, call.target) for call in trace.calls] == [
        ("127.0.0.11", Target("namenode", "127.0.0.1:1", "CID-1")),
        ("127.0.0.12", Target("namenode", "127.0.0.1:1", "CID-1")),
        ("10.0.0.9", Target("nodemanager", "127.0.0.11:2")),
        ("10.0.0.9", Target("", "127.0.0.1:3")),
    ]
