"""Reads jobs that others recorded: Spark event logs, Rumen traces (MapReduce, Tez), WfCommons instances."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from froude.base.errors import InputError
from froude.base.files import open_regular, unpacked
from froude.harvest.schedule.dags.graph import JobGraph, Stage, checked

LIMIT_BYTES = 2 << 30
_ZSTD = b"\x28\xb5\x2f\xfd"


def read_jobs(path: Path) -> list[JobGraph]:
    """Jobs of a file, whatever it is of the three; plain, or packed with gzip or zstd.

    A Spark application is one job: the stages of its jobs, each after the jobs that had ended when it was submitted.
    Of a Rumen job the reduces follow the maps. Each task of a WfCommons workflow is a stage.

    Args:
        path: the file.

    Raises:
        InputError: it cannot be read, is none of them, or holds no job that ran a task.
    """
    text = _text(path)
    try:
        first = _objects(text)
        head = next(first, None)
        if isinstance(head, dict) and "Event" in head:
            jobs = _spark(path, [head, *first])
        elif isinstance(head, dict) and isinstance(head.get("workflow"), dict):
            jobs = [_workflow(path, head)]
        elif isinstance(head, dict) and "mapTasks" in head:
            jobs = [_rumen(each) for each in (head, *first)]
        else:
            allowed = "a Spark event log, a Rumen trace or a WfCommons instance"
            raise InputError("is no record of jobs", file=path, allowed=allowed)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError(
            "is a damaged record of jobs", file=path, found=f"{type(error).__name__}: {error}"[:200]
        ) from error
    return checked(jobs, str(path))


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
        raise InputError("is no text", file=path, found=error) from error


def _objects(text: str) -> Iterator[Any]:
    """JSON values one behind the other, on lines of their own or not."""
    decoder, at = json.JSONDecoder(), 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            return
        value, at = decoder.raw_decode(text, at)
        yield value


def _spark(path: Path, events: list[dict[str, Any]]) -> list[JobGraph]:
    name, submitted = path.name.split(".")[0], None
    times: dict[int, list[float]] = defaultdict(list)
    jobs, ended, last = [], {}, 0.0
    for event in events:
        match event["Event"]:
            case "SparkListenerApplicationStart":
                name, submitted = str(event["App Name"]), float(event["Timestamp"]) / 1000
            case "SparkListenerJobStart":
                jobs.append(event)
            case "SparkListenerJobEnd":
                ended[event["Job ID"]] = float(event["Completion Time"])
                last = max(last, float(event["Completion Time"]))
            case "SparkListenerTaskEnd":
                if (event.get("Task End Reason") or {}).get("Reason") == "Success":
                    info = event["Task Info"]
                    times[event["Stage ID"]].append((info["Finish Time"] - info["Launch Time"]) / 1000)
    duration = last / 1000 - submitted if submitted is not None and last else None
    return [JobGraph(name, tuple(_spark_stages(jobs, ended, times)), submitted, duration)]


def _spark_stages(
    jobs: list[dict[str, Any]], ended: Mapping[int, float], times: Mapping[int, list[float]]
) -> list[Stage]:
    """A stage that was skipped, since its output was there, has no task; the last of each job end it."""
    stages: list[Stage] = []
    number: dict[int, int] = {}
    last_of: dict[int, list[int]] = {}
    for job in jobs:
        infos = sorted(job["Stage Infos"], key=lambda info: int(info["Stage ID"]))
        own = {info["Stage ID"] for info in infos}
        before = [n for done, lasts in last_of.items() if _ended_by(ended, done, job) for n in lasts]
        parents_of = {info["Stage ID"]: [p for p in info.get("Parent IDs", []) if p in own] for info in infos}
        for info in infos:
            stage = info["Stage ID"]
            if stage in number:
                continue
            ran = times.get(stage, [])
            number[stage] = len(stages)
            mean = sum(ran) / len(ran) if ran else 0.0
            parents = [number[p] for p in parents_of[stage] if p in number and p != stage] or before
            stages.append(Stage(str(info["Stage Name"]), len(ran), mean, tuple(dict.fromkeys(parents))))
        inner = {p for parents in parents_of.values() for p in parents}
        last_of[job["Job ID"]] = [number[stage] for stage in own if stage not in inner]
    return stages


def _ended_by(ended: Mapping[int, float], job: int, later: Mapping[str, Any]) -> bool:
    return job in ended and ended[job] <= float(later["Submission Time"])


def _rumen(job: Mapping[str, Any]) -> JobGraph:
    stages: list[Stage] = []
    for name, tasks in (("map", job.get("mapTasks")), ("reduce", job.get("reduceTasks"))):
        ran = [
            (t["finishTime"] - t["startTime"]) / 1000
            for t in tasks or []
            if t["finishTime"] >= t["startTime"] > 0
        ]
        if ran:
            parents = (0,) if stages else ()
            stages.append(Stage(name, len(ran), sum(ran) / len(ran), parents))
    submitted, finished = float(job["submitTime"]) / 1000, float(job["finishTime"]) / 1000
    duration = finished - submitted if finished >= submitted > 0 else None
    return JobGraph(str(job["jobID"]), tuple(stages), submitted, duration)


def _workflow(path: Path, document: Mapping[str, Any]) -> JobGraph:
    workflow = document["workflow"]
    tasks = workflow["specification"]["tasks"]
    ran = {task["id"]: float(task["runtimeInSeconds"]) for task in workflow["execution"]["tasks"]}
    number = {task["id"]: n for n, task in enumerate(tasks)}
    stages = tuple(
        Stage(
            str(task["name"]),
            1,
            max(0.0, ran.get(task["id"], 0.0)),
            tuple(_known(path, number, parent) for parent in task.get("parents", [])),
        )
        for task in tasks
    )
    return JobGraph(str(document["name"]), stages, None, float(workflow["execution"]["makespanInSeconds"]))


def _known(path: Path, number: Mapping[str, int], parent: str) -> int:
    if parent not in number:
        raise InputError("has a task that waits for one that is not there", file=path, found=parent)
    return number[parent]
