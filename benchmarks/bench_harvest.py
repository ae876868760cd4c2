"""What harvesting's kernels cost in time and memory: classes, a choice, a placed block, a month, a year."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from froude.base.seeds import Seeds
from froude.harvest.classify.classes import Classification, classify
from froude.harvest.classify.patterns import find_patterns
from froude.harvest.place.bulk import place_blocks
from froude.harvest.place.layout import layout_at
from froude.harvest.place.policies import preset
from froude.harvest.schedule.selection import ClassRoom, JobType, Policy, select
from froude.harvest.simulate.durability import Case as YearCase
from froude.harvest.simulate.durability import simulate, year_of
from froude.harvest.simulate.jobs import drawn_jobs
from froude.harvest.simulate.month import Scheduler, month_of
from froude.harvest.simulate.scheduling import compare
from froude.harvest.simulate.settings import DurabilitySetting, SchedulingSetting
from froude.harvest.telemetry.datacenter import Datacenter
from froude.harvest.telemetry.generate import generate
from froude.harvest.telemetry.profiles import PROFILES
from testbed.placer import Placer

DC9 = PROFILES["DC-9"]
_YEAR_S = 365 * 86400.0
_TIMES = 3


def rows() -> Iterator[dict[str, Any]]:
    """One figure each; times are the least of three, compiled loops are compiled before."""
    yield from _clustering()
    datacenter = generate(DC9, Seeds(1), days=31, months_after=12)
    yield from _selection(datacenter)
    yield from _placement(datacenter)
    yield from _in_processes()


def _clustering() -> Iterator[dict[str, Any]]:
    large = generate(replace(DC9, tenants=5000, servers=50_000), Seeds(1), days=31, months_before=0)
    size = "5,000 tenants x 22,320 samples, one thread, data in memory"
    fourier = _least(lambda: find_patterns(large))
    yield {"measure": "patterns by FFT", "value": round(fourier, 2), "unit": "s", "conditions": size}
    whole = _least(lambda: classify(large, Seeds(1)))
    said = f"{size}; patterns, peaks and K-means with ten restarts; the paper: 2 min for DC-9"
    yield {"measure": "all classes", "value": round(whole, 2), "unit": "s", "aim": 3, "conditions": said}


def _selection(datacenter: Datacenter) -> Iterator[dict[str, Any]]:
    rooms = [_room(each) for each in _classes(datacenter).classes]
    rng, policy, times = random.Random(1), Policy(), 20_000

    def run() -> None:
        for number in range(times):
            select(rooms, JobType.MEDIUM, 100 + number % 400, policy, rng)

    said = f"{len(rooms)} classes, plain Python; the paper: below 1 ms"
    value = round(_least(run) / times * 1e6, 1)
    yield {"measure": "a class chosen", "value": value, "unit": "us", "aim": 50, "conditions": said}


def _placement(datacenter: Datacenter) -> Iterator[dict[str, Any]]:
    layout = layout_at(datacenter, 0.0)
    blocks = 1_000_000
    capacity = np.full(layout.servers, 3 * 2 * blocks // layout.servers, np.int32)
    for name, paper in (("history", "; the paper: 2.55 ms"), ("stock", "; the paper: 0.81 ms")):
        bulk = _least(
            lambda name=name: place_blocks(
                layout, preset(name), capacity, blocks, 3, np.random.default_rng(1)
            )
        )
        said = f"1,000,000 blocks on 5,000 servers, R = 3{paper}, in a NameNode's own structures"
        value = round(bulk / blocks * 1e6, 2)
        yield {
            "measure": f"a block placed in bulk, {name}",
            "value": value,
            "unit": "us",
            "aim": 1,
            "conditions": said,
        }
    few = 50_000

    def run() -> None:
        placer = Placer(layout, preset("history"), capacity, 3, random.Random(1))
        for writer in range(few):
            placer.place(writer % layout.servers)

    value = round(_least(run) / few * 1e6, 1)
    said = "50,000 blocks, plain Python, the time to begin included"
    yield {
        "measure": "a block placed one at a time",
        "value": value,
        "unit": "us",
        "aim": 10,
        "conditions": said,
    }


def _in_processes() -> Iterator[dict[str, Any]]:
    """In a process of its own each, so that its memory is its own."""
    for what in ("year", "month"):
        command = [sys.executable, "-m", "benchmarks.bench_harvest", what]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=Path(__file__).parent.parent
        )
        yield from json.loads(done.stdout)


def _year() -> list[dict[str, Any]]:
    datacenter = generate(DC9, Seeds(1), days=2, months_after=12)
    small = DurabilitySetting(blocks=1000)
    setting = DurabilitySetting()
    found = []
    for name in ("stock", "history"):
        year = year_of(datacenter, 0.0)
        simulate(YearCase(year, small, preset(name), Seeds(1), 0))
        begun = time.perf_counter()
        simulate(YearCase(year, setting, preset(name), Seeds(1), 0))
        took = round(time.perf_counter() - begun, 1)
        said = "4,000,000 blocks, R = 3, 5,000 servers, placing included, one thread"
        found.append(
            {
                "measure": f"a year of durability, {name}",
                "value": took,
                "unit": "s",
                "aim": 30,
                "conditions": said,
            }
        )
    found.append({**_memory(), "measure": "memory of both years", "aim": 500})
    return found


def _month() -> list[dict[str, Any]]:
    datacenter = generate(DC9, Seeds(1), days=62, months_before=0)
    jobs, found = drawn_jobs(Seeds(2)), []
    warm, few = SchedulingSetting(days=2), generate(replace(DC9, tenants=10, servers=50), Seeds(1), days=4)
    setting = SchedulingSetting()
    month = month_of(datacenter, setting, Seeds(1))
    compare(month_of(few, warm, Seeds(1)), jobs, warm, Seeds(1), schedulers=[Scheduler.PT], runs=1)
    for scheduler in (Scheduler.PT, Scheduler.H, Scheduler.FORECAST):
        begun = time.perf_counter()
        compare(month, jobs, setting, Seeds(1), schedulers=[scheduler], runs=1)
        took = round(time.perf_counter() - begun, 1)
        said = "31 days, 5,000 servers, batch 21 % of all cores, one thread"
        measure = f"a month of scheduling, {scheduler.value}"
        found.append({"measure": measure, "value": took, "unit": "s", "aim": 30, "conditions": said})
    return found


def _memory() -> dict[str, Any]:
    # Not `ru_maxrss`: a process that was just started has that of who started it.
    status = Path("/proc/self/status").read_text()
    peak = int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024
    return {
        "value": round(peak),
        "unit": "MB",
        "conditions": "largest resident size of the process, with two days of telemetry",
    }


def _classes(datacenter: Datacenter) -> Classification:
    return classify(datacenter, Seeds(1))


def _room(each: Any) -> ClassRoom:
    return ClassRoom(each.name, each.pattern, each.servers, each.average, each.peak, each.average)


def _least(f: Callable[[], object]) -> float:
    f()
    times = []
    for _ in range(_TIMES):
        begun = time.perf_counter()
        f()
        times.append(time.perf_counter() - begun)
    return min(times)


if __name__ == "__main__":
    parts = {"year": _year, "month": _month}
    print(json.dumps(parts[sys.argv[1]]() if sys.argv[1:] else list(rows()), indent=1))
