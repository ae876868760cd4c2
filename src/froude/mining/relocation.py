"""Relocated calls: those that a node makes because of another call (PatternMiner, Figure 2).

They are found by rare values, in three ways. An answer names an acting node, in an element of a repeated field, and
that node then makes a call that carries another value of the same answer: an effect of that element. A request is
addressed to a node, and that node then makes a call that carries a value of the request: an effect of the request. A
node's own real-time answers (commands in a heartbeat) cause effects too. Effects leave the node's own sequence, where
only timing orders them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter

from froude.mining.canonical import Logical, Token
from froude.mining.elements import ONLY, Numbers, elements_of, indices_of, lists_of, number_of
from froude.mining.events import Leaves
from froude.mining.knowledge import BATCHES, REPORTS
from froude.mining.reported import Thing, named_in, thing_of
from froude.mining.rows import EMPTY, Row
from froude.mining.said import Said, indexed
from froude.mining.senders import Sender
from froude.workload.types import Actor, Scalar

_HOLDS = 0.9
"""Share of a call's occurrences that one kind of cause must explain."""
_PART = 0.5
"""Share that the likeliest of several kinds of causes must explain alone."""
_MOST = 0.3
"""Share of the calls that a channel could explain which must each have a place of its own there."""
_CHANNELS = 3
"""Kinds of causes that one kind of call may have."""
_TRACED = 3
"""Values of a call that are traced back: those that were new most lately say most about its cause."""
_SAMPLE = 60
"""Calls of a kind that are tried first: where these have no common cause, the rest is not looked at."""
_SLACK_S = 0.001
"""An answer counts as earlier if it passed this much after the call, at most: two connections, one clock."""
_CHANNELS_KEPT = 1 << 14
"""Channels that are remembered."""
_INDEXED = re.compile(r"^(.*)\[([^\]]+)\](.*?)$")


Key = tuple[str, Token]
"""Role name and token."""


@dataclass(frozen=True, slots=True)
class Channel:
    """How a cause reaches the node that acts."""

    token: Token
    """The causing call."""
    actor: Actor
    """Who acts."""
    each: str
    """Repeated field of the cause's answer, of a callee's its request; one effect an element. Empty for one effect."""
    owner: str
    """Leaf below the element that names the acting node, for an owner; else empty."""
    fact: str
    """Leaf of the acting node's own requests with the same name, for an owner or a callee; else empty."""
    following: int = 0
    """Which of the calls of its kind that come after effects of the cause and carry none of its values (`following`);
    0 for an effect that does."""

    def __hash__(self) -> int:
        return hash((self.token, self.each, self.owner, self.fact, self.following))


@dataclass(frozen=True, slots=True)
class Caused:
    """One effect, with its cause."""

    call: Logical
    sender: Sender
    cause: Logical
    index: Numbers = ONLY
    """Element of the cause's repeated field."""


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
    runs = _by_run(senders)
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


def is_passing(token: Token) -> bool:
    """Whether only timing decides how many calls of a kind there are: too few to find a cause for are left out.

    Args:
        token: the kind.
    """
    batch = BATCHES.get(token[1])
    return (batch is not None and token[2] in batch.passing) or is_report(token)


def is_report(token: Token) -> bool:
    """Whether calls of a kind are reports that others carry (`reported`).

    Args:
        token: the kind.
    """
    return token[1] in REPORTS and bool(token[2])


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
    runs = _by_run(senders)
    taken: set[tuple[Token, _Place]] = set()
    for sender in senders:
        for call in sender.own:
            relocations = traced.get((sender.role.name, call.token))
            if relocations is None:
                continue
            options: dict[Channel, Caused] = {}
            for channel, caused in _causes(sender, call, runs[sender.run]):
                options.setdefault(channel, caused)
            able = [relocation for relocation in relocations if relocation.channel in options]
            free = [r for r in able if (call.token, _place(options[r.channel])) not in taken]
            for relocation in (free or able)[:1]:
                relocation.caused.append(options[relocation.channel])
                taken.add((call.token, _place(options[relocation.channel])))
    mixed = frozenset(key for key, relocations in traced.items() if _addressed_only(relocations))
    _take_out(senders, traced, mixed)
    return traced


class _Run(Said):
    """Indexes of one run.

    Args:
        senders: of the run.
    """

    def __init__(self, senders: Sequence[Sender]) -> None:
        super().__init__(senders)
        self.own: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
        """Role and address of a daemon that was called -> who gives that host and port as its own in a request (by
        identity of the Sender), and the leaf with the host."""
        for sender in senders:
            _own_addresses(sender, self)
        self.requests: dict[tuple[str, Scalar], list[tuple[Logical, Sender, str]]] = defaultdict(list)
        """Address of such a daemon and distinctive value -> requests to it that hold it, in order."""
        _note_requests(senders, self)
        self.named: dict[Thing, list[tuple[Logical, str]]] = defaultdict(list)
        """What is reported of -> answers that name it, in order, each with the path of the message that does."""
        _name_things(senders, self)


