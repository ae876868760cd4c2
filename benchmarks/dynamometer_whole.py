"""A namespace of 5 million files, its 30 million replicas on 1,000 emulated DataNodes, and a log replayed on it.

    python -m benchmarks.dynamometer_whole [INODES [DATANODES]]

By the shipped commands alone: `froude image synth`, `log` and `blocks`, and one `froude run`, which starts the NameNode
from the image, has the DataNodes report, and replays the log when it is out of safe mode. When the NameNode was launched
is read from the log of its garbage collector, when it left safe mode from its own metrics, which are asked for each
second. It takes about six minutes, 10 GB of memory and 3 GB of disk.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from benchmarks.dynamometer_source import Spent, spend

INODES, DATANODES, RACKS, HEAP = 5_550_000, 1000, 40, "8 GB"
CLIENTS, RATE, SECONDS = 100, 1000, 100
READY_S = 300.0
"""So long after its launch the NameNode should be out of safe mode."""
_FROUDE = str(Path(sys.executable).with_name("froude"))
_SHOWN = ("getBlockLocations", "create", "sendHeartbeat")
_LAUNCHED = re.compile(r"\[(\S+?)\]\[([\d.]+)s\]")
"""Time and uptime of a line of the garbage collector's log."""
_REPORTED = "NameNodeActivity.StorageBlockReportNumOps"
_LEFT = "NameNodeActivity.SafeModeTime"
_LOADED = "NameNodeActivity.FsImageLoadTime"


@dataclass(frozen=True, slots=True)
class Whole:
    """What was done."""

    spent: Mapping[str, Spent]
    """By command: `synth`, `log`, `blocks`, `run`."""
    said: Mapping[str, str]
    """What each wrote."""
    begun_s: float
    """When `froude run` was started; seconds since 1970."""
    folder: Path
    """Of the run."""


def measure(folder: Path, inodes: int, datanodes: int) -> Whole:
    """Do all of it.

    Args:
        folder: an empty one.
        inodes: of the namespace.
        datanodes: that hold its blocks.
    """
    image, racks = str(folder / "name" / f"fsimage_{1:019}"), min(RACKS, datanodes)
    load = ["--rate", str(RATE), "--duration", f"{SECONDS} s", "--clients", str(CLIENTS)]
    nodes = ["--datanodes", str(datanodes), "--racks", str(racks)]
    commands = {
        "synth": ["image", "synth", "analytics", "--inodes", str(inodes), "-o", image],
        "log": ["image", "log", image, *load, "-o", str(folder / "audit.log")],
        "blocks": ["image", "blocks", image, *nodes, "-o", str(folder / "blocks")],
        "run": ["run", str(folder / "whole.yaml"), "-o", str(folder / "run")],
    }
    scenario = {
        "froude": "scenario/1",
        "kind": "dyno",
        "target": {"image": "name", "heap": HEAP},
        "load": {"audit_log": ["audit.log"], "pacing": "scheduled"},
        "nodes": {"datanodes": {"count": datanodes, "racks": racks, "blocks": "blocks"}},
    }
    (folder / "whole.yaml").write_text(json.dumps(scenario))
    spent, said, begun_s = dict[str, Spent](), dict[str, str](), 0.0
    for name, words in commands.items():
        print(f"froude {' '.join(words)}", file=sys.stderr, flush=True)
        begun_s = time.time()
        spent[name] = spend([_FROUDE, *words], folder / f"{name}.txt")
        said[name] = (folder / f"{name}.txt").read_text()
    return Whole(spent, said, begun_s, folder / "run")


def launched_s(gc_log: Path) -> float:
    """When a Java process began, seconds since 1970, by the first line of its garbage collector's log.

    Args:
        gc_log: the log.
    """
    with gc_log.open() as file:
        found = _LAUNCHED.match(file.readline())
    assert found is not None
    return datetime.strptime(found[1], "%Y-%m-%dT%H:%M:%S.%f%z").timestamp() - float(found[2])


