"""One play shared out over several players on a virtual clock: a core each, one target, notices that take their time."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from froude.base.events import Events
from froude.base.seeds import Seeds
from froude.emulation.channel import Channel
from froude.emulation.controller import Controller
from froude.emulation.core import Core
from froude.emulation.programs.events import Endpoint
from froude.emulation.programs.population import PlaySettings
from froude.emulation.programs.registry import groups_of, populate
from froude.emulation.settings import Connections, Pacing
from froude.emulation.sharing import Codec, Notice, Relay
from froude.hadoop.rpc.client import ClientConnection
from froude.hadoop.rpc.events import Request
from froude.hadoop.rpc.server import ServerConnection
from froude.hadoop.rpc.target import Target
from froude.messages.schema import Schema
from froude.workload.plan import Plan
from tests.support.simulation.model_namenode import ModelError, ModelNameNode

LIMIT_S = 600.0
_WIRE_S, _NOTICE_S = 0.0002, 0.0003


class Players:
    """A play without trouble, by some players; see the module."""

    def __init__(
        self,
        plan: Plan,
        schema: Schema,
        players: int,
        *,
        seed: int = 1,
        pacing: Pacing = Pacing.CLOSED,
        settings: PlaySettings | None = None,
        seeds: Seeds | None = None,
        first: int = 0,
    ) -> None:
        self.first = first
        """1 where notices go through a process without nodes, which has no core here."""
        self.events = Events()
        self.rng = Seeds(seed).child("network", players).random()
        self.namenode = ModelNameNode(schema, Seeds(seed).child("namenode").random())
        self.bodies: Counter[tuple[str, bytes]] = Counter()
        """Requests by method and body."""
        self.order: list[tuple[str, bytes]] = []
        settings = settings or PlaySettings(
            {"": Target("namenode", "model:1", "CID-model")}, Connections(pool=2, user="sim"), pacing
        )
        self.cores: list[Core] = []
        self.populations = []
        for number in range(first, first + players):
            population = populate(plan, schema, seeds=seeds or Seeds(seed), settings=replace(settings))
            population.share.take(number, players, first)
            self.populations.append(population)
            controller = Controller(groups_of(population), speed=settings.speed)
            self.cores.append(Core(population, controller, connect=self._connect, share=population.share))
        self._codec = Codec(schema)
        self._relay = Relay(players, first)
        self._servers: dict[tuple[int, int], ServerConnection] = {}
        self._arrival: dict[object, float] = {}

    @property
    def counts(self) -> dict[str, tuple[int, int]]:
        """Sent and answered calls by method, of all players."""
        counts: dict[str, tuple[int, int]] = {}
        for core in self.cores:
            for method, (sent, answered) in core.tally.whole.counts.items():
                before = counts.get(method, (0, 0))
                counts[method] = (before[0] + sent, before[1] + answered)
        return counts

    @property
    def notes(self) -> Counter[str]:
        """Of all players."""
        return sum((core.tally.notes for core in self.cores), Counter())

    def run(self) -> None:
        """Play to the end."""
        events = self.events
        for core in self.cores:
            core.begin(events.now)
        while not all(core.done for core in self.cores) and events.now < LIMIT_S:
            self._carry()
            waits = [core.next_s for core in self.cores if not core.done]
            events.now = max(events.now, min([events.next_s, *waits]))
            while events.next_s <= events.now:
                events.step()
            for core in self.cores:
                if not core.done:
                    core.advance(events.now)
        for core in self.cores:
            core.finish(events.now)

    def deliver(self) -> None:
        """Let every player know what the others did, and nothing else happen."""
        for _ in self.cores:
            self._carry()
            for core in self.cores:
                core.dirty.clear()
            while self.events.next_s < LIMIT_S:
                self.events.step()

    # --- between players ----------------------------------------------------------------------------------

    def _carry(self) -> None:
        for number, core in enumerate(self.cores, self.first):
            notices, core.share.out[:] = list(core.share.out), []
            if number == 0:
                self._relay.hand_on(notices, 0)
            elif notices:
                self._notify(number, 0, notices)
        for player, waiting in self._relay.out.items():
            notices, waiting[:] = list(waiting), []
            if notices:
                self._notify(0, player, notices)
        for number, core in enumerate(self.cores):
            self._carry_bytes(number, core)

    def _notify(self, sender: int, player: int, notices: list[Notice]) -> None:
        at_s = self._when((sender, player), _NOTICE_S)
        self.events.schedule(at_s, self._hear, sender, player, self._codec.dumps(notices))

    def _hear(self, sender: int, player: int, data: bytes) -> None:
        notices = self._codec.loads(data)
        if player < self.first:
            self._relay.hand_on(notices, sender)
            return
        for notice in self._relay.hand_on(notices, sender) if player == 0 else notices:
            self.cores[player - self.first].hear(notice, self.events.now)

    def _when(self, key: object, mean_s: float) -> float:
        at_s = max(self._arrival.get(key, 0.0), self.events.now + self.rng.expovariate(1 / mean_s))
        self._arrival[key] = at_s
        return at_s

    # --- the network and the target ------------------------------------------------------------------------

    def _connect(self, endpoint: Endpoint, client_id: bytes | None) -> ClientConnection:
        return ClientConnection(
            endpoint.protocol, client_id=client_id or self.rng.randbytes(16), user=endpoint.user
        )

    def _carry_bytes(self, number: int, core: Core) -> None:
        for channel in core.opened:
            self._servers[number, channel.number] = ServerConnection()
        core.opened.clear()
        for channel in core.dirty:
            data = b"".join(channel.out)
            channel.out.clear()
            at_s = self._when((number, channel.number, "to"), _WIRE_S)
            self.events.schedule(at_s, self._serve, number, channel, data)
        core.dirty.clear()

    def _serve(self, number: int, channel: Channel, data: bytes) -> None:
        server = self._servers[number, channel.number]
        for event in server.receive(data):
            if isinstance(event, Request):
                self.bodies[event.method, event.body] += 1
                self.order.append((event.method, event.body))
                answer = self._answer(server, event)
                at_s = self._when((number, channel.number, "from"), _WIRE_S)
                self.events.schedule(at_s, self._received, number, channel, answer)

    def _answer(self, server: ServerConnection, request: Request) -> bytes:
        try:
            body = self.namenode.call(request.protocol, request.method, request.body)
        except ModelError as error:
            return server.fail(request.call_id, str(error.args[0]), str(error.args[1]))
        return server.respond(request.call_id, body)

    def _received(self, number: int, channel: Channel, data: bytes) -> None:
        core = self.cores[number]
        core.received(channel, data, self.events.now)
