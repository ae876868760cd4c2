"""Clients of an audit log as a kind of program: one operation at a time, each as the calls that a real client makes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from google.protobuf.message import EncodeError

from froude.base.errors import InputError
from froude.emulation.notes import ALLOWED, AS_RECORDED, FAILED, NOT_REPLAYED, REMOVED, RETRIED, UNSERVED
from froude.emulation.programs.audit.commands import (
    CLIENT,
    COMMANDS,
    LEFT_OUT,
    PROTOCOLS,
    Call,
    Pause,
    Steps,
    Who,
    Written,
)
from froude.emulation.programs.audit.lines import REMOVAL
from froude.emulation.programs.audit.recorded import recorded_error
from froude.emulation.programs.audit.replay import Operation
from froude.emulation.programs.audit.shared import KIND, SharedLog
from froude.emulation.programs.events import (
    FALSE,
    Event,
    Failed,
    Instruction,
    MessageReceived,
    Note,
    Program,
    Reached,
    Reply,
    Send,
    Started,
    Timer,
    WakeAt,
)
from froude.emulation.programs.family import Family, PlainFamily
from froude.emulation.programs.hdfs.datanode import BlockReported
from froude.emulation.programs.population import Population
from froude.emulation.programs.retries import retry_s
from froude.workload.rules import Special, Value
from froude.workload.types import Moment, NodeType, Rule

_CALL, _SAFE_MODE = 0, 1
_DUE, _AGAIN, _ON, _ASK, _PATIENCE = range(5)
_ASK_S = 0.5
"""Between two questions whether the target serves."""
_SERVES_S = 180.0
"""After so long a target that is still in safe mode will not leave it: all that was to be reported was."""
_PATIENCE_S = 2.0
"""Longest wait for a DataNode to report a block that was written to it."""


class EmulatedClient:
    """One client; see the module."""

    __slots__ = (
        "_begun_s", "_body", "_busy", "_call", "_done", "_number", "_patient_s", "_retries", "_shared",
        "_steps", "_who",
    )  # fmt: skip

    def __init__(self, shared: SharedLog, number: int) -> None:
        """A client that has not begun."""
        self._shared = shared
        self._number = number
        self._begun_s = 0.0
        self._done = 0
        self._busy = False
        self._steps: Steps | None = None
        self._call: Call | None = None
        self._body = b""
        self._retries = 0
        self._patient_s: float | None = None
        """Until when it waits for a DataNode's report; None where it does not."""
        self._who: Who | None = None

    def handle(self, event: Event, now_s: float) -> Sequence[Instruction]:
        """Take an event; see `Program`."""
        kind, out = type(event), []  # type: tuple[type, list[Instruction]]
        if kind is Reply:
            self._answered(event, now_s, out)  # type: ignore[arg-type]
        elif kind is MessageReceived:
            self._heard(event.message, now_s, out)  # type: ignore[union-attr]
        elif kind is Timer:
            self._timer(event, now_s, out)  # type: ignore[arg-type]
        elif kind is Failed:
            self._failed(event, now_s, out)  # type: ignore[arg-type]
        else:
            assert kind is Started
            out.append(Reached(Moment.STARTED))
            self._begun_s = now_s
            if self._shared.first(self._number):
                self._ask(now_s, out)
            else:
                self._go_on(now_s, out)
        return out

    def _heard(self, message: object, now_s: float, out: list[Instruction]) -> None:
        """Others are out of the way, or a DataNode has reported a block that was written to it."""
        if not isinstance(message, BlockReported):
            self._go_on(now_s, out)
        elif self._patient_s is not None:
            self._patient_s = None
            self._on(None, now_s, out)

    def overdue(self, now_s: float) -> Iterable[tuple[str, float]]:
        """See `Program`."""
        return self._shared.overdue(self._number, now_s, busy=self._busy)

    # --- the target serves ------------------------------------------------------------------------------------

    def _ask(self, now_s: float, out: list[Instruction]) -> None:
        call = Call("setSafeMode", {"action": "SAFEMODE_GET"})
        out.append(Send(CLIENT, call.method, self._shared.body(call), _SAFE_MODE, now_s))

    def _told(self, body: bytes, now_s: float, out: list[Instruction]) -> None:
        if self._shared.response(Call("setSafeMode", {}), body).result:
            if now_s - self._begun_s < _SERVES_S:
                out.append(WakeAt(now_s + _ASK_S, _ASK))
                return
            out.append(Note(f"{UNSERVED}{_SERVES_S:.0f} s after the last DataNode had reported"))
            out += self._shared.give_up(self._number)
            self._go_on(now_s, out)
            return
        out += self._shared.begin(now_s, self._number)
        self._go_on(now_s, out)

    # --- operations -------------------------------------------------------------------------------------------

    def _go_on(self, now_s: float, out: list[Instruction]) -> None:
        """Make the next operation, or wait for its time; nothing where it has to wait for another."""
        while not self._busy:
            operation = None if self._shared.given_up else self._shared.next(self._number)
            if operation is None:
                if self._shared.over(self._number, self._done):
                    out.append(Reached(Moment.FINISHED))
                return
            if operation.missing:
                return
            if operation.due_s > now_s:
                out.append(WakeAt(operation.due_s, _DUE))
                self._busy = True
                return
            self._begin(operation, now_s, out)

    def _begin(self, operation: Operation, now_s: float, out: list[Instruction]) -> None:
        command, line = operation.command, operation.line
        if command is None:
            reason = LEFT_OUT.get(line.command, "no command that is known")
            out.append(Note(f"{NOT_REPLAYED}{line.command} ({reason})"))
            self._end(operation, now_s, out)
            return
        self._busy = True
        out += self._shared.begun(operation)
        if line.options == REMOVAL:
            out.append(Note(REMOVED))
        assumed, due_s = self._shared.replay.assumed, operation.due_s
        if command.steps is None:
            try:
                call = Call(command.method, command.fields(line, assumed), command.protocol)
                under_way = self._send(call, due_s, out)
            except (ValueError, TypeError) as error:  # a text that is no number
                out.append(Note(f"{NOT_REPLAYED}{line.command} ({error})"))
                under_way = False
        else:
            self._who = self._who or self._shared.who(self._number)
            self._steps = command.steps(line, assumed, self._who)
            under_way = self._step(None, due_s, now_s, out)
        if not under_way:
            self._end(operation, now_s, out)

    def _on(self, answer: Any, now_s: float, out: list[Instruction]) -> None:
        """Go on with an operation of several calls, or with the next one."""
        if not self._step(answer, now_s, now_s, out):
            self._over(now_s, out)

    def _step(self, answer: Any, due_s: float, now_s: float, out: list[Instruction]) -> bool:
        """Take an operation of several calls a step further; false when it is over."""
        assert self._steps is not None
        try:
            while isinstance(step := self._steps.send(answer), Note):
                out.append(step)
        except StopIteration:
            operation = self._shared.next(self._number)
            assert operation is not None
            if not operation.line.allowed and self._call is not None:
                out.append(Note(f"{ALLOWED}{operation.line.command}"))
            return False
        if isinstance(step, Pause):
            out.append(WakeAt(now_s + step.seconds, _ON))
        elif isinstance(step, Written):
            out += self._shared.written(step, self._number)
            self._patient_s = now_s + _PATIENCE_S
            out.append(WakeAt(self._patient_s, _PATIENCE))
        else:
            return self._send(step, due_s, out)
        return True

    def _send(self, call: Call, due_s: float, out: list[Instruction]) -> bool:
        """Make a call; false for one that cannot be made."""
        self._call, self._retries = call, 0
        try:
            self._body = self._shared.body(call)
        except (InputError, EncodeError, ValueError, TypeError) as error:
            out.append(Note(f"{NOT_REPLAYED}{call.method} ({error})"))
            return False
        out.append(Send(call.protocol, call.method, self._body, _CALL, due_s))
        return True

    def _answered(self, reply: Reply, now_s: float, out: list[Instruction]) -> None:
        if reply.token == _SAFE_MODE:
            self._told(bytes(reply.body), now_s, out)
            return
        operation, call = self._shared.next(self._number), self._call
        assert operation is not None
        assert call is not None
        if not operation.line.allowed and self._steps is None:
            out.append(Note(f"{ALLOWED}{operation.line.command}"))
        if self._steps is not None:
            self._on(self._shared.response(call, bytes(reply.body)), now_s, out)
            return
        if reply.body == FALSE:
            out.append(Note(f"call answered with false: {call.method}"))
        self._over(now_s, out)

    def _failed(self, failure: Failed, now_s: float, out: list[Instruction]) -> None:
        if failure.token == _SAFE_MODE:
            out.append(WakeAt(now_s + _ASK_S, _ASK))
            return
        operation, call = self._shared.next(self._number), self._call
        assert operation is not None
        assert call is not None
        kind, recorded = failure.error.rpartition(".")[2], recorded_error(operation.line)
        once = operation.line.recorded is not None and recorded is not None
        pause_s = None if once else retry_s(failure.error, self._retries)
        if pause_s is not None:
            self._retries += 1
            out += [Note(f"{RETRIED}{call.method} {kind}"), WakeAt(now_s + pause_s, _AGAIN)]
            return
        as_recorded, otherwise = (
            f"{AS_RECORDED}{call.method}",
            f"{FAILED}{operation.line.command} {call.method} {kind}",
        )
        out.append(Note(as_recorded if kind == recorded else otherwise))
        self._over(now_s, out)

    def _timer(self, timer: Timer, now_s: float, out: list[Instruction]) -> None:
        if timer.token == _ASK:
            self._ask(now_s, out)
        elif timer.token == _DUE:
            self._busy = False
            self._go_on(now_s, out)
        elif timer.token == _AGAIN:
            assert self._call is not None
            out.append(Send(self._call.protocol, self._call.method, self._body, _CALL, now_s))
        elif timer.token == _ON or timer.intended_s == self._patient_s:
            self._patient_s = None
            self._on(None, now_s, out)

    def _over(self, now_s: float, out: list[Instruction]) -> None:
        """The operation under way is over."""
        operation = self._shared.next(self._number)
        assert operation is not None
        self._end(operation, now_s, out)
        self._go_on(now_s, out)

    def _end(self, operation: Operation, now_s: float, out: list[Instruction]) -> None:
        self._busy, self._steps, self._call = False, None, None
        self._done += 1
        out += self._shared.done(operation, now_s)


