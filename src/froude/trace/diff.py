"""Compare the behaviour of two Traces: who sent what, in which order, with which arguments, how often.

Senders are grouped into types by what they call themselves or, failing that, by the protocol they speak;
within a type they are paired in order of appearance, their sequences aligned, and the arguments of aligned
calls compared leaf by leaf. The result is a value with counts and examples; nothing is judged here.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from statistics import median
from typing import Any

from google.protobuf.message import Message

from froude.base.errors import InputError
from froude.trace.intervals import Agreement, Observed, Statistic, agreement, observed
from froude.trace.types import Call, Trace

_EXAMPLES = 5
_LONGEST_SEQUENCE = 5_000
"""Calls of one sender that are aligned; alignment is quadratic in the worst case."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class MethodDiff:
    """One method of one sender type on both sides."""

    method: str
    left: int
    right: int
    left_interval_s: float | None
    """Median time between two calls of one sender; None with fewer than two."""
    right_interval_s: float | None


@dataclass(frozen=True, slots=True)
class SequenceDiff:
    """Where the call sequences of two paired senders part."""

    sender: int
    """Which pair, counting from 0 in order of appearance."""
    at: int
    """Place in the left sequence."""
    left: tuple[str, ...]
    """Methods there, at most ten."""
    right: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArgumentDiff:
    """An argument that differs between aligned calls."""

    method: str
    path: str
    """Field names from the request down, `[]` for a list's elements."""
    differing: int
    compared: int
    example: tuple[str, str]
    """Values of the first difference, shortened."""


@dataclass(frozen=True, slots=True)
class SenderDiff:
    """One type of sender on both sides."""

    type: str
    left_senders: int
    right_senders: int
    methods: tuple[MethodDiff, ...]
    aligned: int
    """Calls that stand at the same place in both sequences of a pair."""
    left_calls: int
    right_calls: int
    sequences: tuple[SequenceDiff, ...]
    """The first few places where sequences part."""
    arguments: tuple[ArgumentDiff, ...]
    """Arguments that differ, most often differing first."""
    leaves: int
    leaves_equal: int
    left_starts_s: tuple[float, float] | None = None
    """When the first and the last of them made its first call, since the Trace began; None without any."""
    right_starts_s: tuple[float, float] | None = None

    @property
    def same_sequences(self) -> bool:
        """Whether both sides have the same senders with the same sequences of methods."""
        return self.left_senders == self.right_senders and self.aligned == self.left_calls == self.right_calls


@dataclass(frozen=True, slots=True)
class TraceDiff:
    """The comparison of two Traces."""

    senders: tuple[SenderDiff, ...]
    """By type, those with most calls first."""
    intervals: tuple[Agreement, ...] = ()
    """How many call sites agree on the interval before their calls, by each statistic. A site is here a method after a
    method, of one type of senders."""

    @property
    def same_sequences(self) -> bool | None:
        """Whether every sender type has the same sequences on both sides; None where neither side has a sender."""
        return all(sender.same_sequences for sender in self.senders) if self.senders else None

    @property
    def same(self) -> bool | None:
        """Whether sequences and all arguments are equal (times do not count); None as above."""
        return self.same_sequences and all(s.leaves == s.leaves_equal for s in self.senders)


def diff(left: Trace, right: Trace, *, arguments: bool = True) -> TraceDiff:
    """Compare two Traces.

    Args:
        arguments: whether arguments are compared, which decodes both traces' requests.

    Raises:
        InputError: a trace cannot tell senders apart, or arguments are asked for and it has no payloads.
    """
    for trace in (left, right):
        if not trace.meta.fidelity.sender:
            raise InputError("a trace cannot tell its senders apart", found="fidelity.sender: false")
        if arguments and not trace.meta.fidelity.payload:
            raise InputError("a trace has no request payloads", found="fidelity.payload: false")
    sides = _by_type(left.calls), _by_type(right.calls)
    compared = [
        _sender(kind, left, right, (sides[0].get(kind, []), sides[1].get(kind, [])), arguments)
        for kind in sorted({*sides[0], *sides[1]})
    ]
    compared.sort(key=lambda sender: (-(sender.left_calls + sender.right_calls), sender.type))
    sites = [_sites(side) for side in sides]
    return TraceDiff(
        tuple(compared), tuple(agreement(sites[0], sites[1], statistic) for statistic in Statistic)
    )


def sender_type(calls: Sequence[Call]) -> str:
    """The kind of a sender: its caller context with numbers as `#`, else its main protocol."""
    contexts = Counter(call.caller_context for call in calls if call.caller_context)
    if contexts:
        return _DIGITS.sub("#", contexts.most_common(1)[0][0])
    return Counter(call.protocol.rpartition(".")[2] for call in calls).most_common(1)[0][0]


def _by_type(calls: Sequence[Call]) -> dict[str, list[list[Call]]]:
    """Senders' calls by type, senders in order of appearance."""
    senders: dict[bytes | int, list[Call]] = {}
    for call in calls:
        senders.setdefault(call.client_id or call.connection, []).append(call)
    types: dict[str, list[list[Call]]] = defaultdict(list)
    for sender in senders.values():
        types[sender_type(sender)].append(sender)
    return types


