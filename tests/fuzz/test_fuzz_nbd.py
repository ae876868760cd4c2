"""The fuzz target's invariant on a short, repeatable run."""

from __future__ import annotations

import importlib.util
import struct
from pathlib import Path

from hypothesis import given, seed, settings
from hypothesis import strategies as st

_spec = importlib.util.spec_from_file_location("fuzz_nbd", Path(__file__).with_name("fuzz_nbd.py"))
assert _spec is not None
assert _spec.loader is not None
_target = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_target)

_numbers = st.integers(0, (1 << 32) - 1) | st.integers(0, 8)
_options = st.tuples(_numbers, st.binary(max_size=40)).map(
    lambda parts: b"IHAVEOPT" + struct.pack(">II", parts[0], len(parts[1])) + parts[1]
)
_requests = st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 40), st.binary(max_size=40)).map(
    lambda parts: (
        struct.pack(">IHHQQI", 0x25609513, parts[1], parts[0], 1, parts[2], len(parts[3])) + parts[3]
    )
)


@seed(9)
@settings(max_examples=300, deadline=None, database=None)
@given(st.integers(0, 1), st.lists(st.binary(max_size=30) | _options | _requests, max_size=6))
def test_the_invariant_holds_on_a_short_run(where: int, parts: list[bytes]) -> None:
    """Events, never exceptions, and the same for every cut."""
    _target.one_input(bytes([where]) + (b"" if where else b"\0\0\0\3") + b"".join(parts))
