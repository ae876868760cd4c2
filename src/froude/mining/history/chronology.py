"""The calls of some runs in order, and what is asked of all of them at once, as arrays.

Rules are held against every call of a template. Which earlier call each of a million calls means is a join: of the
loops around both, and of the moments. `workload.occurrences` says for one call what is meant; here the same is found
for many.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from froude.mining.history.value_uses import Takers
from froude.mining.shape.structure import Occurrence
from froude.workload.occurrences import Loops, Moment, of_own_node, place_meant, qualified
from froude.workload.types import NODE, Flow, Side, Which

Ints = npt.NDArray[np.int64]
_NEVER = np.iinfo(np.int64).max
_LARGEST_KEY = 1 << 62


class Chronology:
    """Calls in order of run and moment.

    Args:
        occurrences: of all types and runs; each gets its number in this order.
    """

    def __init__(self, occurrences: Iterable[Occurrence]) -> None:
        listed = list(occurrences)
        lasts = [answered(each) for each in listed]
        ranks = _ranks([*map(sent, listed), *(moment or (0.0, 0) for moment in lasts)])
        began, ended = ranks[: len(listed)], ranks[len(listed) :]
        order = np.lexsort((began, np.array([each.run for each in listed], np.int64)))
        self.occurrences = [listed[at] for at in order.tolist()]
        """All of them."""
        for number, occurrence in enumerate(self.occurrences):
            occurrence.number = number
        self.sent: Ints = began[order]
        """When each call was sent, as a rank among all moments."""
        lost = np.array([moment is None for moment in lasts], bool)
        self.answered: Ints = np.where(lost, _NEVER, ended)[order]
        """When its answer came, as a rank among all moments; a large number for one that never came."""
        self._moments = len(ranks)
        senders: dict[int, int] = {}
        self.senders: Ints = np.array(
            [senders.setdefault(id(each.sender), len(senders)) for each in self.occurrences], np.int64
        )
        """A number for each call's sender."""
        self.runs: Ints = np.array([each.run for each in self.occurrences], np.int64)
        """Each call's run."""
        numbers: dict[str, list[int]] = defaultdict(list)
        for number, occurrence in enumerate(self.occurrences):
            numbers[occurrence.template].append(number)
        self._of_template = {template: np.array(listed, np.int64) for template, listed in numbers.items()}
        self._histories: dict[tuple[bool, str, Side, int], _History] = {}
        self._around: dict[tuple[str, Side, bool], tuple[str, ...] | None] = {}

    def of_template(self, template: str) -> Ints:
        """Numbers of the calls of a template, rising."""
        return self._of_template.get(template, np.array([], np.int64))

    def exists(self, side: Side) -> Ints:
        """From when a side of each call can be taken from, as a rank."""
        return self.sent if side is Side.REQUEST else self.answered

    def meant(self, flow: Flow, takers: Takers) -> Ints:
        """Numbers of the calls that a flow means; -1 where there is none.

        Args:
            takers: calls of one template and of these runs, that take its value.
        """
        what = ("meant", flow.call, flow.side, flow.which, flow.node_type)
        return takers.known(what, lambda: self._meant(flow, takers))

    def _meant(self, flow: Flow, takers: Takers) -> Ints:
        found = np.full(len(takers), -1, np.int64)
        for places, alike in takers.known("alike", lambda: _alike(takers)):
            found[places] = self._meant_by_alike(flow, alike)
        return found

    def _meant_by_alike(self, flow: Flow, takers: Takers) -> Ints:
        own = of_own_node(flow, takers[0].template.rpartition(".")[0])
        loops = self._loops(flow.call, flow.side, own)
        names = {name: name for name in place_of(takers[0], own=own)}
        which = Which.SAME if flow.which is Which.PREVIOUS else flow.which
        named = None if loops is None else place_meant(which, names, loops)  # type: ignore[arg-type]
        if named is None or (flow.which is Which.PREVIOUS and not named):
            return np.full(len(takers), -1, np.int64)
        numbers = takers.known("numbers", lambda: np.array([taker.number for taker in takers], np.int64))
        columns = [self._column(takers, str(name), own) for name in named]
        if flow.which is Which.PREVIOUS:
            columns[-1] = columns[-1] - 1
        scopes = self.senders if own else self.runs
        key = (own, flow.call, flow.side, len(named))
        if key not in self._histories:
            self._histories[key] = self._history(
                self._existing(flow.call, flow.side), flow.side, len(named), own=own
            )
        places = [scopes[numbers], *columns]
        return self._histories[key].find(places, self.sent[numbers], first=flow.which is Which.FIRST)

    def _column(self, takers: Takers, name: str, own: bool) -> Ints:
        return takers.known(("column", name, own), lambda: _column(takers, name, own=own))

    def _existing(self, call: str, side: Side) -> Ints:
        """Numbers of the calls of a template of which a side exists at some time."""
        sources = self.of_template(call)
        return sources[self.exists(side)[sources] < _NEVER]

    def _loops(self, call: str, side: Side, own: bool) -> tuple[str, ...] | None:
        """The loops around the calls of a template; None where there are no calls."""
        key = (call, side, own)
        if key not in self._around:
            sources = self._existing(call, side)
            last = self.occurrences[sources[np.argmax(self.exists(side)[sources])]] if len(sources) else None
            self._around[key] = None if last is None else tuple(place_of(last, own=own))
        return self._around[key]

    def _history(self, sources: Ints, side: Side, depth: int, *, own: bool) -> _History:
        places = [_place(self.occurrences[at], own=own) for at in sources.tolist()]
        deep = np.array([len(place) >= depth for place in places], bool)
        sources = sources[deep]
        columns = [
            np.array([place[loop] for place in places if len(place) >= depth], np.int64)
            for loop in range(depth)
        ]
        scopes = self.senders if own else self.runs
        return _History(sources, [scopes[sources], *columns], self.exists(side)[sources], self._moments)


