"""Run a program of the user's: found as a shell finds it, its output kept, nothing of it left running."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from froude.base.errors import InputError
from froude.base.files import create_file, refuse_special, stated_os_errors
from froude.base.scratch import Scratch
from froude.hadoop.cluster.daemons import reaper_command

_GRACE_S = 5.0
_POLL_S = 0.02


def find_program(name: str, path: str | None = None) -> str:
    """The file that a shell would run for a command's first word.

    Args:
        path: folders to look in, as in PATH; this process's own by default.

    Raises:
        InputError: there is none, or it may not be executed.
    """
    program = shutil.which(name, path=path)
    if program is not None:
        return program
    if Path(name).is_file() and "/" in name:
        raise InputError("may not be executed", file=name, remedy=f"`chmod +x {shlex.quote(name)}` allows it")
    remedy = f"A program of this folder is called ./{name}" if Path(name).is_file() else None
    raise InputError("is no program here, nor on the PATH", file=name, remedy=remedy)


def run_program(
    command: Sequence[str], *, environment: Mapping[str, str], output: Path, timeout_s: float
) -> int:
    """Run a program to its end in the current folder; what it has started and left running is ended with it.

    Its standard input is closed. It falls with this process, also after kill -9.

    Args:
        environment: the program's; its PATH is where the program is looked for.
        output: where its standard output and error are written, for the owner only; a file there is replaced.

    Returns:
        Its exit code; 256 - N where signal N has ended it, as a byte holds it.

    Raises:
        InputError: there is no such program, it took too long, or what stands at `output` is no regular file.
    """
    words = [*_interpreter(find_program(command[0], environment.get("PATH"))), *command[1:]]
    refuse_special(output)
    with stated_os_errors(output):
        output.unlink(missing_ok=True)  # never written through: another name may lead to the same file
    with Scratch("program") as scratch, create_file(output) as out:
        pid_file = scratch / "pid"
        process = subprocess.Popen(
            [*reaper_command(pid_file), *words],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            start_new_session=True,
        )
        try:
            return process.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            raise InputError(f"took longer than {timeout_s:g} s", file=command[0]) from error
        finally:
            _end(process, pid_file)


def _interpreter(program: str) -> list[str]:
    """The program, behind the shell where it is a script that does not say what runs it."""
    with stated_os_errors(Path(program)), Path(program).open("rb") as data:
        head = data.read(4)
    return [program] if head.startswith(b"#!") or head == b"\x7fELF" else ["/bin/sh", program]


def _end(process: subprocess.Popen[bytes], pid_file: Path) -> None:
    """End a program that still runs, and its whole process group: asked first, then killed."""
    deadline = time.monotonic() + _GRACE_S
    while process.poll() is None and not pid_file.exists() and time.monotonic() < deadline:
        time.sleep(_POLL_S)  # it has only just been started
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError, FileNotFoundError):
            os.killpg(int(pid_file.read_text()), number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S)
