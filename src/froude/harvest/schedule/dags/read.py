"""Reads jobs that others recorded: Spark event logs, Rumen traces (MapReduce, Tez), WfCommons instances."""

from __future__ import annotations

import itertools
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from froude.base.errors import InputError
from froude.base.files import open_regular, unpacked
from froude.base.summary import counted
from froude.harvest.schedule.dags.graph import JobGraph, Stage, checked

LIMIT_BYTES = 2 << 30
_MOST_BAD = 0.05
"""Of the records of a file."""
_LONGEST_MS = 100 * 365.25 * 86_400_000.0
_MOST_MS = 1e18
_ODD = (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
_BEGINS = re.compile(r"^(?:\} ?)?(\{)", re.MULTILINE)
"""Where a next record may begin."""
_ZSTD = b"\x28\xb5\x2f\xfd"


class _Counted:
    """What of a file could not be taken as it stands; told at the end."""

    def __init__(self) -> None:
        self.records = self.bad = self.untimed = self.unknown = 0
        self.why = ""

    def damaged(self, error: Exception) -> None:
        """A record that is none."""
        self.bad += 1
        self.why = self.why or f"{type(error).__name__}: {error}"[:200]

    def known(self, duration_s: float | None) -> float | None:
        """How long a job ran."""
        self.unknown += duration_s is None
        return duration_s

    def timed(self, times_s: Sequence[float | None]) -> float:
        """How long a task of a stage runs, mean of those that tell; 0 where none does."""
        told = [each for each in times_s if each is not None]
        self.untimed += len(times_s) - len(told)
        return sum(told) / len(told) if told else 0.0

    def refuse(self, path: Path) -> None:
        """Refuse a file of which too much is damaged."""
        most = max(1.0, _MOST_BAD * self.records)
        if self.bad > most or 2 * self.bad > self.records:
            found = f"{self.why} ({self.bad} of {self.records} records)"
            raise InputError("is a damaged record of jobs", file=path, found=found)

    def notes(self) -> Iterator[str]:
        """What to tell."""
        if self.bad:
            yield f"{self.bad:,} of {self.records:,} records are damaged, and left out ({self.why})"
        if self.unknown:
            yield f"how long {counted(self.unknown, 'job')} ran is not known"
        if self.untimed:
            yield f"how long {counted(self.untimed, 'task')} ran is not known: means are those of the others"


def read_jobs(path: Path, note: Callable[[str], None] | None = None) -> list[JobGraph]:
    """Jobs of a file, whatever it is of the three; plain, or packed with gzip or zstd.

    A Spark application is one job: the stages of its jobs, each after the jobs that had ended when it was submitted.
    Of a Rumen job the reduces follow the maps. Each task of a WfCommons workflow is a stage. Of a log or a trace one
    record, or a few percent of them, may be damaged or cut; times that cannot be are taken as not known.

    Args:
        path: the file.
        note: told of what was left out, or is not known.

    Raises:
        InputError: it cannot be read, is none of them, or holds no job that ran a task.
    """
    count = _Counted()
    values = _objects(_text(path), count)
    head = next(values, None)
    try:
        if isinstance(head, dict) and "Event" in head:
            jobs = _spark(path, itertools.chain([head], values), count)
        elif isinstance(head, dict) and isinstance(head.get("workflow"), dict):
            jobs = [_workflow(path, head, count)]
        elif isinstance(head, dict) and "mapTasks" in head:
            jobs = _rumen(itertools.chain([head], values), count)
        else:
            count.refuse(path)
            allowed = "a Spark event log, a Rumen trace or a WfCommons instance"
            raise InputError("is no record of jobs", file=path, allowed=allowed)
    except _ODD as error:
        raise InputError(
            "is a damaged record of jobs", file=path, found=f"{type(error).__name__}: {error}"[:200]
        ) from error
    count.refuse(path)
    found = checked(jobs, str(path))
    if note is not None:
        for text in count.notes():
            note(f"note: {path}: {text}")
    return found


def _text(path: Path) -> str:
    with open_regular(path, limit_bytes=LIMIT_BYTES) as raw:
        packed = raw.read(4) == _ZSTD
        raw.seek(0)
        try:
            if packed:
                data = pa.CompressedInputStream(raw, "zstd").read(LIMIT_BYTES + 1)
            else:
                with unpacked(raw, path) as file:
                    data = file.read(LIMIT_BYTES + 1)
        except (OSError, pa.ArrowException) as error:
            raise InputError(
                "cannot be unpacked", file=path, found=" ".join(str(error).split())[:200]
            ) from error
    if len(data) > LIMIT_BYTES:
        raise InputError("expands too far", file=path, allowed=f"{LIMIT_BYTES} bytes")
    try:
        return bytes(data).decode()
    except UnicodeDecodeError as error:
        if data[:1] == b"{":  # a letter was cut, or a line is damaged
            return bytes(data).decode(errors="replace")
        raise InputError("is no text", file=path, found=error) from error


def _objects(text: str, count: _Counted) -> Iterator[Any]:
    """JSON values one behind the other, on lines of their own or not; what is none is counted, up to a next line."""
    decoder, at = json.JSONDecoder(), 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return
        count.records += 1
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            count.damaged(error)
            begins = _BEGINS.search(text, at + 1)
            at = len(text) if begins is None else begins.start(1)
        else:
            yield value


def _seconds(begin_ms: object, end_ms: object) -> float | None:
    """From one moment to another; None where that cannot be."""
    begin, end = _number(begin_ms), _number(end_ms)
    if begin is None or end is None or not 0 <= end - begin <= _LONGEST_MS:
        return None
    return (end - begin) / 1000


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -_MOST_MS <= value <= _MOST_MS:
        return None
    return float(value)


def _spark(path: Path, events: Iterable[Any], count: _Counted) -> list[JobGraph]:
    log = _SparkLog(path.name.split(".")[0])
    for event in events:
        try:
            log.take(event)
        except _ODD as error:
            count.damaged(error)
    duration = None
    if set(log.ended) >= {job.number for job in log.jobs}:
        duration = _seconds(log.begun_ms, max(log.ended.values(), default=None))
    begun = _number(log.begun_ms)
    submitted = None if begun is None else begun / 1000
    return [JobGraph(log.name, tuple(_spark_stages(log, count)), submitted, count.known(duration))]


class _SparkStage(NamedTuple):
    """A stage of a job, as the job's start names it."""

    number: int
    name: str
    parents: tuple[int, ...]


class _SparkJob(NamedTuple):
    """The start of a job."""

    number: int
    submitted_ms: float
    stages: tuple[_SparkStage, ...]


class _SparkLog:
    """What the events of one application tell."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.begun_ms: object = None
        self.jobs: list[_SparkJob] = []
        self.ended: dict[int, float] = {}
        self.times: dict[int, dict[object, float | None]] = defaultdict(dict)
        """Seconds by stage and task: of a task that ran again, as where its stage did, the last time counts."""

    def take(self, event: Mapping[str, Any]) -> None:
        """Take one event; an odd one changes nothing."""
        match event["Event"]:
            case "SparkListenerApplicationStart":
                self.name, self.begun_ms = str(event["App Name"]), event["Timestamp"]
            case "SparkListenerJobStart":
                stages = [
                    _SparkStage(
                        int(info["Stage ID"]),
                        str(info["Stage Name"]),
                        tuple(map(int, info.get("Parent IDs", ()))),
                    )
                    for info in event["Stage Infos"]
                ]
                submitted = float(event["Submission Time"])
                self.jobs.append(_SparkJob(int(event["Job ID"]), submitted, tuple(sorted(stages))))
            case "SparkListenerJobEnd":
                self.ended[int(event["Job ID"])] = float(event["Completion Time"])
            case "SparkListenerTaskEnd":
                if (event.get("Task End Reason") or {}).get("Reason") == "Success":
                    info, ran = event["Task Info"], self.times[int(event["Stage ID"])]
                    task = info.get("Index", f"#{len(ran)}")
                    ran[task] = _seconds(info["Launch Time"], info["Finish Time"])


def _spark_stages(log: _SparkLog, count: _Counted) -> list[Stage]:
    """A stage that was skipped, since its output was there, has no task; the last of each job end it."""
    stages: list[Stage] = []
    number: dict[int, int] = {}
    last_of: dict[int, list[int]] = {}
    for job in log.jobs:
        own = {stage.number for stage in job.stages}
        before = [n for done, lasts in last_of.items() if _ended_by(log.ended, done, job) for n in lasts]
        inner: set[int] = set()
        for stage in job.stages:
            parents = [p for p in stage.parents if p in own]
            inner.update(parents)
            if stage.number in number:
                continue
            ran = list(log.times.get(stage.number, {}).values())
            number[stage.number] = len(stages)
            after = [number[p] for p in parents if p in number and p != stage.number] or before
            stages.append(Stage(stage.name, len(ran), count.timed(ran), tuple(dict.fromkeys(after))))
        last_of[job.number] = [number[stage] for stage in own if stage not in inner]
    return stages


def _ended_by(ended: Mapping[int, float], job: int, later: _SparkJob) -> bool:
    return job in ended and ended[job] <= later.submitted_ms


def _rumen(jobs: Iterable[Any], count: _Counted) -> list[JobGraph]:
    found = []
    for job in jobs:
        try:
            found.append(_rumen_job(job, count))
        except _ODD as error:
            count.damaged(error)
    return found


def _rumen_job(job: Mapping[str, Any], count: _Counted) -> JobGraph:
    stages: list[Stage] = []
    ran_of = {
        name: [_rumen_task(task) for task in job.get(f"{name}Tasks") or []] for name in ("map", "reduce")
    }
    name, submitted, finished = str(job["jobID"]), job["submitTime"], job["finishTime"]
    for kind, told in ran_of.items():
        ran = [seconds for did, seconds in told if did]
        if ran:
            stages.append(Stage(kind, len(ran), count.timed(ran), (0,) if stages else ()))
    begun = _number(submitted)
    if begun is None or begun <= 0:
        return JobGraph(name, tuple(stages), None, count.known(None))
    return JobGraph(name, tuple(stages), begun / 1000, count.known(_seconds(begun, finished)))


def _rumen_task(task: Mapping[str, Any]) -> tuple[bool, float | None]:
    """Whether it ran, which one without a start or an end did not, and for how long."""
    begun, ended = _number(task["startTime"]), _number(task["finishTime"])
    did = begun is None or ended is None or ended >= begun > 0
    return did, _seconds(begun, ended)


def _workflow(path: Path, document: Mapping[str, Any], count: _Counted) -> JobGraph:
    workflow = document["workflow"]
    tasks = workflow["specification"]["tasks"]
    ran = {task["id"]: _runtime(task["runtimeInSeconds"]) for task in workflow["execution"]["tasks"]}
    number = {task["id"]: n for n, task in enumerate(tasks)}
    stages = tuple(
        Stage(
            str(task["name"]),
            1,
            count.timed([ran.get(task["id"], 0.0)]),
            tuple(_known(path, number, parent) for parent in task.get("parents", [])),
        )
        for task in tasks
    )
    took = _runtime(workflow["execution"]["makespanInSeconds"])
    return JobGraph(str(document["name"]), stages, None, count.known(took))


def _runtime(seconds: object) -> float | None:
    number = _number(seconds)
    return None if number is None else _seconds(0.0, number * 1000)


def _known(path: Path, number: Mapping[str, int], parent: str) -> int:
    if parent not in number:
        raise InputError("has a task that waits for one that is not there", file=path, found=parent)
    return number[parent]
