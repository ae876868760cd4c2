"""Records of jobs, made here in the forms that others write."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from froude.base.errors import FroudeError, InputError
from froude.harvest.schedule.dags.graph import Stage, concurrency
from froude.harvest.schedule.dags.read import read_jobs
from tests.support.base.packing import FORMS, pack, packed_name
from tests.support.harvest.schedule.dags.read import RUMEN, lines
from tests.support.reported import DATA, REPORTED, needs_reported

DAMAGED = "is a damaged record"
NO_RECORD = "is not a record of jobs"


def task(stage: int, begin: int, end: int, reason: str = "Success") -> dict[str, Any]:
    """The end of a task."""
    info = {"Launch Time": begin, "Finish Time": end}
    return {
        "Event": "SparkListenerTaskEnd",
        "Stage ID": stage,
        "Task End Reason": {"Reason": reason},
        "Task Info": info,
    }


def job(number: int, at: int, stages: list[tuple[int, list[int]]]) -> dict[str, Any]:
    """The start of a job."""
    infos = [{"Stage ID": n, "Stage Name": f"s{n}", "Number of Tasks": 2, "Parent IDs": p} for n, p in stages]
    return {"Event": "SparkListenerJobStart", "Job ID": number, "Submission Time": at, "Stage Infos": infos}


SPARK = [
    {"Event": "SparkListenerApplicationStart", "App Name": "etl", "Timestamp": 1000},
    job(0, 1000, [(0, []), (1, [0])]),
    task(0, 1000, 3000),
    task(0, 1000, 5000),
    task(0, 1000, 1500, "ExceptionFailure"),
    task(1, 5000, 6000),
    {"Event": "SparkListenerJobEnd", "Job ID": 0, "Completion Time": 6000},
    job(1, 6500, [(0, []), (2, [0]), (3, [])]),
    task(2, 6500, 8500),
    task(3, 6500, 7500),
    {"Event": "SparkListenerJobEnd", "Job ID": 1, "Completion Time": 9000},
]
WORKFLOW = {
    "name": "w",
    "workflow": {
        "specification": {
            "tasks": [
                {"id": "a", "name": "split", "parents": []},
                {"id": "b", "name": "work", "parents": ["a"]},
            ]
        },
        "execution": {"makespanInSeconds": 9, "tasks": [{"id": "a", "runtimeInSeconds": 2}]},
    },
}


def test_a_spark_application_is_one_job(tmp_path: Path) -> None:
    """A job's stages come after the jobs that had ended; a stage whose output was there is not run again."""
    (tmp_path / "log").write_bytes(lines(SPARK))
    (found,) = read_jobs(tmp_path / "log")
    assert (found.name, found.submitted_s, found.duration_s) == ("etl", 1.0, 8.0)
    assert found.stages == (
        Stage("s0", 2, 3.0),
        Stage("s1", 1, 1.0, (0,)),
        Stage("s2", 1, 2.0, (0,)),
        Stage("s3", 1, 1.0, (1,)),
    )
    assert concurrency(found) == 2


def test_reduces_follow_maps(tmp_path: Path) -> None:
    """One behind the other, packed."""
    (tmp_path / "r.json.gz").write_bytes(gzip.compress(lines(RUMEN)))
    first, second = read_jobs(tmp_path / "r.json.gz")
    assert first.stages == (Stage("map", 2, 3.0),)
    assert second.stages == (Stage("map", 2, 3.0), Stage("reduce", 1, 3.0, (0,)))
    assert second.duration_s == 20


