"""A log with more clients, and the image that they need: copies of the log's clients, each with folders of its own.

Every bundle of clients (`growth_bundles`) is copied as often as the factor says, all of its clients in the same way. A
copy does what its original does, by the same user, a little later, and at copies of the paths that are the
bundle's own; other paths stay, so what all share is shared by more. The image gets the same copies.

How far may a copy be moved in time so that copies depend on each other as clients do? Where clients act by themselves,
copies that act at the same instant would make peaks that no larger cluster has. Where clients act together, as jobs
that begin at full hours do, copies that are moved would wash the peaks out. So the log says for each group of clients at
which time scale it begins to act together with the others: for widths from a tenth of a second to an hour, whether its
lines rise and fall with theirs from one interval to the next, beyond what they do when its lines are moved round by any
time.

Source: ours; differences of neighbouring intervals, as in the Allan variance, which a slow rise and fall does not enter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from froude.base.files import create_file
from froude.base.seeds import Seeds
from froude.base.summary import counted
from froude.emulation.programs.audit.commands import COMMANDS
from froude.emulation.programs.audit.lines import Line
from froude.experiment.replay.growth_bundles import Bundles, Ints, find_bundles, paths_in
from froude.experiment.replay.into_folders import MAKES, Change, changes_by, ends_of, opened_by, with_ends
from froude.hadoop.audit.lines import AuditLine
from froude.hadoop.fsimage.container import ImageFile, write_image
from froude.hadoop.fsimage.copies import Copied, CopyingComposer, rows_of
from froude.hadoop.fsimage.namespace import Namespace
from froude.messages.schema import Schema
from froude.trace.audit.columns import SCHEMA, joined, to_lines
from froude.trace.audit.files import AuditLog

_WIDTHS_MS = (
    100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
    3_600_000,
)  # fmt: skip
_TRIES = 50
"""Times by which lines are moved round, to know what is usual."""
_BEYOND = 3.0
"""Standard deviations beyond what is usual that count as acting together; by chance it is about 1 in 700."""
_LEAST_INTERVALS, _LEAST_LINES = 20, 20
"""Below, nothing can be said of a width, or of a group."""
ONCE = frozenset(
    """
    metaSave saveNamespace rollEditLog refreshNodes finalizeUpgrade setBalancerBandwidth refreshServiceAcl
    refreshUserToGroupsMappings refreshSuperUserGroupsConfiguration refreshCallQueue startNamenodeReconfiguration
    """.split()  # noqa: SIM905 - a list of so many lines hides what is in it
)
"""An administrator's commands, which a larger cluster does not have more of."""
_MARK = "~"
_MARKED = f"{_MARK}[0-9]+(/|$)"
_TIMED = 1_000_000
"""Lines from the log's beginning by which its time scale is judged."""
_FIRST_COPY = 2


