"""How nodes act on each other: effects of a call, sent as messages, and waits for what others make.

A node may wait until others have made what its next call is about: a consumer of what producers write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from froude.emulation.notes import IN_VAIN
from froude.emulation.programs.context import Cause, NodeContext, Place
from froude.emulation.programs.events import Instruction, NodeId, Note, SendMessage, Timer, WakeAt
from froude.emulation.programs.made import Made, Ready
from froude.emulation.programs.population import Population
from froude.workload.paths import elements_at, value_at
from froude.workload.rules import Special, Value, evaluate
from froude.workload.types import Actor, CallTemplate, Effect, Wait

PATIENCE_S = 60.0
"""A node that has waited so long goes on, and waits no more: in this play nobody makes what it needs."""


class Said(NamedTuple):
    """A call that may have effects."""

    caller: NodeId
    call: CallTemplate
    context: NodeContext
    request: Any
    response: Any
    """None while it has no answer."""


def caused(
    effects: Sequence[tuple[str, int, Effect]],
    said: Said,
    population: Population,
    *,
    rng: Callable[[], Random],
) -> Iterator[Instruction]:
    """The messages to the nodes that act, one an element of the answer, or of the request where there is no answer yet.

    Args:
        effects: those to send, as `Population.effects_of` gives them.
        rng: gives the caller's random stream, which decides effects that not every cause has.
    """
    message = said.request if said.response is None else said.response
    for acting, number, effect in effects:
        for each in [(0,)] if effect.each is None else elements_at(message, effect.each):
            if effect.share < 1.0 and rng().random() >= effect.share:
                continue
            node = _acting(acting, effect, said, population, each)
            if node is None:
                yield Note(f"effect {effect.call.id} names no node of the play")
                continue
            place = _seen_by(acting, said)
            cause = Cause(number, said.request, said.response, each, place.loops, tuple(place.last))  # type: ignore[arg-type]
            yield SendMessage(node, cause)


def _seen_by(acting: str, said: Said) -> Place:
    """A place of a node as nodes of another type know it: by loops of other names than their own."""
    caller, context = said.caller, said.context
    prefix = "" if acting == caller.type else f"{caller.type}."
    last = [prefix + loop for loop in context.loops if context.is_last(loop)]
    return Place({prefix + loop: number for loop, number in context.loops.items()}, last)


def _acting(
    acting: str, effect: Effect, said: Said, population: Population, each: tuple[int, ...]
) -> NodeId | None:
    """The node of a type that acts, if the play has it."""
    if effect.actor is Actor.SELF:
        return said.caller if acting == said.caller.type else NodeId(acting, said.caller.number)
    if effect.actor in {Actor.CALLEE, Actor.ANSWERER}:
        callee = said.call.callee
        address = Special.UNRESOLVED if callee is None else evaluate(callee, said.context)
        node = population.called(address)
        return node if node is not None and node.type == acting else None
    message = said.request if said.response is None else said.response
    return population.owner(acting, value_at(message, effect.owner_path, each))


class Waiting:
    """The waits of one node, one after another."""

    __slots__ = ("_made", "_node", "_path", "_until_s", "impatient")

    def __init__(self, made: Made, node: NodeId) -> None:
        """A node that waits for nothing yet."""
        self._made = made
        self._node = node
        self._path: str | None = None
        self._until_s = 0.0
        self.impatient = False

    def must_wait(self, wait: Wait, value: Value, token: int, now_s: float, out: list[Instruction]) -> bool:
        """Whether a call has to wait for what another node has yet to make; the node is then told of it.

        Args:
            value: of the argument that says what the call is about; for what is no text nobody waits.
        """
        path = wait.path(value) if isinstance(value, str) else None
        if self.impatient or path is None or self._made.is_there(wait, path):
            return False
        self._path, self._until_s = path, now_s + PATIENCE_S
        self._made.expect(wait, path, self._node)
        out.append(WakeAt(self._until_s, token))
        return True

    def fulfilled(self, ready: Ready) -> bool:
        """Whether a message ends the wait."""
        if self._path != ready.path:
            return False
        self._path = None
        return True

    def given_up(self, timer: Timer, out: list[Instruction]) -> bool:
        """Whether a timer ends the wait, and all others; those of waits that are over do not."""
        if self._path is None or timer.intended_s != self._until_s:
            return False
        self._path = None
        self.impatient = True
        out.append(Note(f"{IN_VAIN}{self._node.type}"))
        return True
