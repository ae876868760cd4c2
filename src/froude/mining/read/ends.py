"""Which nodes were at work when a recording ended: what they did afterwards is not in it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from froude.mining.read.canonical import Token
from froude.mining.read.events import Recording
from froude.mining.read.knowledge import LIFETIMES
from froude.mining.read.senders import Sender, senders_of
from froude.workload.scale import Scale, size_of
from froude.workload.types import SCRIPTED, Finding

_NUMBER = re.compile(r"-?\d+")
_BEATS, _LATE = 3, 1.5
"""Periodic calls that show a period, and how many of these pass at most before the next one is seen."""
SETTLED_S = 3.0
"""Less than a recording goes on after its job: whoever was silent for longer is no part of the job, or waits."""
_FEWEST_SIZES = 2
"""Sizes that must be left for a run to be left out: from one alone nothing can be extrapolated."""


def at_work(recordings: Sequence[Recording], senders: Sequence[Sender]) -> Iterator[tuple[Sender, float]]:
    """Senders that may have gone on after the end of their run, and for how many seconds they had been silent.

    Their next periodic call was not due yet, a file was open, or pauses as long followed such a call elsewhere.

    Args:
        recordings: the runs.
        senders: of all runs; those that a program of their own plays, as daemons are, are left out.
    """
    ends_s = [max((event.end_s for event in recording.events), default=0.0) for recording in recordings]
    longest_s: dict[tuple[str, Token], float] = defaultdict(float)
    scripted = [sender for sender in senders if sender.role.program == SCRIPTED and sender.own]
    for sender in scripted:
        for call, following in pairwise(sender.own):
            key = (sender.role.name, call.token)
            longest_s[key] = max(longest_s[key], following.start_s - call.event.end_s)
    for sender in scripted:
        last = sender.own[-1]
        silent_s = ends_s[sender.run] - max(event.end_s for event, _ in last.raw)
        beats_s = _beats_s(sender)
        if len(beats_s) == _BEATS:
            due_s = _LATE * (beats_s[-1] - beats_s[0]) / (_BEATS - 1)
            going_on = ends_s[sender.run] - beats_s[-1] <= due_s
        else:
            going_on = silent_s <= longest_s[sender.role.name, last.token] or _is_open(sender)
        if going_on:
            yield sender, silent_s


def _beats_s(sender: Sender) -> list[float]:
    """When the sender made its last periodic calls that show a period."""
    return [call.start_s for call in sender.periodic if call.token[1] not in LIFETIMES][-_BEATS:]


def _is_open(sender: Sender) -> bool:
    """Whether the sender had opened what it did not close."""
    for call in reversed(sender.own):
        if not call.token[0].endswith("ClientProtocol"):  # another protocol's `create` opens nothing
            continue
        for lifetime in LIFETIMES.values():
            if call.token[1] in lifetime.closes or call.event.error is not None:
                return False
            if call.token[1] in lifetime.opens:
                return True
    return False


def whole(recordings: Sequence[Recording]) -> tuple[list[Recording], list[Finding]]:
    """The runs that went on until their nodes had ended, and what is said of the others.

    A run was cut short where a node had a file open at its end, or made periodic calls. One at whose end some or all
    were silent for less than between two calls before may have been: it is named and kept. What is at work at the end
    of all runs is a service.

    Args:
        recordings: the runs.

    Returns:
        All of them where fewer than two sizes would be left: then nothing can be said of another size.
    """
    senders = [each for each in senders_of(recordings)[0] if each.own and each.role.program == SCRIPTED]
    working = [(sender, silent_s) for sender, silent_s in at_work(recordings, senders)]
    runs: dict[object, set[int]] = defaultdict(set)
    for sender in senders:
        runs[_kind(sender)].add(sender.run)
    for sender, _ in working:
        runs[_kind(sender)].discard(sender.run)
    job = [sender for sender in senders if runs[_kind(sender)]]
    active = [sender for sender, silent_s in working if runs[_kind(sender)] and silent_s < SETTLED_S]
    # A pause as long as one before proves nothing.
    cut = {each.run for each in active if _is_open(each) or len(_beats_s(each)) == _BEATS}
    left = [recording for run, recording in enumerate(recordings) if run not in cut]
    enough = len({size_of(recording.scale) for recording in left}) >= _FEWEST_SIZES
    then = "it is left out" if enough else "what would have followed is not known"
    ended = [
        Finding(
            f"the recording at {_size(recordings[run])} ended while its nodes were at work: {then}; "
            "record it for longer",
            fatal=not enough,
        )
        for run in sorted(cut)
    ]
    soon = [
        Finding(
            f"the recording at {_size(recordings[run])} ended sooner after its last call than the others: if its job "
            "had not ended, record it for longer",
            fatal=False,
        )
        for run in sorted(({each.run for each in active} | _less_silent(recordings, job)) - cut)
    ]
    return left if enough else list(recordings), [*ended, *soon]


def _size(recording: Recording) -> Scale:
    return Scale(dict(recording.scale))


def _less_silent(recordings: Sequence[Recording], senders: Sequence[Sender]) -> set[int]:
    """A run at whose end all were silent for less than between two calls, while they were for longer in all others."""
    times_s: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for sender in senders:
        times_s[sender.run] += [(call.start_s, call.event.end_s) for call in sender.own]
    lull_s, silent_s = 0.0, dict[int, float]()
    for run, listed in times_s.items():
        busy_s = 0.0
        for start_s, end_s in sorted(listed):
            lull_s = max(lull_s, start_s - busy_s if busy_s else 0.0)
            busy_s = max(busy_s, end_s)
        silent_s[run] = max(event.end_s for event in recordings[run].events) - busy_s
    first, *others = sorted(silent_s, key=silent_s.__getitem__)[:2] or [0]
    settled_s = silent_s[others[0]] if others else 0.0
    settled = bool(others) and min(lull_s, SETTLED_S) <= settled_s
    return {first} if settled and silent_s[first] < min(lull_s, settled_s / 2) else set()


def _kind(sender: Sender) -> object:
    """What senders of one kind have in common: how they begin."""
    texts = (value for value in sender.own[0].request.values() if isinstance(value, str))
    return sender.role, sender.own[0].token, tuple(_NUMBER.sub("#", text) for text in texts)