def test_each_task_of_a_workflow_is_a_stage(tmp_path: Path) -> None:
    """A task that did not run takes no time; packed with zstd."""
    with pa.CompressedOutputStream(str(tmp_path / "w.zst"), "zstd") as out:
        out.write(json.dumps(WORKFLOW).encode())
    (found,) = read_jobs(tmp_path / "w.zst")
    assert found.stages == (Stage("split", 1, 2.0), Stage("work", 1, 0.0, (0,)))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty; allowed: a Spark event log"),
        (b"[1]", NO_RECORD),
        (b'{"a": 1}', f"{NO_RECORD}; found an object with a"),
        (b"hello world\nagain\n", f"{NO_RECORD}; found hello world"),
        (
            b'{"Event": "SparkListenerJobStart"}',
            f"{DAMAGED} of jobs; found 1 record left out: a field is missing",
        ),
        (b'{"mapTasks": 5}', DAMAGED),
        (b"{", f"{DAMAGED} of jobs"),
        (b"\xff\xfd", "is not text"),
        (b"LZ4Block\x26\x10", r"is a cut short lz4 \(lz4-java\) file"),
        (b"\x82SNAPPY\0\0", r"is a cut short snappy \(snappy-java\) file"),
        (b"Avro-Binary\n", "is a .jhist file in binary form, not read here"),
        (b"job0\t49\t49\tx\t1\t1\n", f"{NO_RECORD}; found job0"),
        (b"Avro-Json\n{", f"{DAMAGED} of jobs"),
        (b"\x28\xb5\x2f\xfdxyz", "is a damaged zstd file"),
        (lines([{**RUMEN[0], "mapTasks": []}]), "x: "),
        (json.dumps(WORKFLOW).replace('["a"]', '["z"]').encode(), "waits for one that is not there; found z"),
        (json.dumps(WORKFLOW).replace('["a"]', '["b"]').encode(), "x:w: "),
    ],
)
def test_what_is_no_record_of_jobs(data: bytes, message: str, tmp_path: Path) -> None:
    """One error that names the file."""
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(InputError, match=message) as caught:
        read_jobs(tmp_path / "x")
    assert caught.value.file == str(tmp_path / "x")


@pytest.mark.parametrize(
    ("damage", "left_out"),
    [
        (lambda d: d[:-20], "cut short, first at log:11"),
        (lambda d: d.replace(b'"Event": "SparkListenerJobEnd"', b"", 1), "not JSON, first at log:7"),
    ],
)
def test_a_log_that_is_cut_or_has_a_bad_line_is_read(
    damage: Callable[[bytes], bytes], left_out: str, tmp_path: Path
) -> None:
    """The line is counted; how long the job ran is then not known, as its end is not there."""
    notes: list[str] = []
    (tmp_path / "log").write_bytes(damage(lines(SPARK)))
    (found,) = read_jobs(tmp_path / "log", notes.append)
    assert [stage.tasks for stage in found.stages] == [2, 1, 1, 1]
    assert found.duration_s is None
    assert f"1 record left out: {left_out}" in notes[0]
    assert notes[1].endswith("how long 1 job ran is not known")
    with pytest.raises(InputError, match="--strict"):
        read_jobs(tmp_path / "log", strict=True)


def test_bad_lines_between_good_ones_are_left_out(tmp_path: Path) -> None:
    """Whatever is bad of them, up to a tenth, by reason with the first of each; a log with more is refused."""
    good = [*SPARK, *([{"Event": "SparkListenerBlockUpdated"}] * 60)]
    bad = [
        "garbage",
        '{"x": 1}',
        '{"Event": "SparkListenerTaskEnd", "Task End Reason": {"Reason": "Success"}}',
    ]
    texts = list(map(json.dumps, good))
    notes: list[str] = []
    (tmp_path / "log").write_text("\n".join([*texts[:3], *bad, *texts[3:]]))
    (found,) = read_jobs(tmp_path / "log", notes.append)
    assert ([stage.tasks for stage in found.stages], found.duration_s) == ([2, 1, 1, 1], 8.0)
    assert _texts(notes) == [
        "2 records left out: a field is missing, first at log:5 (\"'Event'\")",
        "1 record left out: not JSON, first at log:4 ('garbage')",
    ]
    (tmp_path / "log").write_text("\n".join([*texts[:3], *bad, *bad, *bad, *texts[3:]]))
    with pytest.raises(InputError, match="log: cannot be read in 9 of 80 records; found 6 records left out"):
        read_jobs(tmp_path / "log")


