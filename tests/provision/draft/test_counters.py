"""Counters of jobs: the history server's JSON and .jhist files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from froude.base.errors import InputError
from froude.provision.draft.counters import JobCounters, read_counters

_COUNTERS = {
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


def rest() -> dict[str, Any]:
    """As the history server answers."""
    keys = ("totalCounterValue", "mapCounterValue", "reduceCounterValue")
    groups = [
        {
            "counterGroupName": group,
            "counter": [{"name": n, **dict(zip(keys, v, strict=True))} for n, v in counters.items()],
        }
        for group, counters in _COUNTERS.items()
    ]
    return {"jobCounters": {"id": "job_1_0001", "counterGroup": groups}}


def history(name: str = "sort 7", begin_s: int = 100, end_s: int = 600) -> str:
    """As an application master writes it."""
    package = "org.apache.hadoop.mapreduce.jobhistory."

    def counters(at: int) -> dict[str, Any]:
        groups = [
            {"name": g, "counts": [{"name": n, "displayName": n, "value": v[at]} for n, v in c.items()]}
            for g, c in _COUNTERS.items()
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


@pytest.mark.parametrize("text", [json.dumps(rest()), history()], ids=["rest", "history"])
def test_both_forms_say_the_same(text: str, tmp_path: Path) -> None:
    """Tasks, bytes, seconds and memory of maps and reduces; a history has a name and times too."""
    job = read(tmp_path, text)
    assert (job.maps.tasks, job.maps.read, job.maps.written, job.maps.cpu_s, job.maps.memory) == (
        10,
        1000,
        0,
        4,
        2000,
    )
    assert (job.reduces.tasks, job.reduces.written, job.reduces.cpu_s) == (2, 300, 1)
    assert (job.shuffled, job.rack_local, job.job) == (500, 0.8, "job_1_0001")
    assert (job.name, job.submitted_s, job.finished_s) in {(None, None, None), ("sort 7", 100, 600)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no JOB_FINISHED"),
        ("{}", "JSON without"),
        ("[1]", "JSON without"),
        ("[" * 100_000, "no"),
        ('{"jobCounters": {"id": "j", "counterGroup": []}}', "TOTAL_LAUNCHED_MAPS"),
        ('{"jobCounters": {"id": "j", "counterGroup": [{"counter": [{"name": "x"}]}]}}', "JSON without"),
        (json.dumps(rest()).replace("1000", "-1000"), "below 0"),
        (json.dumps(rest()).replace("1000", "NaN"), "below 0"),
        (history().replace('"mapCounters"', '"maps"'), "job:5: has a JOB_FINISHED that lacks a part"),
        (history()[:-30], "job:5: is no event of a job"),
        (history().replace("JOB_FINISHED", "JOB_FAILED"), "no JOB_FINISHED"),
    ],
)
def test_other_files_are_refused(text: str, said: str, tmp_path: Path) -> None:
    """With what is missing, and where."""
    with pytest.raises(InputError) as raised:
        read(tmp_path, text)
    assert said in str(raised.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    """Refused as well."""
    path = tmp_path / "job"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        read_counters(path)
