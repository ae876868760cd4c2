"""Validation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from froude.documents.artifact import Origin, State
from froude.trace.files import META, SCHEMA, write_trace
from froude.trace.types import Status, Trace
from froude.trace.validate import validate_trace, without_payload
from testbed import wire
from tests.support.trace.making import META as FACTS
from tests.support.trace.making import echo, small_trace
from tests.support.trace.partial import begun


def test_a_good_trace_is_good(tmp_path: Path) -> None:
    """Nothing to say."""
    write_trace(tmp_path / "t", small_trace())
    result = validate_trace(tmp_path / "t")
    assert (result.good, result.calls, result.problems, result.remarks) == (True, 4, (), ())


def test_a_changed_trace_is_told(tmp_path: Path) -> None:
    """A fact edited by hand no longer fits the content hash."""
    write_trace(tmp_path / "t", small_trace())
    file = tmp_path / "t" / META
    file.write_text(file.read_text().replace("datanodes: 3", "datanodes: 4"))
    result = validate_trace(tmp_path / "t")
    assert not result.good
    assert "edited or damaged" in result.problems[0]


def test_messages_that_do_not_decode_are_told(tmp_path: Path) -> None:
    """Each bad message is named, the many are counted."""
    calls = [echo(float(n), "x", request=b"\xff") for n in range(9)]
    write_trace(tmp_path / "t", Trace(FACTS, wire.SCHEMA, calls))
    problems = validate_trace(tmp_path / "t").problems
    assert problems[0].startswith("call 0: request of echo")
    assert problems[-1] == "and 4 more messages that do not decode"


def test_what_is_no_fault_is_a_remark(tmp_path: Path) -> None:
    """Unanswered calls and missing payloads are facts of the run."""
    calls = [echo(0.0, "x", request=None), echo(1.0, "y", status=Status.UNANSWERED, response=None)]
    write_trace(tmp_path / "t", Trace(FACTS, wire.SCHEMA, calls))
    result = validate_trace(tmp_path / "t")
    assert result.good
    assert len(result.remarks) == 2


def test_an_unfinished_trace_tells_what_can_be_saved(tmp_path: Path) -> None:
    """It is not good, and says how to make it so."""
    begun(tmp_path / "t")
    result = validate_trace(tmp_path / "t.partial")
    assert not result.good
    assert "4 calls can be recovered" in result.problems[0]


def test_a_schema_of_others_is_told(tmp_path: Path) -> None:
    """An emptied schema is not what was written."""
    write_trace(tmp_path / "t", small_trace())
    (tmp_path / "t" / SCHEMA).write_bytes(b"")
    assert f"{SCHEMA}: is not what was written" in validate_trace(tmp_path / "t").problems[0]


def test_a_recording_that_did_not_end_well_is_remarked(tmp_path: Path) -> None:
    """What it holds is right, and not all."""
    write_trace(tmp_path / "t", small_trace(), Origin(state=State.FAILED))
    result = validate_trace(tmp_path / "t")
    assert result.good
    assert "its recording failed" in result.remarks[0]


def test_calls_without_payload_are_counted_by_method() -> None:
    """Of how many; a Trace that has no payloads at all lacks none."""
    trace = small_trace()
    assert without_payload(trace) is None
    trace.calls[0] = replace(trace.calls[0], request=None)
    text = without_payload(trace)
    assert text is not None
    assert text.startswith(f"1 of {len(trace.calls)} calls are without payload")
    assert text.endswith(f"{trace.calls[0].method} (1)")
    fidelity = replace(trace.meta.fidelity, payload=False)
    assert without_payload(replace(trace, meta=replace(trace.meta, fidelity=fidelity))) is None
