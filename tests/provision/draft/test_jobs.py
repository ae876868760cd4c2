"""Tasks and executions out of contexts, paths and users."""

from __future__ import annotations

import pytest

from froude.provision.draft import jobs
from froude.provision.draft.jobs import Jobs, general, job_of, short_user
from froude.provision.draft.types import Access, Caller, TaskBy, Unit
from froude.provision.types import Op

JOB = "1699999999999_0007"


def access(
    path: str = "/a/f", *, context: str | None = None, user: str = "ann", sender: str | None = None
) -> Access:
    """A read."""
    return Access(0.0, Caller(user, context, sender), Op.READ, "open", path)


@pytest.mark.parametrize(
    ("text", "job"),
    [
        (f"mr_attempt_{JOB}_m_000001_0", JOB),
        (f"mr_appmaster_appattempt_{JOB}_000001", JOB),
        (f"SPARK_TASK_application_{JOB}_JobId_3_StageId_4", JOB),
        (f"/tmp/staging/ann/.staging/job_{JOB}/job.xml", JOB),
        (f"container_e17_{JOB}_01_000002", JOB),
        ("HIVE_QUERY_ID:hive_20261120104407_0f8fad5b-d9cb-469f", "20261120104407_0f8fad5b-d9cb-469f"),
        ("CLI", None),
        (None, None),
    ],
)
def test_a_job_s_id(text: str | None, job: str | None) -> None:
    """Attempts, containers, masters and files of one job share it."""
    assert job_of(text) == job


def test_a_context_without_its_numbers() -> None:
    """Two runs have one name."""
    assert general("nightly_2026-11-20_run7") == general("nightly_2026-11-21_run12") == "nightly_run"
    assert general("20261120") == "unnamed"
    assert len(general("a_" * 5000)) < 1001


def test_users_are_short() -> None:
    """Realm and host are left out."""
    assert [short_user(u) for u in ("hdfs/nn@R", "ann@R", None)] == ["hdfs", "ann", "unknown"]


def test_a_job_is_one_execution_named_by_its_history() -> None:
    """Whatever its calls call themselves; what it is called is learned when it ends."""
    jobs = Jobs()
    places = [
        jobs.place(access(context=f"mr_attempt_{JOB}_m_000001_0")),
        jobs.place(access(f"/s/.staging/job_{JOB}/job.jar")),
    ]
    assert places[0] == places[1]
    assert places[0][2] is Unit.JOB
    assert jobs.task(jobs.labels[places[0][0]]) == "mr ann"
    jobs.heard(f"/done/ann/job_{JOB}-1-ann-word%20count+7-2-4-1-SUCCEEDED-q-3.jhist")
    assert jobs.task(jobs.labels[places[0][0]]) == "word count"


def test_a_client_that_works_for_one_job_is_part_of_it() -> None:
    """Its other calls too; one that works for two is not."""
    jobs = Jobs()
    session = jobs.place(access(context="CLI", sender="s1"))
    job = jobs.place(access(f"/s/job_{JOB}/job.jar", context="CLI", sender="s1"))
    assert jobs.adopted() == {session[1]: (job[0], job[1])}
    jobs.place(access("/s/job_1699999999999_0008/job.jar", sender="s1"))
    assert jobs.adopted() == {}


def test_without_id_and_sender_a_call_stands_alone() -> None:
    """With a sender its calls belong together."""
    jobs = Jobs()
    alone = [jobs.place(access()) for _ in range(2)]
    assert [place[2] for place in alone] == [Unit.CALL] * 2
    assert alone[0][1] != alone[1][1]
    assert jobs.place(access(sender="s")) == jobs.place(access(sender="s"))


@pytest.mark.parametrize(
    ("by", "kind", "text"),
    [
        (TaskBy.AUTO, "context", "CLI ann"),
        (TaskBy.CONTEXT, "context", "CLI"),
        (TaskBy.USER, "user", "ann"),
        (TaskBy.COMMAND, "command", "open"),
    ],
)
def test_what_tells_a_task(by: TaskBy, kind: str, text: str) -> None:
    """Is the user's choice."""
    jobs = Jobs(by)
    label = jobs.labels[jobs.place(access(context="CLI"))[0]]
    assert (label.kind, label.text) == (kind, text)


def test_labels_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the limit all are one."""
    monkeypatch.setattr(jobs, "MOST_LABELS", 2)
    bounded = Jobs()
    numbers = [bounded.place(access(user=f"u{n}"))[0] for n in range(5)]
    assert numbers[:2] == [0, 1]
    assert len(set(numbers[2:])) == 1