@dataclass(frozen=True, slots=True)
class Growth:
    """Which clients of a log are copied, how often, and how much later the copies are."""

    log: AuditLog
    factor: float
    bundles: Bundles
    copies: Ints
    within_ms: Ints
    """(bundles,) copies of each are later by less than this."""
    delays_us: Sequence[Ints]
    """Of each bundle, (its copies,) how much later each is."""
    mark: str
    """Stands in names of copies before their number."""
    ends: Mapping[int, str]
    """Of what is moved into folders, the path there, by the number of the line."""
    made: Counter[str] = field(default_factory=Counter, compare=False)
    """What `lines` has met; complete when they have been taken."""

    def name(self, copy: int) -> str:
        """What is put behind the names of a copy's own paths."""
        return f"{self.mark}{copy + _FIRST_COPY}"

    # --- lines --------------------------------------------------------------------------------------------

    def lines(self) -> Iterator[AuditLine]:
        """The lines of the log and of all copies, in the order of time; memory for the lines within a delay."""
        waiting: list[pa.Table] = []
        own = self._own()
        for batch in with_ends(self.log.batches(), self.ends):
            table = pa.table(batch)
            waiting += (
                table.append_column("copy", pa.array(np.full(table.num_rows, -1))),
                *self._copies_of(table),
            )
            whole = joined(waiting)
            times = np.asarray(whole["time"].cast(pa.int64()))
            ready = times <= int(np.asarray(table["time"].cast(pa.int64()))[-1])
            yield from self._read(whole.filter(pa.array(ready)), times[ready], own)
            waiting = [whole.filter(pa.array(~ready))]
        whole = joined(waiting)
        yield from self._read(whole, np.asarray(whole["time"].cast(pa.int64())), own)

    def _copies_of(self, table: pa.Table) -> Iterator[pa.Table]:
        bundle = self.bundles.of(table["client"])
        times = np.asarray(table["time"].cast(pa.int64()))
        for copy in range(int(self.copies.max(initial=0))):
            rows = np.flatnonzero(self.copies[bundle] > copy)
            delays = np.asarray([each[copy] if len(each) > copy else 0 for each in self.delays_us], np.int64)
            later = pa.array(times[rows] + delays[bundle[rows]]).cast(SCHEMA.field("time").type)
            chosen = table.take(rows)
            place = chosen.schema.get_field_index("time")
            chosen = chosen.set_column(place, SCHEMA.field("time"), later)
            yield chosen.append_column("copy", pa.array(np.full(len(rows), copy)))

    def _read(self, table: pa.Table, times: Ints, own: Any) -> Iterator[AuditLine]:
        ordered = table.take(np.argsort(times, kind="stable")).combine_chunks()
        bundles = self.bundles.of(ordered["client"]).tolist()
        copies = np.asarray(ordered["copy"]).tolist()
        lines = chain.from_iterable(map(to_lines, ordered.to_batches()))
        for line, bundle, copy in zip(lines, bundles, copies, strict=True):
            if copy < 0:
                yield line
                continue
            again = self._copied(line, bundle, copy, own)
            if again is not None:
                yield again

    def _copied(self, line: AuditLine, bundle: int, copy: int, own: Any) -> AuditLine | None:
        """What a copy does for a line; None for nothing."""
        known = COMMANDS.get(line.command)
        changes = known is not None and known.changes
        named = paths_in(line.src) or (changes and paths_in(line.dst))
        if line.command in ONCE or (changes and not named):
            self.made["left out"] += 1
            return None
        behind = self.name(copy)

        def moved(path: str) -> str:
            end = own(path, bundle)
            return path[:end] + behind + path[end:] if end else path

        src, dst = line.src, line.dst
        if src is not None and src.startswith("[/"):
            src = f"[{', '.join(map(moved, paths_in(src)))}]"
        elif src is not None:
            src = moved(src)
        dst = None if dst is None else moved(dst)
        ours = src != line.src or dst != line.dst
        self.made["snapshots"] += ours and "/.snapshot" in f"{src} {dst}"
        self.made["own" if ours else "changed again" if changes and line.allowed else "shared"] += 1
        return AuditLine(
            line.time_s, line.allowed, line.user, line.auth, line.real_user, f"{line.ip or ''}{behind}",
            line.command, line.options, src, dst, line.perm, line.proto, line.caller_context,
        )  # fmt: skip

    def _own(self) -> Any:
        paths = self.bundles.own

        @lru_cache(1 << 16)
        def own(path: str) -> tuple[int, int]:
            """Where the own path that a path lies in ends, and whose it is."""
            end = path.find("/", 1)
            while end > 0:
                if path[:end] in paths:
                    return end, paths[path[:end]]
                end = path.find("/", end + 1)
            return (len(path), paths[path]) if path in paths else (0, -1)

        def end_of(path: str, bundle: int) -> int:
            end, whose = own(path)
            return end if whose == bundle else 0

        return end_of

    # --- the image ----------------------------------------------------------------------------------------

    def write_image(self, image: ImageFile, namespace: Namespace, schema: Schema, path: Path) -> None:
        """Write the image that the copies need."""
        rows = rows_of(namespace, (path for path, bundle in self.bundles.own.items() if self.copies[bundle]))
        copied = [
            Copied(
                row,
                [
                    (Path(place).name + self.name(copy)).encode("utf-8", "surrogateescape")
                    for copy in range(int(self.copies[self.bundles.own[place]]))
                ],
            )
            for place, row in rows.items()
        ]
        composer = CopyingComposer(image, namespace, schema, copied)
        with create_file(path) as file:
            write_image(file, image.summary, composer.sections())
        self.made.update(
            {"image paths": len(copied), "image inodes": composer.inodes, "image blocks": composer.blocks}
        )
        quotas = (namespace.column("quota") >= 0) | (namespace.column("space_quota") >= 0)
        above = {int(namespace.parents[each.row]) for each in copied}
        self.made["quotas"] = sum(bool(quotas[row]) for row in above if namespace.parents[row] >= 0)

    # --- what is said -------------------------------------------------------------------------------------

    def remarks(self) -> list[str]:
        """What was done, and by what evidence; when all lines have been taken."""
        bundles, made = self.bundles, self.made
        lines, clients = bundles.sums(bundles.lines), bundles.sums(np.ones(len(bundles.clients), np.int64))
        whole, people = int(lines.sum()), int(clients.sum())
        grown = whole + sum(made[each] for each in ("own", "shared", "changed again"))
        said = {
            f"Grown by {self.factor:g}: {people:,} clients became {people + int(clients @ self.copies):,}, "
            f"{whole:,} lines became {grown:,}, {grown / whole:.2f} times as many. Copies call as the users of "
            "the log.": True,
            f"{counted(people, 'client')} in {counted(bundles.count, 'bundle')}, by the paths that they change; "
            f"the largest has {lines.max() / whole:.0%} of the lines. A bundle is copied as a whole.": True,
            f"Copies are up to {self.within_ms.max() / 1000:g} s later, each by less than the time within which its "
            f"clients act independently of others; {lines[self.within_ms < 1000].sum() / whole:.0%} of the lines are "
            "of clients that act together with others within a second, and their copies do.": True,
            f"Of the copies' lines {made['own']:,} are at copies of {counted(len(bundles.own), 'path')} that one "
            f"bundle alone changes, {made['shared']:,} at paths that all share.": True,
            f"The image got copies of {counted(made['image paths'], 'path')}: {made['image inodes']:,} inodes, "
            f"{made['image blocks']:,} blocks.": made["image paths"],
            f"{counted(made['changed again'], 'line')} of copies change attributes or make folders where their "
            "originals do.": made["changed again"],
            f"{counted(made['left out'], 'line')} of copies left out: a cluster's, not a client's, or at no path "
            "that can be copied.": made["left out"],
            f"{counted(made['snapshots'], 'line')} of copies name a snapshot; they have those that the log makes.": (
                made["snapshots"]
            ),
            f"{counted(made['quotas'], 'folder')} with a quota got copies, and the quota is as it was.": made[
                "quotas"
            ],
            f"{counted(bundles.foreign, 'path')} that one bundle changes, others read; their copies read the "
            "original, a little later.": bundles.foreign,
            f"{counted(bundles.unaddressed, 'line')} without an address: those of one user are one client, in the "
            "log and in each copy.": bundles.unaddressed,
        }
        return [text for text, holds in said.items() if holds]