@pytest.mark.parametrize(
    "bad", [b'{"jobID": "x"}', b'{"jobID": "x", "mapT', b'{"jobID": "x", "mapTasks": [null]}']
)
def test_one_bad_job_of_a_trace_is_left_out(bad: bytes, tmp_path: Path) -> None:
    """The others are there."""
    first, second = (json.dumps(each).encode() for each in RUMEN)
    notes: list[str] = []
    (tmp_path / "r.json").write_bytes(b"\n".join([first, bad, second]))
    assert [each.name for each in read_jobs(tmp_path / "r.json", notes.append)] == ["job_0", "job_1"]
    assert len(notes) == 1
    assert "1 record left out: " in notes[0]
    assert "first at r.json:2" in notes[0]


def test_a_stage_that_ran_twice_counts_once(tmp_path: Path) -> None:
    """As when its output was lost: its tasks are told apart by their place in the stage."""
    events = [*SPARK[:2], *(task(0, 1000, end) for end in (3000, 5000, 2000, 2000)), *SPARK[5:7]]
    for event, index in zip(events[2:6], (0, 1, 0, 1), strict=True):
        event["Task Info"]["Index"] = index
    (tmp_path / "log").write_bytes(lines(events))
    (found,) = read_jobs(tmp_path / "log")
    assert found.stages == (Stage("s0", 2, 1.0), Stage("s1", 1, 1.0, (0,)))


@pytest.mark.parametrize("odd", ["NaN", "-5", "1e400", "true", "9" * 300])
def test_times_that_cannot_be_are_not_known(odd: str, tmp_path: Path) -> None:
    """They choose no class; the notes tell how many there are."""
    for source, old in (
        (json.dumps(WORKFLOW), '"makespanInSeconds": 9'),
        (json.dumps(RUMEN[0]), '"finishTime": 21000'),
    ):
        notes: list[str] = []
        name = old.partition(":")[0]
        assert old in source
        (tmp_path / "x").write_text(source.replace(old, f"{name}: {odd}"))
        (found,) = read_jobs(tmp_path / "x", notes.append)
        assert found.duration_s is None
        assert [note.rpartition(": ")[2] for note in notes] == ["how long 1 job ran is not known"]


@pytest.mark.parametrize("odd", ["NaN", "500", "1e400", "true"])
def test_tasks_whose_times_cannot_be_count_without_them(odd: str, tmp_path: Path) -> None:
    """The mean of their stage is that of the others."""
    notes: list[str] = []
    (tmp_path / "log").write_bytes(
        lines(SPARK).replace(b'"Finish Time": 5000', f'"Finish Time": {odd}'.encode())
    )
    (found,) = read_jobs(tmp_path / "log", notes.append)
    assert found.stages[0] == Stage("s0", 2, 2.0)
    assert notes[0].endswith("how long 1 task ran is not known: means are those of the others")


def _texts(notes: list[str]) -> list[str]:
    """What notes state, without the file."""
    return [note.split(": ", 2)[2] for note in notes]


def started(stage: int, index: int, begin: int) -> dict[str, Any]:
    """The start of a task."""
    info = {"Index": index, "Launch Time": begin, "Finish Time": 0}
    return {"Event": "SparkListenerTaskStart", "Stage ID": stage, "Task Info": info}


def ended(stage: int, index: int, end: int, reason: str = "Success") -> dict[str, Any]:
    """Its end."""
    event = task(stage, 2000, end, reason)
    return {**event, "Task Info": {**event["Task Info"], "Index": index}}


def test_tasks_in_flight_when_a_spark_log_ends(tmp_path: Path) -> None:
    """Count as run, until the log's last time; a task that ended, however often it began, counts by its end."""
    events = [
        *SPARK[:1],
        job(0, 1000, [(0, [])]),
        *(started(0, index, 2000) for index in range(5)),
        ended(0, 0, 4000),
        ended(0, 1, 3000, "ExceptionFailure"),
        ended(0, 2, 3000, "ExceptionFailure"),
        started(0, 2, 3000),
        ended(0, 2, 6000),
    ]
    notes: list[str] = []
    (tmp_path / "log.inprogress").write_bytes(lines(events))
    (found,) = read_jobs(tmp_path / "log.inprogress", notes.append)
    assert found.stages == (Stage("s0", 5, (2 + 1 + 4 + 4 + 4) / 5),)
    assert notes[0].endswith(
        "2 of 5 tasks started and have no end: taken as running until the end of the job or of the record"
    )


