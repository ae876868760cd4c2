"""How long mining takes: up to a million calls, by length and by number of senders, and decoding them first.

    python benchmarks/bench_mining.py [--json] [--quick]

Calls that are mined are of the made-up job of the miner's tests, at two small sizes and a large one; those that are
decoded are real ones of four nodes with YARN, again and again. Each size runs in a process of its own, for its memory.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from froude.base import parallel
from froude.mining.pipeline import mine_recordings
from froude.mining.read.events import recording_of
from testbed.recorded import recorded
from testbed.synthetic import record

_SMALL = (
    {"clients": 1, "dirs": 1, "files": 2, "blocks": 2},
    {"clients": 3, "dirs": 2, "files": 3, "blocks": 1},
)
_BY_LENGTH = ((20, 40), (40, 80), (80, 160))
"""Folders, and files in each, of two clients."""
_BY_SENDERS = (100, 400, 1600)
"""Clients with nine files each."""
_MILLION = (157, 314)
_DECODED = 100_000
_AIM_S, _AIM_MB = 60.0, 4096.0


def rows(*, quick: bool = False) -> list[dict[str, object]]:
    """Every measurement.

    Args:
        quick: without the larger sizes.
    """
    measured: list[dict[str, object]] = []
    for dirs, files in _BY_LENGTH[: 1 if quick else None]:
        measured += _mined(f"{dirs * files * 2:,} files of two clients", 2, dirs, files)
    for clients in _BY_SENDERS[: 1 if quick else None]:
        measured += _mined(f"{clients:,} clients with nine files each", clients, 3, 3)
    decoding = [_decoded(workers) for workers in (1, 2)]
    measured += decoding
    if not quick:
        took = _in_a_process(2, *_MILLION)
        calls, seconds = (
            took["calls"],
            took["seconds"] + took["calls"] * float(str(decoding[1]["value"])) / 1e6,
        )
        conditions = f"{calls:,.0f} calls; mining {took['seconds']:.0f} s, and decoding with two workers"
        measured += [
            _row("a million calls, mined", seconds * 1e6 / calls, "s", aim=_AIM_S, conditions=conditions),
            _row("a million calls, memory", took["megabytes"], "MB", aim=_AIM_MB, conditions=conditions),
        ]
    return measured


def _row(measure: str, value: float, unit: str, **more: object) -> dict[str, object]:
    return {"measure": measure, "value": round(value, 1), "unit": unit, **more}


def _mined(what: str, clients: int, dirs: int, files: int) -> list[dict[str, object]]:
    took = _in_a_process(clients, dirs, files)
    conditions = f"{took['calls']:,.0f} calls, {took['megabytes']:,.0f} MB"
    return [_row(f"mining, {what}", took["seconds"] / took["calls"] * 1e6, "us/call", conditions=conditions)]


def _decoded(workers: int) -> dict[str, object]:
    real = recorded("k4")
    times = _DECODED // len(real.calls) // 2
    halves = [replace(real, calls=tuple(real.calls) * times)] * 2
    begin = time.perf_counter()
    decoded = parallel.map(_decode, halves, workers)
    calls = sum(decoded)
    measure = f"decoding, {workers} worker{'s' * (workers > 1)}"
    return _row(
        measure, (time.perf_counter() - begin) / calls * 1e6, "us/call", conditions=f"{calls:,} calls"
    )


def _decode(trace: object) -> int:
    return len(recording_of(trace).events)  # type: ignore[arg-type]


def _in_a_process(clients: int, dirs: int, files: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", str(clients), str(dirs), str(files)]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return dict(json.loads(found))


def _one(clients: int, dirs: int, files: int) -> dict[str, float]:
    large = {"clients": clients, "dirs": dirs, "files": files, "blocks": 3}
    runs = [record(datanodes=2 + at, **sizes) for at, sizes in enumerate((*_SMALL, large))]
    begin = time.perf_counter()
    mine_recordings(runs)
    seconds = time.perf_counter() - begin
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"calls": float(sum(len(run.events) for run in runs)), "seconds": seconds, "megabytes": megabytes}


def main(words: Sequence[str]) -> None:
    """Print every row, or, for a process of its own, what one size took."""
    if "--one" in words:
        print(json.dumps(_one(*map(int, words[-3:]))))
        return
    measured = rows(quick="--quick" in words)
    if "--json" in words:
        print(json.dumps(measured))
        return
    for row in measured:
        print(f"{row['measure']}: {row['value']} {row['unit']}   {row.get('conditions', '')}")


if __name__ == "__main__":
    main(sys.argv[1:])
