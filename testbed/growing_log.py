"""A workload of any number of clients, as the audit log that a NameNode would write of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from froude.hadoop.audit.lines import AuditLine
from froude.trace.audit.files import AuditLog
from froude.trace.importers.audit_log import import_audit
from testbed.audit_lines import START_S, written

LASTS_S = 1800.0
SHARED = 40
"""Files that everybody reads."""


def shared_file(number: int) -> str:
    """One of them."""
    return f"/data/shared/set-{number:02}"


def home(client: int) -> str:
    """The folder of a client."""
    return f"/user/u{client}"


def lines(clients: int, seed: int) -> list[AuditLine]:
    """What so many clients do in half an hour, in the order of time.

    A quarter of them are jobs that begin every five minutes, all within two seconds; a quarter write a file now and
    then; half are people, who look at and read shared files in sessions, and write and rename files of their own.
    Each is faster or slower than the others, by a factor of its own.

    Args:
        clients: how many, each a user at an address.
        seed: of all that they draw.
    """
    made = []
    for client in range(clients):
        rng = random.Random(f"{seed} {client}")
        kind = (_job, _writer, _person, _person)[client % 4]
        for at_s, command, src, dst, allowed in kind(client, rng):
            if at_s < LASTS_S:
                perm = f"u{client}:u{client}:rwxr-xr-x" if command in ("create", "mkdirs") else None
                made.append(
                    AuditLine(
                        START_S + round(at_s, 3), allowed, f"u{client}", "SIMPLE", None,
                        f"10.0.{client // 250}.{client % 250}", command, None, src, dst, perm, "rpc", None,
                    )
                )  # fmt: skip
    return sorted(made, key=lambda line: line.time_s or 0)


_Calls = Iterator[tuple[float, str, str, str | None, bool]]


def _job(client: int, rng: random.Random) -> _Calls:
    files = max(2, round(rng.lognormvariate(2.5, 0.4)))
    place = home(client)
    for run in range(int(LASTS_S // 300)):
        at_s = run * 300 + rng.uniform(0, 2)
        yield at_s, "mkdirs", f"{place}/run-{run}/_temporary", None, True
        for number in range(files):
            at_s += rng.expovariate(10)
            yield at_s, "create", f"{place}/run-{run}/_temporary/part-{number:05}", None, True
        for number in range(files):
            at_s += rng.expovariate(50)
            path = f"{place}/run-{run}/_temporary/part-{number:05}"
            yield at_s, "rename", path, f"{place}/run-{run}/part-{number:05}", True
        yield at_s + 0.1, "delete", f"{place}/run-{run}/_temporary", None, True
        if run:
            yield at_s + 0.2, "delete", f"{place}/run-{run - 1}", None, True


def _writer(client: int, rng: random.Random) -> _Calls:
    pace = rng.lognormvariate(0, 0.4) / 10
    at_s, number = rng.expovariate(pace), 0
    while at_s < LASTS_S:
        yield at_s, "create", f"{home(client)}/events-{number:06}", None, True
        yield at_s + 0.05, "getfileinfo", f"{home(client)}/events-{number:06}", None, True
        at_s, number = at_s + 0.1 + rng.expovariate(pace), number + 1


def _person(client: int, rng: random.Random) -> _Calls:
    pace, at_s, session = rng.lognormvariate(0, 0.4), rng.uniform(0, 120), 0
    while at_s < LASTS_S:
        yield at_s, "listStatus", "/data/shared", None, True
        for _ in range(1 + int(rng.expovariate(1 / (20 * pace)))):
            at_s += 0.02 + rng.expovariate(2)
            path = shared_file(int(SHARED * rng.random() ** 2))
            yield at_s, "getfileinfo" if rng.random() < 0.6 else "open", path, None, True
            if rng.random() < 0.02:
                at_s += 0.02
                yield at_s, "getfileinfo", "/private/x", None, False
        path = f"{home(client)}/result-{session}"
        yield at_s + 0.1, "create", path, None, True
        yield at_s + 0.2, "rename", path, f"{path}.done", True
        at_s, session = at_s + 1 + rng.expovariate(1 / 120), session + 1


def log_of(made: list[AuditLine], folder: Path) -> AuditLog:
    """Lines as an imported log.

    Args:
        made: the lines.
        folder: an empty one.
    """
    (folder / "hdfs-audit.log").write_text("".join(map(written, made)))
    return import_audit([folder / "hdfs-audit.log"], folder / "audit")
