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
from froude.workload.rules import Special, Value
from froude.workload.types import NODE, Flow, Generated, Scalar, Side, Which

EACH = "{each}"

Source = tuple[str, str | None, Side, str]
"""Template, node type of another node (None for the same node), side and leaf path of a possible source."""


class Timeline:
    """Every placed call of some runs, by who made it.

    Args:
        occurrences: of steps, periodic calls and effects, of all types and runs.
    """

    def __init__(self, occurrences: Iterable[Occurrence]) -> None:
        self._own: dict[tuple[int, str], list[Occurrence]] = defaultdict(list)
        self._all: dict[tuple[int, str], list[Occurrence]] = defaultdict(list)
        self._places: dict[tuple[int, str], tuple[tuple[str, ...], dict[tuple[int, ...], Occurrence]]] = {}
        self._values: dict[tuple[int, Scalar], list[tuple[Occurrence, Side, str]]] = defaultdict(list)
        self._shared: dict[tuple[int, Scalar], list[tuple[Occurrence, Side, str]]] = defaultdict(list)
        for one in sorted(occurrences, key=lambda o: (o.run, o.call.order)):
            self._own[id(one.sender), one.template].append(one)
            self._all[one.run, one.template].append(one)
            for side, path, value in _leaves(one):
                self._values[id(one.sender), value].append((one, side, path))
                self._shared[one.run, value].append((one, side, path))
            names, at = self._places.setdefault((id(one.sender), one.template), (tuple(one.indices), {}))
            at[tuple(one.indices.get(name, 0) for name in names)] = one

    def sources(self, taker: Occurrence, value: Scalar, *, others: bool = False) -> list[Source]:
        """Calls before `taker` in which a value stands.

        Args:
            taker: the call that has it as an argument.
            value: the value.
            others: look at other nodes' calls instead of its own node's.
        """
        found: dict[Source, None] = {}
        entries = self._shared[taker.run, value] if others else self._values[id(taker.sender), value]
        for one, side, path in entries:
            if not _before(one, side, taker) or (others and one.sender is taker.sender):
                continue
            if others and type(value) is not type(_leaf(one, side, path)):
                continue
            kind = one.template.rpartition(".")[0] if others else None
            found[one.template, kind, side, path] = None
        return list(found)

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
        if flow.node_type is not None:
            return self._elsewhere(flow, taker)
        listed = self._own.get((id(taker.sender), flow.call), [])
        if flow.which is Which.FIRST:
            return listed[0] if listed and _before(listed[0], flow.side, taker) else None
        if flow.which is Which.NTH:
            return self._nth(flow, taker)
        for one in _backwards(listed, flow.side, taker):
            if _fits(one, taker, flow.which):
                return one
            if _passed(one, taker):
                return None
        return None

    def _nth(self, flow: Flow, taker: Occurrence) -> Occurrence | None:
        places = self._places.get((id(taker.sender), flow.call))
        if places is None:
            return None
        names, at = places
        mine = [name for name in taker.indices if name not in names]
        theirs = [name for name in names if name not in taker.indices]
        if len(theirs) != 1 or not mine:
            return None
        key = tuple(taker.indices[mine[0] if name in theirs else name] for name in names)
        one = at.get(key)
        return one if one is not None and _before(one, flow.side, taker) else None

    def _elsewhere(self, flow: Flow, taker: Occurrence) -> Occurrence | None:
        listed = self._all.get((taker.run, flow.call), [])
        if flow.which is Which.FIRST:
            first = next((one for one in listed if one.sender is not taker.sender), None)
            return first if first is not None and _before(first, flow.side, taker) else None
        for one in _backwards(listed, flow.side, taker):
            alike = one.node == taker.node and tuple(one.indices.values()) == tuple(taker.indices.values())
            if one.sender is not taker.sender and (flow.which is not Which.NTH or alike):
                return one
        return None


def _backwards(listed: Sequence[Occurrence], side: Side, taker: Occurrence) -> Iterator[Occurrence]:
    """Calls before the taking one, latest first."""
    for at in range(bisect_left(listed, taker.call.order, key=lambda one: one.call.order) - 1, -1, -1):
        if _before(listed[at], side, taker):
            yield listed[at]


def _passed(one: Occurrence, taker: Occurrence) -> bool:
    """Whether calls before this one lie yet further back in the loops shared with the taking call."""
    shared = [name for name in one.indices if name in taker.indices]
    if not shared:
        return False
    *outer, inner = shared
    return (
        any(one.indices[n] != taker.indices[n] for n in outer)
        or one.indices[inner] < taker.indices[inner] - 1
    )


def _leaves(one: Occurrence) -> Iterator[tuple[Side, str, Scalar]]:
    for path, value in one.call.request.items():
        yield Side.REQUEST, path, value
    for path, value in (one.call.response or {}).items():
        yield Side.RESPONSE, path, value


def _leaf(one: Occurrence, side: Side, path: str) -> Scalar:
    return (one.call.request if side is Side.REQUEST else one.call.response or {}).get(path)


def _before(one: Occurrence, side: Side, taker: Occurrence) -> bool:
    if one.call.order >= taker.call.order:
        return False
    return side is Side.REQUEST or one.call.event.end_s <= taker.call.start_s + 0.001


def _fits(one: Occurrence, taker: Occurrence, which: Which) -> bool:
    """Whether an earlier call stands where `which` says, seen from the taking call."""
    shared = [name for name in one.indices if name in taker.indices]
    match which:
        case Which.LAST:
            return True
        case Which.SAME:
            return all(one.indices[name] == taker.indices[name] for name in shared)
        case Which.PREVIOUS:
            if not shared:
                return one.template == taker.template
            *outer, inner = shared
            same = all(one.indices[name] == taker.indices[name] for name in outer)
            return same and one.indices[inner] == taker.indices[inner] - 1
        case _:
            return False


def columns(occurrences: Sequence[Occurrence]) -> dict[str, list[Value]]:
    """Every leaf path that the calls of a template use, with its value in each (ABSENT where it lacks it).

    Paths come in the message's order, merged over calls.
    """
    paths: dict[str, None] = {}
    for leaves in {id(one.call.request): one.call.request for one in occurrences}.values():
        paths.update(dict.fromkeys(leaves))
    return {path: [value_at(one.call.request, path) for one in occurrences] for path in paths}


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
