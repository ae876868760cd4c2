"""Who said which rare values, and when: by this calls are traced back to what caused them (`causes`).

Everything that was said is kept as arrays: a number for each call, in order of run and place in the trace, and a number
for each rare value of a run. So all calls of a kind are traced back at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from froude.messages.rows import EMPTY, Row
from froude.mining.read.canonical import Token
from froude.mining.read.senders import Sender
from froude.workload.types import Scalar

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Numbers32 = npt.NDArray[np.int32]
_PART = 1 << 16
"""Calls whose leaves are looked at in one go."""
_LOOKED = 64
"""Answers with one value that are looked at, latest first: what many answers hold is no id of this one."""
_TRACED = 3
"""Values of a call that are traced back: those that were new most lately say most about its cause."""
_SLACK_S = 0.001
"""An answer counts as earlier if it passed this much after the call, at most: two connections, one clock."""
_NEVER = np.iinfo(np.int64).max
NOBODY, SEVERAL = -1, -2
"""In place of a sender's number."""


def is_distinctive(value: Scalar) -> bool:
    """Whether a value is so rare that meeting it twice is no accident: no flag, no small number."""
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return False
    return abs(value) >= 1 << 14 if isinstance(value, int) else len(value) >= 6


class Hits(NamedTuple):
    """Answers that may have caused calls; of each call those first that say most."""

    row: Ints
    """Which of the calls that were asked about."""
    cause: Ints
    """Number of the answer's call."""
    cell: Ints
    """Number of the leaf of the answer that holds a value of the call."""


class Cells(NamedTuple):
    """Leaves with rare values, of all calls in order."""

    value: Numbers32
    """Number of each one's value."""
    call: Numbers32
    """Number of the call."""
    leaf: Numbers32
    """Number of the path."""
    begins: Ints
    """Of each call: its first."""

    def of(self, calls: Ints) -> tuple[Ints, Ints]:
        """The leaves of some calls: of which of these each is, and its number."""
        counts = np.diff(self.begins)[calls]
        return np.repeat(np.arange(len(calls)), counts), np.repeat(self.begins[calls], counts) + spread_out(
            counts
        )


