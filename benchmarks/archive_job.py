"""The archive job: clients write logs, add to them, close them off and move them; FsShell looks at the result.

It differs from the demo's job on purpose, and was unseen by the miner when it was written: the published results show
how the miner does on a job that it was not made for.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hdfs_native import Client, WriteOptions

from froude.base import parallel
from froude.experiment.record.jobs import JobDefinition, Recorder
from froude.workload.scale import Scale

BLOCK_BYTES = 1 << 20
HOURS = (0, 8, 16)


def archive(number: int, *, uri: str, days: int) -> None:
    """Write three logs a day, add to the first of each day, close all off, and move the folder away.

    Args:
        number: this client's number, from 0.
        uri: `hdfs://HOST:PORT` of the NameNode or of the proxy before it.
        days: how many days of logs.
    """
    client = Client(uri, {"dfs.blocksize": str(BLOCK_BYTES)})
    home = f"/logs/host-{number:03d}"
    for day in range(days):
        client.mkdirs(f"{home}/day-{day + 1}", 0o750, create_parent=True)
        for hour in HOURS:
            options = WriteOptions(block_size=BLOCK_BYTES, replication=1)
            with client.create(f"{home}/day-{day + 1}/{hour:02d}.log", options) as out:
                out.write(b"line\n" * 20_000)
    for day in range(days):
        with client.append(f"{home}/day-{day + 1}/00.log") as out:
            out.write(b"late line\n" * 1_000)
    for day in range(days):
        for hour in HOURS:
            client.set_permission(f"{home}/day-{day + 1}/{hour:02d}.log", 0o440)
    client.get_content_summary(home)
    client.rename(home, f"/logs/closed-{number:03d}", overwrite=False)
    list(client.list_status(f"/logs/closed-{number:03d}", recursive=True))


def archive_logs(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """The second job: clients write, add to, close off and move logs; FsShell looks at the result.

    Args:
        recorder: the cluster that is recorded.
        scale: `clients` and `days` (of each client) are looked at.
    """
    del scratch
    client = partial(archive, uri=recorder.uri, days=int(scale["days"].value))
    parallel.gang(client, int(scale["clients"].value))
    recorder.shell("-ls", "/logs")


ARCHIVE = JobDefinition(
    name="archive-logs",
    what="Clients write logs day by day, append to some, make them read-only and move them; FsShell lists.",
    run=archive_logs,
    train=(
        Scale.of(datanodes=2, clients=2, days=3),
        Scale.of(datanodes=3, clients=1, days=5),
        Scale.of(datanodes=4, clients=3, days=2),
    ),
    held_out=Scale.of(datanodes=5, clients=4, days=6),
    play=Scale.of(datanodes=100, clients=30, days=10),
)
"""Unseen by the miner when it was written, and another published result since the miner was improved on it."""