def _by_run(senders: Sequence[Sender]) -> dict[int, _Run]:
    by_run: dict[int, list[Sender]] = defaultdict(list)
    for sender in senders:
        by_run[sender.run].append(sender)
    return {number: _Run(listed) for number, listed in by_run.items()}


def _note_requests(senders: Sequence[Sender], run: _Run) -> None:
    addresses = {address for _, address in run.own}
    for sender in senders if addresses else ():
        sent = run.sent[id(sender)]
        for call in sender.calls:
            address = call.event.target.address
            if address in addresses:
                for path, value in call.request.items():
                    if value in sent and type(value) is not float:
                        run.requests[address, value].append((call, sender, path))
    for entries in run.requests.values():
        entries.sort(key=lambda entry: entry[0].order)


def _name_things(senders: Sequence[Sender], run: _Run) -> None:
    """Note which answers of daemons name what these report of."""
    things = {
        thing_of(call.request, REPORTS[call.token[1]])
        for sender in senders
        for call in sender.calls
        if is_report(call.token)
    }
    things.discard(())
    addresses = {address for _, address in run.own}
    for sender in senders if things else ():
        for call in sender.calls:
            if call.event.target.address in addresses:
                for thing, path in named_in(call.response or EMPTY, things):
                    run.named[thing].append((call, path))
    for entries in run.named.values():
        entries.sort(key=lambda entry: entry[0].order)


def _own_addresses(sender: Sender, run: _Run) -> None:
    """Note which of the daemons that were called a sender says to be: their host and port stand in a request of its."""
    for target in run.called.values():
        host, port = target.host, target.port
        if host not in run.sent[id(sender)]:
            continue
        for call in sender.calls:
            if host in call.request.cells and port in call.request.cells:
                leaf = next(path for path, value in call.request.items() if value == host)
                run.own[sender.role.name, target.address].setdefault(id(sender), leaf)
                break


