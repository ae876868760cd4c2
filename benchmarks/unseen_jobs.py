"""Three jobs as users script them, written after the miner was frozen by somebody who had not seen it.

They are the second three: the miner was improved on the first, which measure it no longer. They show how mining
does on work that it was not made for. None is ever changed to suit the miner; once the miner has been improved on
them they are no longer unseen, and new ones take their place.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from hdfs_native import Client, WriteOptions

from froude.base import parallel
from froude.experiment.jobs import JobDefinition, Recorder
from froude.workload.scale import Scale

FROZEN = "e7dd6de2"
"""The commit after which the jobs were written: no later change of the miner is measured as unseen."""
BLOCK_BYTES = 1 << 20
RINGS = 3
"""Folders that shifts go round in, shared by all hosts."""
COOL_SHIFTS = 3
"""After how many shifts a log of the day has one replica less."""
KEPT_SHIFTS = 5
DAY_LINES = 70_000
NIGHT_LINES = 8_000
LATE_LINES = 600
TEAMS = ("ads", "lab", "ops")
EVENTS = 2_500
"""Lines of each file that is uploaded."""
WINDOW = 3
"""Messages that a producer leaves in the shared folder before it waits for its consumer."""
OFFSET_EVERY = 4
"""Messages after which a consumer writes down how far it is."""
MESSAGE_BYTES = 3 << 19
WAIT_SECONDS = 0.02


def rotate_shifts(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Let application servers side by side write a log each shift into shared folders and drop the oldest.

    Args:
        recorder: the cluster that is recorded.
        scale: `hosts` and `shifts` are looked at.
        scratch: not used.
    """
    del scratch
    host = partial(_rotate, uri=recorder.uri, shifts=int(scale["shifts"].value))
    parallel.gang(host, int(scale["hosts"].value))


def _rotate(number: int, *, uri: str, shifts: int) -> None:
    client = Client(uri, {"dfs.blocksize": str(BLOCK_BYTES)})
    host = f"app-{number + 1:02d}"
    for shift in range(shifts):
        log, day = _log(host, shift), _is_day(shift)
        client.mkdirs(f"/srv/logs/ring-{shift % RINGS}", 0o750, create_parent=True)
        with client.create(log, WriteOptions(block_size=BLOCK_BYTES, replication=2 if day else 1)) as out:
            out.write(b"INFO request served\n" * (DAY_LINES if day else NIGHT_LINES))
        if shift > 0:
            previous = _log(host, shift - 1)
            with client.append(previous) as out:
                out.write(b"WARN arrived late\n" * LATE_LINES)
            client.set_permission(previous, 0o440)
        if shift >= COOL_SHIFTS and _is_day(shift - COOL_SHIFTS):
            client.set_replication(_log(host, shift - COOL_SHIFTS), 1)
        if shift >= KEPT_SHIFTS:
            client.delete(_log(host, shift - KEPT_SHIFTS), recursive=False)
    with client.read(_log(host, shifts - 1)) as source:
        source.read()
    client.get_content_summary("/srv/logs")


def _is_day(shift: int) -> bool:
    return shift % 2 == 0


def _log(host: str, shift: int) -> str:
    return f"/srv/logs/ring-{shift % RINGS}/{host}.{shift:03d}-{'day' if _is_day(shift) else 'night'}.log"