class Said:
    """What was said in some runs.

    Args:
        senders: of all runs, sorted (`senders_of`).
    """

    def __init__(self, senders: Sequence[Sender]) -> None:
        self.senders = senders
        listed = [call for sender in senders for call in sender.calls]
        by = np.lexsort(
            (_ints(call.event.order for call in listed), _repeated([s.run for s in senders], senders))
        )
        self.calls = [listed[at] for at in by.tolist()]
        """In order of run and place; numbers of calls are places in it."""
        self._places: Ints = np.argsort(by)
        self._begins: Ints = np.cumsum([0, *(len(sender.calls) for sender in senders)])
        self.sender: Ints = _repeated(range(len(senders)), senders)[by]
        """Of each call: its sender's number."""
        self.order: Ints = _ints(call.event.order for call in self.calls)
        runs: Ints = np.array([each.run for each in senders], np.int64)[self.sender] if senders else NONE
        changed = (np.diff(runs) != 0) | (np.diff(self.order) != 0)
        self.moment: Ints = np.concatenate(([0], np.cumsum(changed)))[: len(self.calls)]
        """Of each call: a number that it shares with what came in the same message."""
        self._start_s = np.array([call.start_s for call in self.calls], float)
        self._end_s = np.array([call.event.end_s for call in self.calls], float)
        tokens = {token: number for number, token in enumerate(sorted({call.token for call in self.calls}))}
        self.tokens = list(tokens)
        self.token: Ints = _ints(tokens[call.token] for call in self.calls)
        """Of each call: the number of its kind."""
        beats = {
            (number, tokens[call.token]) for number, sender in enumerate(senders) for call in sender.periodic
        }
        beating = np.zeros((len(senders), len(tokens)), bool)
        for number, token in beats:
            beating[number, token] = True
        self._beat = beating[self.sender, self.token]
        self._code(runs)
        self._index()

    # --- what was said --------------------------------------------------------------------------------------

    def _code(self, runs: Ints) -> None:
        """Give each rare value of a run that somebody sends a number, and find it in requests and answers."""
        self.values: list[Scalar] = []
        self.leaves: list[str] = []
        """Paths of leaves, each once; numbers of paths are places in it."""
        self._known: dict[int, _Codes] = {}
        names: dict[str, int] = {}
        asked, told = [], []
        for run in np.unique(runs).tolist():
            first, end = np.searchsorted(runs, [run, run + 1]).tolist()
            known = self._known[run] = _Codes(len(self.values))
            for begin in range(first, end, _PART):
                requests = [call.request for call in self.calls[begin : min(end, begin + _PART)]]
                asked.append(_held(requests, begin, known.__getitem__, names))
            for begin in range(first, end, _PART):
                answers = [
                    call.event.response or EMPTY for call in self.calls[begin : min(end, begin + _PART)]
                ]
                told.append(_held(answers, begin, known.number, names))
            self.values += known.distinctive
        self.leaves += names
        self.asked, self.told = (_joined(parts, len(self.calls)) for parts in (asked, told))
        """Rare values that somebody sends, in requests and in answers."""

    def _index(self) -> None:
        number, asked, told = len(self.values), self.asked, self.told
        # Who sent what, and where first.
        keys = self.sender[asked.call] * (number + 1) + asked.value
        self._pairs, self.first_asked, self._pair_of = np.unique(keys, return_index=True, return_inverse=True)
        """By pair of sender and value: its first leaf in requests. And of each leaf its pair."""
        # Which answers held what, in order.
        self._answers: Ints = np.argsort(told.value, kind="stable")
        self._held: Ints = np.bincount(told.value, minlength=number)
        self._bounds: Ints = np.concatenate(([0], np.cumsum(self._held)))
        self._most = int(self.order.max(initial=0)) + 2
        answered = self.order[told.call[self._answers]]
        self._moments: Ints = told.value[self._answers].astype(np.int64) * self._most + answered
        self._listed: Bools = np.array([*("[" in path for path in self.leaves), False], bool)
        """Of each path: whether it leads into a list."""
        self._first_told: Ints = np.full(number, _NEVER, np.int64)
        some = self._held > 0
        self._first_told[some] = answered[self._bounds[:-1][some]]
        first_sent = self.order[asked.call[self.first_asked]]
        self._learned: Bools = self._first_told[self._pairs % (number + 1)] < first_sent
        """By pair: whether an answer held the value before the sender sent it."""

    def pair(self, sender: Ints, value: Ints | Numbers32) -> Ints:
        """Numbers of pairs of sender and value; -1 for a value that the sender never sends."""
        keys = sender * (len(self.values) + 1) + value
        at = np.minimum(np.searchsorted(self._pairs, keys), max(0, len(self._pairs) - 1))
        found = self._pairs[at] == keys if len(self._pairs) else np.zeros(len(keys), bool)
        return np.where(found & (value >= 0), at, -1)

    def users(self, role: str) -> Ints:
        """By value: the only sender of a role that sends it, NOBODY or SEVERAL."""
        sender, value = np.divmod(self._pairs, len(self.values) + 1)
        of_role = np.array([each.role.name == role for each in self.senders], bool)[sender]
        users = np.full(len(self.values), NOBODY, np.int64)
        users[value[of_role]] = sender[of_role]
        users[np.bincount(value[of_role], minlength=len(self.values)) > 1] = SEVERAL
        return users

    def own_of(self, number: int) -> Ints:
        """Numbers of the calls of a sender's own sequence, in its order."""
        sender = self.senders[number]
        places = self._places[self._begins[number] : self._begins[number + 1]].tolist()
        at = {id(call): place for call, place in zip(sender.calls, places, strict=True)}
        return _ints(at[id(call)] for call in sender.own)

    # --- tracing back -----------------------------------------------------------------------------------------

    def traced(self, rows: Ints) -> Hits:
        """Earlier answers that hold values of calls which their senders can have only from answers.

        Of each call the values that were new most lately are traced, of those that came together the rarest. Of each
        value the latest answers are looked at; of each kind of answer the latest counts that somebody else was given,
        or that a beat of the sender's own got in an element of a list.
        """
        chosen = self._chosen(rows)
        seen = np.zeros((len(rows), len(self.tokens)), bool)
        hits: list[tuple[Ints, Ints, Ints]] = []
        for traced in range(_TRACED):
            row = np.flatnonzero(chosen[:, traced] >= 0)
            value = chosen[row, traced]
            first = self._bounds[value]
            end = self._before(value, self.order[rows[row]])
            first = np.maximum(first, end - _LOOKED)
            while len(row):
                end = end - 1
                going = end >= first
                row, end, first = row[going], end[going], first[going]
                cell = self._answers[end]
                cause = self.told.call[cell]
                token, mine = self.token[cause], self.sender[cause] == self.sender[rows[row]]
                usable = ~seen[row, token] & (self._end_s[cause] <= self._start_s[rows[row]] + _SLACK_S)
                usable &= ~mine | (self._beat[cause] & self._listed[self.told.leaf[cell]])
                seen[row[usable], token[usable]] = True
                hits.append((row[usable], cause[usable], cell[usable]))
        row, cause, cell = (np.concatenate(part) for part in zip(*hits, strict=True)) if hits else (NONE,) * 3
        order = np.argsort(row, kind="stable")
        return Hits(row[order], cause[order], cell[order])

    def _chosen(self, rows: Ints) -> Ints:
        """The values of each call to be traced, in order; -1 where there are fewer."""
        row, cell = self.asked.of(rows)
        learned = self._learned[self._pair_of[cell]]
        row, cell = row[learned], cell[learned]
        value = self.asked.value[cell].astype(np.int64)
        _, once = np.unique(row * (len(self.values) + 1) + value, return_index=True)
        row, cell, value = row[once], cell[once], value[once]
        by = np.lexsort((cell, self._held[value], -self._first_told[value], row))
        row, value = row[by], value[by]
        self._break_ties(row, value)
        rank = np.arange(len(row)) - np.searchsorted(row, row)
        chosen = np.full((len(rows), _TRACED), -1, np.int64)
        kept = rank < _TRACED
        chosen[row[kept], rank[kept]] = value[kept]
        return chosen

    def _break_ties(self, row: Ints, value: Ints) -> None:
        """Put values that came together, and are as rare, into the order of their texts."""
        told, held = self._first_told[value], self._held[value]
        tied = (np.diff(row) == 0) & (np.diff(told) == 0) & (np.diff(held) == 0)
        begins = np.flatnonzero(tied & ~np.concatenate(([False], tied[:-1])))
        ends = np.flatnonzero(tied & ~np.concatenate((tied[1:], [False]))) + 2
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            value[begin:end] = sorted(value[begin:end].tolist(), key=lambda each: str(self.values[each]))

    def _before(self, value: Ints, order: Ints) -> Ints:
        """Where in the answers with a value those end that came before a place in the trace."""
        return np.searchsorted(self._moments, value * self._most + order)

    def told_path(self, cell: int) -> str:
        """The path of a leaf of answers."""
        return self.leaves[int(self.told.leaf[cell])]

    def answer(self, call: int) -> Row:
        """The leaves of a call's answer."""
        return self.calls[call].event.response or EMPTY

    def sends(self, sender: int, value: Scalar) -> bool:
        """Whether a sender sends a rare value in requests."""
        code = self._known[self.senders[sender].run].get(value, -1)
        return bool(self.pair(np.array([sender]), np.array([code]))[0] >= 0)

    def first_sent(self, sender: int, value: int) -> int:
        """Where in the trace a sender first sent a value, which it does."""
        pair = self.pair(np.array([sender]), np.array([value]))
        return int(self.order[self.asked.call[self.first_asked[pair]]][0])

    def of_kinds(self, chosen: Callable[[Token], bool]) -> list[int]:
        """Numbers of the calls of some kinds, in order."""
        kinds = np.array([*map(chosen, self.tokens), False], bool)
        return np.flatnonzero(kinds[self.token]).tolist()


