"""Where values come from: earlier calls of the same node, of other nodes, or the cause of an effect.

`Timeline` answers one question, the same for mining and for prediction: what does a `Flow` rule give at a
call? `OccurrenceContext` is the rules' evaluator's view of a recorded call.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from froude.base.units import Quantity
from froude.mining.elements import EACH as EACH  # noqa: PLC0414 - of flows, too
from froude.mining.elements import element_path
from froude.mining.events import Leaves
from froude.mining.knowledge import ADDRESSES, THINGS, fact_of
from froude.mining.rows import EMPTY
from froude.mining.structure import Occurrence
from froude.workload.generators import CONTAINER_ASKS
from froude.workload.occurrences import Loops, Moment, WholeHistory, of_own_node, qualified
from froude.workload.rules import Special, Value, derived, element_at
from froude.workload.types import CALLEE_HOST, CALLEE_PORT, NODE, Flow, Generated, Scalar, Side, Which

Source = tuple[str, str | None, Side, str]
"""Template, node type of another node (None for the same node), side and leaf path of a possible source."""


class Timeline:
    """Every placed call of some runs, by who made it.

    Args:
        occurrences: of steps, periodic calls and effects, of all types and runs.
    """

    def __init__(self, occurrences: Iterable[Occurrence]) -> None:
        self._own: dict[tuple[int, str], list[Occurrence]] = defaultdict(list)
        self._among_all: dict[tuple[int, str], list[Occurrence]] = defaultdict(list)
        self._histories: dict[tuple[bool, int, str, Side], WholeHistory[Occurrence]] = {}
        self._templates: dict[int, set[str]] = defaultdict(set)
        self._values: dict[tuple[int, Scalar], list[tuple[Occurrence, Side, str]]] = defaultdict(list)
        self._shared: dict[tuple[int, Scalar], list[tuple[Occurrence, Side, str]]] = defaultdict(list)
        self._called: dict[tuple[int, Scalar], list[Occurrence]] = defaultdict(list)
        ordered = sorted(occurrences, key=lambda o: (o.run, _sent(o)))
        self.plural = _of_several_daemons(ordered)
        """Services of which some run called several daemons."""
        for occurrence in ordered:
            target = occurrence.call.event.target
            if target.service in self.plural:
                self._called[occurrence.run, target.host].append(occurrence)
            self._own[id(occurrence.sender), occurrence.template].append(occurrence)
            self._templates[id(occurrence.sender)].add(occurrence.template)
            self._among_all[occurrence.run, occurrence.template].append(occurrence)
            for side, path, value in _leaves(occurrence):
                self._values[id(occurrence.sender), value].append((occurrence, side, path))
                if side is Side.RESPONSE or not _is_said_of_thing(occurrence, path):
                    self._shared[occurrence.run, value].append((occurrence, side, path))
            for path, value in _callee(occurrence).items():
                self._values[id(occurrence.sender), value].append((occurrence, Side.REQUEST, path))

    def sources(self, taker: Occurrence, value: Scalar, *, others: bool = False) -> list[Source]:
        """Calls before `taker` in which a value stands.

        Args:
            taker: the call that has it as an argument.
            value: the value.
            others: look at other nodes' calls instead of its own node's.
        """
        sources: dict[Source, None] = {}
        entries = self._shared[taker.run, value] if others else self._values[id(taker.sender), value]
        for occurrence, side, path in entries:
            if not _before(occurrence, side, taker) or (others and occurrence.sender is taker.sender):
                continue
            if others and type(value) is not type(_side(occurrence, side).get(path)):
                continue
            node_type = type_of(occurrence.template) if others else None
            sources[occurrence.template, node_type, side, path] = None
        return list(sources)

    def latest(self, taker: Occurrence) -> Iterator[tuple[Source, Scalar]]:
        """Every leaf of the node's own last call of each template before `taker`: where it stands, and its value.

        Linear in the leaves of those calls.
        """
        for template in sorted(self._templates[id(taker.sender)]):
            listed = self._own[id(taker.sender), template]
            at = bisect_left(listed, _sent(taker), key=_sent)
            if at:
                for side, path, value in _leaves(listed[at - 1]):
                    if _before(listed[at - 1], side, taker):
                        yield (template, None, side, path), value

    def called_last(self, taker: Occurrence, host: Scalar) -> Source | None:
        """The last call of another node before `taker` to a daemon on a host, as a place to take the host from.

        So an application master knows where it runs: where the container was started that it is.

        Args:
            taker: the call that has the host as an argument.
            host: its name or address.
        """
        listed = self._called[taker.run, host]
        at = bisect_left(listed, _sent(taker), key=_sent)
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
        for occurrence, side, path in self._shared.get((taker.run, thing), ()):
            later = occurrence.sender is cause.sender and _sent(occurrence) > _sent(cause)
            said = f"{path.rpartition('.')[0]}.{leaf}"
            if later and side is Side.REQUEST and said in occurrence.call.request:
                return occurrence.call.request[said]
        return Special.UNRESOLVED

    def resolve(self, flow: Flow, taker: Occurrence, element: int | None = None) -> Value:
        """What a flow gives at a call; ABSENT where the source lacks it, UNRESOLVED without a source.

        Args:
            flow: where the value comes from.
            taker: the call that takes it.
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
        leaves = _callee(source) if path in {CALLEE_HOST, CALLEE_PORT} else _side(source, flow.side)
        if flow.which is Which.CAUSE:
            path = element_path(leaves, path, taker.each)
        return derived(value_at(leaves, path), flow)

    def source(self, flow: Flow, taker: Occurrence) -> Occurrence | None:
        """The occurrence that a flow means, None where there is none; `workload.occurrences` says which.

        Args:
            flow: but for those from causes.
            taker: the call that takes its value.
        """
        own = of_own_node(flow, type_of(taker.template))
        scope = id(taker.sender) if own else taker.run
        key = (own, scope, flow.call, flow.side)
        if key not in self._histories:
            self._histories[key] = self._history(*key)
        return self._histories[key].find(flow.which, _place(taker, own=own), _sent(taker))

    def _history(self, own: bool, scope: int, call: str, side: Side) -> WholeHistory[Occurrence]:
        """What came to exist of one side of a call, in order, in one node or in a run."""
        listed = (self._own if own else self._among_all).get((scope, call), [])
        existing = [(moment, o) for o in listed if (moment := _exists(o, side)) is not None]
        history: WholeHistory[Occurrence] = WholeHistory()
        for moment, occurrence in sorted(existing, key=lambda pair: pair[0]):
            history.add(_place(occurrence, own=own), moment, occurrence)
        return history


