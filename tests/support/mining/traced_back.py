"""What may have caused a call, as it is found by looking at one call and one answer after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from froude.mining.effects.causes import Channel
from froude.mining.effects.rare_values import is_distinctive
from froude.mining.read.canonical import Logical, Token
from froude.mining.read.elements import Numbers, indices_of, lists_of
from froude.mining.read.senders import Sender
from froude.workload.types import Actor, Scalar

Option = tuple[Channel, int, Numbers]
"""Channel, the causing call's place in the trace, and its element."""


def options_of(
    sender: Sender, call: Logical, senders: Sequence[Sender]
) -> dict[Channel, tuple[int, Numbers]]:
    """Of each channel the first option."""
    found: dict[Channel, tuple[int, Numbers]] = {}
    for channel, cause, numbers in _causes(sender, call, senders):
        found.setdefault(channel, (cause, numbers))
    return found


def _answers(value: Scalar, senders: Sequence[Sender]) -> list[tuple[Logical, Sender, str]]:
    entries = [
        (call, sender, path)
        for sender in senders
        for call in sender.calls
        for path, held in (call.response or {}).items()
        if held == value and is_distinctive(held)
    ]
    return sorted(entries, key=lambda entry: entry[0].order)


def _first_sent(sender: Sender, value: Scalar) -> tuple[int, str] | None:
    for call in sender.calls:
        for path, held in call.request.items():
            if held == value and is_distinctive(held):
                return call.order, path
    return None


def _causes(sender: Sender, call: Logical, senders: Sequence[Sender]) -> Iterator[Option]:
    known = {}
    for value in call.request.values():
        answers, first = _answers(value, senders), _first_sent(sender, value)
        if is_distinctive(value) and answers and first is not None and answers[0][0].order < first[0]:
            known[value] = answers
    newest = sorted(known, key=lambda value: (-known[value][0][0].order, len(known[value]), str(value)))[:3]
    seen: set[Token] = set()
    for value in newest:
        before = [entry for entry in known[value] if entry[0].order < call.order]
        for cause, other, path in reversed(before[-64:]):
            if cause.event.end_s > call.start_s + 0.001 or cause.token in seen:
                continue
            if other is not sender:
                seen.add(cause.token)
                yield from _named(sender, call, (cause, value), senders)
            elif any(cause is beat for beat in sender.periodic) and "[" in path:
                seen.add(cause.token)
                listed, _, rest = path.rpartition("[")
                number = int(rest.partition("]")[0])
                yield Channel(cause.token, Actor.SELF, listed, "", ""), cause.order, (number,)


def _named(
    sender: Sender, call: Logical, said: tuple[Logical, Scalar], senders: Sequence[Sender]
) -> Iterator[Option]:
    cause, value = said
    answer = cause.response or {}
    carried = {each for each in call.request.values() if is_distinctive(each)}
    places = [indices_of(path) for path, held in answer.items() if "[" in path and held in carried]
    elements: list[tuple[int, Option]] = []
    for path, name in answer.items():
        users = [other for other in senders if other.role == sender.role and _first_sent(other, name)]
        first = _first_sent(sender, name)
        if name == value or not is_distinctive(name) or users != [sender] or first is None:
            continue
        numbers = indices_of(path)
        for at, each, owner in lists_of(path):
            last = at + each.count("[]") + 1
            apart = sum(place[at:last] != numbers[at : min(last, len(place))] for place in places)
            channel = Channel(cause.token, Actor.OWNER, each, owner, first[1])
            elements.append((apart, (channel, cause.order, numbers[at:last])))
    for _, option in sorted(elements, key=lambda element: element[0]):
        yield option
