"""Three jobs that the miner was not made for: a log rotation, an upload by FsShell, a producer and its consumer.

Each is recorded at sizes that vary every quantity apart, odd and even, and held out at twice the largest.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from hdfs_native import Client, WriteOptions

from froude.base import parallel
from froude.experiment.jobs import JobDefinition, Recorder
from froude.workload.scale import Scale

BLOCK_BYTES = 1 << 20
_LINE = b"one line of a log\n"
_PAUSE_S = 0.1
"""Between two looks of the consumer for its next item."""


def rotate(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """One client writes logs into folders in turn, sets their replication, adds to each third, deletes the oldest.

    Args:
        recorder: the cluster that is recorded.
        scale: `files` and `folders` are looked at.
        scratch: not used.
    """
    del scratch
    client = Client(recorder.uri, {"dfs.blocksize": str(BLOCK_BYTES)})
    files, folders = (int(scale[name].value) for name in ("files", "folders"))
    for folder in range(folders):
        client.mkdirs(f"/logs/day-{folder}", 0o755, create_parent=True)
    for i in range(files):
        with client.create(_log(i, folders), WriteOptions(block_size=BLOCK_BYTES, replication=1)) as out:
            out.write(_LINE * 1_000)
        client.set_replication(_log(i, folders), 1 + i % 2)
    for i in range(0, files, 3):
        with client.append(_log(i, folders)) as out:
            out.write(_LINE * 100)
    for i in range(files // 2):
        client.delete(_log(i, folders), recursive=False)


def _log(number: int, folders: int) -> str:
    return f"/logs/day-{number % folders}/app-{number}.log"


ROTATION = JobDefinition(
    name="log-rotation",
    what="Logs go into folders in turn, with one copy and two by turns; each third is added to, half are deleted.",
    run=rotate,
    train=(
        Scale.of(datanodes=2, files=7, folders=3),
        Scale.of(datanodes=3, files=12, folders=2),
        Scale.of(datanodes=4, files=10, folders=4),
        Scale.of(datanodes=2, files=15, folders=5),
    ),
    held_out=Scale.of(datanodes=8, files=30, folders=10),
    play=Scale.of(datanodes=100, files=1000, folders=30),
)


def upload(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """FsShell makes a folder and uploads u1 to uN in one command, then lists them.

    Args:
        recorder: the cluster that is recorded.
        scale: `files` is looked at.
        scratch: where the files are made.
    """
    paths = [scratch / f"u{number}" for number in range(1, int(scale["files"].value) + 1)]
    for path in paths:
        path.write_bytes(_LINE * 1_000)
    recorder.shell("-mkdir", "-p", "/in")
    recorder.shell("-put", *map(str, paths), "/in")
    recorder.shell("-ls", "/in")


UPLOAD = JobDefinition(
    name="shell-upload",
    what="FsShell makes a folder, uploads u1 to uN in one command, and lists them.",
    run=upload,
    train=(
        Scale.of(datanodes=2, files=4),
        Scale.of(datanodes=3, files=9),
        Scale.of(datanodes=4, files=7),
        Scale.of(datanodes=2, files=12),
    ),
    held_out=Scale.of(datanodes=8, files=24),
    play=Scale.of(datanodes=100, files=1000),
)


def hand_over(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """A producer writes items and moves each to where its consumer waits for it, reads it, and deletes it.

    Args:
        recorder: the cluster that is recorded.
        scale: `items` is looked at.
        scratch: not used.
    """
    del scratch
    parallel.gang(partial(_side, uri=recorder.uri, items=int(scale["items"].value)), 2)


def _side(number: int, *, uri: str, items: int) -> None:
    client = Client(uri, {"dfs.blocksize": str(BLOCK_BYTES)})
    if number == 0:
        _produce(client, items)
    else:
        _consume(client, items)


def _produce(client: Client, items: int) -> None:
    client.mkdirs("/queue/new", 0o755, create_parent=True)
    client.mkdirs("/queue/ready", 0o755, create_parent=True)
    for i in range(items):
        options = WriteOptions(block_size=BLOCK_BYTES, replication=1)
        with client.create(f"/queue/new/item-{i:04d}", options) as out:
            out.write(_LINE * 500)
        client.rename(f"/queue/new/item-{i:04d}", f"/queue/ready/item-{i:04d}", overwrite=False)


def _consume(client: Client, items: int) -> None:
    for i in range(items):
        path = f"/queue/ready/item-{i:04d}"
        while not _there(client, path):
            time.sleep(_PAUSE_S)
        with client.read(path) as source:
            source.read()
        client.delete(path, recursive=False)


def _there(client: Client, path: str) -> bool:
    try:
        client.get_file_info(path)
    except FileNotFoundError:
        return False
    return True


HAND_OVER = JobDefinition(
    name="hand-over",
    what="A producer writes items and moves each to where a consumer waits for it, reads it and deletes it.",
    run=hand_over,
    train=(
        Scale.of(datanodes=2, items=5),
        Scale.of(datanodes=3, items=12),
        Scale.of(datanodes=4, items=8),
        Scale.of(datanodes=2, items=15),
    ),
    held_out=Scale.of(datanodes=8, items=30),
    play=Scale.of(datanodes=100, items=1000),
)

UNSEEN = (ROTATION, UPLOAD, HAND_OVER)
