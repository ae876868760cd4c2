"""A queue of jobs in HDFS, whose workers lock each job by a file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hdfs_native import Client

from benchmarks.unseen.clients import client_of, open_folders, read, write, write_text
from froude.base import parallel
from froude.experiment.record.jobs import JobDefinition, Recorder
from froude.workload.scale import Scale

STALE_EVERY = 4
"""Jobs of which one is still locked by a worker that died."""
FAILING_EVERY = 5
"""Jobs of which one fails at first, and is queued again."""
ALIVE_EVERY = 3
"""Jobs after which a worker says that it is alive."""
RESULT_BYTES = 9 << 17


def work_off(recorder: Recorder, scale: Scale, scratch: Path) -> None:
    """Queue jobs, some with a stale lock; workers lock, do and move each job dealt to them, and then what failed.

    Args:
        recorder: the cluster that is recorded.
        scale: `jobs` and `workers` are looked at.
        scratch: not used.
    """
    jobs, workers = int(scale["jobs"].value), int(scale["workers"].value)
    open_folders(
        recorder.uri, *(f"/queue/{each}" for each in ("new", "again", "done", "locks", "alive", "results"))
    )
    with client_of("submitter", recorder.uri) as client:
        for job in range(jobs):
            write_text(client, f"/queue/new/.job-{job:04d}", f"{{'job': {job}}}\n")
            client.rename(f"/queue/new/.job-{job:04d}", f"/queue/new/job-{job:04d}")
            if _every(job, STALE_EVERY):
                write_text(client, f"/queue/locks/job-{job:04d}", "worker-gone\n")
        list(client.list_status("/queue/new", recursive=False))
    for part in ("new", "again"):
        parallel.gang(partial(_work, uri=recorder.uri, jobs=jobs, workers=workers, part=part), workers)
    with client_of("submitter", recorder.uri) as client:
        client.get_content_summary("/queue/results")
        for part in ("new", "again", "locks", "alive"):
            client.delete(f"/queue/{part}", recursive=True)


def _every(number: int, every: int) -> bool:
    return number % every == every - 1


def _work(number: int, *, uri: str, jobs: int, workers: int, part: str) -> None:
    own = [job for job in range(number, jobs, workers) if part == "new" or _every(job, FAILING_EVERY)]
    with client_of("worker", uri) as client:
        for done, job in enumerate(own):
            if done % ALIVE_EVERY == 0:
                write_text(client, f"/queue/alive/worker-{number + 1}", f"{done}\n", overwrite=True)
            _do(client, job, part)


def _do(client: Client, job: int, part: str) -> None:
    name = f"job-{job:04d}"
    lock = f"/queue/locks/{name}"
    try:
        write_text(client, lock, "worker\n")
    except FileExistsError:
        client.get_file_info(lock)
        client.delete(lock)
        write_text(client, lock, "worker\n")
    read(client, f"/queue/{part}/{name}")
    if part == "new" and _every(job, FAILING_EVERY):
        client.rename(f"/queue/new/{name}", f"/queue/again/{name}")
    else:
        write(client, f"/queue/results/{name}.out", RESULT_BYTES if job % 2 else RESULT_BYTES // 3)
        client.rename(f"/queue/{part}/{name}", f"/queue/done/{name}")
    client.delete(lock)


QUEUE = JobDefinition(
    name="lock-queue",
    what="Workers lock, do and move the jobs dealt to them, some with stale locks, some at the second try.",
    run=work_off,
    train=(
        Scale.of(datanodes=2, jobs=13, workers=2),
        Scale.of(datanodes=3, jobs=22, workers=3),
        Scale.of(datanodes=4, jobs=9, workers=1),
        Scale.of(datanodes=5, jobs=17, workers=4),
    ),
    held_out=Scale.of(datanodes=10, jobs=44, workers=8),
    play=Scale.of(datanodes=50, jobs=1000, workers=40),
)
