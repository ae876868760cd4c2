"""Relocated calls: those that a node makes because of another call (PatternMiner, Figure 2).

They are found by rare values, in three ways. An answer names an acting node, in an element of a repeated field, and
that node then makes a call that carries another value of the same answer: an effect of that element. A request is
addressed to a node, and that node then makes a call that carries a value of the request: an effect of the request. A
node's own real-time answers (commands in a heartbeat) cause effects too. Effects leave the node's own sequence, where
only timing orders them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from froude.mining.effects.causes import Caused, Channel, Options, answers_that_name, is_passing, is_report
from froude.mining.effects.daemons import Daemons
from froude.mining.effects.rare_values import Ints, Said
from froude.mining.read.canonical import Token
from froude.mining.read.elements import Numbers, elements_of, indices_of
from froude.mining.read.senders import Sender
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
    causes = _Causes(senders)
    for (role, token), rows in sorted(causes.kinds().items(), key=lambda item: item[0]):
        relocations = _explained(rows, causes) or _addressed_to(rows, causes)
        if relocations or is_passing(token):
            explained[role, token] = relocations
    mixed = frozenset(key for key, relocations in explained.items() if _addressed_only(relocations))
    _take_out(senders, explained, mixed)
    return explained


class _Causes:
    """Traces calls of all kinds back.

    Args:
        senders: of all runs, sorted (`senders_of`).
    """

    def __init__(self, senders: Sequence[Sender]) -> None:
        self.said = Said(senders)
        self.daemons = Daemons(self.said)
        self.number = Counter((sender.run, sender.role.name) for sender in senders)
        """Of the senders of each role in each run."""
        self._users: dict[str, Ints] = {}

    def kinds(self) -> dict[Key, Ints]:
        """Numbers of the calls of each role and kind that senders make by themselves."""
        found: dict[Key, list[Ints]] = defaultdict(list)
        for number, sender in enumerate(self.said.senders):
            rows = self.said.own_of(number)
            tokens = self.said.token[rows]
            for token in np.unique(tokens).tolist():
                found[sender.role.name, self.said.tokens[token]].append(rows[tokens == token])
        return {key: np.concatenate(listed) for key, listed in found.items()}

    def options(self, rows: Ints) -> Options:
        """Every way in which earlier calls may have caused calls of one kind."""
        if is_report(self.said.calls[rows[0]].token):
            options = Options(self.said, rows)
            options.add(self.daemons.answered(rows))
            return options
        role = self.said.senders[int(self.said.sender[rows[0]])].role.name
        if role not in self._users:
            self._users[role] = self.said.users(role)
        options = answers_that_name(self.said, rows, self._users[role])
        options.add(self.daemons.addressed(rows))
        return options


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
    causes = _Causes(senders)
    options: dict[int, dict[Channel, Caused]] = defaultdict(dict)
    for key, rows in causes.kinds().items():
        found = causes.options(rows) if traced.get(key) else Options(causes.said, rows)
        for caused, channel in zip(found.caused(), found.channel.tolist(), strict=True):
            options[id(caused.call)][found.channels[channel]] = caused
    taken: set[tuple[Token, _Place]] = set()
    for sender in senders:
        for call in sender.own:
            ways = options.get(id(call), {})
            able = [r for r in traced.get((sender.role.name, call.token), ()) if r.channel in ways]
            free = [r for r in able if (call.token, _place(ways[r.channel])) not in taken]
            for relocation in (free or able)[:1]:
                relocation.caused.append(ways[relocation.channel])
                taken.add((call.token, _place(ways[relocation.channel])))
    mixed = frozenset(key for key, relocations in traced.items() if _addressed_only(relocations))
    _take_out(senders, traced, mixed)
    return traced


def _explained(rows: Ints, causes: _Causes) -> tuple[Relocation, ...]:
    """The causes of nearly all calls: one channel if one will do, else the fewest that share them out."""
    sample = rows[:: max(1, len(rows) // _SAMPLE)]
    if len(sample) < len(rows) and not _explained(sample, causes):
        return ()
    role = causes.said.senders[int(causes.said.sender[rows[0]])].role
    relocations: list[Relocation] = []
    left, needed = causes.options(rows), max(2, _HOLDS * len(rows))
    # A node that a program of its own plays reacts, and to several kinds of calls: no one need explain nearly all.
    first = _PART if role.emulated else _HOLDS
    explained = 0
    while explained < len(rows) and len(relocations) < _CHANNELS:
        best = _best(left, 2 if relocations else max(2, first * len(rows)), causes)
        if best is None:
            break
        relocation, left = best
        relocations.append(relocation)
        explained += len(relocation.caused)
        if not role.emulated and explained >= needed:
            break
    return tuple(relocations) if explained >= needed else ()


def _addressed_to(rows: Ints, causes: _Causes) -> tuple[Relocation, ...]:
    """Calls that requests to their node cause, where others of their kind are the node's own."""
    options = Options(causes.said, rows)
    options.add(causes.daemons.addressed(rows))
    best = _best(options, max(2, _PART * len(rows)), causes)
    return () if best is None else (best[0],)


