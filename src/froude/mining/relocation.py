"""Relocated calls: those that a node makes because of another call (PatternMiner, Figure 2).

They are found by rare values, in three ways. An answer names an acting node, in an element of a repeated field, and
that node then makes a call that carries another value of the same answer: an effect of that element. A request is
addressed to a node, and that node then makes a call that carries a value of the request: an effect of the request. A
node's own real-time answers (commands in a heartbeat) cause effects too. Effects leave the node's own sequence, where
only timing orders them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from froude.hadoop.rows import EMPTY
from froude.mining.canonical import Logical, Token
from froude.mining.causes import Caused, Channel, Run, addressed, causes_of, is_passing, runs_of
from froude.mining.elements import Numbers, elements_of, indices_of
from froude.mining.senders import Sender
from froude.workload.types import Actor

_HOLDS = 0.9
"""Share of a call's occurrences that one kind of cause must explain."""
_PART = 0.5
"""Share that the likeliest of several kinds of causes must explain alone."""
_MOST = 0.3
"""Share of the calls that a channel could explain which must each have a place of its own there."""
_CHANNELS = 3
"""Kinds of causes that one kind of call may have."""
_SAMPLE = 60
"""Calls of a kind that are tried first: where these have no common cause, the rest is not looked at."""


Key = tuple[str, Token]
"""Role name and token."""


@dataclass(slots=True)
class Relocation:
    """What was found for one kind of call of one role."""

    channel: Channel
    caused: list[Caused] = field(default_factory=list)


def relocate(senders: Sequence[Sender]) -> dict[Key, tuple[Relocation, ...]]:
    """Find effects, and take them out of their senders' own sequences.

    Args:
        senders: of all runs, sorted (`senders_of`); their `own` is shortened.

    Returns:
        By role name and token; a call may have several kinds of causes (a block is reported once it was added,
        and again once it was appended to).
    """
    explained: dict[Key, tuple[Relocation, ...]] = {}
    runs = runs_of(senders)
    by_kind: dict[Key, list[tuple[Sender, Logical]]] = defaultdict(list)
    for sender in senders:
        for call in sender.own:
            by_kind[sender.role.name, call.token].append((sender, call))
    for (role, token), calls in sorted(by_kind.items(), key=lambda item: item[0]):
        relocations = _explained(calls, runs) or _addressed_to(calls, runs)
        if relocations or is_passing(token):
            explained[role, token] = relocations
    mixed = frozenset(key for key, relocations in explained.items() if _addressed_only(relocations))
    _take_out(senders, explained, mixed)
    return explained


def _addressed_only(relocations: Sequence[Relocation]) -> bool:
    return bool(relocations) and all(relocation.channel.actor is Actor.CALLEE for relocation in relocations)


def _take_out(
    senders: Sequence[Sender], relocations: Mapping[Key, Sequence[Relocation]], mixed: Collection[Key]
) -> None:
    """Shorten the senders' own sequences: by the effects, and unless a kind is mixed by all calls of their kind."""
    effects = {
        id(caused.call)
        for listed in relocations.values()
        for relocation in listed
        for caused in relocation.caused
    }
    for sender in senders:
        role = sender.role.name
        sender.own = [
            call
            for call in sender.own
            if id(call) not in effects
            and ((role, call.token) not in relocations or (role, call.token) in mixed)
        ]


def trace_back(
    senders: Sequence[Sender], channels: Mapping[Key, Sequence[Channel]]
) -> dict[Key, tuple[Relocation, ...]]:
    """The same for a further run, by channels already known, likeliest first.

    Args:
        senders: of the run, sorted (`senders_of`); their `own` is shortened by the effects.
        channels: the ways from cause to acting node, by role name and token.

    Returns:
        What each channel caused, by role name and token.
    """
    traced = {key: tuple(Relocation(channel) for channel in known) for key, known in channels.items()}
    for sender in senders:
        for token in filter(is_passing, {call.token for call in sender.own}):
            traced.setdefault((sender.role.name, token), ())
    runs = runs_of(senders)
    taken: set[tuple[Token, _Place]] = set()
    for sender in senders:
        for call in sender.own:
            relocations = traced.get((sender.role.name, call.token))
            if relocations is None:
                continue
            options: dict[Channel, Caused] = {}
            for channel, caused in causes_of(sender, call, runs[sender.run]):
                options.setdefault(channel, caused)
            able = [relocation for relocation in relocations if relocation.channel in options]
            free = [r for r in able if (call.token, _place(options[r.channel])) not in taken]
            for relocation in (free or able)[:1]:
                relocation.caused.append(options[relocation.channel])
                taken.add((call.token, _place(options[relocation.channel])))
    mixed = frozenset(key for key, relocations in traced.items() if _addressed_only(relocations))
    _take_out(senders, traced, mixed)
    return traced


