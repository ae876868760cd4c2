"""What MapReduce jobs did, by their counters: the history server's JSON, or the .jhist file of a job.

A part of such a document that is of another kind is refused with its place.

Source: the MapReduce History Server's REST API (`/ws/v1/history/mapreduce/jobs/JOB/counters`), and
org.apache.hadoop.mapreduce.jobhistory.{EventWriter, JobSubmitted, JobFinished}.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from froude.base.errors import InputError
from froude.base.packed import read_unpacked
from froude.documents.plain import parse_json
from froude.provision.inputs.units import RANGES, Dimension

_LONGEST = 200
"""Characters of what was found, in an error."""
LIMIT_BYTES = 1 << 28
_PACKAGE = "org.apache.hadoop.mapreduce.jobhistory."
_HISTORY = re.compile(r'\s*(?:Avro-Json\s|\{\s*"type"\s*:)')
"""How a .jhist file begins: with its form, or, cut out of one, with an event."""
_UNSUCCESSFUL = ("JOB_FAILED", "JOB_KILLED", "JOB_ERROR")
_KINDS = ("JOB_SUBMITTED", "JOB_FINISHED", *_UNSUCCESSFUL)
"""Events of a job as a whole that are read."""
_MOST_TASKS, _MOST_BYTES = RANGES[Dimension.COUNT][1], RANGES[Dimension.SIZE][1]
_MOST_MS = RANGES[Dimension.TIME][1] * 1000
_MOST = {
    "TOTAL_LAUNCHED_MAPS": _MOST_TASKS,
    "TOTAL_LAUNCHED_REDUCES": _MOST_TASKS,
    "DATA_LOCAL_MAPS": _MOST_TASKS,
    "RACK_LOCAL_MAPS": _MOST_TASKS,
    "OTHER_LOCAL_MAPS": _MOST_TASKS,
    "HDFS_BYTES_READ": _MOST_BYTES,
    "HDFS_BYTES_WRITTEN": _MOST_BYTES,
    "REDUCE_SHUFFLE_BYTES": _MOST_BYTES,
    "PHYSICAL_MEMORY_BYTES": _MOST_BYTES,
    "CPU_MILLISECONDS": _MOST_MS,
}
"""The counters that are read, each with the most that an application may say; those of a job's own may be anything."""


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
        InputError: of neither form, a job that did not finish, without counters, or with one that cannot be.
    """
    data = read_unpacked(path, limit_bytes=LIMIT_BYTES)
    if data.startswith(b"Avro-Binary"):
        raise InputError(
            "is a .jhist file in binary form",
            file=path,
            place=1,
            found="Avro-Binary",
            allowed="Avro-Json, or the counters that the history server answers with",
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _other(path, "bytes that are no UTF-8", place=f"byte {error.start}") from error
    if not text.strip():
        raise _other(path, "an empty file")
    if _HISTORY.match(text):
        return _of_history(path, text)
    try:
        document = parse_json(data, str(path))
    except InputError as error:
        raise _other(path, _why(error), place=error.place) from error
    return _of_rest(Node(path, "", document))


def _other(path: Path, found: str, *, place: str | None = None) -> InputError:
    return InputError(
        "holds no counters of a job",
        file=path,
        place=place,
        found=found,
        allowed="JSON of /ws/v1/history/mapreduce/jobs/JOB/counters, or a .jhist file of a finished job",
    )


def _why(error: InputError) -> str:
    """What is wrong with a text that shall be JSON; it is Hadoop's, not of ours."""
    return f"a text that {error.message.replace(' of ours', '')}"


def _of_rest(document: Node) -> JobCounters:
    job = document.optional("jobCounters")
    if job is None:
        raise _other(document.file, "JSON without jobCounters")
    counters = [c for group in job.field("counterGroup").items() for c in group.field("counter").items()]
    kinds = [_values(counters, f"{kind}CounterValue") for kind in ("total", "map", "reduce")]
    return _job(document.file, job.field("id").text(), None, kinds)


def _of_history(path: Path, text: str) -> JobCounters:
    name = submitted_ms = finished = None
    kinds: set[str] = set()
    for kind, event in _events(path, text):
        if kind in kinds:
            remedy = "Give each job as a file of its own"
            raise InputError("has a second job", file=path, place=event.place, found=kind, remedy=remedy)
        kinds.add(kind)
        if kind == "JOB_SUBMITTED":
            submitted = event.field(f"{_PACKAGE}JobSubmitted")
            called, begun = submitted.optional("jobName"), submitted.optional("submitTime")
            name = None if called is None else called.text()
            submitted_ms = None if begun is None else begun.whole(_MOST_MS)
        elif kind in _UNSUCCESSFUL:
            raise _other(
                path, f"{kind}: the job did not succeed, and its file has no counters", place=event.place
            )
        else:
            finished = _finished(event.field(f"{_PACKAGE}JobFinished"), name, submitted_ms)
    if finished is None:
        raise _other(path, "no JOB_FINISHED")
    return finished