def test_a_failed_spark_job_is_named(tmp_path: Path) -> None:
    """By its number and application; its killed tasks ran."""
    end = {**SPARK[6], "Job Result": {"Result": "JobFailed", "Exception": {}}}
    events = [*SPARK[:1], job(0, 1000, [(0, [])]), *(ended(0, n, 3000, "TaskKilled") for n in range(3)), end]
    notes: list[str] = []
    (tmp_path / "log").write_bytes(lines(events))
    (found,) = read_jobs(tmp_path / "log", notes.append)
    assert found.stages == (Stage("s0", 3, 1.0),)
    assert _texts(notes) == ["1 job did not succeed: job 0 of etl"]


def test_tasks_of_jobs_whose_start_is_lost_are_named(tmp_path: Path) -> None:
    """As where Spark's queue of events overflowed: which stages they follow is not known."""
    events = [*SPARK[:1], job(0, 1000, [(0, [])]), ended(0, 0, 4000), ended(7, 0, 4000), ended(7, 1, 5000)]
    events += [ended(9, 0, 4000, "ExceptionFailure")]
    notes: list[str] = []
    (tmp_path / "log").write_bytes(lines(events))
    (found,) = read_jobs(tmp_path / "log", notes.append)
    assert [stage.name for stage in found.stages] == ["s0"]
    assert "3 tasks of 2 stages belong to jobs whose start is not in the log: they are left out" in str(notes)


@pytest.mark.parametrize("end", [{"finishTime": -1}, {"finishTime": None}, {}])
def test_maps_of_a_failed_job_count(end: dict[str, Any], tmp_path: Path) -> None:
    """Also those without an end, until that of the job; those that never started do not."""
    maps = [
        {"startTime": 2000, "finishTime": 4000},
        *([{"startTime": 11_000, **end}] * 499),
        {"startTime": -1},
    ]
    failed = {**RUMEN[0], "mapTasks": maps, "outcome": "FAILED"}
    others = [{**failed, "jobID": f"job_{n}", "outcome": "KILLED"} for n in range(1, 5)]
    notes: list[str] = []
    (tmp_path / "r.json").write_bytes(lines([failed, *others]))
    found = read_jobs(tmp_path / "r.json", notes.append)
    assert [concurrency(each) for each in found] == [500] * 5
    assert found[0].stages[0].task_s == pytest.approx((2 + 499 * 10) / 500)
    assert _texts(notes) == [
        "5 jobs did not succeed: job_0 (FAILED), job_1 (KILLED), job_2 (KILLED) and 2 more",
        "2,495 of 2,500 tasks started and have no end: taken as running until the end of the job or of the record",
    ]


def history(*events: tuple[str, dict[str, Any]]) -> bytes:
    """A .jhist file."""
    texts = [json.dumps({"type": kind, "event": {f"org.x.{kind}": fields}}) for kind, fields in events]
    return "\n".join(["Avro-Json", '{"type": "record", "name": "Event"}', "", *texts, ""]).encode()


HISTORY: list[tuple[str, dict[str, Any]]] = [
    ("JOB_SUBMITTED", {"jobid": "job_1_2", "jobName": "sort", "submitTime": 1000}),
    ("JOB_STATUS_CHANGED", {"jobid": "job_1_2", "jobStatus": "RUNNING"}),
    *(("TASK_STARTED", {"taskid": f"m{n}", "taskType": "MAP", "startTime": 2000}) for n in range(3)),
    ("TASK_STARTED", {"taskid": "r0", "taskType": "REDUCE", "startTime": 3000}),
    ("MAP_ATTEMPT_FINISHED", {"taskid": "m0", "attemptId": "m0_0", "finishTime": 4000}),
    ("TASK_FINISHED", {"taskid": "m0", "taskType": "MAP", "finishTime": 4000}),
    ("TASK_FAILED", {"taskid": "m1", "taskType": "MAP", "finishTime": 5000}),
]


