"""What is remembered of a cluster in the background: the files that say which processes they are and where.

Anybody may have written such a file. Nothing of it is believed that could not have been written by a supervisor:
process ids that the kernel never gives to a program would name every process, or none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import psutil

from froude.base.errors import InputError
from froude.base.files import read_bounded
from froude.documents.reading import Section, parse_figures

T = TypeVar("T")
_LIMIT_BYTES = 1 << 20
_PIDS = (2, (1 << 31) - 1)
"""1 is the system's own."""
_TIMES_S = (0, 1 << 40)


@dataclass(frozen=True, slots=True)
class Process:
    """One process, told apart from a later one with the same id."""

    name: str
    """`supervisor`, `namenode`, `datanode-0`."""
    pid: int
    started_s: float
    """When it started, in seconds since the epoch, as the kernel tells."""
    address: str = ""
    """Where it listens, where that means something."""

    @classmethod
    def of(cls, name: str, pid: int, address: str = "") -> Process:
        """The process that has this id now.

        Args:
            name: what it is called among the processes of a cluster, such as `datanode-0`.
            address: `host:port` where it listens; empty where that means nothing.

        Raises:
            psutil.NoSuchProcess: no process has this id.
        """
        return cls(name, pid, psutil.Process(pid).create_time(), address)

    @property
    def alive(self) -> bool:
        """Whether that very process still runs."""
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started_s) < 1
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False


@dataclass(frozen=True, slots=True)
class State:
    """What runs in the background of a workspace."""

    supervisor: Process
    """The process to end."""
    release: str
    uri: str
    http: str
    cluster_id: str
    """By which the guard knows the NameNode as started here."""
    block_pool_id: str
    """What DataNodes register for."""
    daemons: list[Process] = field(default_factory=list)
    home: str = ""
    """A folder with `bin/hdfs` and `conf` for clients (see `launcher`)."""
    trace: str = ""
    """The Trace that is being recorded; empty for none."""
    gc_log: str = ""
    """What the NameNode's JVM writes of its garbage collector; empty for nothing."""
    resourcemanager: str = ""
    """The ResourceManager's web pages; empty without one."""
    jobhistory: str = ""
    master_id: str = ""
    """By which the guard knows a ResourceManager as started here whose NodeManagers are emulated; empty without."""


def read_state(path: Path) -> State | None:
    """What runs, as its file says; None without one.

    Raises:
        InputError: the file is damaged, or of another kind.
    """
    return _read(path, _state)


def read_process(path: Path) -> Process | None:
    """The supervisor that its file names; None without one.

    Raises:
        InputError: the file is damaged, or of another kind.
    """
    return _read(path, _process)


def _read(path: Path, make: Callable[[Section], T]) -> T | None:
    if not path.is_file():
        return None
    data = read_bounded(path, limit_bytes=_LIMIT_BYTES)
    try:
        return make(parse_figures(data, str(path)))
    except InputError as error:
        raise InputError(
            f"is no state of a cluster ({error.message})",
            file=path,
            found=error.found,
            allowed=error.allowed,
            remedy="Remove the file",
        ) from error


def _state(section: Section) -> State:
    state = State(
        supervisor=_process(section.section("supervisor")),
        release=_text(section, "release"),
        uri=_text(section, "uri"),
        http=_text(section, "http"),
        cluster_id=_text(section, "cluster_id"),
        block_pool_id=_text(section, "block_pool_id"),
        daemons=[_process(each) for each in section.sections("daemons")],
        home=_text(section, "home", ""),
        trace=_text(section, "trace", ""),
        gc_log=_text(section, "gc_log", ""),
        resourcemanager=_text(section, "resourcemanager", ""),
        jobhistory=_text(section, "jobhistory", ""),
        master_id=_text(section, "master_id", ""),
    )
    section.finish()
    return state


def _process(section: Section) -> Process:
    process = Process(
        name=_text(section, "name"),
        pid=section.value("pid", int, within=_PIDS),
        started_s=section.value("started_s", float, within=_TIMES_S),
        address=_text(section, "address", ""),
    )
    section.finish()
    return process


def _text(section: Section, name: str, default: str | None = None) -> str:
    text = section.value(name, str, default)
    if "\0" in text:
        raise section.error(name, "holds a null character")
    return text
