"""A whole play on a virtual clock and a virtual network, with seeded trouble; and what must hold of it."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field

from froude.base.errors import GuardError
from froude.base.events import Events
from froude.base.seeds import Seeds
from froude.emulation.channel import Channel, Journal
from froude.emulation.controller import Controller
from froude.emulation.core import Core
from froude.emulation.identification import Identification
from froude.emulation.notes import UNSENT
from froude.emulation.programs.events import LOST, Endpoint, NodeId, Program
from froude.emulation.programs.population import PlaySettings, Population
from froude.emulation.programs.registry import groups_of, populate
from froude.emulation.settings import Connections, Pacing, Turnover
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import Request
from froude.hadoop.rpc.server import ServerConnection
from froude.hadoop.rpc.target import Target
from froude.messages.schema import Schema
from froude.workload.plan import Plan
from froude.workload.types import Moment
from tests.support.simulation.model_namenode import ModelError, ModelNameNode

LIMIT_S = 600.0


@dataclass
class Trouble:
    """What goes wrong in a world."""

    latency_s: float = 0.0005
    service_s: float = 0.0005
    """Largest time a call takes to be answered: answers overtake each other."""
    stalls: list[tuple[float, float]] = field(default_factory=list)
    """From when, and how long, the target stands still."""
    reset_s: float | None = None
    """When a connection is reset."""
    outage: tuple[float, float] | None = None
    """From when, and how long, the target is gone: connections are reset, and new ones refused."""
    death_s: float | None = None
    """When the target dies without a word: nothing is answered any more."""
    impostor_s: float | None = None
    """From when connections lead to another NameNode; those before are reset."""

    @classmethod
    def of(cls, rng: random.Random) -> Trouble:
        """Trouble by chance: most worlds have slow answers and stalls, some a reset or a death."""
        trouble = cls(rng.choice((0.0001, 0.001, 0.02)), rng.choice((0.0001, 0.005, 0.2)))
        for _ in range(rng.choice((0, 0, 1, 2))):
            trouble.stalls.append((rng.uniform(0, 3), rng.choice((0.05, 1.0, 7.0))))
        kind = rng.random()
        if kind < 0.15:
            trouble.reset_s = rng.uniform(0, 3)
        elif kind < 0.25:
            trouble.outage = (rng.uniform(0, 3), rng.choice((0.2, 3.0)))
        elif kind < 0.35:
            trouble.death_s = rng.uniform(0, 3)
        elif kind < 0.45:
            trouble.impostor_s = rng.uniform(0, 3)
        return trouble


class _WatchedController(Controller):
    """Keeps when nodes came to their moments."""

    moments: list[tuple[float, NodeId, Moment]]

    def reached(self, node: NodeId, moment: Moment, now_s: float) -> None:
        self.moments.append((now_s, node, moment))
        super().reached(node, moment, now_s)


class _WatchedNodes:
    """Keeps when nodes began."""

    def __init__(self, population: Population, events: Events) -> None:
        self.begun: list[tuple[float, NodeId]] = []
        self._events = events
        self.endpoint, self.client_id = population.endpoint, population.client_id
        self.caller_context = population.caller_context
        self._program = population.program

    def program(self, node: NodeId) -> Program:
        self.begun.append((self._events.now, node))
        return self._program(node)


class World:
    """One play; see the module."""

    def __init__(
        self,
        plan: Plan,
        schema: Schema,
        seed: int,
        trouble: Trouble | None = None,
        *,
        pacing: Pacing | None = None,
        journal: Journal | None = None,
        nonce: str = "",
        after: World | None = None,
        turnover: Turnover | None = None,
        until_s: float = LIMIT_S,
    ) -> None:
        """A world that has not begun.

        Args:
            plan: what is played.
            schema: of the target's release.
            seed: of all chance in it.
            trouble: what goes wrong; by chance where it is not given.
            pacing: of clients; by chance where it is not given.
            journal: where calls are written down.
            nonce: of the play.
            after: a play before this one on the same target, which remembers its calls.
            turnover: how clients follow each other; once each by default.
            until_s: when the play is stopped.
        """
        seeds = Seeds(seed)
        self.rng = seeds.child("world").random()
        self._connections = seeds.child("connections", nonce).random()
        self.trouble = trouble or Trouble.of(seeds.child("trouble").random())
        self.events = Events()
        """Of the network and the target; the player's time is theirs."""
        self.plan = plan
        self.namenode = after.namenode if after else ModelNameNode(schema, seeds.child("namenode").random())
        self.genuine = self.namenode
        self.digest = hashlib.blake2b(digest_size=8)
        self.answered = 0
        self.settings = PlaySettings(
            {"": Target("namenode", "model:1", "CID-model")},
            Connections(pool=self.rng.choice((0, 1, 3)), user="sim"),
            pacing or self.rng.choice(list(Pacing)),
            nonce=nonce,
            turnover=turnover or Turnover(),
        )
        self.until_s = until_s
        self.population = populate(plan, schema, seeds=seeds, settings=self.settings)
        self.nodes = _WatchedNodes(self.population, self.events)
        self.controller = _WatchedController(groups_of(self.population))
        self.controller.moments = []
        self.core = Core(
            self.nodes,
            self.controller,
            connect=self._connect,
            journal=journal,
            identification=Identification(schema),
        )
        self.impostor = ModelNameNode(schema, seeds.child("impostor").random(), cluster="CID-impostor")
        self._servers: dict[int, ServerConnection] = {}
        self._arrival: dict[tuple[int, bool], float] = {}
        self._answers: dict[tuple[bytes, int], tuple[Request, bytes | None, tuple[str, str]]] = (
            after._answers if after else {}
        )
        """The target's retry cache: the call and its answer, by client id and call id."""
        self.again = 0
        """Calls answered from it."""
        self.confused = 0
        """Calls that it took for others."""

    def run(self) -> None:
        """Play to the end."""
        core, events, trouble = self.core, self.events, self.trouble
        core.begin(events.now)
        if trouble.reset_s is not None:
            events.schedule(trouble.reset_s, self._reset)
        if trouble.outage is not None:
            events.schedule(trouble.outage[0], self._reset_all)
        if trouble.impostor_s is not None:
            events.schedule(trouble.impostor_s, self._replace)
        while not core.done and events.now < self.until_s:
            self._carry()
            events.now = max(events.now, min(core.next_s, events.next_s, self.until_s))
            while events.next_s <= events.now and core.failure is None:
                events.step()
            if core.failure is None:
                core.advance(events.now)
        if core.failure is None:
            core.finish(events.now)

    # --- the network ------------------------------------------------------------------------------------

    def _connect(self, endpoint: Endpoint, client_id: bytes | None) -> ClientConnection:
        return ClientConnection(
            endpoint.protocol, client_id=client_id or self._connections.randbytes(16), user=endpoint.user
        )

    def _carry(self) -> None:
        opened, self.core.opened[:] = list(self.core.opened), []
        for channel in opened:
            self._servers[channel.number] = ServerConnection()
            if self._out(self.events.now):
                self.events.schedule(self.events.now + 0.001, self._lose, channel, "refuses connections")
        dirty, self.core.dirty[:] = list(self.core.dirty), []
        for channel in dirty:
            data = b"".join(channel.out)
            channel.out.clear()
            server = self._servers[channel.number]
            for piece in self._cut(data) if not self._out(self.events.now) else ():
                self._deliver(channel, True, server, piece)

    def _out(self, time_s: float) -> bool:
        outage = self.trouble.outage
        return outage is not None and outage[0] <= time_s < outage[0] + outage[1]

    def _cut(self, data: bytes) -> list[bytes]:
        if len(data) < 2 or self.rng.random() < 0.7:
            return [data]
        at = self.rng.randrange(1, len(data))
        return [data[:at], data[at:]]

    def _deliver(self, channel: Channel, to_server: bool, server: ServerConnection, data: bytes) -> None:
        """A connection keeps its bytes in order; connections overtake each other."""
        key = (channel.number, to_server)
        at_s = max(
            self._arrival.get(key, 0.0), self.events.now + self.rng.expovariate(1 / self.trouble.latency_s)
        )
        self._arrival[key] = at_s
        arrive = self._at_server if to_server else self._at_client
        self.events.schedule(at_s, arrive, channel, server, data)

    def _reset(self) -> None:
        up = [channel for channel in self.core.channels if channel.up and channel.heard_s is not None]
        if up:
            self._lose(self.rng.choice(up), "reset the connection")

    def _reset_all(self) -> None:
        for channel in list(self.core.channels):
            if channel.up:
                self._lose(channel, "reset the connection")

    def _replace(self) -> None:
        """Another NameNode answers at the address from now on."""
        self.genuine, self.namenode = self.namenode, self.impostor
        self._answers.clear()
        self._reset_all()

    def _lose(self, channel: Channel, how: str) -> None:
        self._servers[channel.number] = ServerConnection()  # bytes of the one before do not arrive any more
        if self.core.failure is None:
            self.core.lost(channel, how, self.events.now)

    # --- the target -------------------------------------------------------------------------------------

    def _at_server(self, channel: Channel, server: ServerConnection, data: bytes) -> None:
        if self._servers[channel.number] is not server:
            return
        for event in server.receive(data):
            if isinstance(event, Request):
                done_s = self._awake(self.events.now) + self.rng.uniform(0, self.trouble.service_s)
                # Who took the call carries it out, whoever answers at the address by then.
                self.events.schedule(self._awake(done_s), self._serve, channel, server, event, self.namenode)

    def _awake(self, time_s: float) -> float:
        """The first moment from `time_s` at which the target does not stand still."""
        for from_s, long_s in sorted(self.trouble.stalls):
            if from_s <= time_s < from_s + long_s:
                time_s = from_s + long_s
        return time_s

    def _serve(
        self, channel: Channel, server: ServerConnection, request: Request, namenode: ModelNameNode
    ) -> None:
        death_s = self.trouble.death_s
        if death_s is not None and self.events.now >= death_s:
            return
        body, error = self._answer(request, namenode)
        if self._servers[channel.number] is not server:
            return  # what was asked was done; nobody is there to hear it
        answer = (
            server.fail(request.call_id, *error) if body is None else server.respond(request.call_id, body)
        )
        self.answered += 1
        self.digest.update(
            f"{self.events.now!r} {channel.number} {request.call_id} {request.method}".encode()
        )
        for piece in self._cut(answer):
            self._deliver(channel, False, server, piece)

    def _answer(self, request: Request, namenode: ModelNameNode) -> tuple[bytes | None, tuple[str, str]]:
        """What the model says to a call; to one that it knows what it said before, as a NameNode's retry cache does."""
        key = (request.client_id, request.call_id)
        if key in self._answers:
            first, *before = self._answers[key]
            self.again += 1
            self.confused += not (request.retry or first.retry) or first.body != request.body
            return before[0], before[1]
        try:
            answer: tuple[bytes | None, tuple[str, str]] = (
                namenode.call(request.protocol, request.method, request.body),
                ("", ""),
            )
        except ModelError as error:
            answer = (None, (str(error.args[0]), str(error.args[1])))
        self._answers[key] = (request, *answer)
        return answer

    def _at_client(self, channel: Channel, server: ServerConnection, data: bytes) -> None:
        if self._servers[channel.number] is server and self.core.failure is None:
            self.core.received(channel, data, self.events.now)


