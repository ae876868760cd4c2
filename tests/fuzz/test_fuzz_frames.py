"""The fuzz target's invariant on a short, repeatable run."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from hypothesis import example, given, seed, settings
from hypothesis import strategies as st

from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.frames import frame
from froude.hadoop.rpc.server import ServerConnection

_spec = importlib.util.spec_from_file_location("fuzz_frames", Path(__file__).with_name("fuzz_frames.py"))
assert _spec is not None
assert _spec.loader is not None
_target = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_target)


def _valid() -> bytes:
    connection, server = ClientConnection("p", client_id=bytes(16), user="u"), ServerConnection()
    sent = connection.open() + connection.request(0, "m", b"body")
    server.receive(sent)
    return sent + server.respond(0, b"result")


def _mutated(edits: list[tuple[int, int]]) -> bytes:
    data = bytearray(_valid())
    for at, value in edits:
        data[at % len(data)] = value
    return bytes(data)


_bytes = st.binary(max_size=120)
_frames = st.lists(st.binary(max_size=40), max_size=4).map(
    lambda parts: b"".join(frame(part) for part in parts)
)
_edits = st.lists(st.tuples(st.integers(0, 500), st.integers(0, 255)), max_size=4).map(_mutated)


@seed(9)
@settings(max_examples=400, deadline=None, database=None)
@given(st.integers(0, 4), _bytes | _frames | _edits)
@example(0, b"hrpc\x09\0\0\xff\xff\xff\xff")
def test_the_invariant_holds_on_a_short_run(who: int, data: bytes) -> None:
    """Events, never exceptions, and the same for every cut."""
    _target.one_input(bytes([who]) + data)
