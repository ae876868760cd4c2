"""What runs next to a benchmark."""

from __future__ import annotations

import subprocess
import sys

import psutil

_BENCHMARK = """
import time
from benchmarks.bench_unseen import busy
with busy():
    print("busy", flush=True)
    time.sleep(600)
"""


def test_busy_processes_end_with_a_benchmark_that_is_killed() -> None:
    """They are not left to slow what runs later."""
    benchmark = subprocess.Popen([sys.executable, "-c", _BENCHMARK], stdout=subprocess.PIPE, text=True)
    assert benchmark.stdout is not None
    with benchmark.stdout:
        assert benchmark.stdout.readline() == "busy\n"
        children = psutil.Process(benchmark.pid).children()
        benchmark.kill()
        benchmark.wait()
    assert len(children) == 2
    try:
        _, left = psutil.wait_procs(children, timeout=30)
        assert all(each.status() == psutil.STATUS_ZOMBIE for each in left)  # without an init that reaps
    finally:
        for each in children:
            if each.is_running():
                each.kill()
