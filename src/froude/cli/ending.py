"""How a command ends other than with 0: its exit code, and the reason on standard error."""

from __future__ import annotations

import json
import os
import sys
from enum import IntEnum
from typing import NoReturn, TextIO

import typer

from froude.base.errors import FroudeError, InputError
from froude.cli.terminal import results, visible


class Code(IntEnum):
    """Exit codes of `froude`."""

    ERROR = 1
    """A stated error."""
    USAGE = 2
    MISSED = 3
    """A limit, a proof or a comparison was missed."""
    BUG = 70
    INTERRUPTED = 130
    """Ctrl-C, as a shell expects it."""


def end(code: Code, why: str = "") -> NoReturn:
    """End the command.

    Args:
        why: a line on standard error, also with --quiet; empty where what was printed says it.

    Raises:
        typer.Exit: always.
    """
    if why:
        print(visible(f"froude: {why}"), file=sys.stderr)
    raise typer.Exit(code)


def print_error(error: FroudeError, *, as_json: bool) -> Code:
    """Print an error, a line for each of those it consists of.

    Args:
        as_json: whether standard output gets it, too, as the command's document.

    Returns:
        How the command ends: what is wrong with a flag alone is a matter of usage, whichever check finds it, but not
        where the system refused what the flag asks for, as a port that is in use.
    """
    if as_json:
        emit(error)
    for each in error.errors():
        print(visible(f"froude: {each}"), file=sys.stderr)
    flag = isinstance(error, InputError) and error.file is None and (error.place or "").startswith("--")
    return Code.USAGE if flag and not isinstance(error.__cause__, OSError) else Code.ERROR


def emit(error: FroudeError) -> None:
    """Print an error as JSON; where standard output is what cannot be written, drop what it still holds."""
    output = results() or sys.stdout
    try:
        print(json.dumps(error.document(), indent=2), file=output, flush=True)
    except OSError:
        drop(output)


def drop(output: TextIO) -> None:
    """What an output that cannot be written still holds goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
