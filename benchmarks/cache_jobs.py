"""The jobs of the experiment: TestDFSIO as in the paper's Figures 6 and 7, and Table 2's nine groups in miniature.

All are real MapReduce jobs, from Hadoop's own jars. Sort, Terasort and Wordcount are the examples of those names, and
read little. The paper's others are HiBench's and Mahout's, which are not here; what stands in for them reads the same
way and computes less: Aggregation is the example that averages the length of words, Join the map-side join, Scan a
search for a word by streaming, and Bayes, Pagerank and KMeans searches that read their input two, two and three times in
one job.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.cache_tenants import MIB, Tenant

DFSIO = "org.apache.hadoop.fs.TestDFSIO"
_EXAMPLES = "org.apache.hadoop.examples"
_STREAMING = "org.apache.hadoop.streaming.StreamJob"
_RECORD_BYTES = 100
"""Of Terasort: a key of ten bytes, then anything."""
_ROW_BYTES = 1000
_JOINED = 50
"""Of so many rows of one side, one has its like on the other."""
_UBER = ("-Dmapreduce.job.ubertask.enable=true", f"-Dmapreduce.job.ubertask.maxbytes={1 << 40}")
"""All tasks of a small job run in its application master: four Java processes less a job, on two cores."""
_TEXT = [
    "-inFormat",
    "org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat",
    "-outFormat",
    "org.apache.hadoop.mapreduce.lib.output.TextOutputFormat",
    "-outKey",
    "org.apache.hadoop.io.Text",
]
_TUPLES = "org.apache.hadoop.mapreduce.lib.join.TupleWritable"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Of what one VM's disk holds, in MiB."""

    table: int
    """Each of two: the sides of a join."""
    small: int
    """What Sort and Wordcount read, and, again as much, what Terasort does."""
    dfsio: int
    """What TestDFSIO reads."""
    dfsio_files: int
    """In so many files."""


SIZES = {"c1": Sizes(40, 8, 80, 2), "c2": Sizes(20, 4, 40, 1), "c3": Sizes(40, 8, 80, 2)}
"""Of each tenant's VMs: tenant 2 has two, so that all tenants have as much."""
DFSIO_WRITE = 24
"""MiB that TestDFSIO writes to each VM."""
DFSIO_RANDOM = 1
"""How often TestDFSIO's random reads read as much as the files hold."""
TABLE_2 = (
    ("Sort", "Wordcount", "Aggregation"),
    ("Join", "Terasort", "Bayes"),
    ("Pagerank", "Sort", "Wordcount"),
    ("Aggregation", "Aggregation", "Sort"),
    ("Terasort", "Join", "Scan"),
    ("Scan", "Scan", "Join"),
    ("Bayes", "Bayes", "Pagerank"),
    ("KMeans", "Pagerank", "KMeans"),
    ("Wordcount", "KMeans", "Terasort"),
)
"""By group: of each tenant. Source: the paper's Table 2."""


def workload(name: str, tenant: Tenant, output: str) -> list[str]:
    """The words of a job.

    Args:
        name: of Table 2, or `write`, `read`, `random` for TestDFSIO.
        tenant: whose.
        output: a folder of HDFS that is not there.
    """
    home = f"/{tenant.name}"
    left, right, small, tera = (f"{home}/{each}" for each in ("left", "right", "small", "tera"))
    if name in {"write", "read", "random"}:
        return _dfsio(name, tenant)
    uber = list(_UBER)
    streaming = [_STREAMING, *uber]
    search = ["-output", output, "-mapper", "grep -c zzz", "-reducer", "NONE"]
    # grep tells by its exit code that nothing was found, which is no error here.
    search.insert(0, "-Dstream.non.zero.exit.is.failure=false")
    jobs = {
        "Sort": [
            f"{_EXAMPLES}.Sort",
            *uber,
            "-r",
            "1",
            *_TEXT,
            "-outValue",
            "org.apache.hadoop.io.Text",
            small,
            output,
        ],
        "Terasort": [f"{_EXAMPLES}.terasort.TeraSort", *uber, tera, output],
        "Wordcount": [f"{_EXAMPLES}.MultiFileWordCount", *uber, small, output],
        "Aggregation": [f"{_EXAMPLES}.WordMean", *uber, f"{home}/{{left,right}}", output],
        "Join": [
            f"{_EXAMPLES}.Join",
            *uber,
            *_TEXT,
            "-outValue",
            _TUPLES,
            "-joinOp",
            "inner",
            left,
            right,
            output,
        ],
        "Scan": [*streaming, *search[:1], "-input", left, "-input", right, *search[1:]],
        "Bayes": [*streaming, *search[:1], *_times(2, left), *search[1:]],
        "Pagerank": [*streaming, *search[:1], *_times(2, left, right), *search[1:]],
        "KMeans": [*streaming, *search[:1], *_times(3, right), *search[1:]],
    }
    return jobs[name]