def test_a_history_with_a_licence_before_it(tmp_path: Path) -> None:
    """As those of Hadoop's own simulator have one."""
    data = history(*HISTORY, ("JOB_FINISHED", {"jobid": "job_1_2", "finishTime": 8000}))
    (tmp_path / "a").write_bytes(data)
    (tmp_path / "b").write_bytes(b"<!--\n  A licence { with a brace.\n-->\n" + data)
    assert read_jobs(tmp_path / "b") == read_jobs(tmp_path / "a")


@pytest.mark.parametrize("kind", ["JOB_FAILED", "JOB_KILLED", None])
def test_a_history_of_mapreduce(kind: str | None, tmp_path: Path) -> None:
    """Of a job that did not succeed, or still runs: what started has run, until the last time that is known."""
    notes: list[str] = []
    over = [] if kind is None else [(kind, {"jobid": "job_1_2", "finishTime": 8000})]
    (tmp_path / "j.jhist").write_bytes(history(*HISTORY, *over))
    (found,) = read_jobs(tmp_path / "j.jhist", notes.append)
    last = 5 if kind is None else 8
    assert found.stages == (
        Stage("map", 3, (2 + 3 + last - 2) / 3),
        Stage("reduce", 1, last - 3, (0,)),
    )
    assert (found.name, found.submitted_s, found.duration_s) == ("job_1_2", 1.0, 7.0 if kind else None)
    assert sum("2 of 4 tasks started and have no end" in note for note in notes) == 1
    assert sum(f"job_1_2 ({(kind or '').removeprefix('JOB_')})" in note for note in notes) == (
        kind is not None
    )


def test_a_history_of_a_job_that_succeeded(tmp_path: Path) -> None:
    """Has nothing to be noted."""
    notes: list[str] = []
    ends = [("TASK_FINISHED", {"taskid": name, "finishTime": 8000}) for name in ("m2", "r0")]
    (tmp_path / "j.jhist").write_bytes(
        history(*HISTORY, *ends, ("JOB_FINISHED", {"jobid": "job_1_2", "finishTime": 9000}))
    )
    (found,) = read_jobs(tmp_path / "j.jhist", notes.append)
    assert ([stage.tasks for stage in found.stages], found.duration_s, notes) == ([3, 1], 8.0, [])


def _rolled(folder: Path, names: list[str]) -> Path:
    """A rolling log: the events of `SPARK` in files of these names, of about as many lines."""
    folder.mkdir()
    for number, name in enumerate(names):
        (folder / name).write_bytes(lines(SPARK[number * 4 : (number + 1) * 4]))
    (folder / "appstatus_app-1").touch()
    return folder


def test_a_rolling_log_is_read_as_one(tmp_path: Path) -> None:
    """In the order of its numbers, whatever is in the folder besides."""
    (tmp_path / "whole").write_bytes(lines(SPARK))
    folder = _rolled(tmp_path / "eventlog_v2_app-1", ["events_9_app-1", "events_10_app-1", "events_11_app-1"])
    notes: list[str] = []
    assert read_jobs(folder, notes.append)[0].stages == read_jobs(tmp_path / "whole")[0].stages
    assert _texts(notes) == ["some of events_1_... to events_11_... are missing"]


def test_a_compacted_rolling_log(tmp_path: Path) -> None:
    """The compact file stands for those before it, which may still be there."""
    names = ["events_2_app-1.compact", "events_3_app-1", "events_4_app-1.inprogress"]
    folder = _rolled(tmp_path / "eventlog_v2_app-1", names)
    for name in ("events_1_app-1", "events_2_app-1"):
        (folder / name).write_bytes(lines(SPARK[:6]))
    (found,) = read_jobs(folder)
    assert [stage.tasks for stage in found.stages] == [2, 1, 1, 1]


def test_folders_without_a_record(tmp_path: Path) -> None:
    """Are refused, with what is expected in them."""
    with pytest.raises(InputError, match="is a folder without files to read"):
        read_jobs(tmp_path)
    (tmp_path / "eventlog_v2_app-1").mkdir()
    with pytest.raises(InputError, match="is not a rolling Spark event log; allowed: events_1_APPLICATION"):
        read_jobs(tmp_path / "eventlog_v2_app-1")


