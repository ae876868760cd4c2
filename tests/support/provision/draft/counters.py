"""Counters of jobs as the history server's JSON and as a .jhist file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from froude.provision.draft.counters import JobCounters, read_counters

COUNTERS = {
    "org.apache.hadoop.mapreduce.FileSystemCounter": {
        "HDFS_BYTES_READ": (1000, 1000, 0),
        "HDFS_BYTES_WRITTEN": (300, 0, 300),
    },
    "org.apache.hadoop.mapreduce.JobCounter": {
        "TOTAL_LAUNCHED_MAPS": (10, 0, 0),
        "TOTAL_LAUNCHED_REDUCES": (2, 0, 0),
        "DATA_LOCAL_MAPS": (6, 0, 0),
        "RACK_LOCAL_MAPS": (2, 0, 0),
        "OTHER_LOCAL_MAPS": (2, 0, 0),
    },
    "org.apache.hadoop.mapreduce.TaskCounter": {
        "CPU_MILLISECONDS": (5000, 4000, 1000),
        "PHYSICAL_MEMORY_BYTES": (3200, 2000, 1200),
        "REDUCE_SHUFFLE_BYTES": (500, 0, 500),
    },
}


def history(name: str = "sort 7", begin_s: int = 100, end_s: int = 600) -> str:
    """As an application master writes it."""
    package = "org.apache.hadoop.mapreduce.jobhistory."

    def counters(at: int) -> dict[str, Any]:
        groups = [
            {"name": g, "counts": [{"name": n, "displayName": n, "value": v[at]} for n, v in c.items()]}
            for g, c in COUNTERS.items()
        ]
        return {"name": "COUNTERS", "groups": groups}

    submitted = {"jobid": "job_1_0001", "jobName": name, "submitTime": begin_s * 1000}
    kinds = ("totalCounters", "mapCounters", "reduceCounters")
    finished = {
        "jobid": "job_1_0001",
        "finishTime": end_s * 1000,
        **{k: counters(i) for i, k in enumerate(kinds)},
    }
    lines = [
        "Avro-Json",
        json.dumps({"type": "record", "name": "Event"}),
        json.dumps({"type": "JOB_SUBMITTED", "event": {f"{package}JobSubmitted": submitted}}),
        json.dumps({"type": "TASK_STARTED", "event": {}}),
        json.dumps({"type": "JOB_FINISHED", "event": {f"{package}JobFinished": finished}}),
    ]
    return "\n".join(lines) + "\n"


def read(folder: Path, text: str) -> JobCounters:
    """The counters of a file."""
    path = folder / "job"
    path.write_text(text)
    return read_counters(path)
