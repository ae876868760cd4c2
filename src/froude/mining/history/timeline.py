"""Where values come from: earlier calls of the same node, of other nodes, or the cause of an effect.

`Timeline` answers one question, the same for mining and for prediction: what does a `Flow` rule give at a
call? `OccurrenceContext` is the rules' evaluator's view of a recorded call.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from froude.base.units import Quantity
from froude.messages.rows import EMPTY, Row, Shape
from froude.mining.history.chronology import Chronology, answered, place_of, sent
from froude.mining.history.occurrences import Seen
from froude.mining.history.value_uses import Takers
from froude.mining.read.elements import EACH as EACH  # noqa: PLC0414 - of flows, too
from froude.mining.read.elements import Numbers, element_path, leaf_name
from froude.mining.read.events import Leaves
from froude.mining.read.knowledge import ADDRESSES, THINGS, fact_of
from froude.mining.shape.structure import Occurrence
from froude.workload.generators import CONTAINER_ASKS
from froude.workload.occurrences import Moment, WholeHistory, of_own_node
from froude.workload.rules import Special, Value, derived, element_at
from froude.workload.types import CALLEE_HOST, CALLEE_PORT, NODE, Flow, Generated, Scalar, Side, Which

_PLACES_KEPT = 1 << 14
"""Paths of elements whose place is remembered."""
Source = tuple[str, str | None, Side, str]
"""Template, node type of another node (None for the same node), side and leaf path of a possible source."""


class Timeline:
    """Every placed call of some runs, by who made it.

    Args:
        occurrences: of steps, periodic calls and effects, of all types and runs.
    """

    def __init__(self, occurrences: Iterable[Occurrence]) -> None:
        self.calls = Chronology(occurrences)
        """All of them in order."""
        self._own: dict[tuple[int, str], list[Occurrence]] = defaultdict(list)
        self._among_all: dict[tuple[int, str], list[Occurrence]] = defaultdict(list)
        self._histories: dict[tuple[bool, int, str, Side], WholeHistory[Occurrence]] = {}
        self._templates: dict[int, set[str]] = defaultdict(set)
        self._seen: dict[int, Seen] = {}
        self._called: dict[tuple[int, Scalar], list[Occurrence]] = defaultdict(list)
        self.plural = _of_several_daemons(self.calls.occurrences)
        """Services of which some run called several daemons."""
        for occurrence in self.calls.occurrences:
            target = occurrence.call.event.target
            if target.service in self.plural:
                self._called[occurrence.run, target.host].append(occurrence)
            self._own[id(occurrence.sender), occurrence.template].append(occurrence)
            self._among_all[occurrence.run, occurrence.template].append(occurrence)
        for sender, template in self._own:
            self._templates[sender].add(template)

    def sources(self, taker: Occurrence, value: Scalar, *, others: bool = False) -> list[Source]:
        """Calls before `taker` in which a value stands.

        Args:
            taker: the call that has it as an argument.
            others: look at other nodes' calls instead of its own node's.
        """
        return [
            (place.template, type_of(place.template) if others else None, place.side, place.path)
            for place in self._seen_in(taker.run).before(taker, value, others=others)
        ]

    def named(self, taker: Occurrence, name: str) -> list[Source]:
        """Leaves of a name in the calls of the node that makes `taker`.

        Args:
            name: the last part of the paths.
        """
        templates = self._templates[id(taker.sender)]
        return [
            (place.template, None, place.side, place.path)
            for place in self._seen_in(taker.run).places
            if place.template in templates and leaf_name(place.path) == name
        ]

    def _seen_in(self, run: int) -> Seen:
        if run not in self._seen:
            self._seen[run] = Seen(self.calls, run)
        return self._seen[run]

    def latest(self, taker: Occurrence) -> Iterator[tuple[Source, Scalar]]:
        """Every leaf of the node's own last call of each template before `taker`: where it stands, and its value.

        Linear in the leaves of those calls.
        """
        for template in sorted(self._templates[id(taker.sender)]):
            listed = self._own[id(taker.sender), template]
            at = bisect_left(listed, sent(taker), key=sent)
            if at:
                for side, path, value in _leaves(listed[at - 1]):
                    if _before(listed[at - 1], side, taker):
                        yield (template, None, side, path), value

    def called_last(self, taker: Occurrence, host: Scalar) -> Source | None:
        """The last call of another node before `taker` to a daemon on a host, as a place to take the host from.

        So an application master knows where it runs: where the container was started that it is.

        Args:
            taker: the call that has the host as an argument.
        """
        listed = self._called[taker.run, host]
        at = bisect_left(listed, sent(taker), key=sent)
        others = (each for each in reversed(listed[:at]) if each.sender is not taker.sender)
        last = next(others, None)
        return None if last is None else (last.template, type_of(last.template), Side.REQUEST, CALLEE_HOST)

    def said_of(self, fact: str, taker: Occurrence) -> Value:
        """What the node that caused a call says next of the thing that the call is about; UNRESOLVED if nothing.

        So an emulated DataNode knows a block's length, of which no RPC brings it the bytes: it is what the client says
        when it closes the block.

        Args:
            fact: of a thing (`knowledge.THINGS`).
            taker: the effect that has it as an argument.
        """
        cause = taker.cause
        place = next((path for path in taker.call.request if fact_of(path) == fact), None)
        if fact not in THINGS or cause is None or place is None:
            return Special.UNRESOLVED
        around, _, leaf = place.rpartition(".")
        thing = taker.call.request.get(f"{around}.{THINGS[fact]}")
        for occurrence, side, path in self._seen_in(taker.run).shared(thing):
            later = occurrence.sender is cause.sender and sent(occurrence) > sent(cause)
            said = f"{path.rpartition('.')[0]}.{leaf}"
            if later and side is Side.REQUEST and said in occurrence.call.request:
                return occurrence.call.request[said]
        return Special.UNRESOLVED

    def resolve(self, flow: Flow, taker: Occurrence, element: int | None = None) -> Value:
        """What a flow gives at a call; ABSENT where the source lacks it, UNRESOLVED without a source.

        Args:
            element: number of the element that is taken, of a flow from a list.
        """
        if flow.which is Which.CAUSE:
            source = taker.cause
            path = flow.path
        elif flow.call == taker.template and flow.which is Which.SAME and flow.side is Side.REQUEST:
            source, path = taker, flow.path
        else:
            source, path = self.source(flow, taker), flow.path
            path = path if element is None else path.replace(EACH, str(element))
        if source is None:
            return Special.UNRESOLVED
        leaves = callee_of(source) if path in {CALLEE_HOST, CALLEE_PORT} else _side(source, flow.side)
        if flow.which is Which.CAUSE:
            path = element_path(leaves, path, taker.each)
        return derived(value_at(leaves, path), flow)

    def values(self, flow: Flow, takers: Sequence[Occurrence]) -> list[Value]:
        """As `resolve`, for many calls at once; of a flow from a list, its whole path."""
        sources: Sequence[Occurrence | None]
        if flow.which is Which.CAUSE:
            sources = [taker.cause for taker in takers]
        elif (
            takers
            and flow.call == takers[0].template
            and (flow.which, flow.side) == (Which.SAME, Side.REQUEST)
        ):
            sources = takers
        else:
            sources = self.meant(flow, takers)
        if flow.path in {CALLEE_HOST, CALLEE_PORT}:
            values = [
                Special.UNRESOLVED if source is None else value_at(callee_of(source), flow.path)
                for source in sources
            ]
        else:
            of_each = flow.which is Which.CAUSE and EACH in flow.path
            numbers = [taker.each for taker in takers] if of_each else None
            values = _leaves_at(sources, flow.side, flow.path, numbers)
        return [derived(value, flow) for value in values] if flow.plus or flow.part is not None else values

    def source(self, flow: Flow, taker: Occurrence) -> Occurrence | None:
        """The occurrence that a flow means, None where there is none; `workload.occurrences` says which.

        Args:
            taker: the call that takes its value.
        """
        own = of_own_node(flow, type_of(taker.template))
        scope = id(taker.sender) if own else taker.run
        key = (own, scope, flow.call, flow.side)
        if key not in self._histories:
            self._histories[key] = self._history(*key)
        return self._histories[key].find(flow.which, place_of(taker, own=own), sent(taker))

    def meant(self, flow: Flow, takers: Sequence[Occurrence]) -> list[Occurrence | None]:
        """As `source`, for many calls at once."""
        listed, numbers = self.calls.occurrences, self.calls.meant(flow, Takers.of(takers))
        return [listed[number] if number >= 0 else None for number in numbers.tolist()]

    def _history(self, own: bool, scope: int, call: str, side: Side) -> WholeHistory[Occurrence]:
        """What came to exist of one side of a call, in order, in one node or in a run."""
        listed = (self._own if own else self._among_all).get((scope, call), [])
        existing = [(moment, o) for o in listed if (moment := _exists(o, side)) is not None]
        history: WholeHistory[Occurrence] = WholeHistory()
        for moment, occurrence in sorted(existing, key=lambda pair: pair[0]):
            history.add(place_of(occurrence, own=own), moment, occurrence)
        return history


def _of_several_daemons(occurrences: Iterable[Occurrence]) -> frozenset[str]:
    addresses: dict[tuple[int, str], set[str]] = defaultdict(set)
    for run, target in {(each.run, each.call.event.target) for each in occurrences}:
        addresses[run, target.service].add(target.address)
    return frozenset(service for (_, service), called in addresses.items() if len(called) > 1)


def type_of(template: str) -> str:
    """Name of the node type in a template's id."""
    return template.rpartition(".")[0]