def test_a_folder_of_records(tmp_path: Path) -> None:
    """Of files of any form and of rolling logs: the jobs of all, in the order of their numbers."""
    (tmp_path / "part-10.json").write_bytes(lines(RUMEN[1:]))
    (tmp_path / "part-9.json.gz").write_bytes(gzip.compress(lines(RUMEN[:1])))
    for name in ("_SUCCESS", ".part-9.json.gz.crc", "job_1_conf.xml"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "eventlog_v2_app-1").mkdir()
    (tmp_path / "eventlog_v2_app-1" / "events_1_app-1").write_bytes(lines(SPARK))
    assert [found.name for found in read_jobs(tmp_path)] == ["job_0", "job_1", "etl"]


@pytest.mark.parametrize("form", FORMS)
def test_a_log_that_is_packed_in_any_form(form: str, tmp_path: Path) -> None:
    """As `spark.eventLog.compression.codec` has it, and others."""
    path = tmp_path / packed_name(form)
    (tmp_path / "log").write_bytes(lines(SPARK))
    path.write_bytes(pack(lines(SPARK), form))
    assert read_jobs(path)[0].stages == read_jobs(tmp_path / "log")[0].stages


def test_jobs_of_swim(tmp_path: Path) -> None:
    """A map for each 128 MiB of input, a reduce for each that is shuffled; no time is known, and that is noted."""
    notes: list[str] = []
    recognised: list[str] = []
    rows = ["job0\t49\t49\t268435457\t2339561\t627471", "job1\t149\t100\t0\t0\t9\tin/a\tout/b"]
    (tmp_path / "fb.tsv").write_text("\n".join([*rows, "job2\tx\t1\t1\t1\t1", ""]))
    first, second = read_jobs(tmp_path / "fb.tsv", notes.append, recognised.append)
    assert first.stages == (Stage("map", 3, 0.0), Stage("reduce", 1, 0.0, (0,)))
    assert (second.stages, second.submitted_s) == ((Stage("map", 1, 0.0),), 149.0)
    (line,) = recognised
    assert line.endswith("fb.tsv: recognised SWIM trace: 2 jobs, 5 tasks, one every 100 s, over 100 s")
    texts = _texts(notes)
    assert texts[0].startswith(
        "1 record left out: not a job, its time and its bytes, first at fb.tsv:3 ('job2"
    )
    assert texts[1].startswith("SWIM has the bytes of jobs, and no tasks or durations: 128 MiB")
    assert len(texts) == 2


