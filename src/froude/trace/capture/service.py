"""A whole capture: one lane in this process, or several in processes of their own.

The forward path never waits for the recorder, unless nothing may be lost (see `link`).

Run as `python -m froude.trace.capture.service`: settings as one JSON line on standard input, reports as JSON
lines on standard output. A last line on standard input says how the recording ended; its end finishes the Trace,
also when the parent died without a word.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from froude.base.errors import FroudeError, TargetError
from froude.documents.artifact import State
from froude.trace.capture.lane import Lane, cpu_s, run
from froude.trace.capture.lanes import Lanes
from froude.trace.capture.proxy import check_target
from froude.trace.capture.settings import CaptureResult, CaptureSettings, Setup, error_to_mapping

Addresses = list[tuple[str, int]]
_WORDS = {state.value.encode(): state for state in State}


async def capture(
    settings: CaptureSettings,
    schema_file: Path,
    *,
    until: Callable[[Addresses], Awaitable[State]],
    on_error: Callable[[FroudeError], None] = lambda _: None,
    on_silent: Callable[[FroudeError], None] = lambda _: None,
) -> CaptureResult:
    """Run a capture.

    Args:
        schema_file: the schema of the target's release, as `Schema.to_bytes` gives it.
        until: called with the listening addresses; the capture ends when it returns how it ended.
        on_error: told at once when the recorder fails (a full disk); forwarding goes on.
        on_silent: told of each target that does not answer, where another does.

    Returns:
        What came of it.

    Raises:
        InputError: a listening address is taken, or the output is.
        TargetError: no target answers.
        MissingError: the Trace could not be written.
    """
    for silent in _silent_targets(settings):
        on_silent(silent)
    key = secrets.token_bytes(32)
    setup = Setup(settings, str(schema_file), key, time.perf_counter(), time.time())
    if settings.processes > 1:
        async with Lanes(setup, on_error) as lanes:
            state = await until([await lanes.listen(listener) for listener in settings.listeners])
            return await lanes.finish(state)
    async with Lane(setup, on_error) as lane:
        state = await until([await lane.proxy.listen(listener) for listener in settings.listeners])
        return replace(await lane.finish(state), proxy_cpu_s=cpu_s())


def _silent_targets(settings: CaptureSettings) -> list[TargetError]:
    """What is wrong with targets that do not answer, as long as one does.

    Raises:
        TargetError: none does.
    """
    addresses = dict.fromkeys(listener.onward for listener in settings.listeners)
    errors = []
    for address in addresses:
        try:
            check_target(address)
        except TargetError as error:
            errors.append(error)
    if errors and len(errors) == len(addresses):
        raise errors[0]
    return errors


async def _until_stdin_ends(addresses: Addresses) -> State:
    """A parent that is killed says nothing: only a word from it makes the recording a complete or a failed one."""
    _print({"listening": addresses})
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, ended.set)
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    read = asyncio.ensure_future(reader.read())
    read.add_done_callback(lambda _: ended.set())
    await ended.wait()
    if not read.done() or read.result().strip() not in _WORDS:
        read.cancel()
        return State.INTERRUPTED
    return _WORDS[read.result().strip()]


def _warn(error: FroudeError) -> None:
    _print({"warning": error_to_mapping(error)})


def _print(message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def main() -> int:
    """Settings from standard input, reports on standard output."""
    asked = json.loads(os.read(0, 1 << 20).partition(b"\n")[0])
    settings = CaptureSettings.from_json(asked["settings"])
    try:
        result = run(
            capture(
                settings,
                Path(asked["schema_file"]),
                until=_until_stdin_ends,
                on_error=_warn,
                on_silent=_warn,
            )
        )
    except FroudeError as error:
        _print({"error": error_to_mapping(error)})
        return 1
    _print({"done": result.to_mapping()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