def _exists(occurrence: Occurrence, side: Side) -> Moment | None:
    """From when a side of a call can be taken from; None for an answer that never came."""
    return sent(occurrence) if side is Side.REQUEST else answered(occurrence)


def _leaves(occurrence: Occurrence) -> Iterator[tuple[Side, str, Scalar]]:
    for side in Side:
        for path, value in _side(occurrence, side).items():
            yield side, path, value


def _side(occurrence: Occurrence, side: Side) -> Leaves:
    return occurrence.call.request if side is Side.REQUEST else occurrence.call.response or EMPTY


def callee_of(occurrence: Occurrence) -> Leaves:
    """Whom a call is addressed to, in the form of leaves."""
    target = occurrence.call.event.target
    return {CALLEE_HOST: target.host, CALLEE_PORT: target.port}


def _before(occurrence: Occurrence, side: Side, taker: Occurrence) -> bool:
    moment = _exists(occurrence, side)
    return moment is not None and moment < sent(taker)


def columns(occurrences: Sequence[Occurrence]) -> dict[str, list[Value]]:
    """Every leaf path that the calls of a template use, with its value in each (ABSENT where it lacks it).

    Paths come in the message's order, merged over calls.
    """
    shapes = dict.fromkeys(occurrence.call.request.shape for occurrence in occurrences)
    paths = list(dict.fromkeys(path for shape in shapes for path in shape.paths))
    if len(shapes) == 1:
        listed = map(list, zip(*(occurrence.call.request.cells for occurrence in occurrences), strict=True))
        return dict(zip(paths, listed, strict=True))
    found: dict[str, list[Value]] = {path: [Special.ABSENT] * len(occurrences) for path in paths}
    of_shape = {shape: [found[path] for path in shape.paths] for shape in shapes}
    for at, occurrence in enumerate(occurrences):
        request = occurrence.call.request
        for column, value in zip(of_shape[request.shape], request.cells, strict=True):
            column[at] = value
    return found