def _of_several_daemons(occurrences: Iterable[Occurrence]) -> frozenset[str]:
    addresses: dict[tuple[int, str], set[str]] = defaultdict(set)
    for each in occurrences:
        target = each.call.event.target
        addresses[each.run, target.service].add(target.address)
    return frozenset(service for (_, service), called in addresses.items() if len(called) > 1)


def type_of(template: str) -> str:
    """Name of the node type in a template's id."""
    return template.rpartition(".")[0]


def _place(occurrence: Occurrence, *, own: bool) -> Loops:
    """The place of a call among those of its own node, or of all nodes."""
    if own:
        return occurrence.indices
    effect = occurrence.cause is not None
    return qualified(type_of(occurrence.template), occurrence.node, occurrence.indices, effect=effect)


def _sent(occurrence: Occurrence) -> Moment:
    """When its first attempt was sent."""
    return occurrence.call.start_s, occurrence.call.raw[0][0].order


def _exists(occurrence: Occurrence, side: Side) -> Moment | None:
    """From when a side of a call can be taken from; None for an answer that never came."""
    if side is Side.REQUEST:
        return _sent(occurrence)
    event = occurrence.call.event
    return (event.end_s, event.order) if event.answered else None


def _leaves(occurrence: Occurrence) -> Iterator[tuple[Side, str, Scalar]]:
    for side in Side:
        for path, value in _side(occurrence, side).items():
            yield side, path, value


def _side(occurrence: Occurrence, side: Side) -> Leaves:
    return occurrence.call.request if side is Side.REQUEST else occurrence.call.response or EMPTY


def _is_said_of_thing(occurrence: Occurrence, path: str) -> bool:
    """Whether an emulated machine says what it was told of a thing without a call, as a DataNode a block's length."""
    return occurrence.sender.role.emulated and fact_of(path) in THINGS


def _callee(occurrence: Occurrence) -> Leaves:
    """Whom a call is addressed to, in the form of leaves."""
    target = occurrence.call.event.target
    return {CALLEE_HOST: target.host, CALLEE_PORT: target.port}


def _before(occurrence: Occurrence, side: Side, taker: Occurrence) -> bool:
    moment = _exists(occurrence, side)
    return moment is not None and moment < _sent(taker)


def columns(occurrences: Sequence[Occurrence]) -> dict[str, list[Value]]:
    """Every leaf path that the calls of a template use, with its value in each (ABSENT where it lacks it).

    Paths come in the message's order, merged over calls.
    """
    paths: dict[str, None] = {}
    for leaves in {id(o.call.request): o.call.request for o in occurrences}.values():
        paths.update(dict.fromkeys(leaves))
    return {path: [value_at(o.call.request, path) for o in occurrences] for path in paths}


def value_at(leaves: Leaves, path: str) -> Value:
    """A leaf, or ABSENT.

    Args:
        leaves: of one message, scalars by path.
        path: the leaf's path.
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
