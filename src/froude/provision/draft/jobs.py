"""Which task and which execution a call belongs to: job ids, contexts, users, and the names of jobs.

Source: what Hadoop's programs call themselves (`mr_attempt_…`, `SPARK_TASK_application_…`, `tez_…`,
`HIVE_QUERY_ID:…`), and org.apache.hadoop.mapreduce.v2.jobhistory.FileNameIndexUtils for a finished job's file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote

from froude.provision.draft.types import Access, Caller, TaskBy, Unit

MOST_LABELS = 100_000
"""Job types, users or contexts that are told apart; further ones count as one."""

_JOB = re.compile(
    r"(?:job|application|appattempt|attempt|task|container(?:_e\d+)?|dag)_(\d{5,})_(\d+)|hive_(\d{8,})_([0-9a-f-]{8,36})"
)
_HISTORY = re.compile(r"/(job_\d+_\d+)-\d+-[^-/]*-([^-/]+)-[^/]*\.jhist(?:_tmp)?$")
_SESSION = "sender "
_LONGEST = 1000
"""Characters of a name that tell it apart: what a file says may be of any length."""
_ENGINE = re.compile(r"[A-Za-z]+")
_NUMBERS = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F-]{27,}|[0-9a-fA-F]{16,}|\d+")


@dataclass(frozen=True, slots=True)
class Label:
    """What a task is told by."""

    kind: str
    """`job`, `context`, `user`, `command`."""
    text: str


@dataclass(slots=True)
class Jobs:
    """Names tasks and numbers executions as accesses come by; what a job is called may be learned late.

    Memory grows with the distinct jobs and client processes, not with the calls.
    """

    by: TaskBy = TaskBy.AUTO
    labels: list[Label] = field(default_factory=list)
    """By number."""
    executions: int = 0
    _labels: dict[Label, int] = field(default_factory=dict)
    _runs: dict[tuple[int, str], int] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)
    _owners: dict[str, tuple[str, str]] = field(default_factory=dict)
    _senders: dict[str, str] = field(default_factory=dict)
    """The one job that a client process worked for; empty once there are two."""

    def place(self, access: Access) -> tuple[int, int, Unit]:
        """Numbers of an access's label and execution, and what that execution is."""
        caller = access.caller
        job = job_of(caller.context) or job_of(access.path)
        if job is not None:
            self._own(job, caller)
            if caller.sender and self._senders.setdefault(caller.sender, job) != job:
                self._senders[caller.sender] = ""
        label = self._label(self._choose(access, job))
        if self.by is TaskBy.COMMAND or (job is None and caller.sender is None):
            self.executions += 1
            return label, self.executions - 1, Unit.CALL
        key = (label, job or f"{_SESSION}{caller.sender}")
        run = self._runs.get(key)
        if run is None:
            run = self._runs[key] = self.executions
            self.executions += 1
        return label, run, Unit.JOB if job else Unit.SESSION

    def adopted(self) -> dict[int, tuple[int, int]]:
        """Sessions of processes that worked for one job alone, such as the client that submits it.

        Returns:
            For each such execution the label and the number of its job's.
        """
        if self.by is not TaskBy.AUTO:
            return {}
        sessions = {}
        for (_, key), run in self._runs.items():
            job = self._senders.get(key.removeprefix(_SESSION)) if key.startswith(_SESSION) else None
            label = self._labels.get(Label("job", job)) if job else None
            if job and label is not None and (label, job) in self._runs:
                sessions[run] = label, self._runs[label, job]
        return sessions

    def heard(self, path: str) -> None:
        """Learn a job's name from the file that MapReduce keeps of it."""
        if ".jhist" in path:
            match = _HISTORY.search(path)
            if match is not None:
                self._names[job_of(match[1]) or ""] = unquote(match[2])

    def task(self, label: Label) -> str:
        """What the task of a label is called, numbers left out."""
        if label.kind != "job":
            return label.text
        name = self._names.get(label.text)
        if name:
            return general(name)
        engine, user = self._owners.get(label.text, ("job", ""))
        return f"{engine} {user}".strip()

    def _choose(self, access: Access, job: str | None) -> Label:
        caller = access.caller
        if self.by is TaskBy.COMMAND:
            return Label("command", access.command)
        if self.by is TaskBy.AUTO and job is not None:
            return Label("job", job)
        if self.by is not TaskBy.USER and caller.context:
            called = general(caller.context)
            shell = self.by is TaskBy.AUTO and called == "CLI"  # any command of anybody
            return Label("context", f"{called} {caller.user}" if shell else called)
        return Label("user", caller.user)

    def _label(self, label: Label) -> int:
        number = self._labels.get(label)
        if number is None:
            if len(self.labels) >= MOST_LABELS:
                label = Label("user", "other")
            number = self._labels.setdefault(label, len(self.labels))
            if number == len(self.labels):
                self.labels.append(label)
        return number

    def _own(self, job: str, caller: Caller) -> None:
        """Note who runs a job: the first to call itself after it, else the first to touch its files."""
        known = self._owners.get(job)
        if known is not None and known[0] != "job":
            return
        engine = _ENGINE.match(caller.context or "") if job_of(caller.context) else None
        self._owners[job] = (engine[0].lower() if engine else "job", known[1] if known else caller.user)


def job_of(text: str | None) -> str | None:
    """The id that a job's attempts, containers and files share, in a context or a path; None without one."""
    if not text or "_" not in text:
        return None
    match = _JOB.search(text)
    if match is None:
        return None
    return f"{match[1]}_{match[2]}" if match[1] else f"{match[3]}_{match[4]}"


def general(text: str) -> str:
    """A context or a job's name without numbers and ids, so that two runs of one thing are called alike."""
    plain = _NUMBERS.sub("#", text[:_LONGEST])
    return re.sub(r"[\W_]*#[\W_#]*", "_", plain).strip("_ :-") or "unnamed"


def short_user(user: str | None) -> str:
    """A user without realm and host."""
    return re.split(r"[/@]", user or "", maxsplit=1)[0] or "unknown"