def _leaves_at(
    sources: Sequence[Occurrence | None], side: Side, path: str, elements: Sequence[Numbers] | None
) -> list[Value]:
    """A leaf of each source.

    Args:
        elements: whose numbers `{each}` in the path stands for; None where it stands for none.
    """
    places: dict[Shape, int | None] = {}
    values: list[Value] = []
    for at, source in enumerate(sources):
        if source is None:
            values.append(Special.UNRESOLVED)
            continue
        row: Row = source.call.request if side is Side.REQUEST else source.call.event.response or EMPTY
        if elements is not None:
            place = _place_of(row.shape, path, elements[at])
        elif row.shape in places:
            place = places[row.shape]
        else:
            place = places[row.shape] = row.shape.places.get(path)
        values.append(Special.ABSENT if place is None else row.cells[place])
    return values


@lru_cache(maxsize=_PLACES_KEPT)
def _place_of(shape: Shape, path: str, numbers: Numbers) -> int | None:
    """Where in a shape the leaf stands that a path means for an element."""
    return shape.places.get(element_path(shape.places, path, numbers))


def value_at(leaves: Leaves, path: str) -> Value:
    """A leaf, or ABSENT.

    Args:
        leaves: of one message, scalars by path.
    """
    return leaves.get(path, Special.ABSENT)


class OccurrenceContext:
    """A recorded call as the rules' evaluator sees it (`workload.rules.Context`)."""

    def __init__(self, timeline: Timeline, scale: Mapping[str, Quantity], taker: Occurrence) -> None:
        self._timeline = timeline
        self._scale = scale
        self._taker = taker

    @property
    def scale(self) -> Mapping[str, Quantity]:
        """The run's Scale."""
        return self._scale

    def index(self, name: str) -> int:
        """Node number or iteration; 0 for a loop that the call is not in."""
        return self._taker.node if name == NODE else self._taker.indices.get(name, 0)

    def is_last(self, name: str) -> bool:
        """Whether the iteration is its loop's last."""
        return self._taker.last.get(name, False)

    def flow(self, rule: Flow) -> Value:
        """The value from the run's own earlier calls."""
        return self._timeline.resolve(rule, self._taker, element_at(rule, self))

    def fact(self, name: str) -> Value:
        """What clients say of a thing; of the machine itself what its connection tells."""
        if name in ADDRESSES:
            return self._taker.call.event.peer or Special.UNRESOLVED
        return self._timeline.said_of(name, self._taker)

    def generated(self, rule: Generated) -> Value:
        """UNRESOLVED: random values are never predicted. ABSENT of asks, which are rare."""
        return Special.ABSENT if rule.generator == CONTAINER_ASKS else Special.UNRESOLVED