NONE: Ints = np.zeros(0, np.int64)


class _Codes(dict[Scalar, int]):
    """Numbers of rare values, as they come; -1 of all others."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self._first = first
        self.distinctive: list[Scalar] = []

    def __missing__(self, value: Scalar) -> int:
        code = -1
        if is_distinctive(value):
            code = self._first + len(self.distinctive)
            self.distinctive.append(value)
        self[value] = code
        return code

    def number(self, value: Scalar) -> int:
        """The number of a value that has one already."""
        return self.get(value, -1)


_Parts = tuple[Numbers32, Numbers32, Numbers32]


def _held(rows: Sequence[Row], first: int, code: Callable[[Scalar], int], names: dict[str, int]) -> _Parts:
    """The leaves with rare values: number of each value, number of the call, and of the path.

    A fraction is no rare value, though it may equal a number that is one.
    """
    cells: Iterable[tuple[Scalar, ...]] = [row.cells for row in rows]
    if float in map(type, chain.from_iterable(cells)):
        cells = [tuple([None if type(value) is float else value for value in listed]) for listed in cells]
    lengths = [len(row.cells) for row in rows]
    value = np.fromiter(map(code, chain.from_iterable(cells)), np.int32, sum(lengths))
    known = {
        shape: np.array([names.setdefault(path, len(names)) for path in shape.paths], np.int32).tobytes()
        for shape in dict.fromkeys(row.shape for row in rows)
    }
    leaf = np.frombuffer(b"".join(known[row.shape] for row in rows), np.int32)
    call = np.repeat(np.arange(first, first + len(rows), dtype=np.int32), lengths)
    rare = value >= 0
    return value[rare], call[rare], leaf[rare]


def _joined(parts: Sequence[_Parts], calls: int) -> Cells:
    if not parts:
        none = np.zeros(0, np.int32)
        return Cells(none, none, none, np.zeros(calls + 1, np.int64))
    value, call, leaf = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Cells(value, call, leaf, np.concatenate(([0], np.cumsum(np.bincount(call, minlength=calls)))))


def _repeated(values: Iterable[int], senders: Sequence[Sender]) -> Ints:
    """A value for each of a sender's calls."""
    return np.repeat(np.array(list(values), np.int64), [len(sender.calls) for sender in senders])


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, np.int64)


def spread_out(counts: Ints) -> Ints:
    """0, 1, … up to each count, behind each other."""
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)
