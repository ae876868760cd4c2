"""Every way in which an earlier call may have caused one, by the rare values that both hold.

An answer names an acting node, in an element of a repeated field, and that node then makes a call that carries another
value of the same answer. A request is addressed to a node, and that node then makes a call that carries a value of the
request (`daemons`). A node's own real-time answers (commands in a heartbeat) cause calls too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from froude.mining.effects.rare_values import NONE, Bools, Hits, Ints, Said, spread_out
from froude.mining.read.canonical import Logical, Token
from froude.mining.read.elements import ONLY, Numbers, indices_of, lists_of, number_of
from froude.mining.read.knowledge import BATCHES, REPORTS
from froude.mining.read.senders import Sender
from froude.workload.types import Actor

_FORMS_KEPT = 1 << 14
"""Ways in which a leaf names an owner, and elements that a leaf stands in, that are remembered."""
_INDEXED = re.compile(r"^(.*)\[([^\]]+)\](.*?)$")


@dataclass(frozen=True, slots=True)
class Channel:
    """How a cause reaches the node that acts."""

    token: Token
    actor: Actor
    each: str
    """Repeated field of the cause's answer, of a callee's its request; one effect an element. Empty for one effect."""
    owner: str
    """Leaf below the element that names the acting node, for an owner; else empty."""
    fact: str
    """Leaf of the acting node's own requests with the same name, for an owner or a callee; else empty."""
    following: int = 0
    """Which of the calls of its kind that come after effects of the cause and carry none of its values (`aftereffects`);
    0 for an effect that does."""

    hashed: int = field(init=False, repr=False, compare=False)
    """Its hash: it is asked for at every call."""

    def __post_init__(self) -> None:
        named = (self.token, self.actor.value, self.each, self.owner, self.fact, self.following)
        object.__setattr__(self, "hashed", hash(named))

    def __hash__(self) -> int:
        return self.hashed


@dataclass(slots=True)
class Caused:
    """One effect, with its cause. Never changed, as an `Event`."""

    call: Logical
    sender: Sender
    cause: Logical
    index: Numbers = ONLY
    """Element of the cause's repeated field."""


def is_passing(token: Token) -> bool:
    """Whether only timing decides how many calls of a kind there are: too few to find a cause for are left out."""
    batch = BATCHES.get(token[1])
    return (batch is not None and token[2] in batch.passing) or is_report(token)


def is_report(token: Token) -> bool:
    """Whether calls of a kind are reports that others carry (`reported`)."""
    return token[1] in REPORTS and bool(token[2])


class Options:
    """The ways in which some calls may have been caused: of each call by each channel the first."""

    def __init__(self, said: Said, rows: Ints) -> None:
        self.said, self.rows = said, rows
        self.channels: list[Channel] = []
        self.numbers: list[Numbers] = []
        self._known: dict[Channel | Numbers, int] = {}
        self.row = self.channel = self.cause = self.index = NONE
        """An option each: which of the calls; by which channel; the causing call; which element of it."""

    def add(self, found: Iterable[tuple[int, Channel, int, Numbers]]) -> None:
        """Options that come after those that there are: row, channel, number of the causing call, element."""
        listed = [(row, self.number(channel), cause, self.place(at)) for row, channel, cause, at in found]
        if listed:
            row, channel, cause, index = (np.array(part, np.int64) for part in zip(*listed, strict=True))
            self.extend((row, channel, cause, index))

    def extend(self, more: tuple[Ints, Ints, Ints, Ints]) -> None:
        """The same, as arrays."""
        old = (self.row, self.channel, self.cause, self.index)
        row, channel, cause, index = (np.concatenate(pair) for pair in zip(old, more, strict=True))
        _, first = np.unique(row * (len(self.channels) + 1) + channel, return_index=True)
        first.sort()
        self.row, self.channel, self.cause, self.index = (
            row[first],
            channel[first],
            cause[first],
            index[first],
        )

    def number(self, channel: Channel) -> int:
        """The number of a channel."""
        if channel not in self._known:
            self._known[channel] = len(self.channels)
            self.channels.append(channel)
        return self._known[channel]

    def place(self, numbers: Numbers) -> int:
        """The number of an element's place."""
        if numbers not in self._known:
            self._known[numbers] = len(self.numbers)
            self.numbers.append(numbers)
        return self._known[numbers]

    def of(self, chosen: Bools | Ints) -> Options:
        """Some of the options."""
        some = copy(self)
        some.row, some.channel = self.row[chosen], self.channel[chosen]
        some.cause, some.index = self.cause[chosen], self.index[chosen]
        return some

    def caused(self) -> list[Caused]:
        """What each option says."""
        said, calls = self.said, self.rows[self.row]
        listed = zip(
            calls.tolist(), said.sender[calls].tolist(), self.cause.tolist(), self.index.tolist(), strict=True
        )
        return [
            Caused(said.calls[call], said.senders[sender], said.calls[cause], self.numbers[at])
            for call, sender, cause, at in listed
        ]


