"""What the clients of a log share in a play: the log itself, the messages of the release, the emulated DataNodes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from froude.emulation.notes import FOREIGN_DATANODE, ROUND_BEGUN
from froude.emulation.programs.audit.commands import Call, Who, Written
from froude.emulation.programs.audit.ids import Ids
from froude.emulation.programs.audit.replay import Operation, Replay
from froude.emulation.programs.events import Instruction, NodeId, Note, SendMessage
from froude.emulation.programs.hdfs.family import DatanodeFamily
from froude.emulation.programs.population import Population
from froude.emulation.settings import LogClientSettings, Mode

KIND = LogClientSettings.kind
_GO = None


class SharedLog:
    """One log in a play."""

    def __init__(self, type_name: str, population: Population, log: Path) -> None:
        """Play a log's clients."""
        self.population = population
        settings = population.settings
        assumed = settings.programs.get(KIND)
        self.replay = Replay(
            log,
            assumed if isinstance(assumed, LogClientSettings) else LogClientSettings(),
            settings.pacing,
            settings.speed,
            settings.turnover.mode,
        )
        self._type = type_name
        self._requests: dict[str, Any] = {}
        self._responses: dict[str, Any] = {}
        self._begun: set[int] = set()
        self.given_up = False
        self._rounds = 1
        """Of the log, as far as they are noted."""
        self._datanodes: DatanodeFamily | None = None
        self._copy, ids = f"log of {type_name}", f"ids of {type_name}"
        self._ids = Ids(population.schema, partial(population.share.spread, ids))
        population.share.copies |= {self._copy: self._learn, ids: self._ids.take}

    def first(self, number: int) -> bool:
        """Note that a client has begun; whether it is the first of all, which asks whether the target serves."""
        self._begun.add(number)
        return len(self._begun) == 1 and self.population.share.leads

    def begin(self, now_s: float, number: int) -> list[SendMessage]:
        """The target serves: every client that has begun goes on.

        Args:
            number: the client that asked, which goes on by itself.
        """
        self.population.share.spread(self._copy, "begin", number, now_s)
        self.replay.begin(now_s)
        return self._go(self._begun, number)

    def give_up(self, number: int) -> list[SendMessage]:
        """The target will not serve: every client that has begun ends."""
        self.population.share.spread(self._copy, "give up", number, 0.0)
        self.given_up = True
        return self._go(self._begun, number)

    def next(self, number: int) -> Operation | None:
        """A client's next operation; None where none has been read."""
        queue = self.replay.queues[number]
        return queue[0] if queue else None

    def over(self, number: int, done: int) -> bool:
        """Whether a client has nothing more to do, ever.

        Args:
            done: how many lines it has made.
        """
        ends = self.replay.mode is Mode.ONCE
        return ends and (self.given_up or done == self.replay.head.lines_of[number])

    def begun(self, operation: Operation) -> list[Note]:
        """An operation is sent; the first player notes the rounds that began with it or, elsewhere, before it."""
        self.replay.begun(operation)
        if not self.population.share.leads:
            return []
        before, self._rounds = self._rounds, self.replay.reached
        return [Note(ROUND_BEGUN)] * (self._rounds - before)

    def done(self, operation: Operation, now_s: float) -> list[Instruction]:
        """An operation is over; others may go on."""
        self.population.share.spread(self._copy, "done", operation.line.client, now_s)
        return [*self._go(self.replay.done(operation, now_s), operation.line.client)]

    def _learn(self, what: str, number: int, now_s: float) -> list[SendMessage]:
        """A client of another player began the log for all, gave it up, or is done with an operation.

        All players read the log, so that each knows what its clients have to wait for.
        """
        if what == "done":
            return self._go(self.replay.done(self.replay.queues[number][0], now_s), number)
        if what == "begin":
            self.replay.begin(now_s)
        self.given_up = what == "give up"
        return self._go(self._begun, number)

    def _go(self, clients: Collection[int], but: int) -> list[SendMessage]:
        begun = self._begun
        return [
            SendMessage(NodeId(self._type, client), _GO)
            for client in clients
            if client != but and client in begun
        ]

    def who(self, number: int) -> Who:
        """What a client calls itself."""
        process = "_".join(filter(None, ("froude", self.population.settings.nonce, str(number))))
        return Who(process, self.replay.head.clients[number].user, self._ids)

    def body(self, call: Call) -> bytes:
        """A request's bytes.

        Raises:
            InputError: the release has no such method.
            EncodeError: a required field is missing.
            ValueError: a field does not take its value.
            TypeError: likewise.
        """
        request = self._requests.get(call.method)
        if request is None:
            method = self.population.schema.method(call.protocol, call.method)
            request = self._requests[call.method] = method.request
            self._responses[call.method] = method.response
        body: bytes = request(**call.fields).SerializeToString() if call.body is None else call.body
        return body

    def response(self, call: Call, body: bytes) -> Any:
        """A response message."""
        return self._responses[call.method].FromString(body)

    def written(self, step: Written, number: int) -> Sequence[Instruction]:
        """What follows for the emulated DataNodes of a block that a client has written.

        Args:
            number: the client, which hears of it when the NameNode does.
        """
        if self._datanodes is None:
            families = self.population.families.values()
            self._datanodes = next((each for each in families if isinstance(each, DatanodeFamily)), None)
        if self._datanodes is None:
            return [Note(FOREIGN_DATANODE)]
        return self._datanodes.placed(step.located, step.length, NodeId(self._type, number))

    def overdue(self, number: int, now_s: float, *, busy: bool) -> Iterator[tuple[str, float]]:
        """A client's operations that are due and were not begun; the first client counts those that were not read.

        Args:
            busy: whether its first operation is under way, or waits for its time.
        """
        for position, operation in enumerate(self.replay.queues[number]):
            if operation.due_s <= now_s and not (busy and position == 0):
                yield operation.line.command, operation.due_s
        if number == 0:
            yield from self.replay.rest(now_s)