def broken(world: World) -> list[str]:
    """The invariants that a finished world breaks; none, if the player is right."""
    core, trouble = world.core, world.trouble
    violations = [f"the model saw: {violation}" for violation in world.genuine.violations]
    violations += [
        f"an impostor was sent {method}" for method in world.impostor.received if method != "versionRequest"
    ]
    if world.confused:
        violations.append(f"{world.confused} calls got the answers of others")
    for method, series in core.tally.whole.series.items():
        unanswered = series.errors["Unanswered"]
        lost = series.errors[LOST]
        if series.sent != series.answered + unanswered + lost:
            violations.append(
                f"{method}: {series.sent} sent, {series.answered} answered, {unanswered + lost} reported lost"
            )
        unsent = core.tally.notes[f"{UNSENT}{method}"]
        latencies = series.answered + unanswered + lost + unsent
        if series.from_intended.total != latencies:
            violations.append(
                f"{method}: {latencies} answers and waits, {series.from_intended.total} latencies"
            )
        received = world.genuine.received[method]
        if received > series.sent + core.tally.questions[method] or (
            core.failure is None and received < series.answered
        ):
            violations.append(f"{method}: {series.sent} sent, {received} received")
    violations += _start_rules(world)
    fatal = trouble.death_s is not None or trouble.impostor_s is not None
    # A target that resets connections before it has answered anything is taken for one that is not there.
    fatal |= trouble.outage is not None and not any(
        answered for _, answered in core.tally.whole.counts.values()
    )
    if isinstance(core.failure, GuardError) and trouble.impostor_s is None:
        violations.append(f"the right target was refused: {core.failure}")
    if core.failure is not None and not fatal:
        violations.append(f"failed without a reason: {core.failure}")
    if core.failure is None:
        violations += _whole(world)
        if world.again > sum(series.resent for series in core.tally.whole.series.values()):
            violations.append(f"{world.again} calls answered twice, fewer sent again")
    return violations


