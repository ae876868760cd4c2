"""The job that Froude brings along: real clients at work on a real cluster, at any small scale.

A job is what gets recorded at several scales, mined, and predicted. Users bring their own; this one serves the
demo, the tests and the published results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from froude.base import parallel
from froude.experiment.record.demo_client import work
from froude.workload.scale import Scale

FILE_BYTES = 3 << 19
"""Size of each of the demo's files: one block and a half."""
SEED_BYTES = 5 << 19
"""Size of the file that FsShell uploads: two blocks and a half."""


class Recorder(Protocol):
    """What a job needs of a recording in progress."""

    @property
    def uri(self) -> str:
        """Where the job's clients connect."""
        ...

    def shell(self, *arguments: str) -> str:
        """Run Hadoop's FsShell, recorded."""
        ...


class Job(Protocol):
    """What is recorded: real clients at work."""

    @property
    def name(self) -> str:
        """By which the workspace finds its Traces."""
        ...

    @property
    def run(self) -> Callable[[Any, Scale, Path], None]:
        """Does the job once: recording, scale, scratch folder."""
        ...


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
        recorder: the cluster that is recorded.
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
    knee=Scale.of(datanodes=50, clients=12, files=20),
)
