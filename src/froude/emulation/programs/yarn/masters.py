"""All application masters of one node type: their mined pattern, taken apart into what a state machine needs.

A recorded application master made its own calls in order, asked for containers beside them, and started each as it was
given. In a play the order of these follows from causes, not from times: what takes a value from a container that was
given waits for one, and what came after the last task's end waits for that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from random import Random
from typing import Any, NamedTuple

from froude.emulation.programs.events import NodeId
from froude.emulation.programs.population import Population
from froude.emulation.programs.yarn.applications import Applications
from froude.emulation.programs.yarn.asks import ANY, Ask
from froude.emulation.programs.yarn.containers import Process
from froude.emulation.programs.yarn.protocols import (
    CONTAINERS,
    SCHEDULER,
    SCHEDULER_SERVICE,
    TOKEN_IDENTIFIER,
)
from froude.hadoop.rpc.target import is_loopback
from froude.messages.encoder import Slot, encoding
from froude.messages.wire import delimited
from froude.workload.occurrences import of_own_node
from froude.workload.rules import Special, Value
from froude.workload.scale import Count
from froude.workload.types import (
    CallTemplate,
    Cases,
    Constant,
    Container,
    Counter,
    Effect,
    Generated,
    NodeType,
    Periodic,
    Rule,
    Timing,
    Which,
)
from froude.workload.walk import calls, flows, map_calls

ALLOCATE, REGISTER, FINISH, START = (
    "allocate",
    "registerApplicationMaster",
    "finishApplicationMaster",
    "startContainers",
)
_NODES = re.compile(r"ask\[node1-(\d+)\]\.num_containers")
_EVERY_S = 1.0  # yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms
_MEMORY_MB, _CORES = 1024, 1
_ASK, _RELEASE = 1, 2
"""Numbers of the first fields of a request of `allocate`."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Containers of one priority, and the nodes that are processes in them."""

    priority: int
    node_type: str
    numbers: range
    """Which nodes of the type are the application master's own."""
    container: Container
    waits_for: frozenset[str]
    """Types of its other stages whose nodes must all have ended before these begin their work."""

    def process(self, number: int, speed: float) -> Process:
        """What runs in the container of one of its nodes."""
        return Process(NodeId(self.node_type, number), self.container.delay_s / speed)


class Near(NamedTuple):
    """What says where a stage's containers are asked for."""

    call: str
    """Template of the client's call that was answered with the blocks of the input."""
    all_hosts: bool
    """Whether each is asked for on all machines of its block, and not on one."""


