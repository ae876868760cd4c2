"""Which nodes act because of a call of another: its effects, sent to them as messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from froude.emulation.programs.context import Cause, NodeContext, Place
from froude.emulation.programs.events import Instruction, NodeId, Note, SendMessage
from froude.emulation.programs.paths import elements_at, value_at
from froude.emulation.programs.population import Population
from froude.workload.rules import Special, evaluate
from froude.workload.types import Actor, CallTemplate, Effect


class Said(NamedTuple):
    """A call that may have effects."""

    caller: NodeId
    call: CallTemplate
    context: NodeContext
    """Where it stands."""
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
        population: all nodes of the play.
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
