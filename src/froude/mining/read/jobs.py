"""Which job a process of YARN is part of, by the name that its client submitted it under."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from froude.mining.read.senders import Sender
from froude.workload.types import Scalar

_CONTEXT = re.compile(r"_\d{10,}_(\d{4,})")
"""In the name of an application, of an attempt or of a task: its time stamp, and the application's number."""
_NUMBER = re.compile(r"\d+")
_SUBMITTED = "application_submission_context.application_id.id"
_NAME = "application_submission_context.application_name"


def application_of(sender: Sender) -> int | None:
    """The number of the application that a process says it is part of, or that it submits; None for none."""
    named = _CONTEXT.search(sender.first.caller_context or "")
    submitted = (call.request.get(_SUBMITTED) for call in sender.own)
    number = int(named[1]) if named else next(filter(None, submitted), None)
    return number if isinstance(number, int) else None


def jobs_of(senders: Sequence[Sender], runs: int) -> dict[int, str]:
    """The name of each process's job without its numbers, by identity (`id`), where every run has jobs of several names.

    Args:
        senders: of all runs.
        runs: how many there are.

    Returns:
        Nothing where there are none, or where some run lacks a job of some name: then names tell no jobs apart.
    """
    names: dict[tuple[int, Scalar | None], str] = {}
    for sender in senders:
        for call in sender.own:
            if isinstance(name := call.request.get(_NAME), str):
                names[sender.run, call.request.get(_SUBMITTED)] = _NUMBER.sub("#", name)
    seen: dict[str, set[int]] = defaultdict(set)
    for (run, _), name in names.items():
        seen[name].add(run)
    if len(seen) < 2 or any(len(having) < runs for having in seen.values()):
        return {}
    return {id(each): names.get((each.run, application_of(each)), "") for each in senders}