def answers_that_name(said: Said, rows: Ints, users: Ints) -> Options:
    """Earlier answers that may have caused calls of one kind, latest first.

    Such an answer names the sender, and no other of its role, in an element; or the sender's own beat got it.

    Args:
        users: by value, the only sender of the role that sends it.
    """
    options, hits = Options(said, rows), said.traced(rows)
    own = said.sender[hits.cause] == said.sender[rows[hits.row]]
    hit, cell = said.told.of(hits.cause)
    naming = ~own[hit] & (users[said.told.value[cell]] == said.sender[rows[hits.row[hit]]])
    naming &= said.told.value[cell] != said.told.value[hits.cell[hit]]
    hit, channel, index, form = _elements(options, hits, (hit[naming], cell[naming]))
    apart = _apart(options, hits, hit, form)
    beat = np.flatnonzero(own)
    got = [
        _of_beat(said, call, cell)
        for call, cell in zip(hits.cause[beat].tolist(), hits.cell[beat].tolist(), strict=True)
    ]
    hit = np.concatenate((hit, beat))
    channel = np.concatenate((channel, _ints([options.number(each.channel) for each in got])))
    index = np.concatenate((index, _ints([options.place(each.numbers) for each in got])))
    apart = np.concatenate((apart, np.zeros(len(beat), np.int64)))
    order = np.lexsort((apart, hit))
    hit = hit[order]
    options.extend((hits.row[hit], channel[order], hits.cause[hit], index[order]))
    return options


def _elements(options: Options, hits: Hits, named: tuple[Ints, Ints]) -> tuple[Ints, Ints, Ints, list[_Form]]:
    """Elements of answers around leaves that name senders: of which hit, the channel, its place, and its form."""
    said, (hit, cell) = options.said, named
    pairs = said.pair(said.sender[options.rows[hits.row[hit]]], said.told.value[cell])
    leaf, fact, token = (
        said.told.leaf[cell].astype(np.int64),
        said.asked.leaf[said.first_asked[pairs]],
        said.token[hits.cause[hit]],
    )
    keys = (token * (len(said.leaves) + 1) + leaf) * (len(said.leaves) + 1) + fact
    distinct, first, kind = np.unique(keys, return_index=True, return_inverse=True)
    forms = [
        _forms(said.tokens[token[at]], said.leaves[leaf[at]], said.leaves[fact[at]]) for at in first.tolist()
    ]
    flat = [form for listed in forms for form in listed]
    counts = _ints([len(listed) for listed in forms])[kind] if len(distinct) else NONE
    begins = np.cumsum([0, *(len(listed) for listed in forms)])[kind] if len(distinct) else NONE
    at = np.repeat(begins, counts) + spread_out(counts)
    channel = _ints([options.number(form.channel) for form in flat])[at]
    index = _ints([options.place(form.numbers) for form in flat])[at]
    return np.repeat(hit, counts), channel, index, [flat[number] for number in at.tolist()]


class _Form(NamedTuple):
    """How a leaf of an answer may name the owner of an element around it."""

    first: int
    """Which of the leaf's lists is the element's first."""
    channel: Channel
    numbers: Numbers
    """Of the element."""

    def apart(self, place: Numbers) -> bool:
        """Whether another leaf of the answer stands in another element."""
        last = self.first + len(self.numbers)
        return place[self.first : last] != self.numbers[: max(0, len(place) - self.first)]


@lru_cache(maxsize=_FORMS_KEPT)
def _forms(token: Token, path: str, fact: str) -> tuple[_Form, ...]:
    """The ways in which a leaf of an answer may name an owner.

    Args:
        fact: the leaf of the owner's requests with that value.
    """
    numbers = indices_of(path)
    return tuple(
        _Form(
            first,
            Channel(token, Actor.OWNER, each, owner, fact),
            numbers[first : first + each.count("[]") + 1],
        )
        for first, each, owner in lists_of(path)
    )


def _of_beat(said: Said, call: int, cell: int) -> _Form:
    """The element of a beat's answer around a leaf."""
    match = _INDEXED.match(said.told_path(cell))
    assert match is not None
    number = number_of(said.answer(call), match[1], match[2])
    return _Form(0, Channel(said.calls[call].token, Actor.SELF, match[1], "", ""), (number,))


def _apart(options: Options, hits: Hits, hit: Ints, forms: Sequence[_Form]) -> Ints:
    """Of each element, how many of the call's values stand in others: a command's second target gets its second block.

    Only asked where several elements name the sender.
    """
    apart = np.zeros(len(hit), np.int64)
    known: dict[tuple[int, Numbers], int] = {}
    form = _ints([known.setdefault((each.first, each.numbers), len(known)) for each in forms])
    differing = np.flatnonzero((np.diff(hit) == 0) & (np.diff(form) != 0))
    said = options.said
    for one in np.unique(hit[differing]).tolist():
        call, cause = int(options.rows[hits.row[one]]), int(hits.cause[one])
        carried = set(said.asked.value[said.asked.of(np.array([call]))[1]].tolist())
        cells = said.told.of(np.array([cause]))[1]
        told = zip(said.told.value[cells].tolist(), said.told.leaf[cells].tolist(), strict=True)
        places = [
            indices_of(said.leaves[leaf])
            for value, leaf in told
            if value in carried and "[" in said.leaves[leaf]
        ]
        for at in range(*np.searchsorted(hit, [one, one + 1]).tolist()):
            apart[at] = sum(forms[at].apart(place) for place in places)
    return apart


def _ints(values: Sequence[int]) -> Ints:
    return np.array(values, np.int64)