def plan_growth(log: AuditLog, factor: float, namespace: Namespace | None, seed: int) -> Growth:
    """Work out which clients are copied.

    Args:
        factor: clients for each of the log's, 1 or more.
        namespace: of its image; None where there is none.
        seed: of the choice, and of the delays.
    """
    rng = np.random.default_rng(Seeds(seed).child("growth").value)
    inside = _ends(log, namespace)
    bundles = find_bundles(log, inside)
    # evenly over bundles in the order of what they are like: of each sort the factor's share is copied
    lines, changing = bundles.sums(bundles.lines), bundles.sums(bundles.changing)
    order = np.lexsort((lines, np.floor(4 * changing / lines)))
    ends = np.floor(np.arange(bundles.count + 1) * (factor - 1) + rng.random())
    copies = np.zeros(bundles.count, np.int64)
    copies[order] = np.diff(ends).astype(np.int64)
    within_ms = _within(log, bundles, rng)
    delays = [
        rng.integers(1000 * within + 1, size=count) for within, count in zip(within_ms, copies, strict=True)
    ]
    return Growth(log, factor, bundles, copies, within_ms, delays, unused_mark(log, namespace), inside)


def _ends(log: AuditLog, namespace: Namespace | None) -> dict[int, str]:
    """The paths of what is moved into folders, by the number of the line."""
    chosen = pa.array({"open", *MAKES, *(name for name, command in COMMANDS.items() if command.moves)})

    def lines() -> Iterator[tuple[int, Line]]:
        first = 1
        for batch in log.batches():
            some: Any = pc.is_in(batch.column("command").cast(pa.string()), chosen)
            numbers = (np.flatnonzero(some) + first).tolist()
            for number, line in zip(numbers, to_lines(batch.filter(some)), strict=True):
                again = Line(0.0, 0, line.command, line.src, dst=line.dst, options=line.options)
                yield number, again._replace(allowed=line.allowed)
            first += batch.num_rows

    def changes() -> Iterator[Change]:
        for number, line in lines():
            yield from changes_by(line, number)

    opened = {path for _, line in lines() for path in opened_by(line)} if namespace is None else set()
    return ends_of(changes, opened, lambda paths: None if namespace is None else rows_of(namespace, paths))[0]