def upload_teams(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Upload each user's events with FsShell, close off each team's folder, and look at what came of it.

    Users u1 to uN are dealt out to the teams in turn.

    Args:
        recorder: the cluster that is recorded.
        scale: `users` and `files` (of each user) are looked at.
        scratch: a folder of its own for the files to upload.
    """
    numbers = range(1, int(scale["users"].value) + 1)
    homes = [f"/teams/{TEAMS[(user - 1) % len(TEAMS)]}/u{user}" for user in numbers]
    events = [scratch / f"events-{number:03d}.json" for number in range(int(scale["files"].value))]
    for path in events:
        path.write_bytes(b'{"event": "click", "at": 17}\n' * EVENTS)
    for home in homes:
        recorder.shell("-mkdir", "-p", f"{home}/inbox", f"{home}/reports")
        recorder.shell("-put", "-f", *map(str, events), f"{home}/inbox")
    for team in TEAMS:
        members = [home for home in homes if home.startswith(f"/teams/{team}/")]
        recorder.shell("-touchz", *(f"{home}/inbox/_COMPLETE" for home in members))
        recorder.shell("-chmod", "-R", "750", f"/teams/{team}")
        recorder.shell("-setrep", "1", *(f"{home}/inbox" for home in members))
    recorder.shell("-cat", *(f"{home}/inbox/{events[0].name}" for home in homes))
    for home in homes:
        recorder.shell("-mv", f"{home}/inbox", f"{home}/reports/week-1")
    recorder.shell("-rm", "-skipTrash", *(f"{home}/reports/week-1/_COMPLETE" for home in homes))


def feed_and_follow(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Let each producer put messages into a folder that all share, while its consumer reads them and keeps count.

    A producer deletes a message once its consumer has read it. Both tell each other outside HDFS, as by a message
    queue, how far they are.

    Args:
        recorder: the cluster that is recorded.
        scale: `pairs` (of a producer and a consumer) and `messages` (of each pair) are looked at.
        scratch: a folder of its own for what they tell each other.
    """
    pairs, messages = int(scale["pairs"].value), int(scale["messages"].value)
    side = partial(_feed_or_follow, uri=recorder.uri, pairs=pairs, messages=messages, signs=scratch)
    parallel.gang(side, 2 * pairs)


def _feed_or_follow(number: int, *, uri: str, pairs: int, messages: int, signs: Path) -> None:
    client = Client(uri, {"dfs.blocksize": str(BLOCK_BYTES)})
    if number < pairs:
        _feed(client, number, messages, signs)
    else:
        _follow(client, number - pairs, messages, signs)


def _feed(client: Client, pair: int, messages: int, signs: Path) -> None:
    payload = bytes(range(256)) * (MESSAGE_BYTES // 256)
    options = WriteOptions(block_size=BLOCK_BYTES, replication=1)
    client.mkdirs("/bus/feed", 0o775, create_parent=True)
    for message in range(1, messages + 1):
        if message > WINDOW:
            _drop(client, pair, message - WINDOW, signs)
        hidden = f"/bus/feed/.p{pair}-{message}"
        with client.create(hidden, options) as out:
            out.write(payload)
        client.rename(hidden, _message(pair, message), overwrite=False)
        (signs / f"sent-{pair}-{message}").touch()
    for message in range(max(1, messages - WINDOW + 1), messages + 1):
        _drop(client, pair, message, signs)


def _drop(client: Client, pair: int, message: int, signs: Path) -> None:
    _wait(signs / f"read-{pair}-{message}")
    client.delete(_message(pair, message), recursive=False)


def _follow(client: Client, pair: int, messages: int, signs: Path) -> None:
    home = f"/bus/groups/c{pair}"
    options = WriteOptions(block_size=BLOCK_BYTES, replication=2, overwrite=True)
    client.mkdirs(home, 0o755, create_parent=True)
    for message in range(1, messages + 1):
        _wait(signs / f"sent-{pair}-{message}")
        size = client.get_file_info(_message(pair, message)).length
        with client.read(_message(pair, message)) as source:
            source.read(size)
        if message % OFFSET_EVERY == 0:
            with client.create(f"{home}/offset", options) as out:
                out.write(f"{message}\n".encode())
        (signs / f"read-{pair}-{message}").touch()
    with client.read(f"{home}/offset") as source:
        source.read()


def _message(pair: int, message: int) -> str:
    return f"/bus/feed/p{pair}-{message}.avro"


def _wait(sign: Path) -> None:
    while not sign.exists():
        time.sleep(WAIT_SECONDS)


ROTATION = JobDefinition(
    name="unseen-log-rotation-2",
    what="Hosts write a log each shift into folders by turns, add late lines, and drop replicas and logs with age.",
    run=rotate_shifts,
    train=(
        Scale.of(datanodes=3, hosts=1, shifts=9),
        Scale.of(datanodes=2, hosts=4, shifts=14),
        Scale.of(datanodes=5, hosts=3, shifts=7),
        Scale.of(datanodes=4, hosts=2, shifts=17),
    ),
    held_out=Scale.of(datanodes=10, hosts=8, shifts=34),
    play=Scale.of(datanodes=40, hosts=30, shifts=100),
)
SHELL_UPLOAD = JobDefinition(
    name="unseen-shell-upload-2",
    what="FsShell uploads the events of users u1 to uN, closes off each team's folder, and files the events away.",
    run=upload_teams,
    train=(
        Scale.of(datanodes=2, users=5, files=4),
        Scale.of(datanodes=4, users=3, files=7),
        Scale.of(datanodes=3, users=8, files=2),
        Scale.of(datanodes=5, users=7, files=5),
    ),
    held_out=Scale.of(datanodes=10, users=16, files=14),
    play=Scale.of(datanodes=40, users=80, files=40),
)
FEED = JobDefinition(
    name="unseen-producer-consumer-2",
    what="Producers put messages into a shared folder and delete what their consumers have read and counted.",
    run=feed_and_follow,
    train=(
        Scale.of(datanodes=3, pairs=2, messages=5),
        Scale.of(datanodes=2, pairs=4, messages=9),
        Scale.of(datanodes=5, pairs=1, messages=14),
        Scale.of(datanodes=4, pairs=3, messages=7),
    ),
    held_out=Scale.of(datanodes=10, pairs=8, messages=28),
    play=Scale.of(datanodes=40, pairs=25, messages=80),
)
UNSEEN = (ROTATION, SHELL_UPLOAD, FEED)
