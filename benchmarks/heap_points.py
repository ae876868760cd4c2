"""Measures what `froude image heap` rests on: heap in use of a real NameNode after a full collection, by namespace.

    python -m benchmarks.heap_points

Namespaces are made up from profiles that differ in blocks a file; the NameNode has references of 8 bytes
(-XX:-UseCompressedOops), as every heap above 32 GB has, and one point has those of 4 bytes. It writes
src/froude/hadoop/fsimage/heap-points.json, which comes with Froude.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from froude.hadoop.cluster.heap_point import measured_heap
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.release.jvm import heap_bytes

POINTS = Path(__file__).parent.parent / "src" / "froude" / "hadoop" / "fsimage" / "heap-points.json"
HEAP = "5 GB"
"""The same for all."""
NAMESPACES = [(inodes, blocks) for inodes in (300_000, 600_000, 1_200_000) for blocks in (0.5, 1.0, 2.0)]
"""Inodes, and about how many blocks a file has."""
OTHERS = [(inodes, None) for inodes in (300_000, 800_000)]
"""Those of the profile that comes with Froude: other folders, owners, replication, erasure coding."""
_BLOCK = 128 << 20
_PROFILE = """froude: namespace-profile/1
inodes: 1000
depth: {{1: 2, 2: 5, 3: 20, 4: 40, 5: 30}}
files_per_directory: {{1..20: 40, 21..100: 40, 101..400: 20}}
file_length: {lengths}
block_size: 128 MiB
replication: {{3: 1}}
owners: {{'etl:data': 5, 'alice:users': 3, 'bob:users': 2}}
modes: {{644: 1}}
"""
_LENGTHS = {
    0.5: "{0: 50, 1 MiB..100 MiB: 50}",
    1.0: "{1 MiB..100 MiB: 100}",
    2.0: "{130 MiB..250 MiB: 100}",
}


def point(inodes: int, blocks: float | None, *, compressed: bool = False) -> dict[str, Any]:
    """The heap in use of one namespace, bytes, with what the NameNode counts in it."""
    with tempfile.TemporaryDirectory(prefix="froude-heap-") as name:
        folder = Path(name)
        profile = Path("analytics") if blocks is None else folder / "profile.yaml"
        if blocks is not None:
            profile.write_text(_PROFILE.format(lengths=_LENGTHS[blocks]))
        image = folder / "current" / "fsimage_0000000000000000001"
        froude = Path(sys.executable).with_name("froude")
        command = [froude, "--quiet", "image", "synth", profile]
        subprocess.run([*command, "--inodes", str(inodes), "-o", image], check=True)
        return asdict(measured_heap(folder, Hadoop.find(), heap_bytes(HEAP), compressed=compressed))


def main() -> None:
    """Measure all, smallest first, and write them down after each."""
    hadoop = Hadoop.find()
    points: list[dict[str, Any]] = []
    for inodes, blocks, compressed in [
        *((*each, False) for each in [*NAMESPACES, *OTHERS]),
        (600_000, 1.0, True),
    ]:
        points.append(point(inodes, blocks, compressed=compressed))
        print(points[-1], file=sys.stderr, flush=True)
        document = {
            "command": "python -m benchmarks.heap_points",
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "hadoop": hadoop.version,
            "heap": HEAP,
            "points": points,
        }
        POINTS.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
