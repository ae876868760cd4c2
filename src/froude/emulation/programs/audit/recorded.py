"""Calls of a Trace, made again: each as it was recorded, with the ids that the target gives (`ids`).

A Trace holds every argument, so nothing is assumed. What clients wrote to DataNodes is no call: a block that a client
closed at some length is given to the emulated DataNodes at that length, when it has its place.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple

from froude.base.errors import InputError
from froude.emulation.notes import NOT_REPLAYED
from froude.emulation.programs.audit import commands
from froude.emulation.programs.audit.commands import (
    COMMANDS,
    Call,
    Command,
    Pause,
    Steps,
    Who,
    Written,
)
from froude.emulation.programs.audit.lines import Line
from froude.emulation.programs.events import FALSE, Note
from froude.emulation.settings import LogClientSettings

GIVING = frozenset({"create", "append", "addBlock", "updateBlockForPipeline", "getAdditionalDatanode"})
_WRITING = (
    "append",
    "addBlock",
    "abandonBlock",
    "complete",
    "fsync",
    "updateBlockForPipeline",
    "updatePipeline",
)
_REFUSED = "AccessControlException"
_PAUSE_S, _PAUSES = 0.1, 7
"""Before a call is made again that was answered with true when it was recorded; doubled each time."""
_AWAITED = frozenset({"complete", "isFileClosed", "recoverLease"})
"""Calls that clients make until the answer is true: a block is reported, or recovered."""


class Recorded(NamedTuple):
    """A call of a Trace."""

    protocol: str
    request: str
    """Bytes in base 64."""
    response: str | None = None
    """Likewise, where it gives ids or is a false."""
    error: str | None = None
    """Class of the error that it was answered with, without its package."""
    length: int | None = None
    """Bytes at which the block was closed that has its place by this call; None where none was."""


def command_of(line: Line) -> Command | None:
    """How a line is made again, of a log or of a Trace; None for one that is not."""
    return commands.command_of(line) if line.recorded is None else _OF_TRACES.get(line.command, _OTHER)


def recorded_error(line: Line) -> str | None:
    """Class of the error with which a line failed when it was recorded, without its package; None if it did not."""
    if line.allowed:
        return None
    return _REFUSED if line.recorded is None else _recorded(line).error


def _recorded(line: Line) -> Recorded:
    assert line.recorded is not None
    return Recorded(*line.recorded)  # type: ignore[arg-type]


def _again(line: Line, _: LogClientSettings, who: Who) -> Steps:
    method, recorded = line.command, _recorded(line)
    try:
        request, body = who.ids.request(recorded.protocol, method, b64decode(recorded.request))
    except InputError as error:  # of another release
        yield Note(f"{NOT_REPLAYED}{method} ({error})")
        return
    call = Call(method, {}, recorded.protocol, body)
    given = yield call
    then = None if recorded.response is None else b64decode(recorded.response)
    done = line.allowed and then != FALSE
    pause_s = _PAUSE_S
    while done and method in _AWAITED and not given.result and pause_s < _PAUSE_S * 2**_PAUSES:
        yield Pause(pause_s)
        pause_s *= 2
        given = yield call
    if done and [value for _, value in given.ListFields()] == [False]:
        yield Note(f"call answered with false: {method}")
    if then is not None and method in GIVING:
        who.ids.learn(type(given).FromString(then), given)
    if recorded.length is not None:
        yield Written(_placed(request) if method == "updatePipeline" else given.block, recorded.length)


def _placed(request: Any) -> Any:
    """What a client that sets a pipeline up anew says of it, as a LocatedBlockProto has it."""
    nodes = [SimpleNamespace(id=node) for node in request.newNodes]
    return SimpleNamespace(b=request.newBlock, locs=nodes, storageIDs=list(request.storageIDs))


_OTHER = Command(both=True, steps=_again)
_OF_TRACES: Mapping[str, Command] = {
    **{each.method: replace(each, both=True, steps=_again) for each in COMMANDS.values() if each.method},
    **{method: replace(_OTHER, changes=True) for method in (*_WRITING, "recoverLease")},
    "create": replace(COMMANDS["create"], both=True, steps=_again),
}
"""By method; of those that are not here nothing is known to change."""
