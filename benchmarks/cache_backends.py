"""What limits VMs, measured: each back-end that can run here on a load of its own, by the probe that agents use."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks import cache_cgroup2
from benchmarks.results import Row
from froude.cache.backends.cgroup import CgroupV1
from froude.cache.backends.load import buffered
from froude.cache.backends.probe import TOLERANCE, probe
from froude.cache.backends.types import Finding, Verdict
from testbed.cache_guests import TRIED, group, why_not

_LOOK_S = 3.0
_LOADS = {
    "own": "fio on a cached disk",
    "qmp": "a guest in QEMU, emulated",
    "libvirt": "a guest of libvirt, emulated, unprivileged",
    "throttle-group": "fio on an export of qemu-storage-daemon",
    "cgroup-v1": "a process in a group of blkio.throttle",
}


def rows() -> list[Row]:
    """Two rows a back-end, and what becomes of buffered writes; untested where it cannot run."""
    made = []
    for name, start in TRIED.items():
        why = why_not(name)
        if why is not None:
            made.append(Row(f"{name}: held at its cap", None, "", conditions=f"untested: {why}"))
            continue
        with (
            tempfile.TemporaryDirectory(prefix="froude-backends-") as folder,
            start(Path(folder)) as (backend, load),
        ):
            found = [probe(backend, load, each, seconds=_LOOK_S) for each in ("iops", "bytes_per_s")]
        made += [_row(each, _LOADS[name]) for each in found]
    if why_not("cgroup-v1") is None:
        with (
            tempfile.TemporaryDirectory(prefix="froude-backends-") as folder,
            group(Path(folder)) as (backend, _),
        ):
            assert isinstance(backend, CgroupV1)
            told = buffered(backend.folder, backend.device, Path(folder))
        made.append(Row("cgroup-v1: buffered writes", told.verdict.value, "", conditions=told.note))
    return [*made, *cache_cgroup2.rows()]


def _row(found: Finding, load: str) -> Row:
    unit = "requests/s" if found.resource == "iops" else "B/s"
    free = f"{found.free_rate:,.0f} without it; {load}" if found.free_rate is not None else load
    return Row(
        f"{found.backend}: held at a cap of {found.asked or 0:,} {unit}",
        None if found.held_rate is None else round(found.held_rate, 1),
        unit,
        f"<= {TOLERANCE:g} x its cap",
        found.verdict is Verdict.HOLDS,
        conditions="; ".join(filter(None, (free, found.note))),
    )


if __name__ == "__main__":
    for row in rows():
        print(row.measure, row.value, row.met, row.conditions)
