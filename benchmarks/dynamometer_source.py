"""Dynamometer's own replay: its workload module compiled from a checkout, and run without a YARN cluster.

Its source is no part of this project: a checkout of `linkedin/dynamometer` is named by `DYNAMOMETER`. It is compiled
as it is against the jars of a Hadoop release, and run as one MapReduce task in the process that submits it, on a log
whose start lies in the past, so that every line is due at once.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from froude.base.progress import Silent
from froude.hadoop.release.distribution import Hadoop, cache_folder
from froude.hadoop.release.maven import Coordinate, Repository

VARIABLE = "DYNAMOMETER"
_SOURCES = "dynamometer-workload/src/main/java"
_DRIVER = "com.linkedin.dynamometer.workloadgenerator.WorkloadDriver"
_ROOTS = ("hadoop-common", "hadoop-hdfs-client", "hadoop-mapreduce-client-jobclient")
_HOUR_MS = 3_600_000
_LOG4J = """log4j.rootLogger=INFO,C
log4j.appender.C=org.apache.log4j.ConsoleAppender
log4j.appender.C.target=System.err
log4j.appender.C.layout=org.apache.log4j.PatternLayout
log4j.appender.C.layout.ConversionPattern=%p %c{1}: %m%n
"""


def checkout() -> Path | None:
    """The checkout that `DYNAMOMETER` names; None where it names none.

    Raises:
        SystemExit: it is none.
    """
    named = os.environ.get(VARIABLE)
    if not named:
        return None
    folder = Path(named).expanduser().resolve()
    if not (folder / _SOURCES).is_dir():
        raise SystemExit(f"{VARIABLE} names no checkout of linkedin/dynamometer: {folder} has no {_SOURCES}")
    return folder


@dataclass(frozen=True, slots=True)
class Spent:
    """What a process took."""

    wall_s: float
    cpu_s: float
    """Of it and its children."""


def spend(command: list[str], log: Path, environ: dict[str, str] | None = None) -> Spent:
    """Run a process to its end.

    Args:
        command: its words.
        log: takes what it says.
        environ: of it; by default this process's.

    Raises:
        RuntimeError: it failed.
    """
    begun_s = time.perf_counter()
    with log.open("wb") as out:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env=environ
        )
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        said = log.read_text(errors="replace")[-3000:]
        raise RuntimeError(f"{command[0]} ended with {child.returncode}: {said}")
    return Spent(time.perf_counter() - begun_s, used.ru_utime + used.ru_stime)


@dataclass(frozen=True, slots=True)
class Counted:
    """What Dynamometer's output tells."""

    counters: dict[str, int]
    table: list[str]
    """Lines of its one file: user, type, operation, number, summed latency."""


@dataclass(frozen=True, slots=True)
class Dynamometer:
    """Its workload module, compiled."""

    hadoop: Hadoop
    classpath: str

    @classmethod
    def build(cls, source: Path, hadoop: Hadoop, folder: Path) -> Dynamometer:
        """Compile it.

        Args:
            source: a checkout.
            hadoop: the release whose jars it runs on.
            folder: an empty one, for the classes.
        """
        repository = Repository(cache_folder() / "maven")
        roots = [Coordinate("org.apache.hadoop", name, hadoop.version) for name in _ROOTS]
        closure = [each for each in repository.closure(roots) if not each.classifier]
        jars = repository.fetch_all(dict.fromkeys(closure), Silent(), "Fetching what Dynamometer needs")
        binding = [jar for jar in hadoop.jars if jar.name.startswith("slf4j-reload4j")]
        classes = folder / "classes"
        classes.mkdir(parents=True)
        (classes / "log4j.properties").write_text(_LOG4J)
        path = ":".join(map(str, [*jars, *binding]))
        files = sorted(map(str, (source / _SOURCES).rglob("*.java")))
        compiler = str(hadoop.java.home / "bin" / "javac")
        spend([compiler, "-nowarn", "-d", str(classes), "-cp", path, *files], folder / "javac.log")
        return cls(hadoop, f"{classes}:{path}")

    def replay(
        self, uri: str, log: Path, begin: datetime, folder: Path, *, threads: int, create_blocks: bool
    ) -> tuple[Spent, Counted]:
        """Replay a log, unthrottled.

        Args:
            uri: of the NameNode.
            log: the folder that holds the log alone.
            begin: of the log.
            folder: an empty one.
            threads: of its one task.
            create_blocks: whether it writes a byte into each file that it makes.
        """
        settings = {
            "fs.defaultFS": "file:///",
            "mapreduce.framework.name": "local",
            "hadoop.tmp.dir": str(folder / "scratch"),
            "auditreplay.input-path": log.as_uri(),
            "auditreplay.output-path": (folder / "output").as_uri(),
            "auditreplay.log-start-time.ms": str(int(begin.timestamp() * 1000)),
            "auditreplay.num-threads": str(threads),
            "auditreplay.create-blocks": str(create_blocks).lower(),
        }
        start_ms = int(time.time() * 1000) - _HOUR_MS
        command = [
            str(self.hadoop.java.path), "-Xmx2g", "-cp", self.classpath, _DRIVER,
            *(f"-D{key}={value}" for key, value in settings.items()),
            "-nn_uri", uri, "-start_timestamp_ms", str(start_ms), "-mapper_class_name", "AuditReplayMapper",
        ]  # fmt: skip
        said = folder / "said.log"
        spent = spend(command, said)
        counters = dict(re.findall(r"^\s+([A-Z_]+)=(\d+)$", said.read_text(errors="replace"), re.MULTILINE))
        table = [
            line for part in (folder / "output").glob("part-*") for line in part.read_text().splitlines()
        ]
        return spent, Counted({name: int(value) for name, value in counters.items()}, table)
