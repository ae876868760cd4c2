"""A made-up log: what it asks for is there, whoever asks may, and what it changes is its own."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from froude.base.errors import InputError
from froude.experiment.replay.made_log import CHANGES, READS, Asked, made_log
from froude.hadoop.fsimage.inode_rows import DIRECTORY, FILE
from froude.hadoop.fsimage.namespace import Namespace
from tests.support.hadoop.fsimage.templates import template

ASKED = Asked(lines_per_s=200.0, duration_s=20.0, clients=30, changes=0.3)
NAMESPACE = template()
LINES = [*made_log(NAMESPACE, ASKED, random.Random(1))]


def _paths(namespace: Namespace, kind: int) -> set[str]:
    rows = np.flatnonzero((namespace.column("type") == kind) & namespace.linked)
    return {namespace.path(int(row)) for row in rows}


def test_it_is_as_large_as_asked() -> None:
    """Lines, their times behind the image's newest, clients, and the share of changes."""
    times = [line.time_s for line in LINES if line.time_s is not None]
    assert len(LINES) == pytest.approx(4000, rel=0.1)
    assert times == sorted(times)
    assert 0 < times[0] - NAMESPACE.column("modified_ms").max() / 1000 < 5
    assert times[-1] - times[0] == pytest.approx(20, rel=0.05)
    assert len({(line.user, line.ip) for line in LINES}) == 30
    counts = Counter(line.command for line in LINES)
    assert counts.keys() == READS.keys() | CHANGES.keys()
    assert sum(counts[each] for each in CHANGES) / len(LINES) == pytest.approx(0.3, rel=0.15)


def test_what_is_read_is_in_the_image() -> None:
    """Files are opened, folders listed."""
    files, folders = (_paths(NAMESPACE, kind) for kind in (FILE, DIRECTORY))
    assert {line.src for line in LINES if line.command in {"open", "getfileinfo"}} <= files
    assert {line.src for line in LINES if line.command == "listStatus"} <= folders


def test_what_is_changed_was_made_by_the_same_client() -> None:
    """A file that is renamed or deleted is there then, and nobody else's."""
    there: dict[str | None, str | None] = {}
    for line in LINES:
        if line.command == "create":
            assert line.src not in there
            there[line.src] = line.ip
        elif line.command == "delete":
            assert there.pop(line.src) == line.ip
        elif line.command == "rename":
            there[line.dst] = there.pop(line.src)
            assert there[line.dst] == line.ip


def test_one_seed_one_log() -> None:
    """Another seed makes another."""
    short = replace(ASKED, duration_s=1.0)
    first, again, other = ([*made_log(NAMESPACE, short, random.Random(seed))] for seed in (2, 2, 3))
    assert first == again != other


def test_a_namespace_of_nobody() -> None:
    """Without files there is nothing to ask for."""
    types = NAMESPACE.inodes["type"].to_numpy()
    bare = NAMESPACE.inodes.filter(types == DIRECTORY)
    namespace = replace(NAMESPACE, inodes=bare, parents=np.minimum(NAMESPACE.parents[types == DIRECTORY], 0))
    with pytest.raises(InputError, match="has nobody who owns a file and a folder"):
        next(made_log(namespace, ASKED, random.Random(0)))


def test_times_beyond_the_calendar() -> None:
    """Of a damaged image: a line could not be dated."""
    times = NAMESPACE.inodes.schema.get_field_index("modified_ms")
    late = pa.array(np.full(NAMESPACE.inodes.num_rows, 1 << 60))
    damaged = replace(NAMESPACE, inodes=NAMESPACE.inodes.set_column(times, "modified_ms", late))
    with pytest.raises(InputError, match="times beyond the calendar"):
        next(made_log(damaged, ASKED, random.Random(1)))