def rows_of(whole: Whole, datanodes: int, busy: float) -> Iterator[dict[str, object]]:
    """One row a measure.

    Args:
        whole: what was done.
        datanodes: that held the blocks.
        busy: load average before.
    """
    figures, summary = (
        json.loads((whole.folder / name).read_text()) for name in ("figures.json", "run.json")
    )
    metrics, launched = figures["metrics"], launched_s(whole.folder / "gc.log")
    files, _, blocks = _numbers(r"([\d,]+) files in ([\d,]+) folders, ([\d,]+) blocks", whole.said["synth"])
    (replicas,) = _numbers(r"([\d,]+) replicas of", whole.said["blocks"])
    (lines,) = _numbers(r"([\d,]+) lines of", whole.said["log"])

    def after_launch_s(name: str, least: float) -> float:
        """When a number of the NameNode's reached a value."""
        reached_s = next(time_s for time_s, values in metrics if values.get(name, 0.0) >= least)
        return float(figures["begun_at_s"] - launched + reached_s)

    first_s, all_s = (after_launch_s(_REPORTED, least) for least in (1, datanodes))
    loaded_s, player = metrics[-1][1][_LOADED] / 1000, max(load[2] for load in figures["load"])
    heap, resident = summary["heap_after_gc_max_bytes"], metrics[-1][1]["process.rss_bytes"]
    failed, left_out, share = (
        summary[name] for name in ("calls_failed", "calls_left_out", "player_cpu_share")
    )
    late = f"{summary['lateness_p99_ms'] / 1000:.3g} s"
    missing = metrics[-1][1]["FSNamesystem.MissingBlocks"]
    methods = {each["method"]: each for each in summary["methods"]}
    tails = ", ".join(f"{name} {methods[name]['p99_ms'] / 1000:.3g} s" for name in _SHOWN)
    spent, ready = whole.spent, "NameNode out of safe mode after its launch"
    shown: list[tuple[str, float, str, str]] = [
        ("files of the namespace", files, "", f"{blocks:,} blocks"),
        ("to make it up", spent["synth"].wall_s, "s", f"{spent['synth'].cpu_s:.0f} s of CPU"),
        ("to make a log up", spent["log"].wall_s, "s", f"{lines:,} lines of {CLIENTS} users"),
        ("to place its replicas", spent["blocks"].wall_s, "s", f"{spent['blocks'].cpu_s:.0f} s of CPU"),
        (
            "`froude run`: from its start to the NameNode's launch",
            launched - whole.begun_s,
            "s",
            "inputs read",
        ),
        (
            ready,
            after_launch_s(_LEFT, 1),
            "s",
            f"{loaded_s:.0f} s to load the image, 10 s to warm up; {HEAP} of heap",
        ),
        ("all replicas reported after its launch", all_s, "s", f"the first report at {first_s:.0f} s"),
        (
            "replicas reported",
            replicas,
            "",
            f"a call each of {datanodes:,} DataNodes; {missing:.0f} blocks missing",
        ),
        ("rate of reports", replicas / (all_s - first_s), "replicas/s", "from the first report to the last"),
        ("lines replayed", lines, "", f"{RATE:,} a second; {failed} calls failed, {left_out} left out"),
        (
            "calls beside block reports",
            summary["calls_per_s"],
            "calls/s",
            f"p99: {tails}; sent {late} late (p99)",
        ),
        (
            "memory of the player",
            player / 1e6,
            "MB",
            f"at most; {100 * share:.0f} % of a core during the replay",
        ),
        (
            "memory of the NameNode",
            resident / 1e6,
            "MB",
            f"{heap / 1e6:,.0f} MB of heap in use after a collection",
        ),
        (
            "`froude run`: from start to end",
            spent["run"].wall_s,
            "s",
            f"limit: {summary['bottleneck_reason']}",
        ),
    ]
    for measured, value, unit, how in shown:
        conditions = f"{how}; load average {busy:.1f} before"
        aim = READY_S if measured == ready else None
        yield {"measure": measured, "value": value, "unit": unit, "aim": aim, "conditions": conditions}


def _numbers(pattern: str, said: str) -> list[int]:
    found = re.search(pattern, said)
    assert found is not None, said
    return [int(each.replace(",", "")) for each in found.groups()]


def rows(inodes: int = INODES, datanodes: int = DATANODES) -> list[dict[str, object]]:
    """One row a measure: `{measure, value, unit, conditions}`.

    Args:
        inodes: of the namespace.
        datanodes: that hold its blocks.
    """
    busy = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="froude-whole-") as folder:
        return list(rows_of(measure(Path(folder), inodes, datanodes), datanodes, busy))


if __name__ == "__main__":
    for each in rows(*map(int, sys.argv[1:])):
        print(json.dumps(each))
