"""Requests made and remembered by the evaluator of rules alone: what compiled templates are held to."""

from __future__ import annotations

from google.protobuf.message import Message

from froude.emulation.programs.context import NodeContext
from froude.emulation.programs.events import Instruction
from froude.emulation.programs.requests import Requests
from froude.workload.occurrences import key_of, qualified
from froude.workload.paths import taken
from froude.workload.rules import Special
from froude.workload.types import CALLEE_HOST, CALLEE_PORT, CallTemplate, Side


class Interpreted(Requests):
    """In place of `Requests`."""

    __slots__ = ()

    def body(self, call: CallTemplate, context: NodeContext, out: list[Instruction]) -> bytes | None:
        message = self.message(call, context, out)
        return None if message is None else message.SerializeToString()

    def unsent(self, call: CallTemplate, context: NodeContext, out: list[Instruction]) -> Message | None:
        return self.message(call, context, out, sent=False)

    def keep(self, call: CallTemplate, context: NodeContext, side: Side, message: Message | None) -> None:
        needs = self._population.needs
        place = qualified(*self._node, context.loops, effect=context.cause is not None)
        addressed = side is Side.REQUEST and call.id in needs.addressed
        callee = self._callee(call, context) if addressed else None
        known = {} if callee is None else {CALLEE_HOST: callee.host, CALLEE_PORT: callee.port}
        for memory, kept, where in (
            (self._memory, needs.own, context.loops),
            (self._population.shared, needs.shared, place),
        ):
            wanted = kept.get(call.id, {}).get(side)
            if wanted is not None:
                absent = dict.fromkeys(wanted.paths, Special.ABSENT)
                values = absent if message is None else {path: taken(message, path) for path in wanted.paths}
                memory.add(key_of(call.id, side), wanted, where, {**values, **known})