class ClientFamily(PlainFamily):
    """All clients of one log."""

    autonomous = True

    def __init__(self, shared: SharedLog) -> None:
        """Play the clients of a log."""
        self.shared = shared

    def program(self, number: int) -> Program:
        """A client that has not begun."""
        return EmulatedClient(self.shared, number)

    def fact(self, number: int, name: str) -> Value:  # noqa: ARG002 - nobody asks
        """None of its facts is known."""
        return Special.UNRESOLVED

    def owner(self, name: str) -> int | None:  # noqa: ARG002 - no message names a client
        """None: no message names a client."""
        return None

    def identity(self, number: int, rule: Rule) -> str | None:  # noqa: ARG002 - the log says
        """The user of a client."""
        return self.shared.replay.head.clients[number].user

    def real_user(self, number: int) -> str | None:
        """Who stands in for the user, where the log says so."""
        return self.shared.replay.head.clients[number].real_user


class ClientKind:
    """The kind `audit`."""

    name = KIND
    called = False
    endless = False
    needed_first = False
    protocols: Collection[str] = PROTOCOLS
    messages: Collection[str] = ()

    def methods(self, node_type: NodeType) -> Collection[str]:  # noqa: ARG002 - any log may have any command
        """See `ProgramKind`."""
        several = {"create", "addBlock", "complete", "append", "getListing"}
        return {command.method for command in COMMANDS.values() if command.method} | several

    def family(self, node_type: NodeType, population: Population) -> Family:
        """See `ProgramKind`.

        Raises:
            InputError: the plan has no log, or one that was not made ready.
        """
        log = population.plan.log
        if log is None:
            raise InputError("needs a log to replay", place=f"node type {node_type.name}")
        return ClientFamily(SharedLog(node_type.name, population, log))