def _explained(calls: Sequence[tuple[Sender, Logical]], runs: Mapping[int, Run]) -> tuple[Relocation, ...]:
    """The causes of nearly all calls: one channel if one will do, else the fewest that share them out."""
    sample = calls[:: max(1, len(calls) // _SAMPLE)]
    if len(sample) < len(calls) and not _explained(sample, runs):
        return ()
    options: list[dict[Channel, Caused]] = []
    for sender, call in calls:
        causes: dict[Channel, Caused] = {}
        for channel, relocated in causes_of(sender, call, runs[sender.run]):
            causes.setdefault(channel, relocated)
        options.append(causes)
    relocations: list[Relocation] = []
    left, needed = options, max(2, _HOLDS * len(calls))
    # A node that a program of its own plays reacts, and to several kinds of calls: no one need explain nearly all.
    first = _PART if calls[0][0].role.emulated else _HOLDS
    while left and len(relocations) < _CHANNELS:
        best = _best(left, 2 if relocations else max(2, first * len(calls)), runs)
        if best is None:
            break
        relocation, left = best
        relocations.append(relocation)
        if not calls[0][0].role.emulated and sum(len(r.caused) for r in relocations) >= needed:
            break
    explained = sum(len(relocation.caused) for relocation in relocations)
    return tuple(relocations) if explained >= needed else ()


def _addressed_to(calls: Sequence[tuple[Sender, Logical]], runs: Mapping[int, Run]) -> tuple[Relocation, ...]:
    """Calls that requests to their node cause, where others of their kind are the node's own."""
    options: list[dict[Channel, Caused]] = []
    for sender, call in calls:
        options.append(dict(reversed(list(addressed(sender, call, runs[sender.run])))))
    best = _best(options, max(2, _PART * len(calls)), runs)
    return () if best is None else (best[0],)


def _best(
    options: Sequence[dict[Channel, Caused]], needed: float, runs: Mapping[int, Run]
) -> tuple[Relocation, list[dict[Channel, Caused]]] | None:
    """The channel that explains most of these calls, and the calls that are left; None if there is none.

    One place causes one effect: a second call of the same place is left to another channel.
    """
    found: dict[Channel, _Votes] = defaultdict(_Votes)
    for causes in options:
        newest = max([caused.cause.event.order for caused in causes.values()], default=0)
        for channel, caused in causes.items():
            votes = found[channel]
            votes.number += 1
            votes.places.add(_place(caused))
            votes.latest += caused.cause.event.order == newest

    def rank(channel: Channel) -> tuple[object, ...]:
        return (
            found[channel].latest < _HOLDS * found[channel].number,
            channel.actor is Actor.SELF,
            -found[channel].number,
            -len(found[channel].places),
            _goes_too_far(channel, options),
            _plainness(channel),
            (channel.token, channel.actor.value, channel.each, channel.owner, channel.fact),
        )

    for channel in sorted((c for c, votes in found.items() if votes.number >= needed), key=rank):
        by_place: dict[_Place, Caused] = {}
        rest: list[dict[Channel, Caused]] = []
        for causes in options:
            chosen = causes.get(channel)
            if chosen is None or by_place.setdefault(_place(chosen), chosen) is not chosen:
                rest.append(causes)
        telling = channel.actor is Actor.SELF or _several(list(by_place.values()), runs)
        if telling and len(by_place) >= _MOST * found[channel].number:
            return Relocation(channel, list(by_place.values())), rest
    return None


@dataclass(slots=True)
class _Votes:
    """What speaks for a channel."""

    number: int = 0
    """Calls that it explains."""
    places: set[_Place] = field(default_factory=set)
    """Of their causes."""
    latest: int = 0
    """Calls of which no other channel has a later cause."""


_Place = tuple[int, int, Numbers, int]


def _place(caused: Caused) -> _Place:
    """Run, causing call, its element, and who acts."""
    return caused.sender.run, caused.cause.event.order, caused.index, id(caused.sender)


def _several(caused: Sequence[Caused], runs: Mapping[int, Run]) -> bool:
    """Whether what names the acting node tells nodes apart: with one node a run, any rare value would seem to.

    Of daemons it is enough that there were others: which of them act is the target's choice, and it may be one alone.
    """
    actors: dict[int, set[int]] = defaultdict(set)
    for each in caused:
        actors[each.sender.run].add(id(each.sender))
        role = each.sender.role
        if role.endless and runs[each.sender.run].senders[role.name] > 1:
            return True
    return any(len(senders) > 1 for senders in actors.values())


def _plainness(channel: Channel) -> tuple[bool, int, int, int]:
    """Prefer owners named by an id over addresses, in whichever element of the innermost list, then of others."""
    uuid, numbered = "uuid" in channel.owner.lower(), len(indices_of(channel.each))
    return (not uuid, channel.owner.count("["), numbered, len(channel.each) + len(channel.owner))


def _goes_too_far(channel: Channel, options: Sequence[Mapping[Channel, Caused]]) -> bool:
    """Whether of a list of lists one alone ever has effects, although there were others."""
    if "[]" not in channel.each:
        return False
    caused = [causes[channel] for causes in options if channel in causes]
    (used, *more) = {each.index[:-1] for each in caused}
    answers = {id(each.cause): each.cause.response or EMPTY for each in caused}.values()
    return not more and any(at[:-1] != used for leaves in answers for at in elements_of(leaves, channel.each))
