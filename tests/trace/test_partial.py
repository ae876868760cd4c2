"""Traces that are being recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.documents.artifact import Origin, State
from froude.trace.assembly import to_row
from froude.trace.files import STREAM, read_trace
from froude.trace.partial import (
    PartialWriter,
    claim,
    finish_partial,
    part_path,
    partial_path,
    read_partial,
    read_stream,
    recover,
)
from froude.trace.types import Loss, Status, TraceMeta
from testbed import wire
from tests.support.trace.making import META, echo, small_trace
from tests.support.trace.partial import begun


def test_finishing_makes_a_whole_trace(tmp_path: Path) -> None:
    """The unfinished folder becomes the Trace and is gone."""
    begun(tmp_path / "t").finish(META, Origin("c", tags=("x",)))
    trace = read_trace(tmp_path / "t")
    assert trace.calls == small_trace(4).calls
    assert trace.incomplete is None
    assert not partial_path(tmp_path / "t").exists()


def test_what_was_written_survives_a_kill(tmp_path: Path) -> None:
    """Without a finish, every appended row can be recovered, and the Trace says what happened."""
    begun(tmp_path / "t")
    recover(tmp_path / "t.partial")
    trace = read_trace(tmp_path / "t")
    assert len(trace.calls) == 4
    assert "ended before it could finish" in trace.meta.notes["recovered"]
    assert trace.lineage is not None
    assert trace.lineage.state is State.INTERRUPTED
    assert "was interrupted" in str(trace.incomplete)


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


def _part(path: Path, number: int, calls: list[int], meta: TraceMeta) -> None:
    """One recorder's part, closed."""
    writer = PartialWriter(part_path(path, number), wire.SCHEMA, META)
    if calls:
        writer.append([to_row(echo(float(n), f"/f{n}", connection=number)) for n in calls])
    writer.leave(meta)


@pytest.mark.parametrize("parts", [0, 2])
def test_a_reader_is_told_how_to_make_it_whole(tmp_path: Path, parts: int) -> None:
    """Whether one recorder wrote it or several."""
    for path in [part_path(tmp_path / "t", n + 1) for n in range(parts)] or [tmp_path / "t"]:
        begun(path)
    with pytest.raises(InputError, match=r"t.partial: is not a trace") as error:
        read_trace(tmp_path / "t.partial")
    assert f"`froude trace validate {tmp_path}/t.partial --recover`" in str(error.value)


@pytest.mark.parametrize("parts", [0, 2])
def test_what_others_put_into_it_stays(tmp_path: Path, parts: int) -> None:
    """Recorders remove only what recorders wrote; a whole one goes without a rest."""
    for path in [part_path(tmp_path / "t", n + 1) for n in range(parts)] or [tmp_path / "t"]:
        begun(path)
    (tmp_path / "t.partial" / ".meta.yaml.x1").write_text("half written, when it was killed")
    (tmp_path / "t.partial" / "notes.txt").write_text("mine")
    recover(tmp_path / "t.partial")
    assert [path.name for path in (tmp_path / "t.partial").rglob("*")] == ["notes.txt"]
    writer = begun(tmp_path / "u")
    (tmp_path / "u.partial" / "notes.txt").write_text("mine")
    writer.discard()
    assert [path.name for path in (tmp_path / "u.partial").rglob("*")] == ["notes.txt"]


def test_parts_become_one_trace(tmp_path: Path) -> None:
    """By start, with losses added up, and what any of them has learned."""
    claim(tmp_path / "t")
    noted = {"loss 1": "a frame"}
    blank = replace(META, source_id="", loss=Loss(undecodable_frames=1, dropped_bytes=5), notes=noted)
    _part(tmp_path / "t", 1, [0, 3], blank)
    _part(tmp_path / "t", 2, [1, 2], replace(META, loss=Loss(dropped_bytes=7), notes={"loss 1": "another"}))
    partial = read_partial(tmp_path / "t.partial")
    assert partial.meta.loss == Loss(undecodable_frames=1, dropped_bytes=12)
    assert partial.meta.notes == {"loss 1": "a frame", "loss 1, part 2": "another"}
    finish_partial(tmp_path / "t", partial.meta)
    trace = read_trace(tmp_path / "t")
    assert [(call.start_s, call.connection) for call in trace.calls] == [(0, 1), (1, 2), (2, 2), (3, 1)]
    assert trace.meta.source_id == "CID-1"
    assert not (tmp_path / "t.partial").exists()


def test_what_was_killed_before_its_first_row_can_be_recovered(tmp_path: Path) -> None:
    """Alone, and as a part beside others."""
    PartialWriter(tmp_path / "alone", wire.SCHEMA, META)
    recover(tmp_path / "alone.partial")
    assert read_trace(tmp_path / "alone").calls == []
    claim(tmp_path / "t")
    _part(tmp_path / "t", 1, [0, 1], META)
    PartialWriter(part_path(tmp_path / "t", 2), wire.SCHEMA, META)
    recover(tmp_path / "t.partial")
    assert len(read_trace(tmp_path / "t").calls) == 2


def test_a_place_is_claimed_once(tmp_path: Path) -> None:
    """The second one is told how to make the first whole."""
    claim(tmp_path / "t")
    with pytest.raises(InputError, match="--recover"):
        claim(tmp_path / "t")
