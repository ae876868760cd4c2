"""Jobs that bring data in: a landing zone, a collector of logs, and a service that takes uploads."""

from __future__ import annotations

import hashlib
import random
import zlib
from collections import defaultdict
from contextlib import suppress
from datetime import date, timedelta
from functools import partial
from pathlib import Path

from hdfs_native import WriteOptions

from benchmarks.unseen.clients import (
    BLOCK_BYTES,
    OPEN,
    client_of,
    names,
    open_folders,
    read,
    write,
    write_text,
)
from froude.base import parallel
from froude.experiment.record.jobs import JobDefinition, Recorder
from froude.workload.scale import Scale

SOURCES = ("crm", "web", "erp", "iot")
FIRST_DAY = date(2026, 2, 27)
FILES_A_DAY = 3
"""Files of one source that carry the same date."""
LARGE_EVERY = 4
LARGE_BYTES, SMALL_BYTES = 5 << 19, 3 << 16
BAD_OF = 5
"""One file in so many is taken for a bad one, by a checksum of its name."""
KEPT_DAYS = 2

ROLL_BATCHES = 4
"""Batches after which a collector begins a new file."""
FILES_AN_HOUR = 3
BATCH_BYTES = 1 << 19
FIRST_EVENT = 1_764_230_400_000
"""Number in the name of a collector's first file, as Flume takes it from the clock."""

SEED = 20_261_127
SIZES = (1 << 14, 1 << 18, 3 << 19, 9 << 18)
SPOILT = 0.25
"""How likely an upload arrives spoilt."""
MOST_ATTEMPTS = 3
POPULAR_EVERY = 5