def _explained(calls: Sequence[tuple[Sender, Logical]], runs: Mapping[int, _Run]) -> tuple[Relocation, ...]:
    """The causes of nearly all calls: one channel if one will do, else the fewest that share them out."""
    sample = calls[:: max(1, len(calls) // _SAMPLE)]
    if len(sample) < len(calls) and not _explained(sample, runs):
        return ()
    options: list[dict[Channel, Caused]] = []
    for sender, call in calls:
        causes: dict[Channel, Caused] = {}
        for channel, relocated in _causes(sender, call, runs[sender.run]):
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


def _addressed_to(
    calls: Sequence[tuple[Sender, Logical]], runs: Mapping[int, _Run]
) -> tuple[Relocation, ...]:
    """Calls that requests to their node cause, where others of their kind are the node's own."""
    options: list[dict[Channel, Caused]] = []
    for sender, call in calls:
        options.append(dict(reversed(list(_addressed(sender, call, runs[sender.run])))))
    best = _best(options, max(2, _PART * len(calls)), runs)
    return () if best is None else (best[0],)


def _best(
    options: Sequence[dict[Channel, Caused]], needed: float, runs: Mapping[int, _Run]
) -> tuple[Relocation, list[dict[Channel, Caused]]] | None:
    """The channel that explains most of these calls, and the calls that are left; None if there is none.

    One place causes one effect: a second call of the same place is left to another channel.
    """
    found: dict[Channel, _Votes] = defaultdict(_Votes)
    for causes in options:
        newest = max((caused.cause.event.order for caused in causes.values()), default=0)
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
    return caused.sender.run, caused.cause.order, caused.index, id(caused.sender)


def _several(caused: Sequence[Caused], runs: Mapping[int, _Run]) -> bool:
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


def _causes(sender: Sender, call: Logical, run: _Run) -> Iterable[tuple[Channel, Caused]]:
    """Every way in which an earlier answer may have caused a call, latest answers first."""
    if is_report(call.token):
        yield from _answered(sender, call, run)
        return
    known = [value for value in dict.fromkeys(call.request.cells) if run.learned(value, sender)]
    answers = run.answers
    # Of values that came together the rarest say most: the token of a container, not its host.
    known.sort(key=lambda value: (-answers[value][0].event.order, len(answers[value]), str(value)))
    seen: set[Token] = set()
    for value in known[:_TRACED]:
        for cause in run.latest(value, call, seen):
            if cause.event.end_s > call.start_s + _SLACK_S:
                continue
            if cause.event.client != sender.key:
                seen.add(cause.token)
                yield from _named(sender, call, (cause, value), run)
            elif (
                id(cause) in run.beats
                and (match := _indexed_leaf(cause.response or EMPTY, value)) is not None
            ):
                seen.add(cause.token)
                channel = Channel(cause.token, Actor.SELF, match[1], "", "")
                yield channel, Caused(call, sender, cause, _number(cause.response, match))
    yield from _addressed(sender, call, run)


def _answered(sender: Sender, call: Logical, run: _Run) -> Iterable[tuple[Channel, Caused]]:
    """Answers of the sender's own daemon to others that name what a report is about."""
    for cause, path in run.named.get(thing_of(call.request, REPORTS[call.token[1]]), ()):
        users = run.own.get((sender.role.name, cause.event.target.address), {})
        if len(users) != 1 or id(sender) not in users or cause.start_s > call.start_s:
            continue
        match = _INDEXED.match(path)
        channel = Channel(cause.token, Actor.ANSWERER, match[1] if match else "", "", users[id(sender)])
        yield channel, Caused(call, sender, cause, _number(cause.response, match))


def _addressed(sender: Sender, call: Logical, run: _Run) -> Iterable[tuple[Channel, Caused]]:
    """Requests of others to the sender's own address that were the first to hold a value which the call carries."""
    for address in run.called:
        users = run.own.get((sender.role.name, address), {})
        if len(users) != 1 or id(sender) not in users:
            continue
        fact = users[id(sender)]
        for value in call.request.values():
            entries = run.requests.get((address, value), [])
            asked = next((entry for entry in entries if entry[1] is not sender), None)
            if asked is None or asked[0].order >= min(call.order, run.sent[id(sender)][value].order):
                continue
            cause, _, path = asked
            match = _INDEXED.match(path)
            channel = Channel(cause.token, Actor.CALLEE, match[1] if match else "", "", fact)
            yield channel, Caused(call, sender, cause, _number(cause.request, match))


def _number(leaves: Leaves | None, match: re.Match[str] | None) -> Numbers:
    """The number of the element that an indexed path leads to."""
    return (number_of(leaves or {}, match[1], match[2]),) if match else ONLY


def _indexed_leaf(leaves: Row, value: Scalar) -> re.Match[str] | None:
    """The last leaf that holds a value and stands in a list."""
    matches = (_INDEXED.match(path) for path, held in leaves.items() if held == value)
    return next((match for match in reversed(list(matches)) if match is not None), None)


def _named(
    sender: Sender, call: Logical, said: tuple[Logical, Scalar], run: _Run
) -> Iterable[tuple[Channel, Caused]]:
    """Elements of the cause's answer that name the sender, and no other of its role.

    First come those at the place in their list that the call's values have in theirs: a command's second target gets
    its second block.

    Args:
        sender: of the call.
        call: the effect.
        said: its cause, and the value of the call that the answer holds.
        run: all that was said.
    """
    cause, value = said
    answer, sent = cause.response or EMPTY, run.sent[id(sender)]
    named = [
        (answer.shape.paths[place], name)
        for place, name in enumerate(answer.cells)
        if name in sent and name != value and run.is_only_user(sender, name)
    ]
    if not named:
        return
    carried = [each for each in call.request.cells if each in sent]
    places = [numbers for place, numbers in indexed(answer.shape) if answer.cells[place] in carried]
    elements = [
        (
            sum(place[first:last] != numbers[: max(0, len(place) - first)] for place in places),
            channel,
            numbers,
        )
        for path, name in named
        for first, last, channel, numbers in _channels(cause.token, path, sent[name].path)
    ]
    elements.sort(key=_apart)
    for _, channel, numbers in elements:
        yield channel, Caused(call, sender, cause, numbers)


_apart = itemgetter(0)


@lru_cache(maxsize=_CHANNELS_KEPT)
def _channels(token: Token, path: str, fact: str) -> tuple[tuple[int, int, Channel, Numbers], ...]:
    """The ways in which a leaf of an answer may name the owner of an element around it.

    Args:
        token: of the answer.
        path: of the leaf.
        fact: the leaf of the owner's requests with that value.

    Returns:
        For each list around it: which of the path's lists is its first and the one after its last, the channel, and
        the numbers of the element.
    """
    numbers = indices_of(path)
    found = []
    for first, each, owner in lists_of(path):
        last = first + each.count("[]") + 1
        found.append((first, last, Channel(token, Actor.OWNER, each, owner, fact), numbers[first:last]))
    return tuple(found)
