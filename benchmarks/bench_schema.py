"""How long a schema takes: out of the jars, out of the cache, and until the first message can be made.

    python benchmarks/bench_schema.py

The jars are those of the default release (fetched once). Times are the least of a few repeats in one process:
the machine may be shared, and what is asked is what the code costs.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from froude.hadoop.release.distribution import Hadoop
from froude.messages.schema import Schema

CLIENT = "org.apache.hadoop.hdfs.protocol.ClientProtocol"
_REPEATS = 7
_IN_A_NEW_PROCESS = """
import sys, time
begin = time.perf_counter()
from pathlib import Path
from froude.messages.schema import Schema
schema = Schema.from_jars(sys.argv[2:], Path(sys.argv[1]))
schema.method("org.apache.hadoop.hdfs.protocol.ClientProtocol", "getFileInfo").request(src="/")
print(time.perf_counter() - begin)
"""


def _least(work: Callable[[], object]) -> float:
    """Seconds of the quickest of a few runs."""
    times = []
    for _ in range(_REPEATS):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def _in_a_new_process(jars: list[Path], cache: Path) -> float:
    """Seconds until the first request is made, imports included, cache warm."""
    command = [sys.executable, "-c", _IN_A_NEW_PROCESS, str(cache), *map(str, jars)]
    return min(
        float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(_REPEATS)
    )


def rows() -> list[dict[str, object]]:
    """One row a measure: `{measure, value, unit, aim}`."""
    jars = Hadoop.find().jars
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)

        def cold() -> Schema:
            for kept in cache.iterdir():
                kept.unlink()
            return Schema.from_jars(jars, cache)

        def first_method() -> object:
            return Schema.from_jars(jars, cache).method(CLIENT, "getFileInfo")

        schema = cold()
        methods = [(p, m) for p in schema.protocols for m in schema.methods(p)]
        raw = schema.to_bytes()
        measured: list[tuple[str, float, str, float | None]] = [
            ("schema from the jars, cold", _least(cold), "s", 0.3),
            ("schema from its cache", _least(lambda: Schema.from_jars(jars, cache)), "s", 0.05),
            ("cached, to the first method", _least(first_method), "s", None),
            ("cached, from a new process to its first request", _in_a_new_process(jars, cache), "s", None),
            ("linking every method", _least(lambda: _every(raw, methods)), "s", None),
            ("methods known", len(methods), "methods", None),
            ("size of the cached schema", len(raw), "bytes", None),
            ("size of ClientProtocol's part", len(schema.subset([CLIENT]).to_bytes()), "bytes", None),
        ]
    return [
        {"measure": name, "value": value, "unit": unit, "aim": aim} for name, value, unit, aim in measured
    ]


def _every(raw: bytes, methods: list[tuple[str, str]]) -> None:
    schema = Schema.from_bytes(raw)
    for protocol, method in methods:
        schema.method(protocol, method)


if __name__ == "__main__":
    for row in rows():
        print(json.dumps(row))