@needs_reported
def test_records_that_people_had() -> None:
    """A failed job with maps in flight; a rolling log; one that is cut before its first block ends."""
    notes: list[str] = []
    (failed,) = read_jobs(REPORTED / "rumen-failed-job.json.gz", notes.append)
    assert concurrency(failed) == 500
    assert "1 job did not succeed: " in str(notes)
    (rolled,) = read_jobs(REPORTED / "eventlog_v2_app-1")
    assert sum(stage.tasks for stage in rolled.stages) == 3
    with pytest.raises(InputError, match=r"app\.lz4: is a cut short lz4 \(lz4-java\) file"):
        read_jobs(REPORTED / "app.lz4")


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_a_packed_log_that_is_still_written(codec: str, tmp_path: Path) -> None:
    """Is read as far as it goes, and that is noted."""
    events = [*SPARK[:8], *(started(2, index, 6500 + index % 7) for index in range(9000))]
    with pa.CompressedOutputStream(str(tmp_path / "log"), codec) as out:
        out.write(lines(events))
    data = (tmp_path / "log").read_bytes()
    (tmp_path / "log").write_bytes(data[: len(data) * 2 // 3])
    notes: list[str] = []
    (found,) = read_jobs(tmp_path / "log", notes.append)
    assert 100 < found.stages[2].tasks < 9000
    assert ": 1 record left out: cut short, first at log:" in notes[0]


def test_mutated_records_are_read_or_refused(tmp_path: Path) -> None:
    """Never anything else: bytes changed, cut, doubled."""
    rng = random.Random(5)
    for source in (lines(SPARK), lines(RUMEN), json.dumps(WORKFLOW).encode(), history(*HISTORY)):
        for _ in range(300):
            data = bytearray(source)
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(data))
                data[at : at + rng.randint(0, 3)] = bytes([rng.choice(b'0123456789{}[],:"-e a')])
            (tmp_path / "x").write_bytes(data)
            try:
                read_jobs(tmp_path / "x")
            except FroudeError:
                continue


@pytest.mark.skipif(not (DATA / "wfinstances").is_dir(), reason="no real workflows here")
def test_real_records_never_run_faster_than_their_longest_way() -> None:
    """Of every workflow and log that is there."""
    from froude.harvest.schedule.dags.graph import critical_s

    files = [
        *DATA.glob("wfinstances/*.json.gz"),
        *DATA.glob("spark_eventlogs/*.zstd"),
        *DATA.glob("rumen_gridmix/*m.json.gz"),
    ]
    for file in files:
        for found in read_jobs(file):
            assert found.duration_s is None or critical_s(found) <= found.duration_s * 1.001, file.name


SWIM = "job0\t10\t0\t134217729\t1\t5\njob1\t12\t2\t5\t0\t5\t/in\n"


@pytest.mark.parametrize("between", ["\t", "   ", ",", "; "])
@pytest.mark.parametrize("header", ["", "jobId\tsubmit\tgap\tmap\tshuffle\treduce\n"])
def test_a_swim_trace_however_it_is_separated(between: str, header: str, tmp_path: Path) -> None:
    """With a header or without."""
    (tmp_path / "t.tsv").write_text((header + SWIM).replace("\t", between))
    first, second = read_jobs(tmp_path / "t.tsv")
    assert (first.name, first.submitted_s, [stage.tasks for stage in first.stages]) == ("job0", 10.0, [2, 1])
    assert (second.name, [stage.tasks for stage in second.stages]) == ("job1", [1])


def test_a_rumen_trace_as_a_list(tmp_path: Path) -> None:
    """As tools that need one document write it, with a byte order mark or without."""
    (tmp_path / "r.json").write_text("\ufeff" + json.dumps(RUMEN, indent=1))
    assert [each.name for each in read_jobs(tmp_path / "r.json")] == ["job_0", "job_1"]


def test_histories_one_behind_the_other(tmp_path: Path) -> None:
    """Are as many jobs, with the schema before each or not."""
    first = history(*HISTORY, ("JOB_FINISHED", {"jobid": "job_1_2", "finishTime": 8000}))
    second = first.replace(b"job_1_2", b"job_1_3")
    (tmp_path / "a.jhist").write_bytes(first)
    for data in (first + second, first + b"\n".join(second.split(b"\n")[2:])):
        (tmp_path / "b.jhist").write_bytes(data)
        found = read_jobs(tmp_path / "b.jhist", strict=True)
        assert [each.name for each in found] == ["job_1_2", "job_1_3"]
        assert found[0] == read_jobs(tmp_path / "a.jhist")[0]


def test_a_line_that_does_not_begin_a_record_is_not_cut_short(tmp_path: Path) -> None:
    """The last line is named as what it is."""
    notes: list[str] = []
    (tmp_path / "log").write_bytes(lines(SPARK) + b"\nend of log\n")
    read_jobs(tmp_path / "log", notes.append)
    assert _texts(notes) == ["1 record left out: not JSON, first at log:12 ('end of log')"]


def test_empty_files_of_a_folder_are_left_out(tmp_path: Path) -> None:
    """And counted, if not all are empty."""
    notes: list[str] = []
    (tmp_path / "a").touch()
    with pytest.raises(InputError, match="a: is empty"):
        read_jobs(tmp_path)
    (tmp_path / "b").write_bytes(lines(SPARK))
    assert len(read_jobs(tmp_path, notes.append)) == 1
    assert notes == [f"note: {tmp_path}: 1 empty file left out"]


@pytest.mark.parametrize("form", ["zstd", "lz4 (lz4-java)", "snappy (snappy-java)"])
def test_a_rolling_log_that_is_packed(form: str, tmp_path: Path) -> None:
    """As Spark's codecs do."""
    folder = _rolled(tmp_path / "eventlog_v2_app-1", ["events_1_app-1", "events_2_app-1", "events_3_app-1"])
    for number, path in enumerate(sorted(folder.glob("events_*"))):
        path.with_name(f"{path.name}.codec{'.compact' if not number else ''}").write_bytes(
            pack(path.read_bytes(), form)
        )
        path.unlink()
    (found,) = read_jobs(folder)
    assert [stage.tasks for stage in found.stages] == [2, 1, 1, 1]


@pytest.mark.parametrize(
    "data",
    [
        b"\n \n" + SWIM.encode(),
        b'"job","at","gap","map","shuffle","reduce"\n"job0","10","0","134217729","1","5"\n"job1","12","2","5","0","5"\n',
        SWIM.replace("\t10\t0", "\t10.0\t0.25").encode(),
        SWIM.encode("utf-16"),
        lines(RUMEN).decode().encode("utf-16"),
    ],
)
def test_records_as_other_programs_write_them(data: bytes, tmp_path: Path) -> None:
    """With blank lines before them, in quotes, with decimals, or in UTF-16: nothing is left out."""
    (tmp_path / "t").write_bytes(data)
    assert [each.name[-1] for each in read_jobs(tmp_path / "t", strict=True)] == ["0", "1"]


def test_a_rumen_job_without_maps(tmp_path: Path) -> None:
    """Is one of reduces."""
    jobs = [{name: value for name, value in each.items() if name != "mapTasks"} for each in RUMEN]
    jobs[0]["reduceTasks"] = RUMEN[0]["mapTasks"]
    (tmp_path / "r").write_bytes(lines(jobs[:1]))
    assert [stage.name for stage in read_jobs(tmp_path / "r")[0].stages] == ["reduce"]


def test_an_attempt_that_was_killed_ends_its_task(tmp_path: Path) -> None:
    """Where the task has no end of its own."""
    attempts = [
        ("MAP_ATTEMPT_KILLED", {"taskid": "m0", "finishTime": 7000}),  # of a task that had ended
        ("MAP_ATTEMPT_FAILED", {"taskid": "m2", "finishTime": 2500}),
        ("MAP_ATTEMPT_STARTED", {"taskid": "m2", "startTime": 2600}),
        ("REDUCE_ATTEMPT_KILLED", {"taskid": "r0", "finishTime": 5000}),
        ("JOB_KILLED", {"jobid": "job_1_2", "finishTime": 8000}),
    ]
    (tmp_path / "j.jhist").write_bytes(history(*HISTORY, *attempts))
    (found,) = read_jobs(tmp_path / "j.jhist")
    assert found.stages == (Stage("map", 3, (2 + 3 + 6) / 3), Stage("reduce", 1, 2.0, (0,)))


def test_other_files_of_a_folder_of_records(tmp_path: Path) -> None:
    """Are left out and named; copies count, and are named; a rolling log may have another name."""
    notes: list[str] = []
    for name in ("a.tsv", "b.tsv"):
        (tmp_path / name).write_text(SWIM)
    _rolled(tmp_path / "my-log", ["events_1_app-1", "events_2_app-1", "events_3_app-1"])
    (tmp_path / "README.md").write_text("# Jobs\n")
    (tmp_path / "j.summary").write_text("jobId=job_1_2,submitTime=1000\n")
    assert len(read_jobs(tmp_path, notes.append)) == 5
    assert notes[-2].startswith(
        f"note: {tmp_path}: 2 files left out, such as {tmp_path / 'README.md'}: is not"
    )
    assert notes[-1].startswith(f"note: {tmp_path}: 2 jobs with the name and the submission of another")
    with pytest.raises(InputError, match=r"README\.md: is not a record of jobs"):
        read_jobs(tmp_path, strict=True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("job{n}\t{gap}\t{time}\t5\t0\t5\n", "columns of SWIM; found 5 of 10 steps of its second column up"),
        ("job{n}\t{time}000000\t{gap}000000\t5\t0\t5\n", "columns of SWIM; found jobs over .* days"),
    ],
)
def test_other_columns_than_those_of_swim(line: str, message: str, tmp_path: Path) -> None:
    """Times that do not ascend, or that are hardly seconds."""
    text = "".join(line.format(n=n, time=100 * n, gap=50 + 40 * (n % 2)) for n in range(11))
    (tmp_path / "t.tsv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_jobs(tmp_path / "t.tsv")
