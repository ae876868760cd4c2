"""Check a Trace thoroughly: not only that it can be read, but that it is what was written and decodes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from froude.base.errors import ChangedError, InputError
from froude.trace import files
from froude.trace.partial import SUFFIX, read_partial
from froude.trace.types import Status, Trace

_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Validation:
    """What a check found."""

    path: Path
    calls: int
    problems: tuple[str, ...]
    """What is wrong; empty for a good trace."""
    remarks: tuple[str, ...] = ()
    """What a reader should know but is no fault of the files."""

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems


def validate_trace(path: Path | str) -> Validation:
    """Read everything, compare it with the content hash, decode every message.

    An unfinished trace (`NAME.partial`) is looked at, too: how much of it can be recovered.

    Raises:
        InputError: it cannot even be read; names the file and the place.
    """
    folder = Path(path)
    if folder.name.endswith(SUFFIX):
        return _validate_partial(folder)
    try:
        trace = files.read_trace(folder)
    except ChangedError as error:
        return Validation(folder, 0, (str(error),))
    problems = _decode_all(trace)
    if any(b.start_s < a.start_s for a, b in zip(trace.calls, trace.calls[1:], strict=False)):
        problems.append("calls are not in order of their start")
    return Validation(folder, len(trace.calls), tuple(problems), _remarks(trace))


def _validate_partial(folder: Path) -> Validation:
    partial = read_partial(folder)
    rows, cut = partial.table.num_rows, partial.cut_bytes
    problem = f"is unfinished: {rows} calls can be recovered, {cut} bytes behind them cannot"
    return Validation(folder, rows, (problem,), ("make it whole with --recover",))


def _decode_all(trace: Trace) -> list[str]:
    """Each message that does not decode, the first few in words."""
    problems: list[str] = []
    count = 0
    for index, call in enumerate(trace.calls):
        for what, body in (("request", call.request), ("response", call.response)):
            if body is None:
                continue
            try:
                trace.request(call) if what == "request" else trace.response(call)
            except InputError as error:
                count += 1
                if len(problems) < _EXAMPLES:
                    problems.append(f"call {index}: {what} of {call.method}: {error}")
    if count > len(problems):
        problems.append(f"and {count - len(problems)} more messages that do not decode")
    return problems


def without_payload(trace: Trace) -> str | None:
    """How many calls have no payload, of a Trace that has payloads, and of which methods they are; None for none."""
    without = Counter(call.method for call in trace.calls if call.request is None)
    if not without or not trace.meta.fidelity.payload:
        return None
    names = ", ".join(f"{name} ({count})" for name, count in without.most_common(_EXAMPLES))
    base = f"{without.total():,} of {len(trace.calls):,} calls"
    return f"{base} are without payload, unknown to the schema or not whole: {names}"


def _remarks(trace: Trace) -> tuple[str, ...]:
    remarks: list[str] = [said] if (said := trace.incomplete) else []
    if without := without_payload(trace):
        remarks.append(without)
    if trace.meta.loss.total:
        loss = trace.meta.loss
        remarks.append(
            f"not whole: {loss.undecodable_frames} undecodable frames, {loss.torn_connections} torn "
            f"connections, {loss.dropped_bytes} bytes not recorded"
        )
    unanswered = sum(call.status is Status.UNANSWERED for call in trace.calls)
    if unanswered:
        remarks.append(f"{unanswered} calls without an answer")
    if not trace.meta.source_id:
        remarks.append("no source id: the guard cannot tell its source from a target")
    return tuple(remarks)
