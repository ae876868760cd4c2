"""Reads jobs that others recorded: Spark event logs, Rumen and SWIM traces, .jhist files, WfCommons instances.

A task that started counts as one that ran, also where the record has no end of it, as in a failed job or a running one.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

from froude.base.dropped import CUT_SHORT, SHORT_LOG, Dropped
from froude.base.errors import InputError
from froude.base.files import open_regular, read_at_most
from froude.base.packed import cut_short, parts, unpacked
from froude.base.summary import counted, recognised_text
from froude.harvest.schedule.dags.graph import JobGraph, Stage, checked

LIMIT_BYTES = 2 << 30
_LONGEST_MS = 100 * 365.25 * 86_400_000.0
_MOST_MS = 1e18
_ODD = (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
_BETWEEN = re.compile(r"\s*(?:(?:<!--.*?-->\s*)?Avro-Json\s*)?", re.DOTALL)
"""Blanks before a record, and the first line of a .jhist file; some published files have a licence before it."""
_MANY_BAD = 1000
"""Damaged records from which on no more are read, if they are a fifth of all: for each, all lines before are counted."""
_BEGINS = re.compile(r"^(?:\} ?)?(\{)", re.MULTILINE)
"""Where a next record may begin."""
_SWIM = re.compile(
    r"[^\s,;]+(?:(?:[ \t]+|[,;] ?)\d+(?:\.\d+)?){2}(?:(?:[ \t]+|[,;] ?)\d+){3}(?:[\s,;]|$)",
    re.ASCII | re.MULTILINE,
)
"""A line of SWIM: job, seconds of its submission, seconds since the one before, bytes of input, shuffle and output."""
_SWIM_FILE = re.compile(rf"(?:[^\n{{\[]*[jJ][oO][bB][^\n]*\n)?{_SWIM.pattern}", re.ASCII | re.MULTILINE)
"""It, or a first line before it that names the columns, or is damaged."""
_FEWEST_STEPS, _MOSTLY, _LONGEST_DAYS = 5, 0.9, 1000
"""Steps from one job of SWIM to the next that show its columns, share of them that do, and days of a trace."""
_HEAD = 1 << 16
"""Characters within which a trace of SWIM begins."""
_SPLIT_BYTES = 128 << 20
"""Default of `dfs.blocksize`: SWIM counts bytes, not tasks."""
_ROLLED = re.compile(r"events_(\d+)_.*?(\.compact)?")
_ROLLED_FOLDER = "eventlog_v2_*"
_RECORDS = "a Spark event log, a Rumen or SWIM trace, a .jhist file (Avro-Json) or a WfCommons instance"
_NAMED = 3
"""Failed jobs that are named."""
_SHOWN = 100
"""Characters of a record that was cut short."""
_MOST_DIGITS = 36
"""Of two sizes in bytes, together."""


class _OtherFileError(InputError):
    """A file that is not a record of jobs, such as a README in a folder of them."""


class _Counted:
    """What of a file could not be taken as it is; reported at the end."""

    def __init__(self) -> None:
        self.records = self.untimed = self.unknown = self.tasks = self.endless = 0
        self.dropped = Dropped("record")
        self.record = ""
        """Where the record is that is being read."""
        self.failed: list[str] = []
        """Jobs that did not succeed."""
        self.incomplete: list[str] = []
        """What of the record itself is missing."""

    def damaged(self, error: Exception) -> None:
        """A record that is none of its form."""
        reason = "a field is missing" if isinstance(error, KeyError) else "a value that cannot be there"
        self.dropped.add(reason, self.record, str(error))

    def known(self, duration_s: float | None) -> float | None:
        """How long a job ran."""
        self.unknown += duration_s is None
        return duration_s

    def timed(self, times_s: Sequence[float | None]) -> float:
        """How long a task of a stage runs, mean of those that tell; 0 where none does."""
        self.tasks += len(times_s)
        told = [each for each in times_s if each is not None]
        self.untimed += len(times_s) - len(told)
        return sum(told) / len(told) if told else 0.0

    def lasted(self, begin: object, end: object, until: float | None) -> float | None:
        """How long a task ran: to its end, or, without one, until a time by which it had to be over; milliseconds."""
        ended = _number(end)
        if end is None or (ended is not None and ended <= 0):
            self.endless += 1
            return _seconds(begin, until)
        return _seconds(begin, end)

    def refuse(self, path: Path, *, strict: bool = False) -> None:
        """Refuse a file of which too much is left out."""
        if 2 * self.dropped.total > self.records:
            found = "; ".join(self.dropped.notes())
            raise InputError("is a damaged record of jobs", file=path, found=found)
        self.dropped.refuse(path, self.records, strict=strict, least=SHORT_LOG)

    def notes(self) -> Iterator[str]:
        """What a user has to know."""
        yield from self.dropped.notes()
        yield from self.incomplete
        if self.failed:
            more = f" and {len(self.failed) - _NAMED:,} more" if len(self.failed) > _NAMED else ""
            yield f"{counted(len(self.failed), 'job')} did not succeed: {', '.join(self.failed[:_NAMED])}{more}"
        if self.endless:
            tasks = f"{self.endless:,} of {counted(self.tasks, 'task')}"
            yield f"{tasks} started and have no end: taken as running until the end of the job or of the record"
        if self.unknown:
            yield f"how long {counted(self.unknown, 'job')} ran is not known"
        if self.untimed:
            yield f"how long {counted(self.untimed, 'task')} ran is not known: means are those of the others"


def read_jobs(
    path: Path | str,
    note: Callable[[str], None] | None = None,
    recognised: Callable[[str], None] | None = None,
    *,
    strict: bool = False,
) -> list[JobGraph]:
    """Jobs of a file, of whichever of the five forms; plain or packed.

    A Spark application is one job: the stages of its jobs, each after the jobs that had ended when it was submitted.
    Of a MapReduce job the reduces follow the maps. Each task of a WfCommons workflow is a stage. SWIM counts bytes:
    there is a map for each 128 MiB of input and a reduce for each 128 MiB that is shuffled; how long they ran is not
    known. A tenth of the records may be damaged; times that cannot be are taken as not known.

    Args:
        path: the file, the folder of a rolling Spark event log, or a folder of such files and folders.
        note: called with what was left out, or is not known.
        recognised: called first, with what the file was taken for.
        strict: whether a record that is left out is an error.

    Raises:
        InputError: it cannot be read, is none of them, or holds no job that ran a task.
    """
    path = Path(path)
    if path.is_dir() and not _is_rolled(path):
        return _read_folder(path, note, recognised, strict=strict)
    count = _Counted()
    try:
        form, jobs = _recognised(path, count)
    except _ODD as error:
        raise InputError(
            "is a damaged record of jobs", file=path, found=f"{type(error).__name__}: {error}"[:200]
        ) from error
    count.refuse(path, strict=strict)
    found = checked(jobs, str(path))
    if recognised is not None:
        entities = f"{counted(len(found), 'job')}, {counted(count.tasks, 'task')}"
        recognised(f"{path}: {recognised_text(form, entities, *_interval(found))}")
    if note is not None:
        for text in count.notes():
            note(f"note: {path}: {text}")
    return found


def _read_folder(
    path: Path, note: Callable[[str], None] | None, recognised: Callable[[str], None] | None, *, strict: bool
) -> list[JobGraph]:
    files = [each for each in parts(path, folders="*") if not each.is_dir() or _is_rolled(each)]
    if not files:
        raise InputError("is a folder without files to read", file=path, allowed=_RECORDS)
    full = [each for each in files if each.is_dir() or each.stat().st_size] or files
    jobs: list[JobGraph] = []
    others: list[_OtherFileError] = []
    for file in full:
        try:
            jobs += read_jobs(file, note, recognised, strict=strict)
        except _OtherFileError as error:
            others.append(error)
    if others and (strict or not jobs):
        raise others[0]
    known = [(job.name, job.submitted_s) for job in jobs if job.submitted_s is not None]
    empty, twice = len(files) - len(full), len(known) - len(set(known))
    for count, text in (
        (empty, f"{counted(empty, 'empty file')} left out"),
        (len(others), f"{counted(len(others), 'file')} left out, such as {next(iter(others), None)}"),
        (twice, f"{counted(twice, 'job')} with the name and the submission of another: each counts"),
    ):
        if count and note is not None:
            note(f"note: {path}: {text}")
    return jobs


def _recognised(path: Path, count: _Counted) -> tuple[str, list[JobGraph]]:
    """The form of a file, and its jobs."""
    first, *others = _files(path, count)
    text = _text(first, count)
    if _SWIM_FILE.match(text[:_HEAD].lstrip().replace('"', "")):
        return "SWIM trace", list(_swim(first, text, count))
    line = text.strip().partition("\n")[0]
    if line[:1] not in {"", "{", "["} and not _BEGINS.search(text):
        raise _OtherFileError("is not a record of jobs", file=first, found=line, allowed=_RECORDS)
    values = itertools.chain(
        _objects(first, text, count), *(_objects(each, _text(each, count), count) for each in others)
    )
    head = next(values, None)
    if head is None and not count.records:
        raise InputError("is empty", file=path, allowed=_RECORDS)
    records = itertools.chain([head], values)
    if isinstance(head, dict) and "Event" in head:
        return "Spark event log", _spark(path, records, count)
    if isinstance(head, dict) and isinstance(head.get("workflow"), dict):
        return "WfCommons instance", [_workflow(path, head, count)]
    if isinstance(head, dict) and not {"mapTasks", "jobID"}.isdisjoint(head):
        return "Rumen trace", _rumen(records, count)
    if isinstance(head, dict) and "type" in head:
        return ".jhist file", [_history(path, events, count) for events in _histories(records)]
    count.refuse(path)
    found = f"an object with {', '.join(head)}" if isinstance(head, dict) else head
    raise _OtherFileError("is not a record of jobs", file=path, found=found, allowed=_RECORDS)


def _interval(jobs: Sequence[JobGraph]) -> tuple[float, float | None]:
    """Mean seconds from one submission to the next, 0 for one job; and from the first to the last."""
    times = [job.submitted_s for job in jobs if job.submitted_s is not None]
    if len(times) < 2:
        return 0.0, jobs[0].duration_s if len(jobs) == 1 else None
    span_s = max(times) - min(times)
    return span_s / (len(times) - 1), span_s or None


def _is_rolled(folder: Path) -> bool:
    return fnmatch(folder.name, _ROLLED_FOLDER) or any(map(_ROLLED.fullmatch, map(_name, folder.iterdir())))


def _name(path: Path) -> str:
    return path.name


def _files(path: Path, count: _Counted) -> list[Path]:
    """The file, or those of a rolling log in their order; a compact one holds what those before it held."""
    if not path.is_dir():
        return [path]
    names = [(match, each) for each in path.iterdir() if (match := _ROLLED.fullmatch(each.name))]
    numbered = {(int(match[1]), match[2] is not None): each for match, each in names}
    first = max((number for number, compact in numbered if compact), default=1)
    files = {number: each for (number, _), each in sorted(numbered.items()) if number >= first}
    if not files:
        raise InputError(
            "is not a rolling Spark event log", file=path, allowed="events_1_APPLICATION, ... in it"
        )
    if len(files) <= max(files) - first:
        count.incomplete.append(f"some of events_{first}_... to events_{max(files)}_... are missing")
    return list(files.values())


def _text(path: Path, count: _Counted) -> str:
    with open_regular(path, limit_bytes=LIMIT_BYTES) as raw, unpacked(raw, path, whole=False) as source:
        data = read_at_most(source, path, LIMIT_BYTES)
        cut = cut_short(source)
    if data.startswith(b"Avro-Binary"):
        remedy = "Convert it: `mapred job -history` of the release that wrote it, or the counters of the history server"
        raise InputError("is a .jhist file in binary form, not read here", file=path, remedy=remedy)
    if cut:
        place = data.count(b"\n") + 1
        count.dropped.add(
            CUT_SHORT, f"{path.name}:{place}", data[data.rfind(b"\n") + 1 :].decode(errors="replace")
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if data.startswith((b"{", b"A")):  # a letter was cut, or a line is damaged
            return data.decode(errors="replace")
        raise _OtherFileError("is not text", file=path, found=error) from error


def _objects(path: Path, text: str, count: _Counted) -> Iterator[Any]:
    """JSON values one after another, or in lists; other text is counted, up to a line that may begin a record."""
    decoder, at, line, counted_to = json.JSONDecoder(), 0, 1, 0
    while True:
        between = _BETWEEN.match(text, at)
        at = len(text) if between is None else between.end()
        if at == len(text) or (count.dropped.total >= _MANY_BAD and 5 * count.dropped.total > count.records):
            return
        line, counted_to = line + text.count("\n", counted_to, at), at
        count.record = f"{path.name}:{line}"
        count.records += 1
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            begins = _BEGINS.search(text, at + 1)
            if begins is not None or text[at] not in "{[":
                count.dropped.add("not JSON", count.record, text[at : at + _SHOWN])
            elif CUT_SHORT not in count.dropped.counts():
                count.dropped.add(CUT_SHORT, count.record, text[at : at + _SHOWN])
            at = len(text) if begins is None else begins.start(1)
        else:
            values = value if isinstance(value, list) else [value]
            count.records += len(values) - 1
            yield from values


def _swim(path: Path, text: str, count: _Counted) -> Iterator[JobGraph]:
    head, times = True, list[tuple[float, float]]()
    for number, line in enumerate(text.replace('"', "").splitlines(), 1):
        if not line.strip():
            continue
        fields = re.split(r"[\s,;]+", line.strip())
        titles, head = head and not any(map(str.isdecimal, fields)), False
        if titles:
            continue
        count.records += 1
        if _SWIM.match(line) is None or len(fields[3]) + len(fields[4]) > _MOST_DIGITS:
            count.dropped.add("not a job, its time and its bytes", f"{path.name}:{number}", line)
            continue
        maps, reduces = (
            max(1, math.ceil(int(fields[3]) / _SPLIT_BYTES)),
            math.ceil(int(fields[4]) / _SPLIT_BYTES),
        )
        stages = [Stage("map", maps, 0.0), *([Stage("reduce", reduces, 0.0, (0,))] if reduces else [])]
        count.tasks += maps + reduces
        times.append((float(fields[1]), float(fields[2])))
        yield JobGraph(fields[0], tuple(stages), float(fields[1]))
    _refuse_other_columns(path, times)
    per_task = "128 MiB of input count as a map, 128 MiB of shuffled bytes as a reduce"
    count.incomplete.append(f"SWIM has the bytes of jobs, and no tasks or durations: {per_task}")


def _refuse_other_columns(path: Path, times: Sequence[tuple[float, float]]) -> None:
    """Refuse what has the lines of SWIM, and other columns: times neither ascend nor are the sums of what is between."""
    steps = [(later[0] - before[0], later[1]) for before, later in itertools.pairwise(times)]
    up = sum(step >= 0 for step, _ in steps)
    agree = sum(abs(step - gap) <= 1 for step, gap in steps)
    days = (max(times)[0] - min(times)[0]) / 86400 if times else 0
    if len(steps) >= _FEWEST_STEPS and max(up, agree) < _MOSTLY * len(steps):
        found = f"{up:,} of {counted(len(steps), 'step')} of its second column up"
    elif days > _LONGEST_DAYS:
        found = f"jobs over {days:,.0f} days"
    else:
        return
    allowed = (
        "job, seconds of its submission, seconds since the one before, bytes of input, shuffle and output"
    )
    raise InputError("may not have the columns of SWIM", file=path, found=found, allowed=allowed)


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
    count.failed += log.failed
    duration = None
    if set(log.ended) >= {job.number for job in log.jobs}:
        duration = _seconds(log.begun_ms, max(log.ended.values(), default=None))
    begun = _number(log.begun_ms)
    submitted = None if begun is None else begun / 1000
    named = {stage.number for job in log.jobs for stage in job.stages}
    others = [stage for stage in {**log.times, **log.others} if stage not in named]
    if others:
        tasks = sum(len({**log.times[stage], **log.others[stage]}) for stage in others)
        base = f"{counted(tasks, 'task')} of {counted(len(others), 'stage')}"
        count.incomplete.append(f"{base} belong to jobs whose start is not in the log: they are left out")
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
        self.failed: list[str] = []
        self.last_ms: float | None = None
        """The last time in the log."""
        self.times: dict[int, dict[object, float | None]] = defaultdict(dict)
        """Seconds by stage and task: of a task that ran again, as where its stage did, the last time counts."""
        self.others: dict[int, dict[object, tuple[object, object]]] = defaultdict(dict)
        """Begin and end of tasks that did not succeed, or of which that is not known yet, likewise."""

    def take(self, event: Mapping[str, Any]) -> None:
        """Take one event; an odd one changes nothing."""
        match event["Event"]:
            case "SparkListenerApplicationStart":
                self.name, self.begun_ms = str(event["App Name"]), event["Timestamp"]
                self._passed(self.begun_ms)
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
                self._passed(submitted)
            case "SparkListenerJobEnd":
                self.ended[int(event["Job ID"])] = float(event["Completion Time"])
                self._passed(event["Completion Time"])
                if (event.get("Job Result") or {}).get("Result") == "JobFailed":
                    self.failed.append(f"job {event['Job ID']} of {self.name}")
            case "SparkListenerTaskStart":
                info = event["Task Info"]
                self.others[int(event["Stage ID"])][info["Index"]] = info["Launch Time"], None
                self._passed(info["Launch Time"])
            case "SparkListenerTaskEnd":
                info, ran = event["Task Info"], self.times[int(event["Stage ID"])]
                begin, end = info["Launch Time"], info["Finish Time"]
                self._passed(end)
                if (event.get("Task End Reason") or {}).get("Reason") == "Success":
                    ran[info.get("Index", f"#{len(ran)}")] = _seconds(begin, end)
                elif "Index" in info:
                    self.others[int(event["Stage ID"])][info["Index"]] = begin, end

    def _passed(self, time_ms: object) -> None:
        time = _number(time_ms)
        if time is not None:
            self.last_ms = max(time, self.last_ms or time)

    def ran(self, stage: int, count: _Counted) -> list[float | None]:
        """Seconds of each task of a stage that ran."""
        done = self.times.get(stage, {})
        others = self.others.get(stage, {})
        return [
            *done.values(),
            *(count.lasted(*each, self.last_ms) for task, each in others.items() if task not in done),
        ]


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
            ran = log.ran(stage.number, count)
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
    name, submitted, finished = str(job["jobID"]), job["submitTime"], job.get("finishTime")
    tasks = {kind: job.get(f"{kind}Tasks") or [] for kind in ("map", "reduce")}
    ended = _number(finished) or 0
    until = ended if ended > 0 else max(map(_latest, [job, *itertools.chain(*tasks.values())]))
    for kind, all_ in tasks.items():
        ran = [
            count.lasted(each["startTime"], each.get("finishTime"), until) for each in all_ if _started(each)
        ]
        if ran:
            stages.append(Stage(kind, len(ran), count.timed(ran), (0,) if stages else ()))
    outcome = job.get("outcome") or "SUCCESS"
    if outcome not in {"SUCCESS", "SUCCEEDED"}:
        count.failed.append(f"{name} ({outcome})")
    begun = _number(submitted)
    if begun is None or begun <= 0:
        return JobGraph(name, tuple(stages), None, count.known(None))
    return JobGraph(name, tuple(stages), begun / 1000, count.known(_seconds(begun, finished)))


def _latest(times: Mapping[str, Any]) -> float:
    """The last time that a job, a task or an event has; 0 where it has none."""
    return max(
        _number(times.get(f"{what}Time")) or 0 for what in ("submit", "launch", "start", "finish", "last")
    )


def _started(task: Mapping[str, Any]) -> bool:
    begun = _number(task["startTime"])
    return begun is None or begun > 0


def _history(path: Path, events: Iterable[Any], count: _Counted) -> JobGraph:
    """The job of a .jhist file, by the events of the job and of its tasks."""
    job: dict[str, Any] = {"jobID": path.name, "submitTime": None, "finishTime": None, "lastTime": 0}
    tasks: dict[str, dict[str, Any]] = {}
    for event in events:
        if event.get("type") == "record":  # the schema
            continue
        try:
            (fields,) = event["event"].values()
            job["lastTime"] = max(job["lastTime"], _latest(fields))
            match event["type"].split("_"):
                case ["JOB", "SUBMITTED"]:
                    job |= {"jobID": fields["jobid"], "submitTime": fields["submitTime"]}
                case ["JOB", "FINISHED" | "FAILED" | "KILLED" | "ERROR" as outcome]:
                    job |= {"finishTime": fields["finishTime"]}
                    job |= {} if outcome == "FINISHED" else {"outcome": outcome}
                case ["TASK", "STARTED"]:
                    kind, begun = fields["taskType"], fields["startTime"]
                    tasks.setdefault(fields["taskid"], {"kind": kind, "startTime": begun, "finishTime": None})
                case ["TASK", "FINISHED" | "FAILED"]:
                    tasks[fields["taskid"]]["finishTime"] = fields["finishTime"]
                case [
                    _,
                    "ATTEMPT",
                    "STARTED" | "FAILED" | "KILLED",
                ]:  # the last one, of a task without an end
                    tasks.get(fields.get("taskid"), {})["attemptTime"] = fields.get("finishTime")
        except _ODD as error:
            count.damaged(error)
    for kind in ("map", "reduce"):
        job[f"{kind}Tasks"] = [
            task | {"finishTime": task["finishTime"] or task.get("attemptTime")}
            for task in tasks.values()
            if task["kind"] == kind.upper()
        ]
    return _rumen_job(job, count)


def _histories(events: Iterable[Any]) -> Iterator[list[Any]]:
    """Events by job, of .jhist files one behind the other: each has its schema first, and is submitted once."""
    job: list[Any] = []
    for event in events:
        kinds = {each.get("type") for each in job} if event.get("type") == "JOB_SUBMITTED" else set()
        if job and (event.get("type") == "record" or "JOB_SUBMITTED" in kinds):
            yield job
            job = []
        job.append(event)
    yield job


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
