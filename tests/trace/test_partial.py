"""Traces that are being recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.trace.assembly import to_row
from froude.trace.files import STREAM, read_trace
from froude.trace.partial import PartialWriter, partial_path, read_stream, recover
from froude.trace.types import Loss, Status
from tests.trace import wire
from tests.trace.making import META, echo, small_trace


def begun(path: Path) -> PartialWriter:
    """A Trace with two batches of two calls."""
    writer = PartialWriter(path, wire.SCHEMA, META)
    rows = [to_row(call) for call in small_trace(4).calls]
    writer.append(rows[:2])
    writer.append(rows[2:])
    return writer


def test_finishing_makes_a_whole_trace(tmp_path: Path) -> None:
    """The unfinished folder becomes the Trace and is gone."""
    begun(tmp_path / "t").finish(META, command="c", tags=["x"])
    assert read_trace(tmp_path / "t").calls == small_trace(4).calls
    assert not partial_path(tmp_path / "t").exists()


def test_what_was_written_survives_a_kill(tmp_path: Path) -> None:
    """Without a finish, every appended row can be recovered, and the Trace says what happened."""
    begun(tmp_path / "t")
    recover(tmp_path / "t.partial")
    trace = read_trace(tmp_path / "t")
    assert len(trace.calls) == 4
    assert "ended before it could finish" in trace.meta.notes["recovered"]


@pytest.mark.parametrize("cut", [1, 100, 700])
def test_a_cut_batch_costs_only_itself(tmp_path: Path, cut: int) -> None:
    """A write that broke off takes no earlier batch with it."""
    begun(tmp_path / "t")
    stream = tmp_path / "t.partial" / STREAM
    stream.write_bytes(stream.read_bytes()[:-cut])
    table, lost = read_stream(stream)
    assert table.num_rows == 2
    assert lost > 0


def test_recovered_calls_count_the_unanswered(tmp_path: Path) -> None:
    """Losses of a recovered Trace are counted from its rows."""
    writer = begun(tmp_path / "t")
    writer.append([to_row(echo(9.0, "x", status=Status.UNANSWERED, duration_s=None, response=None))])
    recover(tmp_path / "t.partial")
    assert read_trace(tmp_path / "t").meta.loss == Loss(unanswered_calls=1)


def test_a_taken_place_is_refused_at_once(tmp_path: Path) -> None:
    """A recording does not begin where a Trace, or the remains of one, lie."""
    begun(tmp_path / "t")
    with pytest.raises(InputError, match="--recover"):
        PartialWriter(tmp_path / "t", wire.SCHEMA, META)


def test_an_empty_stream_is_one_clear_error(tmp_path: Path) -> None:
    """Nothing written yet."""
    begun(tmp_path / "t")
    (tmp_path / "t.partial" / STREAM).write_bytes(b"")
    with pytest.raises(InputError, match="empty or damaged"):
        recover(tmp_path / "t.partial")
    with pytest.raises(InputError, match="not an unfinished trace"):
        recover(tmp_path)
