"""Which job a process of YARN is part of, by the name that its client submitted it under."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from froude.mining.read.senders import Sender

_CONTEXT = re.compile(r"_\d{10,}_(\d{4,})")
"""In the name of an application, of an attempt or of a task: its time stamp, and the application's number."""
_NUMBER = re.compile(r"\d+")
_SUBMITTED = "application_submission_context.application_id.id"
_NAME = "application_submission_context.application_name"


def application_of(sender: Sender) -> int | None:
    """The number of the application that a process says it is part of; None for none."""
    named = _CONTEXT.search(sender.first.caller_context or "")
    return None if named is None else int(named[1])


def applications_of(sender: Sender) -> list[int]:
    """The numbers of the applications that a client submits, in order."""
    return [number for call in sender.own if isinstance(number := call.request.get(_SUBMITTED), int)]


def jobs_of(senders: Sequence[Sender], runs: int) -> dict[int, str]:
    """The name of each process's job without its numbers, by identity (`id`), where every run has jobs of several names.

    Args:
        senders: of all runs.
        runs: how many there are.

    Returns:
        Nothing where there are none, or where some run lacks a job of some name: then names tell no jobs apart.
    """
    names: dict[tuple[int, int | None], str] = {}
    for sender in senders:
        submissions = [call.request for call in sender.own if _SUBMITTED in call.request]
        for number, request in zip(applications_of(sender), submissions, strict=True):
            names[sender.run, number] = _NUMBER.sub("#", str(request.get(_NAME)))
    seen: dict[str, set[int]] = defaultdict(set)
    for (run, _), name in names.items():
        seen[name].add(run)
    if len(seen) < 2 or any(len(having) < runs for having in seen.values()):
        return {}
    part_of = {id(each): next(iter(applications_of(each)), application_of(each)) for each in senders}
    return {id(each): names.get((each.run, part_of[id(each)]), "") for each in senders}
