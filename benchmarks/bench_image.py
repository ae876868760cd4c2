"""What images cost: making one, reading it, placing its blocks; each in a process of its own.

    python benchmarks/bench_image.py [INODES ...]

Times are CPU time, since the machine may be shared; the profile is the shipped one. Memory is the most that the process
had at any moment, once as the system counts it (pages of mapped files included, which it takes back when it wants them)
and once without those.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SIZES = (1_000_000, 4_000_000)
DATANODES, RACKS = 1000, 40
_FRAME = """
import json, resource, sys, threading, time
from pathlib import Path
from froude.experiment.session import Hadoop
from froude.experiment.replay import namespace_profile
from froude.experiment.replay import block_lists
from froude.hadoop.fsimage import block_lists as lists, composing, container, growth, namespace, placement
from froude.hadoop.fsimage import saving, sections, striping, summary, templates
import numpy as np

image, folder, number = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
schema, most, done = Hadoop.find().schema(), [0], threading.Event()

def watch():
    while not done.wait(0.05):
        for line in open("/proc/self/status"):
            if line.startswith("RssAnon"):
                most[0] = max(most[0], int(line.split()[1]))

threading.Thread(target=watch, daemon=True).start()
begin, cpu = time.perf_counter(), time.process_time()
result = {}
%s
result["cpu_s"], result["s"] = time.process_time() - cpu, time.perf_counter() - begin
done.set()
result["rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
result["anonymous_mb"] = most[0] / 1024
print(json.dumps(result))
"""
_SYNTH = """
profile = namespace_profile.read_profile(namespace_profile.profile_path(Path("analytics")))
template = templates.make_template(profile, np.random.default_rng(0))
grown = growth.grow(template, number / template.inodes.num_rows)
composer = composing.Composer(template, grown, schema, composing.Identity(1, 1))
saving.save_image(image, composer.sections(), schema, namespace_id=1)
result |= composer.counts
"""
_READ = """
opened = container.open_image(image, schema)
read = namespace.read_namespace(opened, schema, folder)
result["inodes"] = read.inodes.num_rows
"""
_SUMMARISE = (
    _READ
    + """
cpu = time.process_time()
result["files"] = summary.summarise_image(opened, schema, read).counts["files"]
"""
)
_BLOCKS = (
    _READ
    + f"""
known = striping.schemes(sections.Reader(opened, schema))
cluster = lists.Cluster(placement.Topology({DATANODES}, {RACKS}))
cpu = time.process_time()
result["blocks"] = read.blocks.num_rows
result["replicas"] = block_lists.write_block_lists(folder / "lists", read, known, cluster, seed=0)
"""
)


def _run(code: str, image: Path, folder: Path, number: int) -> dict[str, Any]:
    folder.mkdir()
    words = [sys.executable, "-c", _FRAME % code, str(image), str(folder), str(number)]
    result: dict[str, Any] = json.loads(
        subprocess.run(words, check=True, capture_output=True, text=True).stdout
    )
    return result


def rows(sizes: tuple[int, ...] = SIZES) -> Iterator[dict[str, object]]:
    """One row a measure."""
    for number in sizes:
        with tempfile.TemporaryDirectory() as temporary:
            place = Path(temporary)
            image = place / "fsimage_0000000000000000001"
            made = _run(_SYNTH, image, place / "synth", number)
            size = f"{number / 1e6:g} million inodes, {made['blocks'] / 1e6:.2g} million blocks"
            written = image.stat().st_size / 1e6
            yield _row("namespaces made up and written", made, "inodes", f"{size}, {written:.0f} MB", 100_000)
            read = _run(_READ, image, place / "read", number)
            yield _row("images read into columns", read, "inodes", size, 200_000)
            looked = _run(_SUMMARISE, image, place / "summary", number)
            yield _row("columns summarised", looked, "inodes", size)
            placed = _run(_BLOCKS, image, place / "blocks", number)
            what = f"{size}; {placed['replicas'] / 1e6:.2g} million replicas on {DATANODES} DataNodes"
            yield _row("replicas placed, sorted and written", placed, "replicas", what)


def _row(
    measure: str, result: dict[str, Any], counted: str, size: str, aim: float | None = None
) -> dict[str, object]:
    memory = f"peak {result['rss_mb']:.0f} MB, {result['anonymous_mb']:.0f} MB of it not of files"
    conditions = f"{size}; {memory}; {result['s']:.1f} s by the clock"
    value = result[counted] / result["cpu_s"]
    return {
        "measure": measure,
        "value": value,
        "unit": f"{counted}/CPU-s",
        "aim": aim,
        "conditions": conditions,
    }


if __name__ == "__main__":
    for row in rows(tuple(map(int, sys.argv[1:])) or SIZES):
        print(json.dumps(row))
