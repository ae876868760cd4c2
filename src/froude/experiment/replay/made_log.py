"""An audit log of made-up clients on the paths of an image: a load for whoever has no log of their own.

Nobody's load: which files are read how often, and how calls follow each other, is drawn here. Every client is an owner
of something in the image and asks for what it owns, so that nothing is refused; what it changes are files that it has
made itself, so that each line can be done again whatever the order of different clients.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt

from froude.base.errors import InputError
from froude.hadoop.audit.lines import AuditLine
from froude.hadoop.fsimage.inode_rows import DIRECTORY, FILE
from froude.hadoop.fsimage.namespace import Ints, Namespace

Bits = npt.NDArray[np.uint64]
READS: Mapping[str, int] = {"open": 70, "getfileinfo": 20, "listStatus": 10}
"""Lines that read, in a hundred of them."""
CHANGES: Mapping[str, int] = {"create": 60, "rename": 20, "delete": 20}
"""Lines that change something, in a hundred of them."""
_SKEW = 2.0
"""How unevenly files are asked for: half of the lines are about a quarter of them; 1 is evenly."""

_LAST_S = 253_402_214_400
"""The last day that a date can name."""
_MOST_ROWS = 10_000
"""Files of a user that are asked for at all."""


@dataclass(frozen=True, slots=True)
class Asked:
    """How large the load is, and what it is like."""

    lines_per_s: float
    duration_s: float
    clients: int
    changes: float
    """Share of the lines that change the namespace, 0 to 1."""


@dataclass(slots=True)
class _Client:
    """A user at an address, with the files that it has made."""

    user: str
    group: str
    ip: str
    files: Ints
    """Rows that it owns, in an order of popularity."""
    folders: Ints
    made: list[str] = field(default_factory=list)
    """Paths of files that it has made."""


def made_log(namespace: Namespace, asked: Asked, rng: random.Random) -> Iterator[AuditLine]:
    """The lines, in the order of their times, which begin behind the newest time in the image.

    Raises:
        InputError: nobody owns both a file and a folder there, or its times are beyond the calendar.
    """
    clients = _clients(namespace, asked.clients, rng)
    newest_ms = max(int(namespace.column(name).max()) for name in ("modified_ms", "accessed_ms"))
    time_s = newest_ms // 1000 + 1.0
    end_s = time_s + asked.duration_s
    if not 0 < time_s <= end_s < _LAST_S:
        found = f"{newest_ms} ms as its newest time, and {asked.duration_s:g} s of lines"
        raise InputError("has times beyond the calendar", place="image", found=found)
    serial = 0
    while (time_s := time_s + rng.expovariate(asked.lines_per_s)) < end_s:
        client = rng.choice(clients)
        line = partial(_line, time_s, client)
        if rng.random() >= asked.changes:
            command = _drawn(READS, rng)
            rows = client.folders if command == "listStatus" else client.files
            yield line(command, namespace.path(_popular(rows, rng)))
            continue
        command = _drawn(CHANGES, rng)
        if command == "create" or not client.made:
            serial += 1
            path = f"{namespace.path(_popular(client.folders, rng))}/made-{serial:08}"
            client.made.append(path)
            yield line("create", path)
        elif command == "delete":
            yield line("delete", client.made.pop(rng.randrange(len(client.made))))
        else:
            at = rng.randrange(len(client.made))
            old = client.made[at]
            client.made[at] = f"{old}.moved"
            yield line("rename", old, client.made[at])


def _line(time_s: float, client: _Client, command: str, src: str, dst: str | None = None) -> AuditLine:
    perm = f"{client.user}:{client.group}:rw-r--r--" if command in {"create", "rename"} else None
    return AuditLine(
        time_s, True, client.user, "SIMPLE", None, client.ip, command, None, src, dst, perm, "rpc", None
    )


def _drawn(weights: Mapping[str, int], rng: random.Random) -> str:
    return rng.choices(list(weights), list(weights.values()))[0]


def _popular(rows: Ints, rng: random.Random) -> int:
    return int(rows[int(len(rows) * rng.random() ** _SKEW)])


def _by_popularity(rows: Ints, rng: random.Random) -> Ints:
    """Some of them, in an order drawn once for all clients of a user."""
    return np.array(rng.sample(rows.tolist(), min(len(rows), _MOST_ROWS)), dtype=np.int64)


def _clients(namespace: Namespace, count: int, rng: random.Random) -> list[_Client]:
    """Owners have as many clients as they have of the files, as nearly as that comes out."""
    types, linked = namespace.column("type"), namespace.linked
    owners = namespace.column("permission").astype(np.uint64) >> np.uint64(16)
    users = owners >> np.uint64(24)
    usable = (
        _usable(namespace, owners) & linked & (namespace.parents >= 0)
    )  # a path in `/` would have two slashes
    files, folders = (np.flatnonzero((types == kind) & usable) for kind in (FILE, DIRECTORY))
    able = np.intersect1d(users[files], users[folders])
    if not able.size:
        raise InputError(
            "has nobody who owns a file and a folder", place="image", allowed="an image of whoever has both"
        )
    files = files[np.isin(users[files], able)]
    clients = []
    owned: dict[int, tuple[Ints, Ints]] = {}
    for number in range(count):
        row = int(files[rng.randrange(len(files))])
        user, permission = int(users[row]), int(owners[row]) << 16
        if user not in owned:
            mine, ours = (_by_popularity(rows[users[rows] == user], rng) for rows in (files, folders))
            owned[user] = mine, ours
        clients.append(
            _Client(
                namespace.strings.user(permission),
                namespace.strings.group(permission),
                f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
                *owned[user],
            )
        )
    return clients


def _usable(namespace: Namespace, owners: Bits) -> npt.NDArray[np.bool_]:
    """(inodes,) what its owner may do everything with, and may enter every folder above. O(inodes) by user and level.

    Users are in the groups that they own something with, as they are in a replay.
    """
    modes = namespace.column("permission").astype(np.uint64) & np.uint64(0o777)
    users, groups = owners >> np.uint64(24), owners & np.uint64(0xFFFFFF)
    folder = namespace.column("type") == DIRECTORY
    own = modes >> np.uint64(6)
    usable = np.where(folder, own == 7, own & np.uint64(6) == 6)
    levels = int(namespace.depths().max())
    for user in np.unique(users):
        mine = users == user
        of_group = np.isin(groups, np.unique(groups[mine]))
        bits = np.where(mine, own, np.where(of_group, modes >> np.uint64(3), modes))
        entered = (bits & np.uint64(1) == 1) | ~folder
        for _ in range(levels):
            entered &= entered[namespace.parents] | (namespace.parents < 0)
        usable &= entered | ~mine
    return np.asarray(usable)
