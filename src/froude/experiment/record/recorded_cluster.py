"""Holds a background cluster that is recorded: a proxy before its daemons until somebody ends it.

Run as `python -m froude.experiment.record.recorded_cluster FOLDER WANTED`, by `froude hadoop up --through-proxy`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from froude.documents.store import Workspace
from froude.experiment.record.record import record
from froude.hadoop.cluster import loopback
from froude.hadoop.cluster.background import Wanted
from froude.hadoop.cluster.cluster import Cluster
from froude.hadoop.cluster.supervisor import Front, main
from froude.hadoop.cluster.yarn_cluster import YarnCluster


@dataclass(frozen=True, slots=True)
class RecordingWanted:
    """What the process is told of the recording, as JSON can hold it."""

    workspace: str
    """The folder of the workspace that the Trace goes to."""
    scale: Mapping[str, str] = field(default_factory=dict)
    """The Scale it runs at."""
    name: str | None = None
    """Of the Trace; None for the next free number."""
    command: str = ""
    """What the Trace's lineage says it was made by."""


@contextmanager
def recorded(cluster: Cluster | YarnCluster, wanted: Wanted, folder: Path) -> Iterator[Front]:
    """Clients and nodes reach the masters through a proxy; the Trace is whole when the block ends.

    Args:
        cluster: its masters run, its nodes do not yet.
        wanted: its `recording` holds the fields of `RecordingWanted`.

    Raises:
        InputError: the proxy's address is taken, or the Trace's name.
        TargetError: a node does not come up.
    """
    del folder
    asked = RecordingWanted(**(wanted.recording or {}))
    with record(
        cluster,
        Workspace(asked.workspace),
        scale=asked.scale,
        name=asked.name,
        listen=loopback.NAMENODE if wanted.fixed else None,
        command=asked.command,
    ) as recording:
        yield Front(recording.address, str(recording.trace))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], recorded))
