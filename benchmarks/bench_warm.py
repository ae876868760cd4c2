"""How soon a NameNode is warm: Java 17, Java 25, and Java 25 with an AOT cache that keeps method profiles.

    python -m benchmarks.results_answers --only warm

Each plays the demo's job, kept up, from its start: the time until its JIT compiler takes less than 5 % of its CPU over
ten seconds, and the calls in a second of ten seconds from then on, or of the last ones. The cache (JEP 483, 514 and 515)
is made from a NameNode that played the same job once. A JVM without it loads classes from the same class path.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from froude.emulation.run.core_time import cpu_per_call_s
from froude.emulation.run.run import Run
from froude.emulation.settings import Mode
from froude.emulation.steadiness import QUIET, WINDOW_S, thread_share
from froude.experiment.play.play import play
from froude.experiment.scenario.options import Load, PlayOptions
from froude.experiment.session import Hadoop, Workload
from froude.hadoop.release import cds
from froude.hadoop.release.jvm import Java, candidates, flags
from testbed.workloads import WORKLOADS

PLAY_S, MEASURE_S, DUMP_S = 50.0, 10.0, 180.0
ARMS = ((17, False), (25, False), (25, True))
"""Java, and whether it has the cache."""
_PLACES = ("/usr/lib/jvm",)


def rows() -> list[dict[str, Any]]:
    """Two rows an arm; of a Java that is not here, none."""
    javas: dict[int, Java] = {}
    for each in _javas():
        javas.setdefault(each.major, each)
    found = []
    with TemporaryDirectory() as folder:
        trained = Path(folder) / "trained"

        def jars_first(hadoop: Hadoop, conf: Path, *, fast: bool) -> str:
            """A cache wants the class path that it was made with, which may go on, and whose folders are empty."""
            return ":".join(map(str, dict.fromkeys((hadoop.classpath, trained / "conf", conf))))

        mocked = mock.patch.object(cds, "class_path", jars_first)
        for major, cached in ARMS:
            if major in javas:
                hadoop = replace(Hadoop.find(), java=javas[major])
                name = f"Java {major}{' with an AOT cache' if cached else ''}"
                with mocked:
                    extra = _cache(hadoop, trained) if cached else []
                    found += _rows(name, hadoop.java, _played(hadoop, extra))
    return found


def _javas() -> Iterator[Java]:
    """Every Java here: as Froude finds them, and those of the system."""
    yield from candidates(os.environ)
    for place in sorted(home for each in _PLACES for home in Path(each).glob("*")):
        yield from candidates({"JAVA_HOME": str(place)}) if (place / "bin" / "java").is_file() else ()


def _played(hadoop: Hadoop, extra: list[str], *, folder: Path | None = None, stop_s: float = 10.0) -> Run:
    plan = Workload.read(WORKLOADS["demo"]).at(datanodes=50, clients=48, files=10)
    load = Load(mode=Mode.POPULATION, duration_s=PLAY_S, measure_s=MEASURE_S)
    with hadoop.namenode(heap="1 GB", flags=extra, folder=folder) as namenode:
        run = play(plan, namenode, PlayOptions(load=load, check_counts=False))
        namenode.daemon.stop(timeout_s=stop_s)
    if run.failure is not None:
        raise RuntimeError(run.failure)
    return run


def _cache(hadoop: Hadoop, trained: Path) -> list[str]:
    """Flags that use a cache made from one play, whose NameNode has its folder at `trained`."""
    notes, cache = trained.with_suffix(".notes"), trained.with_suffix(".cache")
    record = ["-XX:AOTMode=record", f"-XX:AOTConfiguration={notes}"]
    _played(hadoop, record, folder=trained, stop_s=DUMP_S)
    shutil.rmtree(trained / "conf")
    (trained / "conf").mkdir()
    own = flags(heap="1 GB", fast=False, java=hadoop.java, release=hadoop.version)
    command = [
        str(hadoop.java.path), *own, "-XX:AOTMode=create", f"-XX:AOTConfiguration={notes}", f"-XX:AOTCache={cache}",
        "-cp", f"{hadoop.classpath}:{trained / 'conf'}",
    ]  # fmt: skip
    subprocess.run(command, check=True, timeout=DUMP_S, capture_output=True)
    return [f"-XX:AOTCache={cache}"]


def _rows(name: str, java: Java, run: Run) -> list[dict[str, Any]]:
    ends = [at for at, sample in enumerate(run.metrics, 1) if sample.time_s >= WINDOW_S]
    shares = [(run.metrics[at - 1].time_s, thread_share(run.metrics[:at], last_s=WINDOW_S)) for at in ends]
    quiet_s = next((time_s for time_s, share in shares if share is not None and share < QUIET), None)
    share = run.compiler_share or 0.0
    return [
        {
            "measure": f"warm: time until the compiler takes under {QUIET:.0%}, {name}",
            "value": f"not within {PLAY_S:.0f} s" if quiet_s is None else round(quiet_s, 1),
            "unit": "" if quiet_s is None else "s",
            "conditions": f"{java.version}; compiler {share:.0%} of the NameNode's CPU while it was measured",
        },
        {
            "measure": f"warm: calls answered then, {name}",
            "value": round(run.throughput()),
            "unit": "calls/s",
            "conditions": f"{run.bottleneck.by.value} was the limit; {(cpu_per_call_s(run) or 0) * 1e6:.0f} µs a call",
        },
    ]
