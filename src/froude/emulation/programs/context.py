"""Where a call of a scripted node stands, and what its rules find there."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, Protocol

from google.protobuf.message import Message

from froude.base.units import Quantity
from froude.emulation.programs.events import NodeId
from froude.emulation.programs.population import Population
from froude.workload.cursor import Cursor
from froude.workload.generators import CONTAINER_ASKS, GENERATORS, generate
from froude.workload.occurrences import Loops
from froude.workload.paths import value_at
from froude.workload.rules import Special, Value, derived, element_at
from froude.workload.types import NODE, Flow, Generated, Side, Which


class Cause(NamedTuple):
    """The call that an effect hangs on; the message that makes a node act."""

    effect: int
    """Number of the effect in the acting node's type."""
    request: Message
    response: Message | None
    """None for an effect of the request alone."""
    each: tuple[int, ...]
    """Element of the cause's repeated field; of a list in a list first the number of the outer element."""
    loops: Loops
    """Where the cause stands, by names that the acting node's own loops do not have."""
    last: Collection[str]
    """Those of the loops that are in their last iteration."""


class Place(NamedTuple):
    """Where a call stands."""

    loops: Loops
    last: Collection[str] | Cursor
    """Loops in their last iteration, or the cursor that knows."""


class Taker(Protocol):
    """The node that makes the call."""

    id: NodeId
    population: Population

    @property
    def rng(self) -> random.Random:
        """Its own stream of random numbers."""
        ...

    def recall(self, rule: Flow, loops: Loops, element: int | None, *, effect: bool) -> Value:
        """The value that a flow gives to a call of the node.

        Args:
            element: number of the element that is taken, of a flow from a list.
            effect: the call is an effect; the loops are its cause's.
        """
        ...


class NodeContext:
    """Where a call stands; what `rules.evaluate` asks."""

    __slots__ = ("_node", "_place", "cause", "making")

    def __init__(self, node: Taker, place: Place, cause: Cause | None = None) -> None:
        self._node = node
        self._place = place
        self.cause = cause
        """The call that made the node act, in an effect."""
        self.making: tuple[str, Mapping[str, Any]] = ("", {})
        """Id and arguments so far of the request being made, from which it may take values itself."""

    @property
    def scale(self) -> Mapping[str, Quantity]:
        """See `rules.Context`."""
        return self._node.population.plan.scale

    @property
    def loops(self) -> Loops:
        """Iterations of the loops around the call."""
        return self._place.loops

    def index(self, name: str) -> int:
        """See `rules.Context`; 0 for a loop that the call does not stand in."""
        return self._node.id.number if name == NODE else self.loops.get(name, 0)

    def is_last(self, name: str) -> bool:
        """See `rules.Context`."""
        last = self._place.last
        return last.is_last(name) if isinstance(last, Cursor) else name in last

    def flow(self, rule: Flow) -> Value:
        """See `rules.Context`."""
        if rule.which is Which.CAUSE:
            return self._from_cause(rule)
        if rule.call == self.making[0] and rule.side is Side.REQUEST and rule.which is Which.SAME:
            return derived(self.making[1].get(rule.path, Special.UNRESOLVED), rule)
        return self._node.recall(rule, self.loops, element_at(rule, self), effect=self.cause is not None)

    def fact(self, name: str) -> Value:
        """See `rules.Context`."""
        return self._node.population.fact(self._node.id, name)

    def generated(self, rule: Generated) -> Value:
        """See `rules.Context`."""
        if rule.generator == CONTAINER_ASKS:
            return (
                Special.ABSENT
            )  # what is outstanding the ResourceManager counts itself; a change is no news to it
        if rule.generator not in GENERATORS:
            return Special.UNRESOLVED
        population, rng = self._node.population, self._node.rng
        if GENERATORS[rule.generator].of_process:
            rng = random.Random(f"{population.settings.nonce}{rng.getrandbits(64)}")
        return generate(rule, rng, population.settings.epoch_s)

    def _from_cause(self, rule: Flow) -> Value:
        if self.cause is None:
            return Special.UNRESOLVED
        message = self.cause.request if rule.side is Side.REQUEST else self.cause.response
        value = Special.UNRESOLVED if message is None else value_at(message, rule.path, self.cause.each)
        return derived(value, rule)
