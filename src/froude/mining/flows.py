"""Where values come from: earlier calls of the same node, of other nodes, or the cause of an effect.

`Timeline` answers one question, the same for mining and for prediction: what does a `Flow` rule give at a
call? `OccurrenceContext` is the rules' evaluator's view of a recorded call.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from froude.base.units import Quantity
from froude.mining.events import Leaves
from froude.mining.structure import Occurrence
from froude.workload.occurrences import Loops, nth_place, of_own_node, qualified, stands
from froude.workload.rules import Special, Value
from froude.workload.types import NODE, Flow, Generated, Scalar, Side, Which

EACH = "{each}"

_SLACK_S = 0.001
"""An answer counts as earlier if it passed this much after the call, at most: two connections, one clock."""

Source = tuple[str, str | None, Side, str]
"""Template, node type of another node (None for the same node), side and leaf path of a possible source."""


class Timeline:
    """Every placed call of some runs, by who made it.

    Args:
        occurrences: of steps, periodic calls and effects, of all types and runs.
    """

    def __init__(self, occurrences: Iterable[Occurrence]) -> None:
        self._by_node: dict[tuple[int, str], list[Occurrence]] = defaultdict(list)
        self._by_run: dict[tuple[int, str], list[Occurrence]] = defaultdict(list)
        self._nth: dict[tuple[int, str], dict[tuple[int, ...], Occurrence]] = defaultdict(dict)
        self._nth_of_all: dict[tuple[int, str], dict[tuple[int, ...], Occurrence]] = defaultdict(dict)
        self._values: dict[tuple[int, Scalar], list[tuple[Occurrence, Side, str]]] = defaultdict(list)
        self._shared: dict[tuple[int, Scalar], list[tuple[Occurrence, Side, str]]] = defaultdict(list)
        for occurrence in sorted(occurrences, key=lambda o: (o.run, o.call.order)):
            self._place(occurrence)
            for side, path, value in _leaves(occurrence):
                self._values[id(occurrence.sender), value].append((occurrence, side, path))
                self._shared[occurrence.run, value].append((occurrence, side, path))

    def _place(self, occurrence: Occurrence) -> None:
        own, everyone = (id(occurrence.sender), occurrence.template), (occurrence.run, occurrence.template)
        self._by_node[own].append(occurrence)
        self._by_run[everyone].append(occurrence)
        self._nth[own][tuple(occurrence.indices.values())] = occurrence
        self._nth_of_all[everyone][tuple(_among_all(occurrence).values())] = occurrence

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
            if others and type(value) is not type(_leaf(occurrence, side, path)):
                continue
            node_type = type_of(occurrence.template) if others else None
            sources[occurrence.template, node_type, side, path] = None
        return list(sources)

    def resolve(self, flow: Flow, taker: Occurrence) -> Value:
        """What a flow gives at a call; ABSENT where the source lacks it, UNRESOLVED without a source."""
        if flow.which is Which.CAUSE:
            source = taker.cause
            path = flow.path.replace(EACH, str(taker.each))
        elif flow.call == taker.template and flow.which is Which.SAME:
            source, path = taker, flow.path
        else:
            source, path = self._source(flow, taker), flow.path
        if source is None:
            return Special.UNRESOLVED
        leaves = source.call.request if flow.side is Side.REQUEST else (source.call.response or {})
        if path not in leaves:
            return Special.ABSENT
        value = leaves[path]
        if flow.plus:
            return value + flow.plus if isinstance(value, int) else Special.UNRESOLVED
        return value

    def _source(self, flow: Flow, taker: Occurrence) -> Occurrence | None:
        """The occurrence that a flow means; `workload.occurrences` says which."""
        if of_own_node(flow, type_of(taker.template)):
            key, place_of = (id(taker.sender), flow.call), _own_place
            listed, nth = self._by_node.get(key, []), self._nth.get(key, {})
        else:
            key, place_of = (taker.run, flow.call), _among_all
            listed, nth = self._by_run.get(key, []), self._nth_of_all.get(key, {})
        if not listed:
            return None
        if flow.which is Which.FIRST:
            candidates: Iterable[Occurrence] = listed[:1]
        elif flow.which is Which.NTH:
            place = nth_place(place_of(taker), tuple(place_of(listed[0])))
            candidates = [nth[place]] if place in nth else []
        else:
            candidates = _backwards(listed, taker)
        for occurrence in candidates:
            if _before(occurrence, flow.side, taker):
                if stands(flow.which, place_of(taker), place_of(occurrence)):
                    return occurrence
                if _passed(place_of(taker), place_of(occurrence)):
                    return None
        return None


def type_of(template: str) -> str:
    """Name of the node type in a template's id."""
    return template.rpartition(".")[0]


def _own_place(occurrence: Occurrence) -> Loops:
    return occurrence.indices


def _among_all(occurrence: Occurrence) -> Loops:
    """The place of a call among those of all nodes; an effect stands where its node stands, not where its cause does."""
    loops = {} if occurrence.cause is not None else occurrence.indices
    return qualified(type_of(occurrence.template), occurrence.node, loops)


def _backwards(listed: Sequence[Occurrence], taker: Occurrence) -> Iterator[Occurrence]:
    """Calls before the taking one, latest first."""
    for at in range(bisect_left(listed, taker.call.order, key=lambda o: o.call.order) - 1, -1, -1):
        yield listed[at]


def _passed(taker: Loops, source: Loops) -> bool:
    """Whether calls before this source lie yet further back in the loops that it shares with the taking call."""
    shared = [loop for loop in source if loop in taker]
    if not shared:
        return False
    *outer, inner = shared
    return any(source[loop] != taker[loop] for loop in outer) or source[inner] < taker[inner] - 1


def _leaves(occurrence: Occurrence) -> Iterator[tuple[Side, str, Scalar]]:
    for path, value in occurrence.call.request.items():
        yield Side.REQUEST, path, value
    for path, value in (occurrence.call.response or {}).items():
        yield Side.RESPONSE, path, value


def _leaf(occurrence: Occurrence, side: Side, path: str) -> Scalar:
    return (occurrence.call.request if side is Side.REQUEST else occurrence.call.response or {}).get(path)


def _before(occurrence: Occurrence, side: Side, taker: Occurrence) -> bool:
    if occurrence.call.order >= taker.call.order:
        return False
    return side is Side.REQUEST or occurrence.call.event.end_s <= taker.call.start_s + _SLACK_S


def columns(occurrences: Sequence[Occurrence]) -> dict[str, list[Value]]:
    """Every leaf path that the calls of a template use, with its value in each (ABSENT where it lacks it).

    Paths come in the message's order, merged over calls.
    """
    paths: dict[str, None] = {}
    for leaves in {id(o.call.request): o.call.request for o in occurrences}.values():
        paths.update(dict.fromkeys(leaves))
    return {path: [value_at(o.call.request, path) for o in occurrences] for path in paths}


def value_at(leaves: Leaves, path: str) -> Value:
    """A leaf, or ABSENT."""
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
        return self._timeline.resolve(rule, self._taker)

    def fact(self, name: str) -> Value:  # noqa: ARG002 - a recorded run does not tell its machines' facts
        """UNRESOLVED: facts belong to the machine that plays."""
        return Special.UNRESOLVED

    def generated(self, rule: Generated) -> Value:  # noqa: ARG002 - random by nature
        """UNRESOLVED: random values are never predicted."""
        return Special.UNRESOLVED
