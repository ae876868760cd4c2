"""Who said which rare values in a run, and when: by this calls are traced back to what caused them (`relocation`)."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from froude.hadoop.rows import EMPTY, Shape
from froude.hadoop.target import Target
from froude.mining.canonical import Logical, Token
from froude.mining.elements import Numbers, indices_of
from froude.mining.senders import Sender
from froude.workload.types import Scalar

_LOOKED = 64
"""Answers with one value that are looked at, latest first: what many answers hold is no id of this one."""
_FEW = 8
"""Answers with one value that are looked at one by one."""
_NAMED_KEPT = 1 << 12
"""Answers of which it is remembered whom they name."""
_SEVERAL = 0
"""In place of a sender's identity where there are several."""
_SHAPES_KEPT = 1 << 12
_ORDER = attrgetter("event.order")


def is_distinctive(value: Scalar) -> bool:
    """Whether a value is so rare that meeting it twice is no accident: no flag, no small number."""
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return False
    return abs(value) >= 1 << 14 if isinstance(value, int) else len(value) >= 6


class First(NamedTuple):
    """The first time that a sender sent a value in a request."""

    order: int
    """Of the call in the trace."""
    path: str
    """The leaf."""


class Said:
    """Indexes of one run.

    Args:
        senders: of the run, sorted (`senders_of`).
    """

    def __init__(self, senders: Sequence[Sender]) -> None:
        self.senders = Counter(sender.role.name for sender in senders)
        """How many there are of each role."""
        self.beats = {id(beat) for sender in senders for beat in sender.periodic}
        """Identities of the periodic calls."""
        self.sent: dict[int, dict[Scalar, First]] = {}
        """Distinctive values by identity of the sender that sends them in requests."""
        self.called: dict[str, Target] = {}
        """The daemons that were called, by address."""
        self._users: dict[str, dict[Scalar, int]] = defaultdict(dict)
        """By role and value: the identity of the only sender that sends it."""
        self.answers: dict[Scalar, list[Logical]] = defaultdict(list)
        """Value that somebody sends -> answers that hold it, in order; each as often as it does."""
        self._frequent: dict[Scalar, _Frequent] = {}
        self._named: dict[tuple[int, str], dict[int, list[tuple[int, Scalar]]]] = {}
        self._learned: dict[int, dict[Scalar, tuple[int, int, str]]] = {}
        for sender in senders:
            self.sent[id(sender)] = _sent(sender)
            self.called.update(_called(sender))
            users = self._users[sender.role.name]
            for value in self.sent[id(sender)]:
                users[value] = _SEVERAL if value in users else id(sender)
        self._learn(sorted((call for sender in senders for call in sender.calls), key=_ORDER))

    def _learn(self, calls: Sequence[Logical]) -> None:
        sent = set[Scalar]().union(*self._users.values())
        for call in calls:
            for value in (call.response or EMPTY).cells:
                if value in sent and type(value) is not float:
                    self.answers[value].append(call)

    def names(self, answer: Logical, sender: Sender) -> list[tuple[int, Scalar]]:
        """What in an answer only one sender of a role sends in requests: places in its shape, and values.

        Args:
            answer: the call.
            sender: who sends it.
        """
        key = (id(answer), sender.role.name)
        if key not in self._named:
            if len(self._named) >= _NAMED_KEPT:
                self._named.clear()
            users = self._users[sender.role.name]
            named: dict[int, list[tuple[int, Scalar]]] = defaultdict(list)
            for place, value in enumerate((answer.response or EMPTY).cells):
                user = users.get(value, _SEVERAL)
                if user != _SEVERAL and type(value) is not float:
                    named[user].append((place, value))
            self._named[key] = dict(named)
        return self._named[key].get(id(sender), [])

    def learned(self, sender: Sender) -> Mapping[Scalar, tuple[int, int, str]]:
        """Values that the sender can have only from an answer: one held each before the sender sent it.

        Returns:
            By value, what puts those first that were new most lately, and of these the rarest.
        """
        known = self._learned.get(id(sender))
        if known is None:
            known = self._learned[id(sender)] = {
                value: (-answers[0].event.order, len(answers), str(value))
                for value, first in self.sent[id(sender)].items()
                if (answers := self.answers.get(value)) is not None and answers[0].event.order < first.order
            }
        return known

    def latest(self, value: Scalar, call: Logical, kinds: set[Token]) -> Iterator[Logical]:
        """Answers before a call that hold a value, of those that are looked at: of each kind one after the other.

        Args:
            value: one of those in `answers`.
            call: of whose request it is.
            kinds: those that need not be looked at any more; more may be added meanwhile.

        Yields:
            The latest first. Of a kind that is not added to `kinds` the next older ones follow.
        """
        answers = self.answers[value]
        if len(answers) <= _FEW:
            for answer in reversed(answers):
                if answer.event.order < call.event.order and answer.token not in kinds:
                    yield answer
            return
        frequent = self._frequent.get(value)
        if frequent is None:
            frequent = self._frequent[value] = _Frequent(answers)
        yield from frequent.latest(call.event.order, kinds)


class _Frequent:
    """Many answers with one value, by their kind."""

    def __init__(self, answers: list[Logical]) -> None:
        self._answers = answers
        self._orders = array("q", map(_ORDER, answers))
        self._numbers: dict[Token, array[int]] = defaultdict(lambda: array("q"))
        for number, answer in enumerate(answers):
            self._numbers[answer.token].append(number)

    def latest(self, order: int, kinds: set[Token]) -> Iterator[Logical]:
        """As `Said.latest`."""
        end = bisect_left(self._orders, order)
        first = max(0, end - _LOOKED)
        left = {
            token: at
            for token, numbers in self._numbers.items()
            if token not in kinds and (at := bisect_left(numbers, end))
        }
        while left:
            token = max(left, key=lambda each: self._numbers[each][left[each] - 1])
            number = self._numbers[token][left[token] - 1]
            if number < first:
                return
            yield self._answers[number]
            left[token] -= 1
            if not left[token] or token in kinds:
                del left[token]


def _sent(sender: Sender) -> dict[Scalar, First]:
    sent: dict[Scalar, First] = {}
    common: set[Scalar] = set()
    for call in sender.calls:
        request = call.request
        for place, value in enumerate(request.cells):
            if value in sent or value in common:
                continue
            if is_distinctive(value):
                sent[value] = First(call.event.order, request.shape.paths[place])
            elif type(value) is not float:  # which may equal a number that is distinctive
                common.add(value)
    return sent


def _called(sender: Sender) -> dict[str, Target]:
    return {
        target.address: target
        for target in dict.fromkeys(call.event.target for call in sender.calls)
        if is_distinctive(target.host)
    }


@lru_cache(maxsize=_SHAPES_KEPT)
def indexed(shape: Shape) -> tuple[tuple[int, Numbers], ...]:
    """The leaves in elements of lists: place in the shape, and numbers of the elements."""
    return tuple((place, indices_of(path)) for place, path in enumerate(shape.paths) if "[" in path)
