"""What is remembered of a cluster in the background: the files that say which processes they are and where.

Anybody may have written such a file. Nothing of it is believed that could not have been written by a supervisor:
process ids that the kernel never gives to a program would name every process, or none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeVar

import psutil

from froude.base.errors import InputError
from froude.base.files import read_bounded
from froude.documents.forms import Number, Text
from froude.documents.lineage import read_placed
from froude.documents.model import Model
from froude.documents.reading import parse_figures

D = TypeVar("D", bound=Model)
_LIMIT_BYTES = 1 << 20


def _check_line(text: str) -> None:
    if "\0" in text:
        raise InputError("holds a null character")


_Pid = Annotated[int, Number(2, (1 << 31) - 1, whole=True)]  # 1 is the system's own
_Text = Annotated[str, Text(_check_line)]


class Process(Model):
    """One process, told apart from a later one with the same id."""

    name: _Text
    """`supervisor`, `namenode`, `datanode-0`."""
    pid: _Pid
    started_s: Annotated[float, Number(0, 1 << 40)]
    """When it started, in seconds since the epoch, as the kernel tells."""
    address: _Text = ""
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
        return cls(name=name, pid=pid, started_s=psutil.Process(pid).create_time(), address=address)

    @property
    def alive(self) -> bool:
        """Whether that very process still runs."""
        try:
            process = psutil.Process(self.pid)
            same = abs(process.create_time() - self.started_s) < 1
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False


class State(Model):
    """What runs in the background of a workspace."""

    supervisor: Process
    """The process to end."""
    release: _Text
    uri: _Text
    http: _Text
    cluster_id: _Text
    """By which the guard knows the NameNode as started here."""
    block_pool_id: _Text
    """What DataNodes register for."""
    daemons: tuple[Process, ...] = ()
    home: _Text = ""
    """A folder with `bin/hdfs` and `conf` for clients (see `launcher`)."""
    trace: _Text = ""
    """The Trace that is being recorded; empty for none."""
    gc_log: _Text = ""
    """What the NameNode's JVM writes of its garbage collector; empty for nothing."""
    resourcemanager: _Text = ""
    """The ResourceManager's web pages; empty without one."""
    jobhistory: _Text = ""
    master_id: _Text = ""
    """By which the guard knows a ResourceManager as started here whose NodeManagers are emulated; empty without."""


def read_state(path: Path) -> State | None:
    """What runs, as its file says; None without one.

    Raises:
        InputError: the file is damaged, or of another kind.
    """
    return _read(path, State)


def read_process(path: Path) -> Process | None:
    """The supervisor that its file names; None without one.

    Raises:
        InputError: the file is damaged, or of another kind.
    """
    return _read(path, Process)


def _read(path: Path, kind: type[D]) -> D | None:
    if not path.is_file():
        return None
    data = read_bounded(path, limit_bytes=_LIMIT_BYTES)
    try:
        return read_placed(kind, parse_figures(data, str(path)).fields, path)
    except InputError as error:
        raise InputError(
            f"is not a state of a cluster ({': '.join(filter(None, (str(error.place or ''), error.message)))})",
            file=path,
            found=error.found,
            allowed=error.allowed,
            remedy="Remove the file",
        ) from error
