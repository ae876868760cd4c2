"""Relocated calls: those that a node makes because another call was answered (PatternMiner, Figure 2).

They are found by the values that the target assigns. When an answer names an acting node, in an element of a
repeated field, and that node then makes a call that carries another value of the same answer, the call is an
effect of that element. A node's own real-time answers (commands in a heartbeat) cause effects too. Effects
leave the node's own sequence, where only timing orders them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from froude.mining.canonical import Logical, Token
from froude.mining.senders import Sender
from froude.workload.types import Scalar

_HOLDS = 0.9
"""Share of a call's occurrences that one kind of cause must explain."""
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
_INDEXED = re.compile(r"^(.*)\[(\d+)\](.*?)$")


Key = tuple[str, Token]
"""Role name and token."""


@dataclass(frozen=True, slots=True, order=True)
class Channel:
    """How a cause reaches the node that acts."""

    token: Token
    """The causing call."""
    own: bool
    """Whether the acting node made it itself."""
    each: str
    """Repeated field of the cause's answer; one effect an element."""
    owner: str
    """Leaf below the element that names the acting node; empty when it acts for itself."""
    fact: str
    """Leaf of the acting node's own requests with the same name; empty when it acts for itself."""


@dataclass(frozen=True, slots=True)
class Caused:
    """One effect, with its cause."""

    call: Logical
    sender: Sender
    cause: Logical
    cause_sender: Sender
    index: int
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
    found: dict[Key, tuple[Relocation, ...]] = {}
    runs = _by_run(senders)
    for role, token in sorted({(s.role.name, call.token) for s in senders for call in s.own}):
        calls = [(s, call) for s in senders if s.role.name == role for call in s.own if call.token == token]
        relocations = _explained(calls, runs)
        if relocations:
            found[role, token] = relocations
    for sender in senders:
        sender.own = [call for call in sender.own if (sender.role.name, call.token) not in found]
    return found


def trace_back(
    senders: Sequence[Sender], channels: Mapping[Key, Sequence[Channel]]
) -> dict[Key, tuple[Relocation, ...]]:
    """The same for a further run, by channels already known, likeliest first."""
    found = {key: tuple(Relocation(channel) for channel in known) for key, known in channels.items()}
    runs = _by_run(senders)
    taken: set[_Place] = set()
    for sender in senders:
        for call in sender.own:
            relocations = found.get((sender.role.name, call.token))
            if relocations is None:
                continue
            mine: dict[Channel, Caused] = {}
            for channel, caused in _causes(sender, call, runs[sender.run]):
                mine.setdefault(channel, caused)
            able = [one for one in relocations if one.channel in mine]
            free = [one for one in able if _place(mine[one.channel]) not in taken]
            for one in (free or able)[:1]:
                one.caused.append(mine[one.channel])
                taken.add(_place(mine[one.channel]))
        sender.own = [call for call in sender.own if (sender.role.name, call.token) not in found]
    return found


