"""Every way in which an earlier call may have caused one, by the rare values that both hold.

An answer names an acting node, in an element of a repeated field, and that node then makes a call that carries another
value of the same answer. A request is addressed to a node, and that node then makes a call that carries a value of the
request. A node's own real-time answers (commands in a heartbeat) cause calls too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from froude.hadoop.rows import EMPTY, Row
from froude.mining.canonical import Logical, Token
from froude.mining.elements import ONLY, Numbers, indices_of, lists_of, number_of
from froude.mining.events import Leaves
from froude.mining.knowledge import BATCHES, REPORTS
from froude.mining.reported import Thing, named_in, thing_of
from froude.mining.said import Said, indexed
from froude.mining.senders import Sender
from froude.workload.types import Actor, Scalar

_TRACED = 3
"""Values of a call that are traced back: those that were new most lately say most about its cause."""
_SLACK_S = 0.001
"""An answer counts as earlier if it passed this much after the call, at most: two connections, one clock."""
_CHANNELS_KEPT = 1 << 14
"""Channels that are remembered."""
_INDEXED = re.compile(r"^(.*)\[([^\]]+)\](.*?)$")


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

    hashed: int = field(init=False, repr=False, compare=False)
    """Its hash: it is asked for at every call."""

    def __post_init__(self) -> None:
        named = (self.token, self.actor.value, self.each, self.owner, self.fact, self.following)
        object.__setattr__(self, "hashed", hash(named))

    def __hash__(self) -> int:
        return self.hashed


@dataclass(frozen=True, slots=True)
class Caused:
    """One effect, with its cause."""

    call: Logical
    sender: Sender
    cause: Logical
    index: Numbers = ONLY
    """Element of the cause's repeated field."""


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


class Run(Said):
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
        self.addresses = {id(sender): self._addresses(sender) for sender in senders}
        """By identity of the sender: the addresses that it alone of its role gives as its own, each with the leaf."""
        self.requests: dict[tuple[str, Scalar], list[tuple[Logical, Sender, str]]] = defaultdict(list)
        """Address of such a daemon and distinctive value -> the first request to it that holds it, and the first of
        another sender."""
        _note_requests(senders, self)
        self.named: dict[Thing, list[tuple[Logical, str]]] = defaultdict(list)
        """What is reported of -> answers that name it, in order, each with the path of the message that does."""
        _name_things(senders, self)

    def _addresses(self, sender: Sender) -> list[tuple[str, str]]:
        own = ((address, self.own.get((sender.role.name, address), {})) for address in self.called)
        return [(address, users[id(sender)]) for address, users in own if list(users) == [id(sender)]]


def runs_of(senders: Sequence[Sender]) -> dict[int, Run]:
    """The indexes of each run, by its number.

    Args:
        senders: of all runs, sorted (`senders_of`).
    """
    by_run: dict[int, list[Sender]] = defaultdict(list)
    for sender in senders:
        by_run[sender.run].append(sender)
    return {number: Run(listed) for number, listed in by_run.items()}


def _note_requests(senders: Sequence[Sender], run: Run) -> None:
    addresses = {address for _, address in run.own}
    for sender in senders if addresses else ():
        sent, firsts = run.sent[id(sender)], dict[tuple[str, Scalar], tuple[Logical, Sender, str]]()
        for call in sender.calls:
            address = call.event.target.address
            if address in addresses:
                for path, value in call.request.items():
                    if value in sent and type(value) is not float:
                        firsts.setdefault((address, value), (call, sender, path))
        for key, entry in firsts.items():
            run.requests[key].append(entry)
    for entries in run.requests.values():
        entries.sort(key=lambda entry: entry[0].order)
        del entries[2:]


def _name_things(senders: Sequence[Sender], run: Run) -> None:
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


def _own_addresses(sender: Sender, run: Run) -> None:
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


def causes_of(sender: Sender, call: Logical, run: Run) -> Iterable[tuple[Channel, Caused]]:
    """Every way in which an earlier answer may have caused a call, latest answers first."""
    if is_report(call.token):
        yield from _answered(sender, call, run)
        return
    learned = run.learned(sender)
    known = [value for value in dict.fromkeys(call.request.cells) if value in learned]
    # Of values that came together the rarest say most: the token of a container, not its host.
    known.sort(key=learned.__getitem__)
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
    yield from addressed(sender, call, run)


def _answered(sender: Sender, call: Logical, run: Run) -> Iterable[tuple[Channel, Caused]]:
    """Answers of the sender's own daemon to others that name what a report is about."""
    for cause, path in run.named.get(thing_of(call.request, REPORTS[call.token[1]]), ()):
        users = run.own.get((sender.role.name, cause.event.target.address), {})
        if len(users) != 1 or id(sender) not in users or cause.start_s > call.start_s:
            continue
        match = _INDEXED.match(path)
        channel = Channel(cause.token, Actor.ANSWERER, match[1] if match else "", "", users[id(sender)])
        yield channel, Caused(call, sender, cause, _number(cause.response, match))


def addressed(sender: Sender, call: Logical, run: Run) -> Iterable[tuple[Channel, Caused]]:
    """Requests of others to the sender's own address that were the first to hold a value which the call carries."""
    for address, fact in run.addresses[id(sender)]:
        for value in dict.fromkeys(call.request.cells):
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
    sender: Sender, call: Logical, said: tuple[Logical, Scalar], run: Run
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
    elements = [
        element
        for place, name in run.names(cause, sender)
        if name != value
        for element in _channels(cause.token, answer.shape.paths[place], sent[name].path)
    ]
    if len({(first, numbers) for first, _, _, numbers in elements}) > 1:
        carried = {each for each in call.request.cells if each in sent}
        places = [numbers for place, numbers in indexed(answer.shape) if answer.cells[place] in carried]

        def apart(element: _Element) -> int:
            first, last, _, numbers = element
            return sum(place[first:last] != numbers[: max(0, len(place) - first)] for place in places)

        elements.sort(key=apart)
    for _, _, channel, numbers in elements:
        yield channel, Caused(call, sender, cause, numbers)


_Element = tuple[int, int, Channel, Numbers]


@lru_cache(maxsize=_CHANNELS_KEPT)
def _channels(token: Token, path: str, fact: str) -> tuple[_Element, ...]:
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
