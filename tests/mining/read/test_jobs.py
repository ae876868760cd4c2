"""Jobs of YARN, as their processes name them."""

from __future__ import annotations

import pytest

from froude.mining.read.events import Recording
from froude.mining.read.jobs import application_of, jobs_of
from froude.mining.read.senders import Sender, senders_of
from froude.workload.scale import Scale
from tests.support.mining.events import event

STAMP = 1795768550992
NAME, NUMBER = (
    "application_submission_context.application_name",
    "application_submission_context.application_id.id",
)


def _senders(*runs: list[tuple[str, int, str]]) -> list[Sender]:
    """Of each run: clients that submit jobs of a name, an application master and a reduce of each."""
    recordings = []
    for jobs in runs:
        events = []
        for name, number, client in jobs:
            submitted = {NAME: name, NUMBER: number}
            master = f"mr_appmaster_{STAMP}_{number:04}_000001"
            events += [
                event(len(events), "submitApplication", submitted, client=client, caller_context="CLI"),
                event(len(events) + 1, "mkdirs", client=f"m{number}", caller_context=master),
                event(
                    len(events) + 2,
                    "create",
                    client=f"r{number}",
                    caller_context=f"mr_attempt_{STAMP}_{number:04}_r_000000_0",
                ),
            ]
        recordings.append(Recording(events, Scale.of(n=len(jobs))))
    return senders_of(recordings)[0]


COUNT, TOTAL, SORT = ("count of 1", 1, "a"), ("total", 2, "b"), ("sort", 2, "a")


@pytest.mark.parametrize(
    ("runs", "jobs"),
    [
        pytest.param(
            [[COUNT, TOTAL], [("total", 1, "a"), ("count of 12", 2, "b")]], True, id="each in each run"
        ),
        pytest.param([[COUNT, SORT], [COUNT, SORT]], True, id="one client submits several"),
        pytest.param([[COUNT], [COUNT]], False, id="one name"),
        pytest.param([[COUNT, TOTAL], [COUNT]], False, id="not in every run"),
    ],
)
def test_jobs_are_told_apart_by_names_that_every_run_has(
    runs: list[list[tuple[str, int, str]]], *, jobs: bool
) -> None:
    """In whichever order they were submitted; numbers within names do not count."""
    senders = _senders(*runs)
    found = jobs_of(senders, len(runs))
    of_tasks = [(sender.run, found[id(sender)]) for sender in senders if sender.key[0] in "mr" if found]
    expected = [
        (run, name.replace("12", "#").replace("1", "#"))
        for run, listed in enumerate(runs)
        for name, *_ in listed
    ]
    assert of_tasks == ([each for each in expected for _ in "mr"] if jobs else [])
    assert [application_of(sender) for sender in senders if sender.run == 0 and sender.key[0] == "r"] == [
        number for _, number, _ in runs[0]
    ]
