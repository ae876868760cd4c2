"""Who sent what: one `Sender` a process and run, its role, and its calls sorted by kind."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from froude.mining.read.canonical import Logical, Token, find_polls, join_polls, logical_calls
from froude.mining.read.events import Event, Recording
from froude.mining.read.knowledge import CLIENT, ROLES, TIMELY, Role
from froude.mining.read.periodic import Period, find_periodic
from froude.workload.types import Poll

_ORDER = attrgetter("event.order")


@dataclass(slots=True)
class Sender:
    """A process in one run: its canonical calls, sorted into those of logical and of real time."""

    run: int
    """Number of the recording."""
    key: str
    """Its clientId in hex, or its connection."""
    role: Role
    calls: list[Logical]
    """All, in order."""
    own: list[Logical] = field(default_factory=list)
    """Those of its own logical sequence."""
    periodic: list[Logical] = field(default_factory=list)
    """Those of real time."""

    @property
    def first(self) -> Event:
        """Its first raw call."""
        return self.calls[0].raw[0][0]

    @property
    def tokens(self) -> tuple[Token, ...]:
        """Its own logical sequence, as tokens."""
        return tuple(call.token for call in self.own)


@dataclass(frozen=True, slots=True)
class Conventions:
    """What holds for all senders of a workload: how polls end, and which calls of a role are of real time."""

    polls: dict[Token, Poll]
    periods: dict[str, dict[Token, Period]]
    """By role name."""


def senders_of(
    recordings: Sequence[Recording], conventions: Conventions | None = None
) -> tuple[list[Sender], Conventions]:
    """Every sender of every run, in order of run and of first call.

    Args:
        conventions: those of an earlier call, to read another run as the first ones were read; None to find
            them.
    """
    senders = [sender for run, recording in enumerate(recordings) for sender in _separated(run, recording)]
    if conventions is None:
        conventions = _find_conventions(senders, recordings)
    for sender in senders:
        _sort_calls(sender, conventions)
    return senders, conventions


def _separated(run: int, recording: Recording) -> list[Sender]:
    by_client: dict[str, list[Event]] = defaultdict(list)
    for event in recording.events:
        by_client[event.client].append(event)
    return [Sender(run, key, role_of(events), logical_calls(events)) for key, events in by_client.items()]


def role_of(events: Sequence[Event]) -> Role:
    """The first role whose mark the sender's calls carry."""
    protocols = {each.rpartition(".")[2].removesuffix("PB") for each in {event.protocol for event in events}}
    contexts = Counter(event.caller_context for event in events if event.caller_context)
    context = contexts.most_common(1)[0][0] if contexts else ""
    for role in ROLES:
        if role.protocol and role.protocol in protocols:
            return role
        if role.context and re.search(role.context, context):
            return role
    return CLIENT


def is_timely(event: Event) -> bool:
    """Whether time alone decides that a call is made (`TIMELY`)."""
    roles = [role for role, methods in TIMELY.items() if event.method in methods]
    return bool(roles) and role_of([event]).name in roles


def _find_conventions(senders: Sequence[Sender], recordings: Sequence[Recording]) -> Conventions:
    polls = find_polls([sender.calls for sender in senders])
    by_role: dict[str, list[Sender]] = defaultdict(list)
    for sender in senders:
        by_role[sender.role.name].append(sender)
    periods = {
        role: find_periodic(
            [join_polls(sender.calls, polls) for sender in listed],
            # What a program of its own does with time is no loop of a script.
            [] if listed[0].role.emulated else [recordings[sender.run].scale for sender in listed],
            [recordings[sender.run].lowered for sender in listed],
        )
        for role, listed in by_role.items()
    }
    return Conventions(polls, periods)


def _sort_calls(sender: Sender, conventions: Conventions) -> None:
    real = set(conventions.periods.get(sender.role.name, {}))
    timely = TIMELY.get(sender.role.name, frozenset())
    called = [call for call in sender.calls if call.token[1] not in timely]
    own = join_polls(_without(called, real), conventions.polls)
    sender.periodic = [call for call in called if call.token in real]
    sender.own = own
    sender.calls = sorted([*own, *sender.periodic], key=_ORDER)


def _without(calls: Sequence[Logical], real: set[Token]) -> list[Logical]:
    return [call for call in calls if call.token not in real]
