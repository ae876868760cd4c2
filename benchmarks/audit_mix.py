"""An audit log that is made up: clients that read, list, write, move and delete on a namespace made up as well.

Many users at several addresses each, some through a service that stands in for them. Each client makes one operation
at a time. What is written goes through a file's usual life: made under a temporary folder, moved to its place, read by
others, deleted with its folder. Every line is what a NameNode with that namespace would have written, refusals and
looks at what is not there included. A seed gives the same log again.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

import numpy as np

from froude.emulation.programs.audit.lines import Client
from froude.hadoop.fsimage.inode_rows import DIRECTORY, FILE
from froude.hadoop.fsimage.namespace import Namespace

BEGIN = datetime(2027, 3, 1, 9, tzinfo=UTC)
"""Behind every time in the image, and far from noon, which some tools take for midnight."""
MIX = {
    "open": 46.0, "getfileinfo": 30.0, "listStatus": 8.0, "create": 7.0, "rename": 3.0, "delete": 2.6,
    "mkdirs": 2.0, "setPermission": 0.2, "setTimes": 0.2, "contentSummary": 0.2, "isFileClosed": 0.2,
    "checkAccess": 0.2, "getAclStatus": 0.2, "getEZForPath": 0.2,
}  # fmt: skip
"""Commands, and how many of a hundred lines each is to have; a client with nothing to move or delete opens a file."""
SHARED = "/work"
"""Folder that everyone may write into, which is there before the log begins."""
_PER_S = 2000
_ABSENT, _REFUSED, _OVERWRITING, _FRESH = 0.1, 0.003, 0.1, 0.25
"""Shares: of looks at what is not there, of refused reads, of moves onto a file, of reads of what was written."""
_SETTLED_S = 0.05
"""So old is a file before another client reads it."""
_READS = frozenset({"open", "isFileClosed", "checkAccess", "getAclStatus", "getEZForPath"})


@dataclass(slots=True)
class _Writer:
    """A client, and the files it has."""

    who: Client
    number: int
    job: str = ""
    jobs: deque[str] = field(default_factory=deque)
    temporary: deque[str] = field(default_factory=deque)
    final: deque[str] = field(default_factory=deque)
    made: int = 0


@dataclass(frozen=True, slots=True)
class Readable:
    """What everybody may read of a namespace, and what almost nobody.

    Without paths that hold a `=`: one of them in a log ends Dynamometer's replay.
    """

    files: list[str]
    folders: list[str]
    private: list[str]
    """Files that only their owner may read, in folders that everybody may look into."""

    @classmethod
    def of(cls, namespace: Namespace) -> Readable:
        """Of a namespace.

        Args:
            namespace: of the image.
        """
        modes, types = namespace.column("permission") & 0o777, namespace.column("type")
        open_rows = (types == DIRECTORY) & (modes & 0o5 == 0o5)
        for _ in range(int(namespace.depths().max())):
            above = namespace.parents >= 0
            open_rows[above] &= open_rows[namespace.parents[above]]
        inside = (namespace.parents >= 0) & open_rows[namespace.parents]

        def paths(rows: np.ndarray) -> list[str]:
            found = (namespace.path(int(row)) for row in np.flatnonzero(rows))
            return [path for path in found if "=" not in path]

        return cls(
            paths(inside & (types == FILE) & (modes & 0o4 > 0)),
            paths(inside & open_rows),
            paths(inside & (types == FILE) & (modes == 0o600)),
        )


def make_clients(users: int, seed: int) -> list[Client]:
    """Users at one to eight addresses each; every tenth user comes through a service.

    Args:
        users: how many.
        seed: of the addresses.
    """
    rng = random.Random(seed)
    clients = []
    for number in range(users):
        service = "oozie" if number % 10 == 9 else None
        addresses = rng.sample(range(1, 61), rng.randint(1, 8))
        clients += [Client(f"user{number:02d}", service, f"10.1.0.{address}") for address in addresses]
    return clients


class _Mix:
    """The state of all clients while a log is made up."""

    def __init__(self, readable: Readable, clients: list[Client], seed: int) -> None:
        self.readable = readable
        self.rng = random.Random(seed)
        self.writers = [_Writer(who, number) for number, who in enumerate(clients)]
        self.fresh: deque[tuple[float, str]] = deque(maxlen=2000)
        self.gone: set[str] = set()
        self.weights = list(accumulate(1 / (1 + rank) ** 0.7 for rank in range(len(clients))))
        self.order = list(range(len(readable.files)))
        self.rng.shuffle(self.order)

    def of_image(self) -> str:
        """A file of the image; few are read often."""
        files = self.readable.files
        return files[self.order[int(len(files) * self.rng.random() ** 4)]]

    def a_file(self, now_s: float) -> str:
        """One to read: of the image, or written a while ago."""
        if self.rng.random() < _FRESH:
            for _ in range(4):
                if self.fresh:
                    when_s, path = self.fresh[self.rng.randrange(len(self.fresh))]
                    if now_s - when_s > _SETTLED_S and path not in self.gone:
                        return path
        return self.of_image()

    def operation(self, writer: _Writer, command: str, now_s: float) -> tuple[str, str, str | None, bool]:
        """What a client does next: command, path, other path, and whether it was allowed."""
        rng = self.rng
        if command == "open" and rng.random() < _REFUSED:
            return command, rng.choice(self.readable.private), None, False
        if command in _READS:
            return command, self.a_file(now_s), None, True
        if command == "getfileinfo":
            absent = rng.random() < _ABSENT
            return command, self.of_image() + "._SUCCESS" if absent else self.a_file(now_s), None, True
        if command == "listStatus":
            return command, rng.choice(self.readable.folders), None, True
        return self._change(writer, command, now_s) or ("open", self.a_file(now_s), None, True)

    def _change(
        self, writer: _Writer, command: str, now_s: float
    ) -> tuple[str, str, str | None, bool] | None:
        home = f"{SHARED}/{writer.who.user}/{writer.number}"
        if command == "mkdirs" or not writer.job:
            writer.made += 1
            writer.job = f"{home}/job-{writer.made}"
            writer.jobs.append(writer.job)
            return "mkdirs", f"{writer.job}/_temporary", None, True
        if command == "create":
            writer.made += 1
            path = f"{writer.job}/_temporary/part-{writer.made:05d}"
            writer.temporary.append(path)
            return command, path, None, True
        if command == "rename":
            return self._move(writer, now_s)
        if command == "delete":
            return self._delete(writer)
        if command == "contentSummary":
            return command, writer.job, None, True
        return (command, writer.final[-1], None, True) if writer.final else None

    def _move(self, writer: _Writer, now_s: float) -> tuple[str, str, str | None, bool] | None:
        if not writer.temporary:
            return None
        path = writer.temporary.popleft()
        if writer.final and self.rng.random() < _OVERWRITING:
            return "rename (options=[OVERWRITE])", path, writer.final[-1], True
        target = path.replace("/_temporary", "")
        writer.final.append(target)
        self.fresh.append((now_s, target))
        return "rename", path, target, True

    def _delete(self, writer: _Writer) -> tuple[str, str, str | None, bool] | None:
        if len(writer.jobs) > 3:
            path = writer.jobs.popleft()
            below = f"{path}/"
            self.gone.update(each for each in writer.final if each.startswith(below))
            writer.final = deque(each for each in writer.final if not each.startswith(below))
            writer.temporary = deque(each for each in writer.temporary if not each.startswith(below))
            return "delete", path, None, True
        if len(writer.final) < 2:
            return None
        path = writer.final.popleft()
        self.gone.add(path)
        return "delete", path, None, True


def lines(readable: Readable, clients: list[Client], number: int, seed: int) -> Iterator[str]:
    """The lines of a log, in the order of their times.

    Args:
        readable: of the namespace.
        clients: who calls.
        number: how many lines.
        seed: of every choice.
    """
    mix = _Mix(readable, clients, seed)
    rng = mix.rng
    now_s, busy_until_s, everyone = 0.0, [0.0] * len(clients), range(len(clients))
    commands, weights = list(MIX), list(accumulate(MIX.values()))
    for _ in range(number):
        now_s += rng.expovariate(_PER_S)
        while busy_until_s[chosen := rng.choices(everyone, cum_weights=mix.weights)[0]] > now_s:
            now_s += 1e-4
        busy_until_s[chosen] = now_s + 0.002
        writer = mix.writers[chosen]
        command = rng.choices(commands, cum_weights=weights)[0]
        operation = mix.operation(writer, command, now_s)
        yield _line(now_s, writer.who, operation, _perm(operation[0], writer.who))


def _perm(command: str, who: Client) -> str:
    modes = {"create": "rw-r--r--", "mkdirs": "rwxr-xr-x", "setPermission": "rw-r--r--"}
    word = command.split(" ", maxsplit=1)[0]
    if word in modes or word in {"rename", "setTimes"}:
        return f"{who.user}:{who.user}:{modes.get(word, 'rw-r--r--')}"
    return "null"


def _line(at_s: float, who: Client, operation: tuple[str, str, str | None, bool], perm: str) -> str:
    command, src, dst, allowed = operation
    when = BEGIN + timedelta(milliseconds=int(at_s * 1000))
    ugi = f"{who.user} (auth:SIMPLE)" if who.real_user is None else (
        f"{who.user} (auth:PROXY) via {who.real_user} (auth:SIMPLE)"
    )  # fmt: skip
    stamp = f"{when:%Y-%m-%d %H:%M:%S},{when.microsecond // 1000:03d}"
    return (
        f"{stamp} INFO FSNamesystem.audit: allowed={str(allowed).lower()}\tugi={ugi}\tip=/{who.ip}\tcmd={command}\t"
        f"src={src}\tdst={dst or 'null'}\tperm={perm}\tproto=rpc"
    )


def write_log(path: Path, namespace: Namespace, clients: list[Client], number: int, *, seed: int = 1) -> None:
    """Write a log.

    Args:
        path: of the file.
        namespace: of the image that it is about.
        clients: who calls.
        number: how many lines.
        seed: of every choice.
    """
    with path.open("w", encoding="utf-8") as file:
        for line in lines(Readable.of(namespace), clients, number, seed):
            file.write(f"{line}\n")
