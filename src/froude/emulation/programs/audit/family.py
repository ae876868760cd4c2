"""Clients of an audit log as a kind of program."""

from __future__ import annotations

from collections.abc import Collection

from froude.base.errors import InputError
from froude.emulation.programs.audit.clients import EmulatedClient
from froude.emulation.programs.audit.commands import COMMANDS, PROTOCOLS
from froude.emulation.programs.audit.shared import KIND, SharedLog
from froude.emulation.programs.events import Program
from froude.emulation.programs.family import Family, PlainFamily
from froude.emulation.programs.population import Population
from froude.workload.rules import Special, Value
from froude.workload.types import NodeType, Rule


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
        """The user of a client.

        Args:
            rule: not asked: the log says.
        """
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

        Args:
            node_type: whose nodes are clients of a log.
            population: its plan says which.

        Raises:
            InputError: the plan has no log, or one that was not made ready.
        """
        log = population.plan.log
        if log is None:
            raise InputError("needs a log to replay", place=f"node type {node_type.name}")
        return ClientFamily(SharedLog(node_type.name, population, log))
