"""A small cluster that goes on when the command that started it ends.

Its supervisor (see there) is a process detached on purpose; the daemons hang on it by their reapers, so ending
it (also by kill -9) ends them. Files in the workspace say what starts and what runs: ids, addresses, process
ids with their start times, so that `stop` ends exactly that and never another process that got the same
number. Until the file of what runs is there, the supervisor falls with its starter, too.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil

from froude.base.errors import InputError, MissingError, TargetError
from froude.base.files import atomic_write_text, stated_os_errors
from froude.hadoop.cluster.daemons import last_error
from froude.hadoop.cluster.state import Process, State, read_process, read_state
from froude.hadoop.settings.yarn import NODE_MB

_POLL_S = 0.05
_FALL_S = 10
SUPERVISOR = "froude.hadoop.cluster.supervisor"
"""Holds a cluster and does nothing else."""
STATE = "state.json"
"""What runs, once it is live."""
FAILURE = "failure.txt"
"""What the supervisor said of its end."""
_STARTING = "starting.json"
"""The supervisor's process, from the first moment on."""
_OUTPUT = "supervisor.out"
"""What the supervisor prints; the mark of a folder of ours."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What `start` shall start."""

    datanodes: int = 3
    replication: int = 2
    heap: str = "512 MB"
    fast: bool = False
    release: str | None = None
    """The Hadoop release; the default one where None."""
    home: str | None = None
    """A folder with a Hadoop, instead of a release."""
    fixed: bool = False
    """Whether clients find it where Hadoop's own defaults are: 127.0.0.1:8020, its web server on 9870."""
    recording: Mapping[str, Any] | None = None
    """What a supervisor that records is told; None for no recording."""
    nodemanagers: int = 0
    """How many NodeManagers; with any, a ResourceManager and a JobHistoryServer, too."""
    node_mb: int = NODE_MB
    """Memory of all containers of one NodeManager."""
    resourcemanager: bool = False
    """Whether a ResourceManager runs beside it whose NodeManagers are emulated."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """Further ones of the daemons' configuration."""
    tied: bool = False
    """Whether it falls with its starter even once it is live."""


def folder_of(workspace: Path) -> Path:
    """Where a workspace keeps its background cluster."""
    return Path(workspace).absolute() / "hadoop"


def running(workspace: Path) -> State | None:
    """What runs in the background of this workspace; None when nothing does.

    Raises:
        InputError: the state file is not one.
    """
    state = read_state(folder_of(workspace) / STATE)
    return state if state is not None and state.supervisor.alive else None


def ended(workspace: Path, state: State) -> dict[str, str | None]:
    """The processes of a cluster that no longer run, each with the last error of its log."""
    run = folder_of(workspace) / "run"
    return {
        each.name: last_error(*(run / each.name / f"{each.name}.{end}" for end in ("log", "out")))
        for each in (state.supervisor, *state.daemons)
        if not each.alive
    }


def starting(workspace: Path) -> Process | None:
    """The supervisor of a cluster that is on its way up in this workspace; None when there is none.

    Raises:
        InputError: the file about it is damaged.
    """
    folder = folder_of(workspace)
    process = read_process(folder / _STARTING)
    return process if process is not None and process.alive and not (folder / STATE).exists() else None


def start(
    workspace: Path, wanted: Wanted, *, timeout_s: float = 180, supervisor_module: str = SUPERVISOR
) -> State:
    """Start a cluster in the background and wait until it is live.

    Args:
        supervisor_module: the module whose process holds the cluster.

    Raises:
        InputError: one runs there already, or is being started.
        TargetError: it did not come up; with the daemon's own last error.
    """
    return _start(workspace, wanted, timeout_s, supervisor_module)[1]


@contextlib.contextmanager
def held(
    workspace: Path, wanted: Wanted, *, timeout_s: float = 180, supervisor_module: str = SUPERVISOR
) -> Iterator[tuple[State, subprocess.Popen[bytes]]]:
    """The same for as long as the block runs: it is ended with the block, and falls with this process.

    Args:
        supervisor_module: the module whose process holds the cluster.

    Yields:
        What runs, and the process that holds it.

    Raises:
        InputError: one runs there already, or is being started.
        TargetError: it did not come up, with the daemon's own last error; or it does not end.
    """
    process, state = _start(workspace, replace(wanted, tied=True), timeout_s, supervisor_module)
    try:
        yield state, process
    finally:
        stop(workspace)
        process.wait()


