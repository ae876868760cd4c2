"""What the players of one play let each other know: its nodes are shared out over several processes.

A node belongs to the player of its number modulo the players. Each player follows the start rules of all nodes and
begins its own. What others need goes out as a notice: a message to a node of theirs, its begin or end, a moment that a
node came to, and news for state of which every player has a copy, such as values for flows between node types.

**Order.** Notices go through the first player, which hands each on before it acts on it. So no player learns of an
effect before its cause, through whichever players that came about. Of what happens independently of each other two
players may learn in different orders, as real processes do.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from google.protobuf.message import Message

from froude.emulation.programs.events import NodeId, SendMessage, Stop
from froude.messages.schema import Schema
from froude.workload.types import Moment


class Came(NamedTuple):
    """A node has come to a moment, or will not come to it any more."""

    node: NodeId
    moment: Moment
    time_s: float
    """On the play's clock, which all players have in common."""


class Let(NamedTuple):
    """A node lets another one begin (`Begin`)."""

    node: NodeId
    teller: NodeId
    """Who is sent an `Ended` when it has finished."""


class News(NamedTuple):
    """A change of state that every player has a copy of."""

    of: str
    """Its name in `Share.copies`."""
    values: tuple[Any, ...]
    """Arguments of the change."""


class Over(NamedTuple):
    """The play ends for all players: one of them failed, or was interrupted."""


class Measured(NamedTuple):
    """What any player sends from now on is measured: their load is steady."""


Notice = SendMessage | Let | Stop | Came | News | Measured | Over


def player_of(node: NodeId, players: int, first: int = 0) -> int:
    """The player that a node belongs to.

    Args:
        first: the lowest number of a player that has nodes: 1 where notices go through a process without any.
    """
    return first + node.number % players


class Share:
    """The nodes of one player, and what it has yet to let the others know."""

    __slots__ = ("copies", "first", "number", "out", "players")

    def __init__(self) -> None:
        """All nodes, until `take` says otherwise."""
        self.number = 0
        """The player's, from 0."""
        self.players = 1
        """How many there are."""
        self.first = 0
        """The lowest number of one of them."""
        self.out: list[Notice] = []
        """Whoever sends them empties the list."""
        self.copies: dict[str, Callable[..., Sequence[SendMessage]]] = {}
        """How state changes of which every player has a copy, by name; a change gives what follows for nodes here."""

    def take(self, number: int, players: int, first: int = 0) -> Share:
        """Be the share of one of several players.

        Args:
            number: the player's, from `first`.
            first: as of `player_of`.
        """
        self.number, self.players, self.first = number, players, first
        return self

    @property
    def leads(self) -> bool:
        """Whether this is the first of the players that have nodes."""
        return self.number == self.first

    def own(self, node: NodeId) -> bool:
        """Whether this player plays a node."""
        return player_of(node, self.players, self.first) == self.number

    def tell(self, notice: Notice) -> None:
        """Let the others know; nothing where there are none."""
        if self.players > 1:
            self.out.append(notice)

    def spread(self, of: str, *values: object) -> None:
        """Let the others change their copies of some state as this player has.

        Args:
            of: its name in `copies`.
        """
        if self.players > 1:
            self.out.append(News(of, values))

    def learn(self, news: News) -> Sequence[SendMessage]:
        """Take a change that happened in another player; what follows for nodes of this one."""
        return self.copies[news.of](*news.values)


class Relay:
    """The notices that the first player has for each of the others."""

    def __init__(self, players: int, first: int = 0) -> None:
        """Nothing is to be sent.

        Args:
            players: how many have nodes.
            first: as of `player_of`.
        """
        self._players, self._first = players, first
        self.out: dict[int, list[Notice]] = {player: [] for player in range(1, players + first)}
        """By player, in the order of sending; whoever sends them empties the list."""

    def hand_on(self, notices: Iterable[Notice], sender: int) -> list[Notice]:
        """Sort notices by the players that they are for.

        Returns:
            Those for the process that hands on.
        """
        here: list[Notice] = []
        for notice in notices:
            one = None
            if isinstance(notice, SendMessage | Let | Stop):
                one = player_of(notice.node, self._players, self._first)
            for player in (0, *self.out) if one is None else (one,):
                if player != sender:
                    (self.out[player] if player else here).append(notice)
        return here


class Ping(NamedTuple):
    """Asks another process what time it is."""

    sent_s: float
    """On the asking machine's clock."""


class Pong(NamedTuple):
    """The answer to a `Ping`."""

    sent_s: float
    """The ping's."""
    time_s: float
    """On the answering machine's clock."""


class Codec:
    """Notices, and what players report, as bytes between processes of one play, which trust each other."""

    def __init__(self, schema: Schema) -> None:
        """Read and write messages of a release."""
        self._schema = schema

    def dumps(self, report: object) -> bytes:
        """The bytes of a report; messages of the schema in it go by the name of their type."""
        out = io.BytesIO()
        _Pickler(out, protocol=5).dump(report)
        return out.getvalue()

    def loads(self, data: bytes) -> Any:
        """What `dumps` was given."""
        unpickler = _Unpickler(io.BytesIO(data))
        unpickler.schema = self._schema
        return unpickler.load()


def _message(*_: object) -> Message:
    raise AssertionError("`_Unpickler.message` takes its place")


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: object) -> Any:
        if isinstance(value, tuple):  # named ones, for which pickle's own way takes three times as long
            return type(value), tuple(value)
        if isinstance(value, Message):
            kind = value.DESCRIPTOR
            return _message, (kind.full_name, kind.file.name, value.SerializePartialToString())
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    schema: Schema

    def find_class(self, module: str, name: str) -> Any:
        return self.message if name == _message.__name__ else super().find_class(module, name)

    def message(self, name: str, root: str, body: bytes) -> Message:
        return self.schema.message(name, root).FromString(body)
