"""All nodes of one play: who is who, what they share, and which connection each call takes.

A node type's program makes its *family* (`programs.family`); this module asks families and knows none of them.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from google.protobuf.message import Message

from froude.base.seeds import Seeds
from froude.emulation.programs.events import Endpoint, NodeId, Program, SendMessage
from froude.emulation.programs.family import Family
from froude.emulation.programs.hdfs.stalls import Stall
from froude.emulation.programs.made import Made, Ready
from froude.emulation.programs.memory import Memory, Needs, Wanted
from froude.emulation.settings import Connections, Pacing, Turnover
from froude.emulation.sharing import Share
from froude.hadoop.rpc.sasl import Token
from froude.hadoop.rpc.target import UNKNOWN, Target, service_of
from froude.messages.schema import Schema
from froude.workload.occurrences import Loops, key_of
from froude.workload.paths import Values
from froude.workload.plan import Plan
from froude.workload.rules import Value
from froude.workload.types import Actor, CallTemplate, Effect, NodeType, Side

T = TypeVar("T")
SCHEDULER = "resourcemanager-scheduler"
"""The service by which containers are asked for."""


@dataclass(frozen=True, slots=True)
class PlaySettings:
    """How a plan is played, beside the plan itself."""

    targets: Mapping[str, Target] = field(default_factory=dict)
    """Who is called, by service; under the empty name, whoever is called by calls of no other service."""
    connections: Connections = field(default_factory=Connections)
    pacing: Pacing = Pacing.SCHEDULED
    speed: float = 1.0
    """2 halves every pause between calls, and in a schedule every service time."""
    ramp_per_s: float = 1000.0
    """Daemons that begin in a second; nor do more of the nodes that are beside each other."""
    turnover: Turnover = field(default_factory=Turnover)
    """Whether the load is sustained, and by what."""
    epoch_s: float = 1.7e9
    """Wall time of the play, seconds since the epoch, for generators that need one."""
    begun_s: float = 0.0
    """The same moment on the play's clock, seconds."""
    port: int = 0
    """Where emulated nodes are called that daemons call; 0 where nobody listens."""
    programs: Mapping[str, object] = field(default_factory=dict)
    """Settings of emulated nodes, by kind of program: `{"datanode": DatanodeSettings(...)}`."""
    stalls: tuple[Stall, ...] = ()
    """DataNodes whose disks stand still for a while."""
    nonce: str = ""
    """Random digits that no other play has: client ids and lease holders come from them, so that a target takes no call
    for one of an earlier play."""