class _History:
    """What came to exist of one side of a call, by its place and in order."""

    def __init__(self, sources: Ints, columns: Sequence[Ints], moments: Ints, ranks: int) -> None:
        self._radices = [int(column.max(initial=0)) + 2 for column in columns]
        self._ranks = ranks
        size = ranks
        for radix in self._radices:
            size *= radix
        self._distinct = None if size < _LARGEST_KEY else np.unique(np.stack(columns), axis=1)
        keys = self._keys(columns) * ranks + moments
        order = np.argsort(keys, kind="stable")
        self._sorted, self._sources = keys[order], sources[order]

    def _keys(self, columns: Sequence[Ints]) -> Ints:
        """A number for each place; no source's for one that is out of bounds."""
        if self._distinct is not None:
            known = {place: number for number, place in enumerate(zip(*self._distinct.tolist(), strict=True))}
            places = zip(*(column.tolist() for column in columns), strict=True)
            return np.array([known.get(place, len(known)) for place in places], np.int64)
        keys = np.zeros(len(columns[0]), np.int64)
        for column, radix in zip(columns, self._radices, strict=True):
            inside = (column >= 0) & (column < radix - 1)
            keys = keys * radix + np.where(inside, column, radix - 1)
        return keys

    def find(self, columns: Sequence[Ints], sent: Ints, *, first: bool) -> Ints:
        """The last source before each moment at a place, or the first."""
        keys = self._keys(columns)
        begin = np.searchsorted(self._sorted, keys * self._ranks)
        end = np.searchsorted(self._sorted, keys * self._ranks + sent)
        chosen = begin if first else end - 1
        return np.where(end > begin, self._sources[np.minimum(chosen, len(self._sources) - 1)], -1)


def _alike(takers: Takers) -> list[tuple[Sequence[int], Takers]]:
    """Calls of one template in the same loops, each with its place: nearly always all."""
    alike: dict[tuple[str, tuple[str, ...], bool], list[int]] = defaultdict(list)
    for at, taker in enumerate(takers):
        alike[taker.template, tuple(taker.indices), taker.cause is None].append(at)
    if len(alike) == 1:
        return [(range(len(takers)), takers)]
    return [(places, takers.part(places)) for places in alike.values()]


def _ranks(moments: Sequence[Moment]) -> Ints:
    """Each moment's place among all, the same for the same."""
    times, orders = (
        np.array([time_s for time_s, _ in moments]),
        np.array([order for _, order in moments], np.int64),
    )
    by_time = np.lexsort((orders, times))
    changed = (np.diff(times[by_time]) != 0) | (np.diff(orders[by_time]) != 0)
    ranks = np.empty(len(moments), np.int64)
    ranks[by_time[1:]] = np.cumsum(changed)
    ranks[by_time[:1]] = 0
    return ranks


def sent(occurrence: Occurrence) -> Moment:
    """When its first attempt was sent."""
    return occurrence.call.start_s, occurrence.call.raw[0][0].order


def answered(occurrence: Occurrence) -> Moment | None:
    """When its answer came; None for one that never did."""
    event = occurrence.call.event
    return (event.end_s, event.order) if event.answered else None


def _place(occurrence: Occurrence, *, own: bool) -> tuple[int, ...]:
    """The values of `place_of`."""
    if own:
        return tuple(occurrence.indices.values())
    return (
        (occurrence.node,)
        if occurrence.cause is not None
        else (occurrence.node, *occurrence.indices.values())
    )


def _column(takers: Sequence[Occurrence], name: str, *, own: bool) -> Ints:
    """One of the values of `place_of`, of calls of one template."""
    if not own:
        name = name.removeprefix(takers[0].template.rpartition(".")[0] + ".")
        if name == NODE:
            return np.array([taker.node for taker in takers], np.int64)
    return np.array([taker.indices[name] for taker in takers], np.int64)


def place_of(occurrence: Occurrence, *, own: bool) -> Loops:
    """The place of a call among those of its own node, or of all nodes."""
    if own:
        return occurrence.indices
    effect = occurrence.cause is not None
    node_type = occurrence.template.rpartition(".")[0]
    return qualified(node_type, occurrence.node, occurrence.indices, effect=effect)