def _start(
    workspace: Path, wanted: Wanted, timeout_s: float, supervisor_module: str
) -> tuple[subprocess.Popen[bytes], State]:
    folder = folder_of(workspace)
    if running(workspace) is not None:
        raise InputError("a cluster runs here already", file=folder, remedy="End it: `froude hadoop down`")
    if starting(workspace) is not None:
        remedy = "Wait for it, or end it: `froude hadoop down`"
        raise InputError("a cluster is being started here", file=folder, remedy=remedy)
    if folder.exists() and any(folder.iterdir()) and not (folder / _OUTPUT).is_file():
        remedy = "Remove it, or choose another --workspace"
        raise InputError("is in the way, and not a cluster's folder", file=folder, remedy=remedy)
    shutil.rmtree(folder, ignore_errors=True)
    with stated_os_errors(folder):
        folder.mkdir(parents=True, mode=0o700)
    with (folder / _OUTPUT).open("ab") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", supervisor_module, str(folder), json.dumps(asdict(wanted))],
            stdin=subprocess.PIPE,  # held by this process alone, and closed by its death
            stdout=out,
            stderr=out,
            start_new_session=True,
            cwd=folder,
        )
    try:
        supervisor = Process.of("supervisor", process.pid)
        try:
            atomic_write_text(folder / _STARTING, json.dumps(supervisor.plain()))
        except MissingError as error:
            if not folder.is_dir():  # it was ended before this could be written
                raise _failure(folder) from error
            raise
        return process, _await_start(folder, process, timeout_s)
    except BaseException as error:  # an interrupt, too: nothing half-started is left
        _abandon(process)
        if not isinstance(error, TargetError):  # which may name a log in there
            shutil.rmtree(folder, ignore_errors=True)
        raise


def stop(workspace: Path, *, timeout_s: float = 30) -> State | Process | None:
    """End what `start` started, exactly that, and remove its folder.

    Args:
        timeout_s: seconds the supervisor gets to end in order before it is killed, and then its daemons to
            fall.

    Returns:
        What was ended: what ran, or the supervisor of what was on its way up; None when there was nothing.

    Raises:
        TargetError: a process does not end.
    """
    folder = folder_of(workspace)
    state = running(workspace)
    supervisor = starting(workspace) if state is None else state.supervisor
    if supervisor is not None:
        family = _family(supervisor.pid)
        with contextlib.suppress(psutil.NoSuchProcess):
            _end(psutil.Process(supervisor.pid), timeout_s)
        _await_end(family, timeout_s)
    if (folder / STATE).exists() or supervisor is not None:
        shutil.rmtree(folder, ignore_errors=True)
    return supervisor if state is None else state


def _end(process: psutil.Process, timeout_s: float) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout_s)
    except psutil.TimeoutExpired:
        process.kill()  # its daemons fall with it: their reapers see to that


def _await_start(folder: Path, process: subprocess.Popen[bytes], timeout_s: float) -> State:
    deadline = time.monotonic() + timeout_s
    while (state := read_state(folder / STATE)) is None:
        if process.poll() is not None:
            raise _failure(folder)
        if time.monotonic() > deadline:
            raise TargetError(f"did not come up in {timeout_s:g} s", file=folder)
        time.sleep(_POLL_S)
    return state


def _abandon(process: subprocess.Popen[bytes]) -> None:
    """End a supervisor and wait for its daemons, which fall with it by their reapers."""
    family = _family(process.pid)
    process.kill()
    process.wait()
    psutil.wait_procs(family, timeout=_FALL_S)


def end_children() -> None:
    """Kill all that this process has started, and wait: what an interrupted start had no time to take note of, too."""
    while family := _family(os.getpid()):
        for each in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()
        if psutil.wait_procs(family, timeout=_FALL_S)[1]:
            return


def _family(pid: int) -> list[psutil.Process]:
    """What a process has started: its daemons and what stands between."""
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _await_end(family: list[psutil.Process], timeout_s: float) -> None:
    _, left = psutil.wait_procs(family, timeout=timeout_s)
    if left:
        raise TargetError("does not end", file=left[0].name(), found=f"process {left[0].pid}")


def _failure(folder: Path) -> TargetError:
    """What the supervisor said of its end."""
    words = (
        path.read_text()[-500:].strip() for path in (folder / FAILURE, folder / _OUTPUT) if path.is_file()
    )
    text = next(filter(None, words), "it was ended from elsewhere")
    if not (folder / "run").exists():  # it never began: there is no log to keep
        shutil.rmtree(folder, ignore_errors=True)
    return TargetError(f"the cluster did not come up: {text}", file=folder)