class Masters:
    """What the application masters of a type share."""

    def __init__(self, node_type: NodeType, population: Population) -> None:
        """Take a mined type apart.

        Raises:
            InputError: the release does not know what they say.
        """
        self.population = population
        self.applications = population.common(Applications)
        beats = [each for each in node_type.periodic if each.call.method == ALLOCATE]
        self.allocate = beats[0] if beats else _usual_allocate(node_type.name)
        self._number_of_start = next(
            (number for number, effect in enumerate(node_type.effects) if effect.call.method == START), -1
        )
        self.node_type = replace(
            map_calls(node_type, _at_its_cause),
            periodic=tuple(each for each in node_type.periodic if each.call.method != ALLOCATE),
        )
        """Without its asks for containers, which are no matter of time alone; and its steps count from what they wait
        for."""
        self._asked = {
            path: rule for path, rule in self.allocate.call.arguments.items() if path.startswith("ask[")
        }
        self.request = replace(
            self.allocate.call,
            arguments={
                path: rule
                for path, rule in self.allocate.call.arguments.items()
                if not path.startswith(("ask[", "release[", "response_id"))
            }
            | {"response_id": Counter(0, {self.allocate.call.id: 1})},
        )
        """The template of `allocate` without what is asked for and given back; each answer counts one on."""
        request: Any = population.schema.method(SCHEDULER, ALLOCATE).request()
        self._ask_type: Any = type(request.ask.add())
        self._asks: dict[tuple[int, str], Callable[..., bytes]] = {}
        started: Any = population.schema.method(CONTAINERS, START).request()
        self.no_launch: Any = started.start_container_request.add().container_launch_context
        """What a container is started with that nothing is known of."""
        self._identifier: Any = population.schema.message(TOKEN_IDENTIFIER)
        target = population.target(SCHEDULER_SERVICE)
        self._one_clock = target is not None and is_loopback(target.address)
        self.inputs = dict(self._find_inputs())
        """By priority, from which call of the client it follows on which nodes containers are asked for."""
        self.needs = self._steps_that_need()
        self.start_needs = self._steps_before_start()

    @property
    def start(self) -> tuple[int, Effect] | None:
        """The effect by which a container is started, and its number in the type; None where none was recorded."""
        number = self._number_of_start
        return None if number < 0 else (number, self.node_type.effects[number])

    @property
    def every_s(self) -> float:
        """Between calls of `allocate`, seconds."""
        return self.allocate.every_s

    def stages(self, number: int) -> list[Stage]:
        """What an application master asks for, in the order in which it does."""
        tasks = list(self.applications.tasks_of(NodeId(self.node_type.name, number)))
        own = {node_type.name for node_type, _ in tasks}
        stages = []
        for node_type, numbers in tasks:
            assert node_type.container is not None
            rule = node_type.start
            waits_for = frozenset({rule.after} & own if rule.after is not None and rule.every else ())
            priority = node_type.container.priority or 0
            stages.append(Stage(priority, node_type.name, numbers, node_type.container, waits_for))
        return sorted(stages, key=lambda stage: (stage.container.after, -stage.priority))

    def hosts(self, number: int, stage: Stage, rng: Random) -> list[Sequence[str]]:
        """Where the input of each container of a stage lies; nowhere for those of which nothing says it.

        Args:
            rng: its own, which chooses among the machines of a block where recorded ones chose.
        """
        near = self.inputs.get(stage.priority)
        master = NodeId(self.node_type.name, number)
        blocks: list[Sequence[str]] = []
        if near is not None:
            told = self.applications.blocks(master, near.call)[: len(stage.numbers)]
            blocks = [hosts if near.all_hosts else (rng.choice(hosts),) for hosts in told if hosts]
        return [*blocks, *[()] * (len(stage.numbers) - len(blocks))]

    def asked(self, asks: Sequence[Ask], released: Sequence[bytes]) -> bytes:
        """What is asked for and given back, as the body of an `allocate` begins."""
        parts = []
        for ask in asks:
            kind = "any" if ask.place == ANY else "rack" if ask.place.startswith("/") else "node1"
            key = (ask.priority, kind)
            if key not in self._asks:
                self._asks[key] = self._ask_encoding(*key)
            parts.append(delimited(_ASK, self._asks[key](ask.place, ask.number)))
        return b"".join((*parts, *(delimited(_RELEASE, container) for container in released)))

    def granted_s(self, container: Any, now_s: float) -> float:
        """When the ResourceManager gave a container, on the play's clock, as its token states it.

        An application master hears of it with its next call, which says more of its own interval. The token's time is
        that of the ResourceManager's clock: one on another machine, or a token without it, counts from the answer.

        Args:
            container: of the answer to `allocate`.

        Source: RMContainerImpl.getCreationTime, which SchedulerApplicationAttempt puts into the token.
        """
        if not self._one_clock:
            return now_s
        identifier = self._identifier.FromString(container.container_token.identifier)
        settings = self.population.settings
        given_s: float = identifier.creationTime / 1e3 - settings.epoch_s + settings.begun_s
        return given_s if identifier.creationTime else now_s

    # --- parts ----------------------------------------------------------------------------------------------

    def _find_inputs(self) -> Iterator[tuple[int, Near]]:
        for path, rule in self._asked.items():
            match = _NODES.fullmatch(path)
            call = rule.parameters.get("input") if isinstance(rule, Generated) else None
            if match is not None and isinstance(rule, Generated) and isinstance(call, str):
                yield int(match[1]), Near(call, rule.parameters.get("hosts") == "all")

    def _ask_encoding(self, priority: int, kind: str) -> Callable[..., bytes]:
        """What encodes asks of a priority and a kind of place, from place and number."""
        usual = {"priority.priority": priority}
        usual |= {"capability.memory": _MEMORY_MB, "capability.virtual_cores": _CORES}
        said = self._recorded_ask(priority, kind) or usual
        return encoding(self._ask_type, {**said, "resource_name": Slot(0), "num_containers": Slot(1)}, 2)

    def _recorded_ask(self, priority: int, kind: str) -> dict[str, Any]:
        """What was recorded of such asks, else of those for any place; empty for nothing."""
        for each in dict.fromkeys((kind, "any")):
            prefix = f"ask[{each}-{priority}]."
            own = {path: rule for path, rule in self._asked.items() if path.startswith(prefix)}
            said = {path.removeprefix(prefix): _fixed(rule) for path, rule in own.items()}
            values = {path: value for path, value in said.items() if not isinstance(value, Special)}
            if values:
                return values
        return {}

    def _steps_that_need(self) -> frozenset[str]:
        """The steps that take a value of a container: of what `allocate` or `startContainers` was answered."""
        sources = {self.allocate.call.id}
        if self.start is not None:
            sources.add(self.start[1].call.id)
        return frozenset(call.id for call in calls(self.node_type.steps) if self._sources(call) & sources)

    def _steps_before_start(self) -> frozenset[str]:
        """The steps from which the start of a container takes values: those that do not wait for the end of one."""
        if self.start is None:
            return frozenset()
        before = takewhile(
            lambda call: not (call.awaits is not None and call.awaits.ended) and call.method != FINISH,
            calls(self.node_type.steps),
        )
        return self._sources(self.start[1].call) & {call.id for call in before}

    def _sources(self, call: CallTemplate) -> frozenset[str]:
        """The calls of the node itself from which one takes values."""
        return frozenset(
            flow.call
            for rule in call.arguments.values()
            for flow in flows(rule)
            if flow.which is not Which.CAUSE and of_own_node(flow, self.node_type.name)
        )


def _at_its_cause(call: CallTemplate) -> CallTemplate:
    """A step that waits for containers pauses from then on, and not from the step before."""
    if call.awaits is None:
        return call
    timing = Timing(Count(call.awaits.pause_s), (), call.timing.service, call.timing.service_quantiles_s)
    return replace(call, timing=timing)


def _fixed(rule: Rule) -> Value:
    """What a leaf of an ask is whenever it is made; ABSENT where that differs."""
    if isinstance(rule, Cases):
        first = rule.first
        return first.value if isinstance(first, Constant) else _fixed(rule.otherwise)
    if isinstance(rule, Constant):
        return rule.value
    return rule.parameters.get("value", Special.ABSENT) if isinstance(rule, Generated) else Special.ABSENT


def _usual_allocate(name: str) -> Periodic:
    """What a type asks with that has no mined calls of it."""
    call = CallTemplate(f"{name}.allocate", SCHEDULER, ALLOCATE, {})
    return Periodic(call, _EVERY_S)
