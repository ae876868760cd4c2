"""Generated logs of known truth: small RPC systems of a described pattern, run at any Scale.

A `System` says what each of its clients does: calls, loops whose counts follow from the Scale, and arguments by rules;
`record` runs it on a virtual clock and gives the events that a capture would see. Clients run side by side, begin in
another order each time, and have new ids in every run; so have all things that the server names. What a miner should
find is what the `System` says.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from froude.base.events import Events
from froude.mining.read.events import Event, Recording
from froude.workload.scale import Scale

PROTOCOL = "made.Store"
Sizes = Mapping[str, int]
Count = Callable[[Sizes], int]


@dataclass(frozen=True)
class Context:
    """What a client's call may depend on."""

    node: int
    sizes: Sizes
    indices: Mapping[str, int]
    """Loops around the call, by name, outermost first."""
    answers: Mapping[str, Mapping[str, Any]]
    """The last answer to each method."""
    fresh: frozenset[str]
    """Methods that the innermost loop has called before in this run of it."""
    rng: random.Random


Argument = Callable[[Context], Any]
"""Gives a value; None where the field is not set."""


@dataclass(frozen=True)
class Call:
    """One call site: its arguments by name, and the fields of its answers."""

    method: str
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    answer: tuple[str, ...] = ()
    """Of `id`, `taker` (after an id), `path`, `span`, `ok`."""


@dataclass(frozen=True)
class Loop:
    """A part that is repeated."""

    name: str
    times: Count
    body: tuple[Call | Loop, ...]


@dataclass(frozen=True)
class Beat:
    """A call of real time."""

    method: str
    every_s: float
    jitter_s: float


@dataclass(frozen=True)
class System:
    """What all clients do."""

    clients: Count
    steps: tuple[Call | Loop, ...]
    beat: Beat | None = None
    takers: bool = False
    """Whether there are nodes of a second kind: each answer to `offer` names one, which then takes the thing."""
    think_s: float = 0.05
    """Between an answer and the next call, but for chance."""
    first_id: int = 20_000
    """From where on the server numbers things; small numbers look like any other."""


def same(value: Any) -> Argument:
    """A constant."""
    return lambda context: value


def named(prefix: str, *loops: str) -> Argument:
    """A text with the client's number and the iterations of some loops: `user/2/7`."""
    return lambda context: "/".join(
        [prefix, str(context.node), *(str(context.indices[loop]) for loop in loops)]
    )


def index(loop: str, factor: int = 1, offset: int = 0) -> Argument:
    """A number that grows with the iterations of a loop."""
    return lambda context: factor * context.indices[loop] + offset


def answered(method: str, leaf: str = "id") -> Argument:
    """What the last answer to a method says."""
    return lambda context: context.answers[method][leaf]


def previous(method: str, leaf: str = "id") -> Argument:
    """The same of the round before, in the same run of the loop around; not set in the first."""
    return lambda context: context.answers[method][leaf] if method in context.fresh else None


def last_part(method: str) -> Argument:
    """The last part of an answered path."""
    return lambda context: context.answers[method]["path"].rpartition("/")[2]


def below(method: str, argument: Argument) -> Argument:
    """A name below an answered path."""
    return lambda context: f"{context.answers[method]['path']}/{argument(context)}"


def length(method: str) -> Argument:
    """How long the answered span is."""
    return lambda context: context.answers[method]["end"] - context.answers[method]["begin"]


def nonce() -> Argument:
    """What nobody can know: a random number."""
    return lambda context: context.rng.getrandbits(48) + (1 << 48)


def size(name: str) -> Argument:
    """A variable of the Scale."""
    return lambda context: context.sizes[name]


@dataclass
class _Server:
    """Names things, and keeps the record."""

    rng: random.Random
    next_id: int
    offers: list[list[int]]
    """Ids for each taker."""

    def answer(self, leaves: tuple[str, ...]) -> dict[str, Any]:
        """An answer with new ids, paths and spans."""
        made: dict[str, Any] = {}
        for leaf in leaves:
            self.next_id += 1 + self.rng.randrange(3)
            if leaf == "id":
                made["id"] = self.next_id
            elif leaf == "taker":
                taker = self.rng.randrange(len(self.offers))
                made["chosen[0].name"] = f"taker-{taker}"
                self.offers[taker].append(made["id"])
            elif leaf == "path":
                made["path"] = f"/vol-{self.rng.randrange(10**6)}/obj_{self.next_id:08x}z"
            elif leaf == "span":
                made["begin"] = self.rng.randrange(10**6, 10**8)
                made["end"] = made["begin"] + self.rng.randrange(1000, 10**6)
            else:
                made["ok"] = True
        return made


_Wanted = tuple[float, str, dict[str, Any], tuple[str, ...]]
"""Seconds to think, method, request, and what the answer holds."""


