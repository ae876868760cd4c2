"""Three jobs as users script them, written after the miner was frozen by somebody who had not seen it.

They are the third three: the miner was improved on the first and second three, which measure it no longer. They show
how mining does on work that it was not made for. None is ever changed to suit the miner; once the miner has been
improved on them they are no longer unseen, and new ones take their place.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from hdfs_native import Client, WriteOptions

from froude.base import parallel
from froude.experiment.record.jobs import JobDefinition, Recorder
from froude.workload.scale import Scale

FROZEN = "7f09e075"
"""The miner's commit: up to it, nobody who worked on the miner had seen the jobs. No later one is measured as unseen."""
BLOCK_BYTES = 1 << 20
SERVICES = ("web", "auth", "mail")
"""Dealt out to the hosts in turn."""
FOLDERS = 6
"""Folders of each service, which hours go round in."""
RUSH_EVERY = 3
"""Hours after which one is busy: its log takes more than one block, and is added to twice before it is closed."""
FLUSH_PAUSE_S = 0.4
"""Before a log is added to. HDFS may refuse it while a replica of the last block is not yet reported."""
SWEEP_EVERY = 4
"""Hours between two deletions of old logs."""
KEPT_HOURS = 5
RUSH_LINES = 75_000
CALM_LINES = 9_000
FLUSHED_LINES = 400
GUEST_EVERY = 2
"""Users after which one is a guest, whose files have one replica."""
ROWS = 3_000
"""Rows of a small statement; each second statement has LONG times as many, more than one block."""
LONG = 20
AHEAD = 2
"""Rounds that the producer is ahead of its slowest consumer, at most."""
FULL_EVERY = 4
"""Rounds after which one holds a full copy instead of what has changed, and consumers write down their state."""
FULL_BYTES = 3 << 19
CHANGED_BYTES = 1 << 18
WAIT_SECONDS = 0.02