def _sender(
    kind: str,
    left: Trace,
    right: Trace,
    senders: tuple[list[list[Call]], list[list[Call]]],
    arguments: bool,
) -> SenderDiff:
    places: list[SequenceDiff] = []
    leaves = _Leaves()
    aligned = 0
    for index, (ours, theirs) in enumerate(zip(*senders, strict=False)):
        for a, b in _align(ours, theirs, index, places):
            aligned += 1
            if arguments:
                leaves.compare(a, b, left, right)
    return SenderDiff(
        kind,
        len(senders[0]),
        len(senders[1]),
        _methods(*senders),
        aligned,
        sum(map(len, senders[0])),
        sum(map(len, senders[1])),
        tuple(places[:_EXAMPLES]),
        leaves.result(),
        leaves.total,
        leaves.equal,
        *map(_starts, senders),
    )


def _starts(senders: list[list[Call]]) -> tuple[float, float] | None:
    starts_s = [sender[0].start_s for sender in senders]
    return (min(starts_s), max(starts_s)) if starts_s else None


def _sites(types: Mapping[str, list[list[Call]]]) -> dict[str, Observed]:
    intervals_s: dict[str, list[float]] = defaultdict(list)
    for kind, senders in types.items():
        for before, after in (pair for sender in senders for pair in pairwise(sender)):
            site = f"{kind}: {before.method}, {after.method}"
            intervals_s[site].append(after.start_s - before.start_s)
    return {site: observed(listed) for site, listed in intervals_s.items()}


def _align(
    ours: list[Call], theirs: list[Call], index: int, places: list[SequenceDiff]
) -> Iterator[tuple[Call, Call]]:
    """Pairs of calls at the same place; what has no partner goes to `places`."""
    a = [call.method for call in ours[:_LONGEST_SEQUENCE]]
    b = [call.method for call in theirs[:_LONGEST_SEQUENCE]]
    if a == b:
        yield from zip(ours, theirs, strict=False)
        return
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from zip(ours[i1:i2], theirs[j1:j2], strict=True)
        else:
            places.append(SequenceDiff(index, i1, tuple(a[i1:i2][:10]), tuple(b[j1:j2][:10])))


def _methods(left: list[list[Call]], right: list[list[Call]]) -> tuple[MethodDiff, ...]:
    counts = [Counter(call.method for sender in side for call in sender) for side in (left, right)]
    gaps = [_intervals(side) for side in (left, right)]
    names = sorted(counts[0] | counts[1], key=lambda name: (-counts[0][name] - counts[1][name], name))
    return tuple(
        MethodDiff(name, counts[0][name], counts[1][name], gaps[0].get(name), gaps[1].get(name))
        for name in names
    )


def _intervals(senders: list[list[Call]]) -> dict[str, float]:
    gaps: dict[str, list[float]] = defaultdict(list)
    for sender in senders:
        last: dict[str, float] = {}
        for call in sender:
            if call.method in last:
                gaps[call.method].append(call.start_s - last[call.method])
            last[call.method] = call.start_s
    return {method: median(times) for method, times in gaps.items()}


class _Leaves:
    """Counts of compared leaf values."""

    def __init__(self) -> None:
        self.total = self.equal = 0
        self._compared: Counter[tuple[str, str]] = Counter()
        self._differing: Counter[tuple[str, str]] = Counter()
        self._examples: dict[tuple[str, str], tuple[str, str]] = {}

    def compare(self, a: Call, b: Call, left: Trace, right: Trace) -> None:
        """Compare the arguments of two aligned calls; one without payload counts as nothing."""
        if a.request is None or b.request is None:
            return
        ours, theirs = dict(leaves(left.request(a))), dict(leaves(right.request(b)))
        for path in {**ours, **theirs}:
            key = (a.method, re.sub(r"\[\d+\]", "[]", path))
            self.total += 1
            self._compared[key] += 1
            mine, its = ours.get(path), theirs.get(path)
            if mine == its:
                self.equal += 1
                continue
            self._differing[key] += 1
            self._examples.setdefault(key, (_short(mine), _short(its)))

    def result(self) -> tuple[ArgumentDiff, ...]:
        """What differs, most often first."""
        return tuple(
            ArgumentDiff(*key, count, self._compared[key], self._examples[key])
            for key, count in sorted(self._differing.items(), key=lambda item: (-item[1], item[0]))
        )


def leaves(message: Message, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each set leaf value of a message with its path: `storageInfo.clusterID`, `blocks[0].blockId`.

    Args:
        message: any message; what is not set is passed over.
        path: where it stands in a larger one; empty for the whole.

    Yields:
        Path and scalar, in the order of the field numbers.
    """
    for field, value in message.ListFields():
        name = f"{path}.{field.name}" if path else field.name
        each = (
            [(f"{name}[{i}]", item) for i, item in enumerate(value)] if field.is_repeated else [(name, value)]
        )
        for place, item in each:
            if field.message_type is not None:
                yield from leaves(item, place)
            else:
                yield place, item


def _short(value: Any) -> str:
    text = "absent" if value is None else value.hex() if isinstance(value, bytes) else str(value)
    return text if len(text) <= 60 else text[:59] + "…"
