"""A node type made ready to be played: where a node stands in its steps, and what it must remember.

`Cursor` walks the steps with their loops. `Needs` says which values of which calls some later rule takes, so that
a node keeps those and forgets the rest; `Memory` keeps them and answers a `Flow`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from google.protobuf.message import Message

from froude.base.units import Quantity
from froude.emulation.programs.paths import value_at
from froude.workload.rules import Special, Value
from froude.workload.types import (
    CallTemplate,
    Cases,
    Flow,
    NodeType,
    Rule,
    Side,
    Step,
    Template,
    Which,
    Workload,
)

Loops = Mapping[str, int]
"""Iteration by loop id, outermost first."""


class _Frame:
    __slots__ = ("iteration", "loop", "position", "steps", "times")

    def __init__(self, steps: tuple[Step, ...], loop: str = "", times: int = 1) -> None:
        self.steps, self.loop, self.times = steps, loop, times
        self.position = self.iteration = 0

    def copy(self) -> _Frame:
        twin = _Frame(self.steps, self.loop, self.times)
        twin.position, twin.iteration = self.position, self.iteration
        return twin


class Cursor:
    """Where a node stands in its steps."""

    __slots__ = ("_frames", "_scale")

    def __init__(self, steps: tuple[Step, ...], scale: Mapping[str, Quantity]) -> None:
        """At the first call; loops of no iterations are passed by."""
        self._scale = scale
        self._frames = [_Frame(steps)]
        self._settle()

    @property
    def call(self) -> CallTemplate | None:
        """The call it stands at; None past the last."""
        if not self._frames:
            return None
        frame = self._frames[-1]
        step = frame.steps[frame.position]
        assert isinstance(step, CallTemplate)
        return step

    @property
    def loops(self) -> dict[str, int]:
        """Iterations of the loops it stands in, outermost first."""
        return {frame.loop: frame.iteration for frame in self._frames if frame.loop}

    def is_last(self, loop: str) -> bool:
        """Whether that loop is in its last iteration; true of a loop it does not stand in."""
        return all(frame.iteration + 1 >= frame.times for frame in self._frames if frame.loop == loop)

    def advance(self) -> None:
        """Go to the next call."""
        self._frames[-1].position += 1
        self._settle()

    def copy(self) -> Cursor:
        """A twin that may run ahead."""
        twin = Cursor.__new__(Cursor)
        twin._scale = self._scale
        twin._frames = [frame.copy() for frame in self._frames]
        return twin

    def _settle(self) -> None:
        frames = self._frames
        while frames:
            frame = frames[-1]
            if frame.position >= len(frame.steps):
                frame.iteration += 1
                frame.position = 0
                if frame.iteration >= frame.times or not frame.steps:
                    frames.pop()
                    if frames:
                        frames[-1].position += 1
                continue
            step = frame.steps[frame.position]
            if isinstance(step, CallTemplate):
                return
            times = step.times.whole_at(self._scale)
            if times:
                frames.append(_Frame(step.steps, step.id, times))
            else:
                frame.position += 1


Need = tuple[Side, str]
"""A side and a leaf path."""


class Needs:
    """Which values of which calls are taken later, by node type and call id; computed once for a workload."""

    def __init__(self, workload: Workload) -> None:
        """Look through every rule of every node type."""
        self._paths: dict[tuple[str, str], dict[Need, None]] = {}
        self._numbered: set[tuple[str, str]] = set()
        self.asked: set[str] = set()
        """Node types of which nodes of other types take values."""
        for node_type in workload.node_types:
            for flow in _flows(node_type):
                key = (flow.node_type or node_type.name, flow.call)
                self._paths.setdefault(key, {})[(flow.side, flow.path)] = None
                if flow.node_type not in (None, node_type.name):
                    self.asked.add(key[0])
                if flow.which is Which.NTH:
                    self._numbered.add(key)

    def of(self, node_type: str, call: str) -> Iterable[Need]:
        """What to keep of that call."""
        return self._paths.get((node_type, call), ())

    def response(self, node_type: str, call: str) -> bool:
        """Whether something of its response is kept."""
        return any(side is Side.RESPONSE for side, _ in self.of(node_type, call))

    def numbered(self, node_type: str, call: str) -> bool:
        """Whether every occurrence is kept, not just the first and the latest two."""
        return (node_type, call) in self._numbered


class Occurrence:
    """What is kept of one call."""

    __slots__ = ("loops", "values")

    def __init__(self, loops: Loops, values: dict[Need, Value]) -> None:
        self.loops = loops
        """Where it stood."""
        self.values = values


class Memory:
    """What one node keeps of its calls."""

    __slots__ = ("_first", "_last", "_nth", "_previous")

    def __init__(self) -> None:
        self._first: dict[str, Occurrence] = {}
        self._last: dict[str, Occurrence] = {}
        self._previous: dict[str, Occurrence] = {}
        self._nth: dict[tuple[str, int], Occurrence] = {}

    def keep(
        self,
        needs: Needs,
        node_type: str,
        call: str,
        loops: Loops,
        *,
        request: Message | None,
        response: Message | None,
    ) -> None:
        """Keep what later rules take of a call; keeping its response adds to what was kept of its request."""
        wanted = needs.of(node_type, call)
        if not wanted:
            return
        last = self._last.get(call)
        if request is not None or last is None:
            if last is not None:
                self._previous[call] = last
            last = self._last[call] = Occurrence(dict(loops), {})
            self._first.setdefault(call, last)
            if needs.numbered(node_type, call):
                self._nth[(call, _innermost(loops))] = last
        for side, path in wanted:
            message = request if side is Side.REQUEST else response
            if message is not None:
                last.values[(side, path)] = value_at(message, path)

    def flow(self, rule: Flow, loops: Loops) -> Value:
        """The value a flow gives to a call that stands at `loops`; UNRESOLVED if there is none."""
        found = self._occurrence(rule, loops)
        value = (
            Special.UNRESOLVED
            if found is None
            else found.values.get((rule.side, rule.path), Special.UNRESOLVED)
        )
        if rule.plus and isinstance(value, int):
            return value + rule.plus
        return value

    def _occurrence(self, rule: Flow, loops: Loops) -> Occurrence | None:
        if rule.which is Which.FIRST:
            return self._first.get(rule.call)
        if rule.which is Which.NTH:
            return self._nth.get((rule.call, _innermost(loops)))
        last = self._last.get(rule.call)
        if rule.which is not Which.PREVIOUS or last is None:
            return last
        shared = [loop for loop in loops if loop in last.loops]
        if not shared or last.loops[shared[-1]] == loops[shared[-1]] - 1:
            return last
        previous = self._previous.get(rule.call)
        if previous is None or previous.loops.get(shared[-1]) != loops[shared[-1]] - 1:
            return None
        return previous


def _innermost(loops: Loops) -> int:
    return list(loops.values())[-1] if loops else 0


def _flows(node_type: NodeType) -> Iterator[Flow]:
    rules: list[Rule] = [rule for call in node_type.templates() for rule in call.arguments.values()]
    if node_type.caller_context is not None:
        rules.append(node_type.caller_context)
    while rules:
        rule: Any = rules.pop()
        if isinstance(rule, Flow) and rule.which is not Which.CAUSE:
            yield rule
        elif isinstance(rule, Template):
            rules += [part for part in rule.parts if not isinstance(part, str)]
        elif isinstance(rule, Cases):
            rules += [inner for inner in (rule.first, rule.last, rule.otherwise) if inner is not None]