def rotate_hours(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Let hosts side by side write an hourly log of their service, close it, and sweep out old ones now and then.

    Args:
        recorder: the cluster that is recorded.
        scale: `hosts` and `hours` are looked at.
        scratch: not used.
    """
    del scratch
    host = partial(_rotate, uri=recorder.uri, hours=int(scale["hours"].value))
    parallel.gang(host, int(scale["hosts"].value))


def _rotate(number: int, *, uri: str, hours: int) -> None:
    client = Client(uri, {"dfs.blocksize": str(BLOCK_BYTES)})
    swept = 0
    for hour in range(hours):
        if hour < FOLDERS:
            client.mkdirs(_folder(number, hour), 0o755, create_parent=True)
        _write_log(client, number, hour)
        if hour % SWEEP_EVERY == SWEEP_EVERY - 1:
            for old in range(swept, hour - KEPT_HOURS + 1):
                client.delete(_log(number, old), recursive=False)
            swept = max(swept, hour - KEPT_HOURS + 1)
            with client.read(_log(number, hour - 1)) as source:
                source.read()
    for hour in range(swept, hours):
        client.get_file_info(_log(number, hour))


def _write_log(client: Client, number: int, hour: int) -> None:
    log, rush = _log(number, hour), hour % RUSH_EVERY == 0
    options = WriteOptions(block_size=BLOCK_BYTES, replication=1 + (number + hour) % 2)
    with client.create(f"{log}.open", options) as out:
        out.write(b"INFO session opened\n" * (RUSH_LINES if rush else CALM_LINES))
    for _ in range(2 if rush else 1):
        time.sleep(FLUSH_PAUSE_S)
        with client.append(f"{log}.open") as out:
            out.write(b"INFO session closed\n" * FLUSHED_LINES)
    client.rename(f"{log}.open", log, overwrite=False)
    if rush:
        client.set_owner(log, group="auditors")


def _folder(number: int, hour: int) -> str:
    return f"/cluster/logs/{SERVICES[number % len(SERVICES)]}/h{hour % FOLDERS}"


def _log(number: int, hour: int) -> str:
    return f"{_folder(number, hour)}/host{number + 1}_{hour:04d}.log"


def upload_statements(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Upload each user's statements with FsShell, note it in a shared journal, and look at all users' together.

    Args:
        recorder: the cluster that is recorded.
        scale: `users` and `statements` (of each user) are looked at.
        scratch: a folder of its own for the statements to upload, and for what is fetched back.
    """
    users = [f"u{number}" for number in range(1, int(scale["users"].value) + 1)]
    statements = range(1, int(scale["statements"].value) + 1)
    homes = [f"/user/{user}/statements" for user in users]
    note = scratch / "note.csv"
    recorder.shell("-mkdir", "-p", *homes, "/finance/latest", "/finance/closed")
    for number, (user, home) in enumerate(zip(users, homes, strict=True), start=1):
        paths = [scratch / f"{user}-{statement:02d}.csv" for statement in statements]
        for statement, path in zip(statements, paths, strict=True):
            path.write_bytes(b"2026-11-22;17.00;EUR\n" * (ROWS if statement % 2 else ROWS * LONG))
        options = ("-D", f"dfs.blocksize={BLOCK_BYTES}", "-D", f"dfs.replication={_replicas(number)}")
        recorder.shell(*options, "-put", *map(str, paths), home)
        note.write_text(f"{user};{len(paths)}\n", encoding="utf-8")
        recorder.shell("-appendToFile", str(note), "/finance/journal.csv")
    recorder.shell("-chgrp", "-R", "finance", *homes)
    newest = [f"{home}/{user}-{statements[-1]:02d}.csv" for user, home in zip(users, homes, strict=True)]
    recorder.shell("-cp", "-p", *newest, "/finance/latest")
    recorder.shell("-getmerge", *homes, str(scratch / "merged.csv"))
    recorder.shell("-mv", *(f"{home}/*-01.csv" for home in homes), "/finance/closed")
    recorder.shell("-count", *homes, "/finance")


def _replicas(user: int) -> int:
    return 1 if user % GUEST_EVERY == 0 else 2


def share_rounds(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Let one producer write rounds of one part for each consumer, and drop a round that all have acknowledged.

    They tell each other outside HDFS, as by a message queue, how far they are.

    Args:
        recorder: the cluster that is recorded.
        scale: `consumers` (of the one producer) and `rounds` are looked at.
        scratch: a folder of its own for what they tell each other.
    """
    consumers, rounds = int(scale["consumers"].value), int(scale["rounds"].value)
    side = partial(_produce_or_consume, uri=recorder.uri, consumers=consumers, rounds=rounds, signs=scratch)
    parallel.gang(side, 1 + consumers)


def _produce_or_consume(number: int, *, uri: str, consumers: int, rounds: int, signs: Path) -> None:
    client = Client(uri, {"dfs.blocksize": str(BLOCK_BYTES)})
    if number == 0:
        _produce(client, consumers, rounds, signs)
    else:
        _consume(client, number - 1, rounds, signs)


def _produce(client: Client, consumers: int, rounds: int, signs: Path) -> None:
    for round_ in range(rounds):
        if round_ >= AHEAD:
            _drop(client, consumers, round_ - AHEAD, signs)
        folder = _round(round_)
        client.mkdirs(folder, 0o775, create_parent=True)
        payload = bytes(FULL_BYTES if _is_full(round_) else CHANGED_BYTES)
        for consumer in range(consumers):
            options = WriteOptions(block_size=BLOCK_BYTES, replication=2 if _is_full(round_) else 1)
            with client.create(f"{folder}/part-{consumer:05d}", options) as out:
                out.write(payload)
        client.create(f"{folder}/_SUCCESS", WriteOptions(replication=1)).close()
        (signs / f"ready-{round_}").touch()
    for round_ in range(max(0, rounds - AHEAD), rounds):
        _drop(client, consumers, round_, signs)
    list(client.list_status("/exchange/state"))


def _drop(client: Client, consumers: int, round_: int, signs: Path) -> None:
    for consumer in range(consumers):
        _wait(signs / f"done-{round_}-{consumer}")
    list(client.list_status(_round(round_)))
    client.delete(_round(round_), recursive=True)


def _consume(client: Client, consumer: int, rounds: int, signs: Path) -> None:
    state = f"/exchange/state/worker-{consumer}"
    client.mkdirs("/exchange/state", 0o775, create_parent=True)
    for round_ in range(rounds):
        _wait(signs / f"ready-{round_}")
        client.get_file_info(f"{_round(round_)}/_SUCCESS")
        with client.read(f"{_round(round_)}/part-{consumer:05d}") as source:
            source.read()
        if _is_full(round_):
            with client.create(f"{state}.tmp", WriteOptions(block_size=BLOCK_BYTES, replication=2)) as out:
                out.write(f"full copy of round {round_}\n".encode())
            client.rename(f"{state}.tmp", state, overwrite=True)
        with client.create(f"{_round(round_)}/_ack-{consumer}", WriteOptions(replication=1)) as out:
            out.write(b"ok\n")
        (signs / f"done-{round_}-{consumer}").touch()


def _is_full(round_: int) -> bool:
    return round_ % FULL_EVERY == 0


def _round(number: int) -> str:
    return f"/exchange/round-{number:04d}"


def _wait(sign: Path) -> None:
    while not sign.exists():
        time.sleep(WAIT_SECONDS)


ROTATION = JobDefinition(
    name="unseen-log-rotation-3",
    what="Hosts write hourly logs of their service into folders by turns, add to them, close them, sweep old ones.",
    run=rotate_hours,
    train=(
        Scale.of(datanodes=2, hosts=2, hours=19),
        Scale.of(datanodes=3, hosts=5, hours=9),
        Scale.of(datanodes=4, hosts=1, hours=11),
        Scale.of(datanodes=5, hosts=3, hours=14),
    ),
    held_out=Scale.of(datanodes=10, hosts=10, hours=38),
    play=Scale.of(datanodes=40, hosts=30, hours=120),
)
SHELL_UPLOAD = JobDefinition(
    name="unseen-shell-upload-3",
    what="FsShell uploads the statements of users u1 to uN, keeps a journal, and copies, merges and closes them.",
    run=upload_statements,
    train=(
        Scale.of(datanodes=2, users=4, statements=2),
        Scale.of(datanodes=3, users=2, statements=7),
        Scale.of(datanodes=4, users=5, statements=5),
        Scale.of(datanodes=5, users=3, statements=4),
    ),
    held_out=Scale.of(datanodes=10, users=10, statements=14),
    play=Scale.of(datanodes=40, users=80, statements=40),
)
EXCHANGE = JobDefinition(
    name="unseen-producer-consumer-3",
    what="One producer writes rounds of a part for each consumer, and drops each round that all have acknowledged.",
    run=share_rounds,
    train=(
        Scale.of(datanodes=2, consumers=3, rounds=5),
        Scale.of(datanodes=3, consumers=1, rounds=11),
        Scale.of(datanodes=4, consumers=4, rounds=9),
        Scale.of(datanodes=5, consumers=2, rounds=7),
    ),
    held_out=Scale.of(datanodes=10, consumers=8, rounds=22),
    play=Scale.of(datanodes=40, consumers=30, rounds=100),
)
UNSEEN = (ROTATION, SHELL_UPLOAD, EXCHANGE)