def _finished(event: Node, name: str | None, submitted_ms: int | None) -> JobCounters:
    end = event.field("finishTime")
    finished_ms = end.whole(_MOST_MS)
    if submitted_ms is not None and finished_ms < submitted_ms:
        raise end.wrong("is before the job was submitted", allowed=f"{submitted_ms} or later")
    kinds = [
        _values(
            [c for group in event.field(kind).field("groups").items() for c in group.field("counts").items()],
            "value",
        )
        for kind in ("totalCounters", "mapCounters", "reduceCounters")
    ]
    times = (None if submitted_ms is None else submitted_ms / 1000, finished_ms / 1000)
    return _job(event.file, event.field("jobid").text(), name, kinds, times=times)


def _events(path: Path, text: str) -> Iterator[tuple[str, Node]]:
    """(type, event) of a job as a whole; those of its tasks are passed over unread."""
    # Not by splitlines: a job's name may hold what Unicode counts as the end of a line.
    for number, line in enumerate(text.split("\n"), 1):
        plain = line.strip()
        if plain in {"", "Avro-Json"}:
            continue
        if not (plain[0] == "{" and plain[-1] == "}"):
            raise _no_event(path, number, plain[:200])
        if any(f'"{kind}"' in plain[:60] for kind in _KINDS):
            try:
                event = Node(path, str(number), parse_json(plain.encode(), str(path)))
            except InputError as error:
                raise _no_event(path, number, _why(error)) from error
            kind = event.field("type").text()
            if kind in _KINDS:
                yield kind, event.field("event")


def _no_event(path: Path, line: int, found: str) -> InputError:
    allowed = '{"type": …, "event": {…}}, each on a line of its own'
    return InputError("is no event of a job", file=path, place=line, found=found, allowed=allowed)


def _values(counters: Iterable[Node], field: str) -> dict[str, int]:
    """The counters that are needed, by name."""
    values: dict[str, int] = {}
    for counter in counters:
        name = counter.field("name").text()
        if name not in _MOST:
            continue
        if name in values:
            raise InputError(
                "is a counter again", file=counter.file, place=counter.place, found=name, allowed="each once"
            )
        named = Node(counter.file, f"{counter.place} ({name})", counter.value)
        values[name] = named.field(field).whole(_MOST[name])
    return values


def _job(
    path: Path,
    job: str,
    name: str | None,
    kinds: Sequence[Mapping[str, int]],
    *,
    times: tuple[float | None, float | None] = (None, None),
) -> JobCounters:
    total, of_maps, of_reduces = kinds
    maps, reduces = (total.get(f"TOTAL_LAUNCHED_{kind}", 0) for kind in ("MAPS", "REDUCES"))
    if not maps + reduces:
        raise _other(path, "neither TOTAL_LAUNCHED_MAPS nor TOTAL_LAUNCHED_REDUCES above 0")
    near = total.get("DATA_LOCAL_MAPS", 0) + total.get("RACK_LOCAL_MAPS", 0)
    located = near + total.get("OTHER_LOCAL_MAPS", 0)
    return JobCounters(
        job,
        name,
        _stage(maps, of_maps),
        _stage(reduces, of_reduces),
        float(total.get("REDUCE_SHUFFLE_BYTES", 0)),
        near / located if located else None,
        *times,
    )


def _stage(tasks: int, counters: Mapping[str, int]) -> Stage:
    names = ("HDFS_BYTES_READ", "HDFS_BYTES_WRITTEN", "CPU_MILLISECONDS", "PHYSICAL_MEMORY_BYTES")
    read, written, cpu_ms, memory = (float(counters.get(name, 0)) for name in names)
    return Stage(tasks, read, written, cpu_ms / 1000, memory)


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a document.

    Args:
        place: of the value in it; empty for the whole.
    """

    file: Path
    place: str
    value: Any

    def optional(self, name: str) -> Node | None:
        """A field of an object; None where it has none, or null.

        Raises:
            InputError: it is no object.
        """
        absent = isinstance(self.value, dict) and self.value.get(name) is None
        return None if absent else self.field(name)

    def field(self, name: str) -> Node:
        """A field of an object.

        Raises:
            InputError: it is no object, or has no such field.
        """
        if not isinstance(self.value, dict):
            raise self.wrong("is no object", allowed=f"an object with {name}")
        if name not in self.value:
            fields = ", ".join(list(self.value)[:8]) or "no field"
            raise InputError(
                f"has no {name}",
                file=self.file,
                place=self.place or None,
                found=fields[:_LONGEST],
                allowed=name,
            )
        return Node(self.file, f"{self.place}.{name}".lstrip("."), self.value[name])

    def items(self) -> Iterator[Node]:
        """The items of a list.

        Raises:
            InputError: it is no list.
        """
        if not isinstance(self.value, list):
            raise self.wrong("is no list", allowed="a list")
        for number, item in enumerate(self.value):
            yield Node(self.file, f"{self.place}[{number}]", item)

    def text(self) -> str:
        """A text.

        Raises:
            InputError: it is none.
        """
        if not isinstance(self.value, str):
            raise self.wrong("is no text", allowed="a text")
        return self.value

    def whole(self, most: float) -> int:
        """A whole number from 0 to `most`.

        Raises:
            InputError: it is none.
        """
        number = self.value
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= most:
            raise self.wrong("is no count", allowed=f"a whole number from 0 to {most:g}")
        return number

    def wrong(self, message: str, *, allowed: str) -> InputError:
        """The error of this value."""
        return InputError(
            message, file=self.file, place=self.place or None, found=_shown(self.value), allowed=allowed
        )


def _shown(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return json.dumps(value)[:_LONGEST]
