"""Calls that a daemon makes right after an effect, and that carry no value of its cause.

A NodeManager that fetches a container's public file asks about every folder above it, and once for the defaults of the
NameNode. Nothing in these calls names the container; but they come at once after calls that do, and never else. They
are effects of the same cause. How many there are is often a matter of time: threads ask side by side.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from froude.mining.effects.causes import Caused, Channel
from froude.mining.effects.relocation import Key, Relocation
from froude.mining.read.canonical import Logical
from froude.mining.read.senders import Sender
from froude.workload.types import Actor

_AT_ONCE_S = 1.0
"""A call this long after an effect, or after one that followed it, may still follow it."""
_HOLDS = 0.9
"""Share of the calls of a kind that must follow effects."""


def find_following(
    senders: Sequence[Sender], relocations: Mapping[Key, Sequence[Relocation]]
) -> dict[Key, tuple[Relocation, ...]]:
    """Add what follows effects, and take it out of its senders' own sequences.

    Args:
        senders: of all runs, effects taken out.

    Returns:
        The effects, with those that follow behind the others of their kind.
    """
    found: dict[Key, dict[Channel, list[Caused]]] = defaultdict(lambda: defaultdict(list))
    for channel, caused in _following(senders, relocations):
        found[caused.sender.role.name, caused.call.token][channel].append(caused)
    left = Counter((s.role.name, call.token) for s in senders for call in s.own)
    kept = {
        key: by_channel
        for key, by_channel in found.items()
        if sum(map(len, by_channel.values())) >= max(2, _HOLDS * left[key])
    }
    return _with(senders, relocations, kept)


def trace_following(
    senders: Sequence[Sender],
    relocations: Mapping[Key, Sequence[Relocation]],
    channels: Mapping[Key, Sequence[Channel]],
) -> dict[Key, tuple[Relocation, ...]]:
    """The same for a further run, by channels already known.

    Args:
        senders: of the run, effects taken out.
        channels: the ways from cause to acting node, by role name and token; those that follow have a number.
    """
    found: dict[Key, dict[Channel, list[Caused]]] = defaultdict(lambda: defaultdict(list))
    for seen, caused in _following(senders, relocations):
        key, channel = (caused.sender.role.name, caused.call.token), seen
        known = channels.get(key, ())
        while channel not in known and channel.following > 1 and not caused.call.request:
            # Of a call that says nothing there may be any number: time decides.
            channel = replace(channel, following=channel.following - 1)
        if channel in known:
            found[key][channel].append(caused)
    return _with(senders, relocations, found)


def _with(
    senders: Sequence[Sender],
    relocations: Mapping[Key, Sequence[Relocation]],
    found: Mapping[Key, Mapping[Channel, list[Caused]]],
) -> dict[Key, tuple[Relocation, ...]]:
    following = {id(each.call) for listed in found.values() for caused in listed.values() for each in caused}
    for sender in senders:
        sender.own = [call for call in sender.own if id(call) not in following]
    merged = {key: tuple(listed) for key, listed in relocations.items()}
    for key, by_channel in found.items():
        ordered = sorted(by_channel.items(), key=lambda item: item[0].following)
        merged[key] = merged.get(key, ()) + tuple(Relocation(channel, caused) for channel, caused in ordered)
    return merged


def _following(
    senders: Sequence[Sender], relocations: Mapping[Key, Sequence[Relocation]]
) -> Iterator[tuple[Channel, Caused]]:
    """Calls of daemons that come right after an effect of another node's request to them, with that effect's cause."""
    effects = {
        id(caused.call): (relocation.channel, caused)
        for listed in relocations.values()
        for relocation in listed
        if relocation.channel.actor is Actor.CALLEE
        for caused in relocation.caused
    }
    for sender in senders:
        if not sender.role.endless or sender.role.emulated:
            continue
        own = {id(call) for call in sender.own}
        latest: tuple[Channel, Caused, float] | None = None
        numbers: Counter[tuple[int, object]] = Counter()
        for call in sender.calls:
            if id(call) in effects:
                channel, caused = effects[id(call)]
                latest = channel, caused, _end_s(call)
            elif latest is not None and id(call) in own and call.start_s - latest[2] <= _AT_ONCE_S:
                channel, caused, _ = latest
                latest = channel, caused, _end_s(call)
                numbers[id(caused.cause), call.token] += 1
                number = numbers[id(caused.cause), call.token]
                yield (
                    replace(channel, each="", following=number),
                    Caused(call, sender, caused.cause),
                )


def _end_s(call: Logical) -> float:
    return call.event.end_s