def _times(often: int, *folders: str) -> list[str]:
    return [word for _ in range(often) for folder in folders for word in ("-input", folder)]


def _dfsio(name: str, tenant: Tenant) -> list[str]:
    size = SIZES[tenant.name]
    files = size.dfsio_files * len(tenant.vms)
    each = size.dfsio // size.dfsio_files
    # tenant 2's job has a task on each of its VMs, and ends with the slower one
    words = [DFSIO, *(_UBER if len(tenant.vms) == 1 else ())]
    if name == "write":
        each = DFSIO_WRITE * len(tenant.vms) // files
        return [*words, f"-Dtest.build.data=/{tenant.name}/written", "-write", *_files(files, each)]
    words.append(f"-Dtest.build.data=/{tenant.name}/dfsio")
    if name == "read":
        return [*words, "-read", *_files(files, each)]
    return [*words, "-read", "-random", *_files(files, each * DFSIO_RANDOM), "-bufferSize", str(256 << 10)]


def _files(count: int, mib: int) -> list[str]:
    return ["-nrFiles", str(count), "-size", f"{mib}MB", "-resFile", "/dev/null"]


def make_inputs(folder: Path, tenant: Tenant, at: int, rng: np.random.Generator) -> Path:
    """The files of one VM.

    Args:
        folder: where they are made, in one of their own.
        tenant: whose VM it is.
        at: which of its VMs, from 0.
        rng: what they hold.

    Returns:
        The folder that is to lie below HDFS's root.
    """
    size, home = SIZES[tenant.name], folder / f"vm{at}" / tenant.name

    def made(name: str, to: str, data: bytes) -> None:
        (home / to).mkdir(parents=True, exist_ok=True)
        (home / to / name).write_bytes(data)

    rows = size.table * MIB // _ROW_BYTES
    first = at * rows
    for side, name in enumerate(("left", "right")):
        # both sides have the row of every fiftieth number; the others' numbers are odd on one, even on the other
        numbers = [first + i if i % _JOINED == 0 else 2 * (first + i) + side + 10**9 for i in range(rows)]
        made(f"part-{at:05}", name, _rows(sorted(numbers), rng))
    made(f"part-{at:05}", "small", _rows(rng.permutation(size.small * MIB // _ROW_BYTES).tolist(), rng))
    tera = rng.integers(32, 127, (size.small * MIB // _RECORD_BYTES, _RECORD_BYTES), np.uint8)
    made(f"part-{at:05}", "tera", tera.tobytes())
    for number in range(size.dfsio_files):
        data = rng.integers(0, 256, size.dfsio // size.dfsio_files * MIB, np.uint8).tobytes()
        made(f"test_io_{at * size.dfsio_files + number}", "dfsio/io_data", data)
    return home


def _rows(keys: list[int], rng: np.random.Generator) -> bytes:
    """Rows of a thousand bytes: a key of twelve digits, a tab, and few long words."""
    letters = rng.integers(ord("a"), ord("y"), (len(keys), _ROW_BYTES - 14), np.uint8)
    letters[:, ::200] = ord(" ")
    return b"".join(b"%012d\t%s\n" % (key, row.tobytes()) for key, row in zip(keys, letters, strict=True))