def _whole(world: World) -> list[str]:
    """What holds of a play that ended by itself."""
    results = []
    if world.events.now >= LIMIT_S:
        results.append("did not end")
    errors = {
        m: dict(s.errors) for m, s in world.core.tally.whole.series.items() if set(s.errors) - {"Unanswered"}
    }
    errors = {m: e for m, e in errors.items() if any(e[k] for k in e if k != "Unanswered")}
    if errors:
        results.append(f"errors of our making: {errors}")
    if world.namenode.corrupt:
        results.append(f"{world.namenode.corrupt} replicas of the wrong length")
    clients, files = world.plan.counts["client"], world.plan.scale["files"].value
    if len(world.namenode.files) != clients * (files - 1) or not all(
        f.closed for f in world.namenode.files.values()
    ):
        results.append(f"{len(world.namenode.files)} files, some open")
    return results


def _start_rules(world: World) -> list[str]:
    """DataNodes first (join), then clients, at least their spacing apart."""
    started = [
        at
        for at, node, what in world.controller.moments
        if node.type == "datanode" and what is Moment.STARTED
    ]
    begun = [at for at, node in world.nodes.begun if node.type == "client"]
    results = []
    if begun and (len(started) < world.plan.counts["datanode"] or min(begun) < max(started)):
        results.append("a client began before every DataNode had started")
    spacing_s = world.plan.workload.node_type("client").start.spacing_s
    first = min(begun, default=0.0)
    for number, at in enumerate(sorted(begun)):
        if at < first + number * spacing_s - 1e-9:
            results.append(f"client {number} began too early")
    return results
