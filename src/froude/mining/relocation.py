"""Relocated calls: those that a node makes because of another call (PatternMiner, Figure 2).

They are found by rare values, in three ways. An answer names an acting node, in an element of a repeated field, and
that node then makes a call that carries another value of the same answer: an effect of that element. A request is
addressed to a node, and that node then makes a call that carries a value of the request: an effect of the request. A
node's own real-time answers (commands in a heartbeat) cause effects too. Effects leave the node's own sequence, where
only timing orders them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from froude.hadoop.target import Target
from froude.mining.canonical import Logical, Token
from froude.mining.elements import ONLY, Numbers, elements_of, indices_of, lists_of, number_of
from froude.mining.events import Leaves
from froude.mining.knowledge import BATCHES, REPORTS
from froude.mining.reported import Thing, named_in, thing_of
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
_LOOKED = 64
"""Answers with one value that are looked at, latest first: what many answers hold is no id of this one."""
_SAMPLE = 60
"""Calls of a kind that are tried first: where these have no common cause, the rest is not looked at."""
_SLACK_S = 0.001
"""An answer counts as earlier if it passed this much after the call, at most: two connections, one clock."""
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


def is_distinctive(value: Scalar) -> bool:
    """Whether a value is so rare that meeting it twice is no accident: no flag, no small number."""
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return False
    return abs(value) >= 1 << 14 if isinstance(value, int) else len(value) >= 6


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
    for role, token in sorted({(s.role.name, call.token) for s in senders for call in s.own}):
        calls = [(s, call) for s in senders if s.role.name == role for call in s.own if call.token == token]
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


@dataclass(slots=True)
class _Run:
    """Indexes of one run."""

    answers: dict[Scalar, list[tuple[Logical, Sender, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Distinctive value -> answers that hold it, in order."""
    requests: dict[tuple[str, Scalar], list[tuple[Logical, Sender, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Address called and distinctive value -> requests to it that hold it, in order."""
    named: dict[Thing, list[tuple[Logical, str]]] = field(default_factory=lambda: defaultdict(list))
    """What is reported of -> answers that name it, in order, each with the path of the message that does."""
    called: dict[str, Target] = field(default_factory=dict)
    """The daemons that were called, by address."""
    names: dict[tuple[str, Scalar], dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    """Role and distinctive value -> who sends it in requests (by identity of the Sender), and the leaf."""
    sent: dict[tuple[int, Scalar], int] = field(default_factory=dict)
    """Sender and value -> where in the trace it first sent it."""
    senders: Counter[str] = field(default_factory=Counter)
    """How many there are of each role."""
    beats: set[int] = field(default_factory=set)
    """Identities of the periodic calls."""
    own: dict[tuple[str, str], dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    """Role and address of a daemon that was called -> who gives that host and port as its own in a request (by identity
    of the Sender), and the leaf with the host."""


def _by_run(senders: Sequence[Sender]) -> dict[int, _Run]:
    runs: dict[int, _Run] = defaultdict(_Run)
    for sender in senders:
        run = runs[sender.run]
        run.senders[sender.role.name] += 1
        run.beats.update(id(beat) for beat in sender.periodic)
        for call in sender.calls:
            if is_distinctive(call.event.target.host):
                run.called[call.event.target.address] = call.event.target
            for path, value in call.request.items():
                if is_distinctive(value):
                    run.names[sender.role.name, value].setdefault(id(sender), path)
                    run.sent.setdefault((id(sender), value), call.order)
                    run.requests[call.event.target.address, value].append((call, sender, path))
            for path, value in (call.response or {}).items():
                if is_distinctive(value):
                    run.answers[value].append((call, sender, path))
    for sender in senders:
        _own_addresses(sender, runs[sender.run])
    for run in runs.values():
        for entries in (*run.answers.values(), *run.requests.values()):
            entries.sort(key=lambda entry: entry[0].order)
    for number, run in runs.items():
        _name_things([sender for sender in senders if sender.run == number], run)
    return runs


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
                for thing, path in named_in(call.response or {}, things):
                    run.named[thing].append((call, path))
    for entries in run.named.values():
        entries.sort(key=lambda entry: entry[0].order)


def _own_addresses(sender: Sender, run: _Run) -> None:
    """Note which of the daemons that were called a sender says to be: their host and port stand in a request of its."""
    for target in run.called.values():
        if id(sender) not in run.names.get((sender.role.name, target.host), {}):
            continue
        for call in sender.calls:
            leaf = next((path for path, value in call.request.items() if value == target.host), None)
            if leaf is not None and target.port in call.request.values():
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
    votes: Counter[Channel] = Counter()
    places: dict[Channel, set[_Place]] = defaultdict(set)
    latest: Counter[Channel] = Counter()
    for causes in options:
        votes.update(causes.keys())
        for channel, each in causes.items():
            places[channel].add(_place(each))
        order = max((caused_call.cause.order for caused_call in causes.values()), default=0)
        latest.update(channel for channel, caused_call in causes.items() if caused_call.cause.order == order)

    def rank(channel: Channel) -> tuple[object, ...]:
        return (
            latest[channel] < _HOLDS * votes[channel],
            channel.actor is Actor.SELF,
            -votes[channel],
            -len(places[channel]),
            _goes_too_far(channel, [causes[channel] for causes in options if channel in causes]),
            _plainness(channel),
            (channel.token, channel.actor.value, channel.each, channel.owner, channel.fact),
        )

    for channel in sorted((c for c, count in votes.items() if count >= needed), key=rank):
        caused: dict[_Place, Caused] = {}
        rest: list[dict[Channel, Caused]] = []
        for causes in options:
            caused_call = causes.get(channel)
            if caused_call is None or _place(caused_call) in caused:
                rest.append(causes)
            else:
                caused[_place(caused_call)] = caused_call
        telling = channel.actor is Actor.SELF or _several(list(caused.values()), runs)
        if telling and len(caused) >= _MOST * votes[channel]:
            return Relocation(channel, list(caused.values())), rest
    return None


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


def _goes_too_far(channel: Channel, caused: Sequence[Caused]) -> bool:
    """Whether of a list of lists one alone ever has effects, although there were others."""
    if "[]" not in channel.each:
        return False
    (used, *more) = {each.index[:-1] for each in caused}
    answers = {id(each.cause): each.cause.response or {} for each in caused}.values()
    return not more and any(at[:-1] != used for leaves in answers for at in elements_of(leaves, channel.each))


def _causes(sender: Sender, call: Logical, run: _Run) -> Iterable[tuple[Channel, Caused]]:
    """Every way in which an earlier answer may have caused a call, latest answers first."""
    if is_report(call.token):
        yield from _answered(sender, call, run)
        return
    known = {value: run.answers[value] for value in call.request.values() if _learned(value, sender, run)}
    # Of values that came together the rarest say most: the token of a container, not its host.
    newest = sorted(known, key=lambda value: (-known[value][0][0].order, len(known[value]), str(value)))[
        :_TRACED
    ]
    seen: set[Token] = set()
    for value in newest:
        answers = known[value]
        end = bisect_left(answers, call.order, key=lambda answer: answer[0].order)
        for cause, other, path in reversed(answers[max(0, end - _LOOKED) : end]):
            if cause.event.end_s > call.start_s + _SLACK_S or cause.token in seen:
                continue
            if other is not sender:
                seen.add(cause.token)
                yield from _named(Caused(call, sender, cause), value, run)
            elif id(cause) in run.beats and (match := _INDEXED.match(path)) is not None:
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
            entries = run.requests.get((address, value), []) if is_distinctive(value) else []
            asked = next((entry for entry in entries if entry[1] is not sender), None)
            if asked is None or asked[0].order >= min(call.order, run.sent[id(sender), value]):
                continue
            cause, _, path = asked
            match = _INDEXED.match(path)
            channel = Channel(cause.token, Actor.CALLEE, match[1] if match else "", "", fact)
            yield channel, Caused(call, sender, cause, _number(cause.request, match))


def _number(leaves: Leaves | None, match: re.Match[str] | None) -> Numbers:
    """The number of the element that an indexed path leads to."""
    return (number_of(leaves or {}, match[1], match[2]),) if match else ONLY


def _learned(value: Scalar, sender: Sender, run: _Run) -> bool:
    """Whether the sender can have a value only from an answer: one held it before the sender sent it."""
    if not is_distinctive(value) or value not in run.answers:
        return False
    return run.answers[value][0][0].order < run.sent[id(sender), value]


def _named(draft: Caused, value: Scalar, run: _Run) -> Iterable[tuple[Channel, Caused]]:
    """Elements of the cause's answer that name the sender, and no other of its role.

    First come those at the place in their list that the call's values have in theirs: a command's second target gets
    its second block.

    Args:
        draft: the call and its cause.
        value: of the call, that the answer holds.
        run: all that was said.
    """
    sender, answer = draft.sender, draft.cause.response or {}
    carried = {each for each in draft.call.request.values() if is_distinctive(each)}
    places = [indices_of(path) for path, held in answer.items() if "[" in path and held in carried]
    elements: list[tuple[int, Channel, Numbers]] = []
    for path, name in answer.items():
        if name == value or not is_distinctive(name):
            continue
        users = run.names.get((sender.role.name, name))
        if users is None or len(users) > 1 or id(sender) not in users:
            continue
        numbers = indices_of(path)
        for first, each, owner in lists_of(path):
            channel = Channel(draft.cause.token, Actor.OWNER, each, owner, users[id(sender)])
            last = first + each.count("[]") + 1
            apart = sum(place[first:last] != numbers[first : min(last, len(place))] for place in places)
            elements.append((apart, channel, numbers[first:last]))
    for _, channel, at in sorted(elements, key=lambda element: element[0]):
        yield channel, replace(draft, index=at)
