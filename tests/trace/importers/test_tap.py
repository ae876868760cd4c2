"""Import of taps."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.base.units import Quantity
from froude.trace.importers.tap import import_tap
from froude.trace.tape import pack
from tests.trace import wire
from tests.trace.real import schema_342


def tap_bytes() -> bytes:
    """A small tap."""
    return b"".join(pack(t, n, k, p) for t, n, k, p in wire.conversation(calls=2, start_s=100.0))  # type: ignore[arg-type]


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
        (b"\x1f\x8b\x08garbage that is no deflate stream" * 3, "damaged gzip|not a tape|no record"),
        (b"PAR1" + bytes(range(256)), "not a tape"),
    ],
)
def test_foreign_files_are_one_clear_error(tmp_path: Path, data: bytes, message: str) -> None:
    """Empty, damaged, of another kind."""
    path = tmp_path / "x.tap"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message):
        import_tap(path, wire.SCHEMA)
    with pytest.raises(InputError, match="cannot be read"):
        import_tap(tmp_path / "none", wire.SCHEMA)


def test_a_real_tap_is_read_whole(recorded_tap: Path) -> None:
    """Every frame of a real YARN and HDFS run decodes, every call has its answer, and the cluster its id."""
    trace = import_tap(recorded_tap, schema_342())
    assert len(trace.calls) == 727
    assert trace.meta.loss.total == trace.meta.loss.unanswered_calls == 0
    assert trace.meta.source_id.startswith("CID-")
    assert all(call.request is not None for call in trace.calls)
