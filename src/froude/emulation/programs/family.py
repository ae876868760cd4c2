"""What generic code knows of the nodes of one type, whatever program plays them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from froude.emulation.programs.events import Instruction, NodeId, Program
from froude.workload.rules import Context, Value
from froude.workload.types import CallTemplate, Rule


class Step(NamedTuple):
    """A call that a scripted node has yet to make, and where it will stand."""

    call: CallTemplate
    context: Context


class ScriptedView(Protocol):
    """What a family sees of a scripted node whose call was answered."""

    @property
    def id(self) -> NodeId:
        """Which node it is."""
        ...

    def ahead(self) -> Iterator[Step]:
        """The calls that the node will make after this one, in order."""
        ...

    def promise(self, call: CallTemplate, path: str, value: Value) -> None:
        """Bind an argument of the next such call to a value that another node relies on."""
        ...


class Family(Protocol):
    """The nodes of one type."""

    @property
    def autonomous(self) -> bool:
        """Whether its nodes know by themselves what follows from other nodes' calls, so that effects are not sent."""
        ...

    @property
    def told(self) -> bool:
        """Whether its nodes begin when another node lets them (`Begin`), and not by their start rule."""
        ...

    @property
    def watches(self) -> Collection[str]:
        """Methods of scripted nodes' calls whose answers it wants to see."""
        ...

    def program(self, number: int) -> Program:
        """A fresh program for the node of that number."""
        ...

    def source(self, number: int) -> str | None:
        """The address that a node connects from; None for whichever the system takes."""
        ...

    def fact(self, number: int, name: str) -> Value:
        """A fact of a node, such as its `uuid`; UNRESOLVED for one that it does not have.

        Args:
            number: which node, from 0.
        """
        ...

    def owner(self, name: str) -> int | None:
        """The number of the node that calls itself by a name (a uuid, an address) in its requests; None for none."""
        ...

    def identity(self, number: int, rule: Rule) -> str | None:
        """What a rule of the node type gives for a node that has not begun: its user, its caller context."""
        ...

    def real_user(self, number: int) -> str | None:
        """Who stands in for a node's user, as a proxy; None for nobody."""
        ...

    def answered(self, node: ScriptedView, call: CallTemplate, response: Any) -> Sequence[Instruction]:
        """What follows for its nodes from the answer to a scripted node's call of a watched method.

        Args:
            response: the response message; None where the call failed.
        """
        ...


class PlainFamily:
    """What most families answer: their nodes speak for themselves, from any address, and watch nobody."""

    told = False
    watches: Collection[str] = ()

    def source(self, number: int) -> str | None:  # noqa: ARG002 - see `Family`
        """None: any address will do."""
        return None

    def identity(self, number: int, rule: Rule) -> str | None:  # noqa: ARG002
        """None: its nodes have no caller context, and their user is the play's."""
        return None

    def real_user(self, number: int) -> str | None:  # noqa: ARG002 - see `Family`
        """None: each speaks for itself."""
        return None

    def answered(self, node: ScriptedView, call: CallTemplate, response: Any) -> Sequence[Instruction]:  # noqa: ARG002
        """Nothing: no call is watched."""
        return ()