def _within(log: AuditLog, bundles: Bundles, rng: np.random.Generator) -> Ints:
    """(bundles,) how long each acts independently of the others; of a single one, how long its clients do."""
    parts, clients, count = [], [], 0
    for batch in log.batches(("time", "client")):
        parts.append(np.asarray(batch.column("time").cast(pa.int64())) // 1000)
        clients.append(np.searchsorted(bundles.clients, np.asarray(batch.column("client"))))
        count += batch.num_rows
        if count >= _TIMED:
            break
    client = np.concatenate(clients)[:_TIMED]
    groups = client if bundles.count == 1 else bundles.bundle[client]
    known, number = np.unique(groups, return_inverse=True)
    found = independent_ms(np.concatenate(parts)[:_TIMED], number, rng)
    if bundles.count == 1:
        return np.asarray([middle(found, np.bincount(number))])
    within = np.full(bundles.count, middle(found, np.bincount(number)))
    within[known] = found
    return within


def unused_mark(log: AuditLog, namespace: Namespace | None) -> str:
    """A mark before the number of a copy that no name has there."""
    found: list[str] = []
    for batch in log.batches(("src", "dst")):
        columns: list[Any] = [batch.column(name) for name in ("src", "dst")]
        for column in columns:
            marked: Any = pc.match_substring_regex(column, _MARKED)
            found += column.filter(pc.fill_null(marked, False)).to_pylist()
    if namespace is not None:
        names: Any = namespace.inodes["name"]
        some = names.filter(pc.match_substring_regex(names, _MARKED)).to_pylist()
        found += [name.decode("utf-8", "replace") for name in some]
    longest = 0
    while any(_MARK * (longest + 1) in text for text in found):
        longest += 1
    return _MARK * (longest + 1)


def independent_ms(times_ms: Ints, groups: Ints, rng: np.random.Generator) -> Ints:
    """(groups,) the longest time within which each acts independently of the others; 0 for none.

    A group that has too few lines gets what the group of the middle line has.

    Args:
        times_ms: (lines,) of each line.
        groups: (lines,) number of its group, from 0; each number is met.
    """
    times = times_ms - times_ms.min()
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    parts = np.split(times[order], np.cumsum(sizes)[:-1])
    longest, known = np.zeros(len(sizes), np.int64), sizes >= _LEAST_LINES
    going = known.copy()
    for width in _WIDTHS_MS:
        intervals = int(times.max()) // width
        if intervals < _LEAST_INTERVALS or len(sizes) < 2:
            break
        whole = np.bincount(times // width, minlength=intervals + 1)[:intervals]
        for group in np.flatnonzero(going).tolist():
            if _together(parts[group] // width, whole, rng):
                going[group] = False
            else:
                longest[group] = width
    if known.any() and not known.all():
        longest[~known] = middle(longest[known], sizes[known])
    return longest


def middle(values: Ints, weights: Ints) -> int:
    """The value of the middle one of things that have a weight."""
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weights[order])
    return int(values[order][np.searchsorted(ends, ends[-1] / 2)])


def _together(own: Ints, whole: Ints, rng: np.random.Generator) -> bool:
    """Whether lines rise and fall with those of others: the sum over intervals of the products of both differences.

    Args:
        own: (lines,) interval of each line of a group.
    """
    places, counts = np.unique(own[own < len(whole)], return_counts=True)
    rest = whole.copy()
    rest[places] -= counts
    moves = np.concatenate(([0], rng.integers(1, len(whole), size=_TRIES)))
    at = places + moves[:, None]
    curved = 2 * rest[at % len(whole)] - rest[(at - 1) % len(whole)] - rest[(at + 1) % len(whole)]
    products = curved @ counts
    usual = products[1:]
    return bool(products[0] > usual.mean() + _BEYOND * max(float(usual.std()), 1e-9))
