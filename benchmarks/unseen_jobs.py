"""Three jobs as users script them, written after the miner was frozen by somebody who had not seen it.

They show how mining does on work that it was not made for. None is ever changed to suit the miner; once the miner
has been improved on them they are no longer unseen, and new ones take their place.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from hdfs_native import Client, WriteOptions

from froude.base import parallel
from froude.experiment.jobs import JobDefinition, Recorder
from froude.workload.scale import Scale

FROZEN = "3c368c62"
"""The commit after which the jobs were written: no later change of the miner is measured as unseen."""
BLOCK_BYTES = 1 << 20
SLOTS = 4
"""Folders that days go round in."""
KEPT_DAYS = 3
PART_BYTES = 40_000
ITEM_BYTES = 3 << 18
WAIT_SECONDS = 0.02


def rotate_logs(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Let web servers side by side keep their last days' logs, spread over a few folders.

    Args:
        recorder: the cluster that is recorded.
        scale: `clients` and `days` are looked at.
        scratch: not used.
    """
    del scratch
    parallel.gang(
        partial(_rotate, uri=recorder.uri, days=int(scale["days"].value)), int(scale["clients"].value)
    )


def _rotate(number: int, *, uri: str, days: int) -> None:
    client = Client(uri, {"dfs.blocksize": str(BLOCK_BYTES)})
    home = f"/var/log/web{number + 1}"
    for slot in range(SLOTS):
        client.mkdirs(f"{home}/slot-{slot}", 0o755, create_parent=True)
    for day in range(days):
        log = _log(home, day)
        with client.create(log, WriteOptions(block_size=BLOCK_BYTES, replication=1)) as out:
            out.write(b"GET /index.html 200\n" * 3_000)
        with client.append(log) as out:
            out.write(b"GET /late.html 404\n" * 500)
        client.set_replication(log, 2 if day % 2 == 0 else 1)
        if day >= KEPT_DAYS:
            client.delete(_log(home, day - KEPT_DAYS), recursive=False)
    list(client.list_status(home, recursive=True))


def _log(home: str, day: int) -> str:
    return f"{home}/slot-{day % SLOTS}/access.log.{day}"


def upload_users(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Upload each user's parts with FsShell, look at them, and move all users' folders to where they are read.

    Args:
        recorder: the cluster that is recorded.
        scale: `users` and `parts` (of each user) are looked at.
        scratch: a folder of its own for the parts to upload.
    """
    users = [f"u{user}" for user in range(1, int(scale["users"].value) + 1)]
    parts = [scratch / f"part-{part}.csv" for part in range(1, int(scale["parts"].value) + 1)]
    for part in parts:
        part.write_bytes(b"7,42\n" * (PART_BYTES // 5))
    recorder.shell("-mkdir", "-p", "/published", *(f"/landing/{user}" for user in users))
    for user in users:
        recorder.shell("-D", "dfs.replication=2", "-put", *map(str, parts), f"/landing/{user}")
    recorder.shell("-ls", "-R", "/landing")
    recorder.shell("-mv", *(f"/landing/{user}" for user in users), "/published")
    recorder.shell("-ls", "/published")


def produce_and_consume(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Let one client write batches of items while another reads and deletes each batch that is ready.

    The producer says outside HDFS, as by a message queue, that a batch is ready.

    Args:
        recorder: the cluster that is recorded.
        scale: `batches` and `items` (of each batch) are looked at.
        scratch: a folder of its own for the messages.
    """
    batches, items = int(scale["batches"].value), int(scale["items"].value)
    work = partial(_take_side, uri=recorder.uri, batches=batches, items=items, messages=scratch)
    parallel.gang(work, 2)


def _take_side(number: int, *, uri: str, batches: int, items: int, messages: Path) -> None:
    client = Client(uri, {"dfs.blocksize": str(BLOCK_BYTES)})
    if number == 0:
        _produce(client, batches, items, messages)
    else:
        _consume(client, batches, messages)


def _produce(client: Client, batches: int, items: int, messages: Path) -> None:
    payload = bytes(range(256)) * (ITEM_BYTES // 256)
    for batch in range(batches):
        folder = f"/queue/batch-{batch:04d}"
        client.mkdirs(f"{folder}.tmp", 0o755, create_parent=True)
        for item in range(items):
            options = WriteOptions(block_size=BLOCK_BYTES, replication=1)
            with client.create(f"{folder}.tmp/item-{item}", options) as out:
                out.write(payload)
        client.rename(f"{folder}.tmp", folder, overwrite=False)
        (messages / f"ready-{batch}").touch()


def _consume(client: Client, batches: int, messages: Path) -> None:
    for batch in range(batches):
        while not (messages / f"ready-{batch}").exists():
            time.sleep(WAIT_SECONDS)
        folder = f"/queue/batch-{batch:04d}"
        for path in sorted(status.path for status in client.list_status(folder, recursive=False)):
            with client.read(path) as source:
                source.read()
            client.delete(path, recursive=False)
        client.delete(folder, recursive=True)


ROTATION = JobDefinition(
    name="unseen-log-rotation",
    what="Clients write, append to and keep the last days' logs in folders by turns, with one replica or two.",
    run=rotate_logs,
    train=(
        Scale.of(datanodes=2, clients=2, days=5),
        Scale.of(datanodes=4, clients=1, days=12),
        Scale.of(datanodes=3, clients=4, days=8),
        Scale.of(datanodes=5, clients=3, days=15),
    ),
    held_out=Scale.of(datanodes=10, clients=8, days=30),
    play=Scale.of(datanodes=40, clients=30, days=90),
)
SHELL_UPLOAD = JobDefinition(
    name="unseen-shell-upload",
    what="FsShell uploads the parts of users u1 to uN, lists them and moves the users' folders.",
    run=upload_users,
    train=(
        Scale.of(datanodes=3, users=4, parts=11),
        Scale.of(datanodes=2, users=7, parts=3),
        Scale.of(datanodes=5, users=11, parts=6),
        Scale.of(datanodes=4, users=14, parts=2),
    ),
    held_out=Scale.of(datanodes=10, users=28, parts=22),
    play=Scale.of(datanodes=40, users=100, parts=60),
)
QUEUE = JobDefinition(
    name="unseen-producer-consumer",
    what="One client writes batches of items; another lists, reads and deletes each batch once it is ready.",
    run=produce_and_consume,
    train=(
        Scale.of(datanodes=2, batches=3, items=5),
        Scale.of(datanodes=4, batches=12, items=2),
        Scale.of(datanodes=3, batches=7, items=11),
        Scale.of(datanodes=5, batches=10, items=4),
    ),
    held_out=Scale.of(datanodes=10, batches=24, items=22),
    play=Scale.of(datanodes=40, batches=40, items=30),
)
UNSEEN = (ROTATION, SHELL_UPLOAD, QUEUE)
