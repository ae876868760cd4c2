"""Clients of an audit log, played by hand against the messages of a release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from froude.base.seeds import Seeds
from froude.emulation.programs.audit.clients import ClientFamily
from froude.emulation.programs.audit.commands import CLIENT
from froude.emulation.programs.audit.conflicts import in_order
from froude.emulation.programs.audit.lines import Client, Line, write_lines
from froude.emulation.programs.audit.shared import KIND
from froude.emulation.programs.events import Instruction, Note, Reached, Reply, Send, Started
from froude.emulation.programs.population import PlaySettings, Population
from froude.emulation.programs.registry import populate
from froude.emulation.settings import LogClientSettings
from froude.messages.schema import Schema
from froude.workload.plan import Plan
from froude.workload.scale import Count, Scale
from froude.workload.types import Moment, NodeFact, NodeType, Recorded, Workload


class Play:
    """A log in a play, with the target's answers given by hand."""

    def __init__(self, schema: Schema, folder: Path, lines: Sequence[Line], **settings: Any) -> None:
        self.schema = schema
        clients = [Client(f"user{number}", "proxy" if number else None) for number in range(3)]
        write_lines(folder / "lines.json", clients, in_order(lines))
        programs = {KIND: LogClientSettings(file_length_bytes=7)}
        types = (
            NodeType("datanode", Count(0, {"datanodes": 1}), (), program="datanode"),
            NodeType("client", Count(3, {}), (), program=KIND, user=NodeFact("user")),
        )
        plan = Plan(
            Workload(types, Recorded((), ())),
            Scale.of(datanodes=1),
            {"datanode": 1, "client": 3},
            log=folder / "lines.json",
        )
        self.population: Population = populate(
            plan, schema, seeds=Seeds(1), settings=PlaySettings(programs=programs, **settings)
        )
        family = self.population.families["client"]
        assert isinstance(family, ClientFamily)
        self.nodes = [family.program(number) for number in range(3)]
        self.now_s = 10.0

    def tell(self, number: int, event: Any) -> list[Instruction]:
        return list(self.nodes[number].handle(event, self.now_s))

    def start(self) -> list[Instruction]:
        """All clients begin, and the target serves; what client 0 then does."""
        asked = self.tell(0, Started(self.now_s))
        assert [each.method for each in asked if isinstance(each, Send)] == ["setSafeMode"]
        for number in (1, 2):
            assert self.tell(number, Started(self.now_s))[0] == Reached(Moment.STARTED)
        return self.answer(0, asked, "setSafeMode", lambda message: setattr(message, "result", False))

    def response(self, method: str, fill: Callable[[Any], None]) -> bytes:
        message: Any = self.schema.method(CLIENT, method).response()
        fill(message)
        return bytes(message.SerializeToString())

    def answer(
        self,
        number: int,
        said: Sequence[Instruction],
        method: str,
        fill: Callable[[Any], None] = lambda _: None,
    ) -> list[Instruction]:
        send = sent(said)
        assert send.method == method
        return self.tell(number, Reply(send.token, self.response(method, fill)))

    def request(self, said: Sequence[Instruction]) -> Any:
        send = sent(said)
        return self.schema.decode_request(send.protocol, send.method, send.body)


def sent(said: Sequence[Instruction]) -> Send:
    """The one call among instructions."""
    (send,) = [each for each in said if isinstance(each, Send)]
    return send


def notes(said: Sequence[Instruction]) -> list[str]:
    """What is counted."""
    return [each.what for each in said if isinstance(each, Note)]