def land(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Land files, validate all, let workers sort them into partitions by day, and drop old days.

    Args:
        recorder: the cluster that is recorded.
        scale: `sources`, `files` (of each source) and `workers` are looked at.
        scratch: not used.
    """
    sources, files, workers = (int(scale[name].value) for name in ("sources", "files", "workers"))
    folders = ("/landing", "/validated", "/quarantine", "/plans", "/warehouse/events")
    open_folders(recorder.uri, *folders)
    parallel.gang(partial(_land, uri=recorder.uri, files=files), sources)
    _validate(recorder.uri, sources, workers)
    parallel.gang(partial(_partition, uri=recorder.uri), workers)
    _retain(recorder.uri)


def _source(number: int) -> str:
    return f"{SOURCES[number % len(SOURCES)]}{number // len(SOURCES) + 1}"


def _land(number: int, *, uri: str, files: int) -> None:
    source = _source(number)
    with client_of("ingest", uri) as client:
        client.mkdirs(f"/landing/{source}", OPEN, create_parent=True)
        for file in range(files):
            day = FIRST_DAY + timedelta(file // FILES_A_DAY)
            path = f"/landing/{source}/{source}_{day:%Y%m%d}_{file % FILES_A_DAY:03d}.csv"
            write(client, f"{path}._COPYING_", LARGE_BYTES if file % LARGE_EVERY == 0 else SMALL_BYTES)
            client.rename(f"{path}._COPYING_", path)


def _validate(uri: str, sources: int, workers: int) -> None:
    good = []
    with client_of("validator", uri) as client:
        for number in range(sources):
            source = _source(number)
            client.mkdirs(f"/validated/{source}", OPEN, create_parent=True)
            for path in names(client, f"/landing/{source}"):
                name = path.rsplit("/", 1)[1]
                read(client, path)
                if zlib.crc32(name.encode()) % BAD_OF == 0:
                    client.rename(path, f"/quarantine/{name}")
                    continue
                client.rename(path, f"/validated/{source}/{name}")
                good.append(f"/validated/{source}/{name}")
        for worker in range(workers):
            write_text(client, f"/plans/worker-{worker}.txt", "\n".join(good[worker::workers]))


def _partition(number: int, *, uri: str) -> None:
    written: dict[str, int] = defaultdict(int)
    with client_of("etl", uri) as client:
        for path in read(client, f"/plans/worker-{number}.txt").decode().split():
            day = path.rsplit("_", 2)[1]
            folder = f"/warehouse/events/dt={day}"
            if day not in written:
                client.mkdirs(folder, OPEN, create_parent=True)
            part = f"part-{number:02d}-{written[day]:05d}.csv"
            write(client, f"{folder}/.{part}.inprogress", len(read(client, path)))
            client.rename(f"{folder}/.{part}.inprogress", f"{folder}/{part}")
            client.delete(path)
            written[day] += 1
        client.delete(f"/plans/worker-{number}.txt")


def _retain(uri: str) -> None:
    with client_of("etl", uri) as client:
        for folder in names(client, "/warehouse/events")[:-KEPT_DAYS]:
            client.delete(folder, recursive=True)


def collect(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Let agents write batches of events into files that roll, and a monitor look at each agent's folder.

    Args:
        recorder: the cluster that is recorded.
        scale: `agents` and `batches` are looked at; each agent has one batch more than the one before it.
        scratch: not used.
    """
    agents, batches = int(scale["agents"].value), int(scale["batches"].value)
    open_folders(recorder.uri, "/flume/events", "/flume/checkpoints")
    parallel.gang(partial(_agent, uri=recorder.uri, batches=batches), agents)
    with client_of("monitor", recorder.uri) as client:
        for folder in names(client, "/flume/events"):
            client.get_content_summary(folder)
            for hour in names(client, folder):
                list(client.list_status(hour, recursive=False))


def _agent(number: int, *, uri: str, batches: int) -> None:
    options = WriteOptions(block_size=BLOCK_BYTES, replication=2)
    host = f"edge{number + 1:02d}"
    left, file = batches + number, 0
    with client_of("flume", uri) as client:
        while left:
            folder = f"/flume/events/{host}/26-11-27/{file // FILES_AN_HOUR:02d}"
            if file % FILES_AN_HOUR == 0:
                client.mkdirs(folder, OPEN, create_parent=True)
            path = f"{folder}/events-{host}.{FIRST_EVENT + file}.log"
            taken = min(ROLL_BATCHES, left)
            with client.create(f"{path}.tmp", options) as out:
                for _ in range(taken):
                    out.write(bytes(BATCH_BYTES))
                    out.hsync()
            client.rename(f"{path}.tmp", path)
            write_text(client, f"/flume/checkpoints/{host}", f"{left}\n", overwrite=True)
            left, file = left - taken, file + 1


def take_uploads(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Let servers take uploads, check each, try again what arrived spoilt, and keep it by its checksum.

    Args:
        recorder: the cluster that is recorded.
        scale: `servers` and `uploads` (of each server) are looked at.
        scratch: not used.
    """
    servers, uploads = int(scale["servers"].value), int(scale["uploads"].value)
    open_folders(recorder.uri, "/uploads", "/objects", "/manifests")
    parallel.gang(partial(_serve, uri=recorder.uri, uploads=uploads), servers)


def _serve(number: int, *, uri: str, uploads: int) -> None:
    chance = random.Random(SEED + number)
    stored = []
    with client_of("svc-upload", uri) as client:
        client.mkdirs(f"/uploads/server-{number}", OPEN, create_parent=True)
        for upload in range(uploads):
            digest = hashlib.sha1(f"{SEED}:{number}:{upload}".encode()).hexdigest()
            size = chance.choice(SIZES)
            with suppress(FileNotFoundError):
                client.get_file_info(f"/objects/{digest[:2]}/{digest}")
            for attempt in range(1, MOST_ATTEMPTS + 1):
                part = f"/uploads/server-{number}/{upload:06d}.part-{attempt}"
                write(client, part, size)
                client.get_file_info(part)
                if attempt < MOST_ATTEMPTS and chance.random() < SPOILT:
                    client.delete(part)
                    continue
                client.mkdirs(f"/objects/{digest[:2]}", OPEN, create_parent=True)
                client.rename(part, f"/objects/{digest[:2]}/{digest}")
                break
            if upload % POPULAR_EVERY == POPULAR_EVERY - 1:
                client.set_replication(f"/objects/{digest[:2]}/{digest}", 3)
            client.set_permission(f"/objects/{digest[:2]}/{digest}", 0o444)
            stored.append(digest)
        write_text(client, f"/manifests/server-{number}.txt", "\n".join(stored))


LANDING = JobDefinition(
    name="landing-zone",
    what="Sources land files, one validates them, workers sort them into days by a plan, and old days go.",
    run=land,
    train=(
        Scale.of(datanodes=2, sources=2, files=7, workers=3),
        Scale.of(datanodes=3, sources=5, files=4, workers=2),
        Scale.of(datanodes=4, sources=1, files=11, workers=1),
        Scale.of(datanodes=5, sources=3, files=9, workers=4),
        Scale.of(datanodes=2, sources=4, files=5, workers=1),
    ),
    held_out=Scale.of(datanodes=10, sources=10, files=22, workers=8),
    play=Scale.of(datanodes=50, sources=60, files=100, workers=40),
)
COLLECTOR = JobDefinition(
    name="log-collector",
    what="Agents write batches into files that roll, each with a checkpoint; a monitor looks at every folder.",
    run=collect,
    train=(
        Scale.of(datanodes=2, agents=3, batches=9),
        Scale.of(datanodes=3, agents=1, batches=22),
        Scale.of(datanodes=4, agents=5, batches=14),
        Scale.of(datanodes=5, agents=2, batches=17),
    ),
    held_out=Scale.of(datanodes=10, agents=10, batches=44),
    play=Scale.of(datanodes=50, agents=60, batches=200),
)
UPLOADS = JobDefinition(
    name="upload-service",
    what="Servers take uploads of chosen sizes, try again what arrived spoilt, and keep it by its checksum.",
    run=take_uploads,
    train=(
        Scale.of(datanodes=2, servers=2, uploads=12),
        Scale.of(datanodes=3, servers=4, uploads=6),
        Scale.of(datanodes=4, servers=1, uploads=19),
        Scale.of(datanodes=5, servers=3, uploads=9),
    ),
    held_out=Scale.of(datanodes=10, servers=8, uploads=38),
    play=Scale.of(datanodes=50, servers=40, uploads=200),
)