@dataclass(slots=True)
class _Run:
    """Indexes of one run."""

    answers: dict[Scalar, list[tuple[Logical, Sender, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Distinctive value -> answers that hold it, in order."""
    names: dict[tuple[str, Scalar], dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    """Role and distinctive value -> who sends it in requests (by identity of the Sender), and the leaf."""
    sent: dict[tuple[int, Scalar], int] = field(default_factory=dict)
    """Sender and value -> where in the trace it first sent it."""


def _by_run(senders: Sequence[Sender]) -> dict[int, _Run]:
    runs: dict[int, _Run] = defaultdict(_Run)
    for sender in senders:
        run = runs[sender.run]
        for call in sender.calls:
            for path, value in call.request.items():
                if is_distinctive(value):
                    run.names[sender.role.name, value].setdefault(id(sender), path)
                    run.sent.setdefault((id(sender), value), call.order)
            for path, value in (call.response or {}).items():
                if is_distinctive(value):
                    run.answers[value].append((call, sender, path))
    for run in runs.values():
        for entries in run.answers.values():
            entries.sort(key=lambda entry: entry[0].order)
    return runs


def _explained(calls: Sequence[tuple[Sender, Logical]], runs: Mapping[int, _Run]) -> tuple[Relocation, ...]:
    """The causes of nearly all calls: one channel if one will do, else the fewest that share them out."""
    sample = calls[:: max(1, len(calls) // _SAMPLE)]
    if len(sample) < len(calls) and not _explained(sample, runs):
        return ()
    options: list[dict[Channel, Caused]] = []
    for sender, call in calls:
        mine: dict[Channel, Caused] = {}
        for channel, one in _causes(sender, call, runs[sender.run]):
            mine.setdefault(channel, one)
        options.append(mine)
    made: list[Relocation] = []
    left, needed = options, max(2, _HOLDS * len(calls))
    while sum(len(one.caused) for one in made) < needed:
        best = _best(left, needed if not made else 2)
        if best is None or len(made) == _CHANNELS:
            return ()
        relocation, left = best
        made.append(relocation)
    return tuple(made)


def _best(
    options: Sequence[dict[Channel, Caused]], needed: float
) -> tuple[Relocation, list[dict[Channel, Caused]]] | None:
    """The channel that explains most of these calls, and the calls that are left; None if there is none.

    One place causes one effect: a second call of the same place is left to another channel.
    """
    votes: Counter[Channel] = Counter()
    latest: Counter[Channel] = Counter()
    for mine in options:
        votes.update(mine.keys())
        order = max((one.cause.order for one in mine.values()), default=0)
        latest.update(channel for channel, one in mine.items() if one.cause.order == order)

    def rank(channel: Channel) -> tuple[object, ...]:
        return (
            latest[channel] < _HOLDS * votes[channel],
            channel.own,
            -votes[channel],
            _plainness(channel),
            channel,
        )

    for channel in sorted((c for c, count in votes.items() if count >= needed), key=rank):
        caused: dict[_Place, Caused] = {}
        rest: list[dict[Channel, Caused]] = []
        for mine in options:
            one = mine.get(channel)
            if one is None or _place(one) in caused:
                rest.append(mine)
            else:
                caused[_place(one)] = one
        if (channel.own or _several(list(caused.values()))) and len(caused) >= _MOST * votes[channel]:
            return Relocation(channel, list(caused.values())), rest
    return None


_Place = tuple[int, int, int, int]


def _place(one: Caused) -> _Place:
    """Run, causing call, its element, and who acts."""
    return one.sender.run, one.cause.order, one.index, id(one.sender)


def _several(caused: Sequence[Caused]) -> bool:
    """Whether the owner tells nodes apart: with one node a run, any rare value would seem to name it."""
    actors: dict[int, set[int]] = defaultdict(set)
    for one in caused:
        actors[one.sender.run].add(id(one.sender))
    return any(len(found) > 1 for found in actors.values())


def _plainness(channel: Channel) -> tuple[bool, int]:
    """Prefer owners named by an id over addresses, and short paths."""
    return ("uuid" not in channel.owner.lower(), len(channel.each) + len(channel.owner))


def _causes(sender: Sender, call: Logical, run: _Run) -> Iterable[tuple[Channel, Caused]]:
    """Every way in which an earlier answer may have caused a call, latest answers first."""
    known = {value: run.answers[value] for value in call.request.values() if _learned(value, sender, run)}
    newest = sorted(known, key=lambda value: (-known[value][0][0].order, str(value)))[:_TRACED]
    seen: set[Token] = set()
    beats = {id(beat) for beat in sender.periodic}
    for value in newest:
        answers = known[value]
        end = bisect_left(answers, call.order, key=lambda answer: answer[0].order)
        for cause, other, path in reversed(answers[max(0, end - _LOOKED) : end]):
            if cause.event.end_s > call.start_s + _SLACK_S or cause.token in seen:
                continue
            if other is not sender:
                seen.add(cause.token)
                yield from _named(Caused(call, sender, cause, other, 0), value, run)
            elif id(cause) in beats and (match := _INDEXED.match(path)) is not None:
                seen.add(cause.token)
                channel = Channel(cause.token, True, match[1], "", "")
                yield channel, Caused(call, sender, cause, other, int(match[2]))


def _learned(value: Scalar, sender: Sender, run: _Run) -> bool:
    """Whether the sender can have a value only from an answer: one held it before the sender sent it."""
    if not is_distinctive(value) or value not in run.answers:
        return False
    return run.answers[value][0][0].order < run.sent[id(sender), value]


def _named(draft: Caused, value: Scalar, run: _Run) -> Iterable[tuple[Channel, Caused]]:
    """Elements of the cause's answer that name the sender, and no other of its role."""
    sender = draft.sender
    for path, name in (draft.cause.response or {}).items():
        if name == value or not is_distinctive(name):
            continue
        users = run.names.get((sender.role.name, name))
        match = _INDEXED.match(path)
        if match and users is not None and len(users) == 1 and id(sender) in users:
            owner, fact = match[3].lstrip("."), users[id(sender)]
            channel = Channel(draft.cause.token, False, match[1], owner, fact)
            yield channel, replace(draft, index=int(match[2]))