def _client(system: System, node: int, sizes: Sizes, server: _Server) -> Any:
    """What one client does: yields calls, is sent their answers."""
    answers: dict[str, Mapping[str, Any]] = {}

    def walk(steps: tuple[Call | Loop, ...], indices: Mapping[str, int], fresh: set[str]) -> Any:
        for step in steps:
            if isinstance(step, Loop):
                inner: set[str] = set()
                for number in range(step.times(sizes)):
                    yield from walk(step.body, {**indices, step.name: number}, inner)
                continue
            context = Context(node, sizes, indices, answers, frozenset(fresh), server.rng)
            values = {name: argument(context) for name, argument in step.arguments.items()}
            request = {name: value for name, value in values.items() if value is not None}
            answers[step.method] = yield system.think_s, step.method, request, step.answer
            fresh.add(step.method)

    yield from walk(system.steps, {}, set())


def _taker(node: int, server: _Server, busy: Callable[[], bool]) -> Any:
    """Takes what is offered to it, once."""
    yield 0.01, "join", {"name": f"taker-{node}"}, ("ok",)
    taken = 0
    while busy() or taken < len(server.offers[node]):
        if taken < len(server.offers[node]):
            yield 0.003, "take", {"item": server.offers[node][taken], "by": f"taker-{node}"}, ("ok",)
            taken += 1
        else:
            yield 0.004, "", {}, ()


def record(system: System, seed: int = 0, **sizes: int) -> Recording:
    """The system's record at a Scale."""
    rng = random.Random(f"{seed} {sorted(sizes.items())}")
    clients = system.clients(sizes)
    takers = sizes["takers"] if system.takers else 0
    server = _Server(
        rng, system.first_id + rng.randrange(50) * system.first_id // 10, [[] for _ in range(takers)]
    )
    programs = [_client(system, node, sizes, server) for node in range(clients)]
    rng.shuffle(programs)
    working = [True] * len(programs)
    programs += [_taker(node, server, lambda: any(working)) for node in range(takers)]
    senders = [f"{rng.getrandbits(128):032x}" for _ in programs]
    events: list[Event] = []
    ends: dict[int, float] = {}
    time = Events()

    def call(number: int, wanted: _Wanted) -> None:
        """A program makes the call that it wanted, and is sent the answer."""
        _, method, request, leaves = wanted
        answer: dict[str, Any] = {}
        end_s = time.now
        if method:
            answer = server.answer(leaves)
            sender = number, senders[number]
            events.append(_event(time.now, sender, len(events), method, (request, answer)))
            end_s += 0.001
        ends[number] = end_s
        try:
            schedule(end_s, number, programs[number].send(answer))
        except StopIteration:
            if number < len(working):
                working[number] = False

    def schedule(time_s: float, number: int, wanted: _Wanted) -> None:
        """A program thinks first, about as long as it says."""
        think_s = wanted[0] * (rng.uniform(0.95, 1.05) if wanted[1] else 1.0)
        time.schedule(time_s + think_s, call, number, wanted, priority=number)

    for number, program in enumerate(programs):
        schedule(1.0 + 0.007 * number, number, next(program))
    time.run()
    if system.beat is not None:
        events += _beats(system.beat, rng, senders[:clients], ends)
    return Recording(tuple(_ordered(events)), Scale.of(**sizes), source_id=f"made-{rng.randrange(10**9)}")


def _event(time_s: float, sender: tuple[int, str], call: int, method: str, sides: tuple[Any, Any]) -> Event:
    number, client = sender
    request, answer = sides
    return Event(
        order=0,
        start_s=time_s,
        end_s=time_s + 0.0005,
        client=client,
        call_id=call,
        connection=number,
        peer=f"10.0.0.{number + 1}",
        user="made",
        caller_context=None,
        protocol=PROTOCOL,
        method=method,
        request=request,
        response=answer,
    )


def _beats(beat: Beat, rng: random.Random, senders: list[str], ends: list[float]) -> Iterator[Event]:
    for number, sender in enumerate(senders):
        time_s, count = 1.0 + 0.007 * number, 0
        while time_s < ends[number]:
            told = {"state": 1}, {"ok": True}
            yield _event(time_s, (number, sender), 1_000_000 + count, beat.method, told)
            time_s += beat.every_s + rng.uniform(-beat.jitter_s, beat.jitter_s)
            count += 1


def _ordered(events: list[Event]) -> Iterator[Event]:
    for order, event in enumerate(sorted(events, key=lambda event: event.start_s)):
        yield replace(event, order=order)


def lossy(recording: Recording, share: float = 0.01, seed: int = 0) -> Recording:
    """The recording of a capture that lost some calls, one at least."""
    rng = random.Random(seed)
    number = max(1, round(share * len(recording.events)))
    lost = set(rng.sample(range(len(recording.events)), number))
    kept = [event for event in recording.events if event.order not in lost]
    return replace(recording, events=tuple(_ordered(kept)))
