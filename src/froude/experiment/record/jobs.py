"""The job that Froude brings along: real clients at work on a real cluster, at any small scale.

A job is what gets recorded at several scales, mined, and predicted. Users bring their own; this one serves the
demo, the tests and the published results.

Each client is a process with `hdfs-native`, which keeps a connection and a clientId of its own. It uploads files in a
loop, lists them, renames each, reads each back, and deletes each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from hdfs_native import Client, WriteOptions

from froude.base import parallel
from froude.base.errors import TargetError
from froude.workload.scale import Scale

BLOCK_BYTES = 1 << 20
"""Block size of the demo's files: the smallest that its cluster allows, so that a file has several blocks."""
FILE_BYTES = 3 << 19
"""Size of each of the demo's files: one block and a half."""
SEED_BYTES = 5 << 19
"""Size of the file that FsShell uploads: two blocks and a half."""


class Recorder(Protocol):
    """What a job needs of a recording in progress."""

    @property
    def uri(self) -> str:
        """Where the job's clients connect."""

    def shell(self, *arguments: str) -> str:
        """Run Hadoop's FsShell, recorded."""

    def run(self, command: Sequence[str], *, output: Path) -> None:
        """Run a program that finds the cluster by `hdfs` on its PATH; what it prints goes to `output`."""


class Job(Protocol):
    """What is recorded: real clients at work."""

    @property
    def name(self) -> str:
        """By which the workspace finds its Traces."""

    @property
    def run(self) -> Callable[[Any, Scale, Path], None]:
        """Does the job once: recording, scale, scratch folder."""


@dataclass(frozen=True, slots=True)
class JobDefinition:
    """A job and the scales it is recorded at."""

    name: str
    what: str
    """One sentence for the report."""
    run: Callable[[Recorder, Scale, Path], None]
    """Does the job once: recording, scale, scratch folder."""
    train: tuple[Scale, ...]
    """Recorded to be mined."""
    held_out: Scale
    """Recorded only to check the prediction."""
    play: Scale
    """Played with emulated nodes."""
    knee: Scale | None = None
    """Where a short search for the NameNode's knee begins; None for no search."""


def upload_and_read(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """The demo's job: FsShell makes a folder and uploads one file, then clients work side by side.

    Args:
        scale: `clients` and `files` (of each client) are looked at.
        scratch: a folder of its own for the file to upload.
    """
    seed = scratch / "seed"
    seed.write_bytes(bytes(range(256)) * (SEED_BYTES // 256))
    recorder.shell("-mkdir", "-p", "/demo")
    recorder.shell("-put", str(seed), "/demo/seed")
    files = int(scale["files"].value)
    client = partial(work, uri=recorder.uri, files=files, file_bytes=FILE_BYTES)
    parallel.gang(client, int(scale["clients"].value))


DEMO = JobDefinition(
    name="upload-and-read",
    what="FsShell uploads a file; then clients upload files in a loop, list, rename, read and delete them.",
    run=upload_and_read,
    train=(
        Scale.of(datanodes=2, clients=1, files=4),
        Scale.of(datanodes=3, clients=2, files=6),
        Scale.of(datanodes=4, clients=3, files=5),
    ),
    held_out=Scale.of(datanodes=6, clients=5, files=8),
    play=Scale.of(datanodes=200, clients=50, files=40),
    knee=Scale.of(datanodes=50, clients=48, files=10),
)


def work(number: int, *, uri: str, files: int, file_bytes: int) -> None:
    """Do one client's part of the job.

    Args:
        number: this client's number, from 0; it works in a folder of its own.
        uri: `hdfs://HOST:PORT` of the NameNode or of the proxy before it.

    Raises:
        TargetError: a file read back differs from what was written.
    """
    client = Client(uri, {"dfs.replication": "2", "dfs.blocksize": str(BLOCK_BYTES)})
    folder = f"/demo/client-{number}"
    client.mkdirs(folder, 0o755, create_parent=True)
    payload = bytes(range(256)) * (file_bytes // 256)
    for i in range(files):
        with client.create(
            f"{folder}/part-{i:05d}", WriteOptions(block_size=BLOCK_BYTES, replication=2)
        ) as out:
            out.write(payload)
    names = [status.path for status in client.list_status(folder, recursive=False)]
    if len(names) != files:
        raise TargetError(
            "a folder lists another number of files than was written", found=len(names), allowed=files
        )
    for i in range(files):
        client.rename(f"{folder}/part-{i:05d}", f"{folder}/done-{i:05d}", overwrite=False)
    for i in range(files):
        with client.read(f"{folder}/done-{i:05d}") as source:
            if source.read() != payload:
                raise TargetError("a file reads back differently", file=f"{folder}/done-{i:05d}")
    for i in range(files):
        client.delete(f"{folder}/done-{i:05d}", recursive=False)