class Population:
    """The nodes of a plan."""

    def __init__(
        self,
        plan: Plan,
        schema: Schema,
        *,
        seeds: Seeds,
        settings: PlaySettings | None = None,
    ) -> None:
        """Make a plan ready; `programs.registry.populate` also gives it its families.

        Args:
            seeds: every random choice of the play.
        """
        self.plan = plan
        self.schema = schema
        self.seeds = seeds
        self.settings = settings or PlaySettings()
        self.needs = Needs(plan.workload)
        self.types: dict[str, NodeType] = {each.name: each for each in plan.workload.node_types}
        self.families: dict[str, Family] = {}
        """By node type."""
        self.shared = Memory()
        """What nodes keep for nodes of other types."""
        self.made = Made(plan.workload)
        self.tokens: dict[tuple[NodeId, str], Token] = {}
        """By which nodes prove who they are, by node and service; whoever has one needs a connection of its own."""
        self.share = Share()
        """Which nodes this player plays."""
        self.share.copies |= {"kept": self._keep, "made": self._make}
        self._taken = {
            key_of(call, side): wanted
            for call, sides in self.needs.shared.items()
            for side, wanted in sides.items()
        }
        self._common: dict[object, object] = {}
        self._watchers: dict[str, list[Family]] = {}
        self._effects: dict[tuple[str, str], list[tuple[str, int, Effect]]] = {}
        for name, node_type in self.types.items():
            for number, effect in enumerate(node_type.effects):
                key = (effect.cause_type, effect.cause)
                self._effects.setdefault(key, []).append((name, number, effect))

    def add(self, name: str, family: Family) -> None:
        """Let a family play a node type.

        Args:
            family: what plays it; it sees the answers to the methods that it watches from now on.
        """
        self.families[name] = family
        for method in family.watches:
            self._watchers.setdefault(method, []).append(family)

    def contained(self, node_type: NodeType) -> bool:
        """Whether nodes of a type are processes in containers that a ResourceManager of this play allocates."""
        container = node_type.container
        master = None if container is None or container.priority is None else self.types.get(container.of)
        inside = container is not None and (container.priority is None or master is not None)
        return inside and self.target(SCHEDULER) is not None

    def common(self, kind: Callable[[Population], T]) -> T:
        """The one object of a class that programs of this play share; made when it is first asked for."""
        if kind not in self._common:
            self._common[kind] = kind(self)
        return self._common[kind]  # type: ignore[return-value]

    # --- what all players know ----------------------------------------------------------------------------

    def keep(self, key: str, wanted: Wanted, place: Loops, values: Values) -> None:
        """Keep values of one side of a call for nodes that take them of others.

        Args:
            key: of the side (`key_of`).
            place: where the call stands, among all nodes of its type.
            values: by leaf path.
        """
        self.shared.add(key, wanted, place, values)
        self.share.spread("kept", key, place, values)

    def keep_message(self, call: str, place: Loops, side: Side, message: Message | None) -> None:
        """Keep what nodes take of one side of another's call.

        Args:
            message: the request or response; None for an error, of which every leaf is absent.
        """
        wanted = self.needs.shared.get(call, {}).get(side)
        if wanted is not None:
            self.keep(key_of(call, side), wanted, place, wanted.values(message))

    def make(self, node_type: str, method: str, path: str) -> Sequence[SendMessage]:
        """A node has made a path: those that wait for it may go on."""
        self.share.spread("made", node_type, method, path)
        return self._make(node_type, method, path)

    def _make(self, node_type: str, method: str, path: str) -> Sequence[SendMessage]:
        return [SendMessage(node, Ready(path)) for node in self.made.add(node_type, method, path)]

    def _keep(self, key: str, place: Loops, values: Values) -> Sequence[SendMessage]:
        self.shared.add(key, self._taken[key], place, values)
        return ()

    # --- who is who -------------------------------------------------------------------------------------

    def program(self, node: NodeId) -> Program:
        """A fresh program for a node."""
        return self.families[node.type].program(node.number)

    def fact(self, node: NodeId, name: str) -> Value:
        """A fact of an emulated node; UNRESOLVED for one that it does not have.

        Args:
            node: of a type that some family plays.
            name: the fact's, such as `uuid`.
        """
        return self.families[node.type].fact(node.number, name)

    def client_id(self, node: NodeId) -> bytes:
        """The 16 bytes by which a server's retry cache knows a node: one process of one play, one id."""
        return self._id(node, self.settings.nonce)

    def uuid(self, node: NodeId) -> str:
        """What a node calls itself in messages: the same in every play of a seed."""
        return str(uuid.UUID(bytes=self._id(node)))

    def _id(self, node: NodeId, *nonce: str) -> bytes:
        type_seed = self.seeds.child("client id", node.type, *filter(None, nonce)).value
        return type_seed.to_bytes(8, "big") + node.number.to_bytes(8, "big")

    def owner(self, node_type: str, name: Value) -> NodeId | None:
        """The node of a type that calls itself by a name.

        Args:
            name: what was found in a message, such as a uuid; what is no text names no node.
        """
        number = self.families[node_type].owner(name) if isinstance(name, str) else None
        return None if number is None else NodeId(node_type, number)

    def called(self, address: Value) -> NodeId | None:
        """The emulated node that listens at an address, as far as any does."""
        host = address.rpartition(":")[0] or address if isinstance(address, str) else None
        nodes = (self.owner(name, host) for name in self.types)
        return next((node for node in nodes if node is not None), None)

    def watchers(self, method: str) -> Sequence[Family]:
        """Families that want to see answers to a method."""
        return self._watchers.get(method, ())

    def effects_of(self, node_type: str, call: str) -> list[tuple[str, int, Effect]]:
        """Effects that a call has: acting type, the effect's number there, the effect."""
        causes = self._effects.get((node_type, call), [])
        return [
            cause
            for cause in causes
            if not self.families[cause[0]].autonomous and cause[2].carried_by is None
        ]

    def unmade(self, node_type: str, call: str, *, answered: bool) -> Iterator[CallTemplate]:
        """Calls that a call would have caused, and those that these would have, where its effects are not played.

        Args:
            answered: whether effects of its request are among them; else only those of an answer that does not come.
        """
        causes = self.effects_of(node_type, call)
        unmade = [cause for cause in causes if answered or cause[2].actor is not Actor.CALLEE]
        seen: set[str] = set()
        while unmade:
            acting, _, effect = unmade.pop()
            if effect.call.id not in seen:
                seen.add(effect.call.id)
                unmade += self.effects_of(acting, effect.call.id)
                yield effect.call

    # --- whom they call ---------------------------------------------------------------------------------

    def target(self, service: str) -> Target | None:
        """Who speaks for a service in this play; None for one that has no target."""
        targets = self.settings.targets
        return targets.get(service) or targets.get("")

    def endpoint(self, node: NodeId, protocol: str, service: str = "") -> Endpoint:
        """The connection of a node's calls of a protocol to a service.

        Args:
            service: who is called; one without a target of its own goes to the play's only target.
        """
        pool = self.settings.connections.pool
        slot = node.number // self.share.players % pool if pool else self._own_slot(node)
        family, target = self.families[node.type], self.target(service) or UNKNOWN
        real_user, source = family.real_user(node.number), family.source(node.number)
        token = self.tokens.get((node, service))
        return Endpoint(protocol, self._user(node), source, slot, target, real_user, token)

    def caller_context(self, node: NodeId) -> str | None:
        """What the node's type says it is."""
        rule = self.types[node.type].caller_context
        return None if rule is None else self.families[node.type].identity(node.number, rule)

    def _user(self, node: NodeId) -> str | None:
        rule = self.types[node.type].user
        user = rule if isinstance(rule, str | None) else self.families[node.type].identity(node.number, rule)
        return user or self.settings.connections.user

    def _own_slot(self, node: NodeId) -> int:
        types = list(self.types)
        return node.number * len(types) + types.index(node.type)


def service_named(template: CallTemplate) -> str:
    """The service that a call is for: the one that was recorded, else the only one that speaks its protocol."""
    return template.service or service_of(template.protocol)


class ProgramKind(Protocol):
    """A kind of program: what a node type names, such as `scripted` or `datanode`. `programs.registry` lists them."""

    @property
    def name(self) -> str:
        """What a workload calls it."""
        ...

    @property
    def called(self) -> bool:
        """Whether daemons call its nodes."""
        ...

    @property
    def endless(self) -> bool:
        """Whether its nodes go on until the play is stopped."""
        ...

    @property
    def needed_first(self) -> bool:
        """Whether nodes without a start rule of their own wait until the nodes of this kind have started."""
        ...

    @property
    def protocols(self) -> Collection[str]:
        """Protocols that its nodes speak beside those of the workload's templates."""
        ...

    @property
    def messages(self) -> Collection[str]:
        """Messages that its nodes read beside those of its protocols, by full name."""
        ...

    def methods(self, node_type: NodeType) -> Collection[str]:
        """The methods that its nodes may call."""
        ...

    def family(self, node_type: NodeType, population: Population) -> Family:
        """The kind at work.

        Raises:
            InputError: the release under test lacks what the program needs.
        """
        ...