def _best(options: Options, needed: float, causes: _Causes) -> tuple[Relocation, Options] | None:
    """The channel that explains most of these calls, and the options that are left; None if there is none.

    One place causes one effect: a second call of the same place is left to another channel.
    """
    said, number = options.said, len(options.channels)
    if not len(options.row):
        return None
    order = said.order[options.cause]
    newest = np.zeros(len(options.rows), np.int64)
    np.maximum.at(newest, options.row, order)
    votes = np.bincount(options.channel, minlength=number)
    latest = np.bincount(options.channel[order == newest[options.row]], minlength=number)
    _, place = np.unique(
        (said.moment[options.cause] * len(options.numbers) + options.index) * len(said.senders)
        + said.sender[options.rows[options.row]],
        return_inverse=True,
    )
    once = np.unique(options.channel * (int(place.max()) + 1) + place)
    places = np.bincount(once // (int(place.max()) + 1), minlength=number)

    def rank(at: int) -> tuple[object, ...]:
        channel = options.channels[at]
        return (
            latest[at] < _HOLDS * votes[at],
            channel.actor is Actor.SELF,
            -votes[at],
            -places[at],
            _goes_too_far(channel, options.of(options.channel == at)),
            _plainness(channel),
            (channel.token, channel.actor.value, channel.each, channel.owner, channel.fact),
        )

    for at in sorted(np.flatnonzero(votes >= needed).tolist(), key=rank):
        by_channel = np.flatnonzero(options.channel == at)
        by_channel = by_channel[np.argsort(options.row[by_channel], kind="stable")]
        _, first = np.unique(place[by_channel], return_index=True)
        chosen = by_channel[np.sort(first)]
        telling = options.channels[at].actor is Actor.SELF or _several(options.of(chosen), causes)
        if telling and len(chosen) >= _MOST * votes[at]:
            done = np.zeros(len(options.rows), bool)
            done[options.row[chosen]] = True
            return Relocation(options.channels[at], options.of(chosen).caused()), options.of(
                ~done[options.row]
            )
    return None


_Place = tuple[int, int, Numbers, int]


def _place(caused: Caused) -> _Place:
    """Run, causing call, its element, and who acts."""
    return caused.sender.run, caused.cause.order, caused.index, id(caused.sender)


def _several(options: Options, causes: _Causes) -> bool:
    """Whether what names the acting node tells nodes apart: with one node a run, any rare value would seem to.

    Of daemons it is enough that there were others: which of them act is the target's choice, and it may be one alone.
    """
    senders = [
        causes.said.senders[at] for at in np.unique(options.said.sender[options.rows[options.row]]).tolist()
    ]
    if any(each.role.endless and causes.number[each.run, each.role.name] > 1 for each in senders):
        return True
    return any(acting > 1 for acting in Counter(each.run for each in senders).values())


def _plainness(channel: Channel) -> tuple[bool, int, int, int]:
    """Prefer owners named by an id over addresses, in whichever element of the innermost list, then of others."""
    uuid, numbered = "uuid" in channel.owner.lower(), len(indices_of(channel.each))
    return (not uuid, channel.owner.count("["), numbered, len(channel.each) + len(channel.owner))


def _goes_too_far(channel: Channel, options: Options) -> bool:
    """Whether of a list of lists one alone ever has effects, although there were others."""
    if "[]" not in channel.each:
        return False
    (used, *more) = {options.numbers[at][:-1] for at in np.unique(options.index).tolist()}
    answers = [options.said.answer(cause) for cause in np.unique(options.cause).tolist()]
    return not more and any(at[:-1] != used for leaves in answers for at in elements_of(leaves, channel.each))
