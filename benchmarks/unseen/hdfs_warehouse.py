"""Jobs of a warehouse: a scheduler of daily partitions, sessions that commit by renaming, and a compactor."""

from __future__ import annotations

import hashlib
from datetime import date, timedelta
from functools import partial
from pathlib import Path

from hdfs_native import Client

from benchmarks.unseen.clients import BLOCK_BYTES, client_of, names, open_folders, read, write
from froude.base import parallel
from froude.experiment.record.jobs import JobDefinition, Recorder
from froude.workload.scale import Scale

TABLES = ("orders", "customers", "clicks")
FIRST_DAY = date(2026, 1, 28)
MOST_PARTS = 3
"""Tables have one, two or three files a day, by turns."""
WEEK = 5
"""Working days after which a summary is made."""
KEPT_DAYS = 4

SEED = 41
OVERWRITE_EVERY = 2
"""Queries of one day's partition: the last of them replaces what is there."""
TASK_BYTES = 5 << 18

GROUP = 5
"""Small files that are made into one."""
SMALL_BYTES = 3_000
"""Bytes of each small file."""


def schedule(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Make each table's partition of each day in a folder of its own, and a summary each week; drop old days.

    Args:
        recorder: the cluster that is recorded.
        scale: `days` and `tables` are looked at.
        scratch: not used.
    """
    days, tables = int(scale["days"].value), int(scale["tables"].value)
    open_folders(recorder.uri, "/dw", "/staging")
    with client_of("airflow", recorder.uri) as client:
        for table in range(tables):
            client.mkdirs(f"/dw/{_table(table)}", 0o755)
        for day in range(days):
            for table in range(tables):
                _load(client, table, day)
            client.delete(f"/staging/run_{_day(day):%Y%m%d}", recursive=True)
            if day % WEEK == WEEK - 1:
                _summarise(client, tables, day)
            for table in range(tables if day >= KEPT_DAYS else 0):
                client.delete(_partition(table, day - KEPT_DAYS), recursive=True)


def _table(number: int) -> str:
    return f"{TABLES[number % len(TABLES)]}_{number // len(TABLES)}"


def _day(number: int) -> date:
    return FIRST_DAY + timedelta(number)


def _partition(table: int, day: int) -> str:
    return f"/dw/{_table(table)}/dt={_day(day)}"


def _load(client: Client, table: int, day: int) -> None:
    if day:
        client.get_file_info(f"{_partition(table, day - 1)}/_SUCCESS")
    staged = f"/staging/run_{_day(day):%Y%m%d}/{_table(table)}"
    client.mkdirs(staged, 0o755, create_parent=True)
    for part in range(table % MOST_PARTS + 1):
        write(client, f"{staged}/part-r-{part:05d}", (part + 1) * BLOCK_BYTES // 2)
    write(client, f"{staged}/_SUCCESS", 0)
    client.rename(staged, _partition(table, day))


def _summarise(client: Client, tables: int, day: int) -> None:
    week = day // WEEK + 1
    client.mkdirs(f"/dw/weekly/{week:02d}", 0o755, create_parent=True)
    for table in range(tables):
        for folder in names(client, f"/dw/{_table(table)}"):
            read(client, f"{folder}/part-r-00000")
        write(client, f"/dw/weekly/{week:02d}/{_table(table)}.csv", BLOCK_BYTES // 4, replication=3)


def insert(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Let sessions insert into partitions as Hive does: tasks write to a staging folder, which is then committed.

    Args:
        recorder: the cluster that is recorded.
        scale: `sessions`, `queries` (of each) and `tasks` (of each query) are looked at.
        scratch: not used.
    """
    queries, tasks = int(scale["queries"].value), int(scale["tasks"].value)
    open_folders(recorder.uri, "/user/hive/warehouse/sales.db")
    session = partial(_session, uri=recorder.uri, queries=queries, tasks=tasks)
    parallel.gang(session, int(scale["sessions"].value))


def _session(number: int, *, uri: str, queries: int, tasks: int) -> None:
    table = f"/user/hive/warehouse/sales.db/fact_{number}"
    with client_of("hive", uri) as client:
        client.mkdirs(table, 0o755)
        for query in range(queries):
            target = f"{table}/ds={FIRST_DAY + timedelta(query // OVERWRITE_EVERY)}"
            digest = hashlib.md5(f"{SEED}:{number}:{query}".encode()).hexdigest()
            staging = f"{table}/.hive-staging_hive_2026-11-27_{digest[:12]}-{query + 1}"
            _run_tasks(client, staging, tasks)
            client.rename(f"{staging}/_tmp.-ext-10000", f"{staging}/-ext-10000")
            if query % OVERWRITE_EVERY == OVERWRITE_EVERY - 1:
                for path in names(client, target):
                    client.delete(path)
            else:
                client.mkdirs(target, 0o755)
            for path in names(client, f"{staging}/-ext-10000"):
                client.rename(path, f"{target}/{path.rsplit('/', 1)[1]}")
            client.delete(staging, recursive=True)
        client.get_content_summary(table)


def _run_tasks(client: Client, staging: str, tasks: int) -> None:
    client.mkdirs(f"{staging}/_tmp.-ext-10000", 0o700, create_parent=True)
    client.mkdirs(f"{staging}/_task_tmp.-ext-10000", 0o700)
    for task in range(tasks):
        attempt = f"{staging}/_task_tmp.-ext-10000/_tmp.{task:06d}_0"
        write(client, attempt, TASK_BYTES if task % 2 else TASK_BYTES // 4)
        client.rename(attempt, f"{staging}/_tmp.-ext-10000/{task:06d}_0")


def compact(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Let writers make small files for each hour, then one compactor make one of each few.

    Args:
        recorder: the cluster that is recorded.
        scale: `writers`, `hours` and `files` (of each writer and hour) are looked at.
        scratch: not used.
    """
    hours, files = int(scale["hours"].value), int(scale["files"].value)
    open_folders(recorder.uri, *(f"/events/hour={hour:02d}" for hour in range(hours)))
    writer = partial(_write_small, uri=recorder.uri, hours=hours, files=files)
    parallel.gang(writer, int(scale["writers"].value))
    with client_of("compactor", recorder.uri) as client:
        for hour in range(hours):
            folder = f"/events/hour={hour:02d}"
            small = names(client, folder)
            for first in range(0, len(small) - 1, GROUP):
                path = f"{folder}/compacted-{first // GROUP:03d}.json"
                _compact(client, path, small[first : first + GROUP])
            client.get_content_summary(folder)


def _write_small(number: int, *, uri: str, hours: int, files: int) -> None:
    with client_of(f"app{number}", uri) as client:
        for hour in range(hours):
            for file in range(files):
                write(client, f"/events/hour={hour:02d}/app{number}-{file:04d}.json", SMALL_BYTES)


def _compact(client: Client, path: str, group: list[str]) -> None:
    size = sum(len(read(client, each)) for each in group)
    write(client, f"{path}.tmp", size)
    client.rename(f"{path}.tmp", path)
    for each in group:
        client.delete(each)


ETL = JobDefinition(
    name="daily-etl",
    what="A scheduler stages and commits each table's partition of each day, with summaries; old days go.",
    run=schedule,
    train=(
        Scale.of(datanodes=2, days=9, tables=2),
        Scale.of(datanodes=3, days=6, tables=4),
        Scale.of(datanodes=4, days=16, tables=1),
        Scale.of(datanodes=5, days=11, tables=5),
    ),
    held_out=Scale.of(datanodes=10, days=32, tables=10),
    play=Scale.of(datanodes=50, days=200, tables=60),
)
HIVE = JobDefinition(
    name="staged-inserts",
    what="Sessions insert into partitions as Hive does: tasks write to a staging folder, which is committed.",
    run=insert,
    train=(
        Scale.of(datanodes=2, sessions=2, queries=5, tasks=3),
        Scale.of(datanodes=3, sessions=4, queries=3, tasks=2),
        Scale.of(datanodes=4, sessions=1, queries=8, tasks=5),
        Scale.of(datanodes=5, sessions=3, queries=4, tasks=4),
        Scale.of(datanodes=3, sessions=1, queries=6, tasks=2),
    ),
    held_out=Scale.of(datanodes=10, sessions=8, queries=16, tasks=10),
    play=Scale.of(datanodes=50, sessions=40, queries=60, tasks=40),
)
COMPACTOR = JobDefinition(
    name="compactor",
    what="Writers make small files of each hour; a compactor lists them, and makes one of each five.",
    run=compact,
    train=(
        Scale.of(datanodes=2, writers=2, hours=2, files=7),
        Scale.of(datanodes=3, writers=3, hours=4, files=3),
        Scale.of(datanodes=4, writers=1, hours=1, files=12),
        Scale.of(datanodes=5, writers=4, hours=3, files=4),
        Scale.of(datanodes=3, writers=1, hours=2, files=9),
    ),
    held_out=Scale.of(datanodes=10, writers=8, hours=8, files=14),
    play=Scale.of(datanodes=50, writers=40, hours=24, files=60),
)
