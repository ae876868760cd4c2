"""What MapReduce jobs did, by their counters: the history server's JSON, or the .jhist file of a job.

Source: the MapReduce History Server's REST API (`/ws/v1/history/mapreduce/jobs/JOB/counters`), and
org.apache.hadoop.mapreduce.jobhistory.{EventWriter, JobSubmitted, JobFinished}.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from froude.base.errors import InputError
from froude.base.files import read_bounded

LIMIT_BYTES = 1 << 28
_PACKAGE = "org.apache.hadoop.mapreduce.jobhistory."


@dataclass(frozen=True, slots=True)
class Stage:
    """Of all map tasks of a job, or of all its reduce tasks."""

    tasks: int
    read: float
    """Bytes from HDFS."""
    written: float
    """Bytes to HDFS, one replica."""
    cpu_s: float
    memory: float
    """Bytes of all tasks at their ends, together."""


@dataclass(frozen=True, slots=True)
class JobCounters:
    """One job."""

    job: str
    name: str | None
    maps: Stage
    reduces: Stage
    shuffled: float
    """Bytes from maps to reduces."""
    rack_local: float | None
    """Share of the maps that ran in a rack with their data; None where nothing tells."""
    submitted_s: float | None = None
    """Since the epoch."""
    finished_s: float | None = None


def read_counters(path: Path) -> JobCounters:
    """The counters of the one job of a file.

    Raises:
        InputError: of neither form, a job that did not finish, or without counters.
    """
    data = read_bounded(path, limit_bytes=LIMIT_BYTES)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _other(path, "bytes that are no UTF-8") from error
    try:
        document = json.loads(text)
    except ValueError:
        return _of_history(path, text)
    except RecursionError as error:
        raise _other(path, "JSON that is nested too deep") from error
    return _of_rest(path, document)


def _other(path: Path, found: str) -> InputError:
    return InputError(
        "holds no counters of a job",
        file=path,
        found=found,
        allowed="JSON of /ws/v1/history/mapreduce/jobs/JOB/counters, or a .jhist file of a finished job",
    )


def _of_rest(path: Path, document: Any) -> JobCounters:
    try:
        job = document["jobCounters"]
        counters = {
            counter["name"]: (
                float(counter["totalCounterValue"]),
                float(counter["mapCounterValue"]),
                float(counter["reduceCounterValue"]),
            )
            for group in job["counterGroup"]
            for counter in group["counter"]
        }
        name = str(job["id"])
    except (KeyError, TypeError, ValueError) as error:
        raise _other(path, f"JSON without {error}") from error
    return _job(path, name, None, counters)


def _of_history(path: Path, text: str) -> JobCounters:
    name = submitted = finished = None
    for number, event in _events(path, text):
        body = event["event"]
        if event["type"] == "JOB_SUBMITTED":
            begun = body.get(f"{_PACKAGE}JobSubmitted", {})
            name, submitted = begun.get("jobName"), begun.get("submitTime")
        elif event["type"] == "JOB_FINISHED":
            try:
                done = body[f"{_PACKAGE}JobFinished"]
                kinds = [_groups(done[kind]) for kind in ("totalCounters", "mapCounters", "reduceCounters")]
                counters = {key: tuple(kind.get(key, 0.0) for kind in kinds) for key in kinds[0]}
                begun_s = None if submitted is None else float(submitted) / 1000
                times = (begun_s, float(done["finishTime"]) / 1000)
                job = str(done["jobid"])
            except (KeyError, TypeError, ValueError) as error:
                raise InputError(
                    "has a JOB_FINISHED that lacks a part", file=path, place=number, found=error
                ) from error
            finished = _job(path, job, name, counters, times=times)
    if finished is None:
        raise _other(path, "no JOB_FINISHED")
    return finished


def _events(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line, event) of a job as a whole; those of its tasks are passed over unread."""
    begun = False
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.strip()
        begun = begun or plain == "Avro-Json"
        if begun and plain not in {"", "Avro-Json"} and not (plain[0] == "{" and plain[-1] == "}"):
            raise InputError("is no event of a job", file=path, place=number, found=line)
        if '"JOB_SUBMITTED"' in line[:60] or '"JOB_FINISHED"' in line[:60]:
            try:
                event = json.loads(line)
                if not isinstance(event["event"], dict):
                    raise TypeError("event")
            except (KeyError, TypeError, ValueError, RecursionError) as error:
                raise InputError("is no event of a job", file=path, place=number, found=line) from error
            yield number, event


def _groups(counters: Mapping[str, Any]) -> dict[str, float]:
    groups = counters["groups"]
    return {count["name"]: float(count["value"]) for group in groups for count in group["counts"]}


def _job(
    path: Path,
    job: str,
    name: str | None,
    counters: Mapping[str, tuple[float, ...]],
    *,
    times: tuple[float | None, float | None] = (None, None),
) -> JobCounters:
    def total(counter: str) -> float:
        return counters.get(counter, (0.0, 0.0, 0.0))[0]

    def stage(tasks: float, of: int) -> Stage:
        values = [
            counters.get(counter, (0.0, 0.0, 0.0))[of]
            for counter in (
                "HDFS_BYTES_READ",
                "HDFS_BYTES_WRITTEN",
                "CPU_MILLISECONDS",
                "PHYSICAL_MEMORY_BYTES",
            )
        ]
        return Stage(int(tasks), values[0], values[1], values[2] / 1000, values[3])

    maps, reduces = total("TOTAL_LAUNCHED_MAPS"), total("TOTAL_LAUNCHED_REDUCES")
    if not maps + reduces:
        raise _other(path, "neither TOTAL_LAUNCHED_MAPS nor TOTAL_LAUNCHED_REDUCES")
    if any(not 0 <= value < 1e30 for values in counters.values() for value in values):
        raise _other(path, "a counter below 0")
    near, far = total("DATA_LOCAL_MAPS") + total("RACK_LOCAL_MAPS"), total("OTHER_LOCAL_MAPS")
    shuffled = total("REDUCE_SHUFFLE_BYTES")
    return JobCounters(
        job,
        name,
        stage(maps, 1),
        stage(reduces, 2),
        shuffled,
        near / (near + far) if near + far else None,
        *times,
    )
