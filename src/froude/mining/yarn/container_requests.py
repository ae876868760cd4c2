"""What an application master asks for: a list in a call of real time that says only what changed since the last one.

Hadoop's `RMContainerRequestor` keeps how many containers are outstanding of each priority, anywhere, in a rack and on a
node. `ask` holds those whose number changed; each container that was given counts down. So an ask is not of its place in
the list but of a priority and a kind of place, and what the last answer gave decides most of the next. What stays a
matter of time or chance is covered by the generator `container-asks`: on which nodes the input lies, when a stage
begins, asks of attempts that run beside slow ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from froude.base.units import Quantity
from froude.messages.rows import EMPTY
from froude.mining.counts import fit_count
from froude.mining.fit.patterns import same
from froude.mining.history.timeline import columns
from froude.mining.read.ask_names import NODE, elements, is_asked, kind_of, representative
from froude.mining.read.events import Leaves
from froude.mining.read.knowledge import ASKS, Asks
from froude.mining.shape.structure import Occurrence
from froude.mining.yarn.inputs import Hosts, Told, explained, on_each
from froude.workload.generators import CONTAINER_ASKS
from froude.workload.rules import Special, Value
from froude.workload.scale import Count
from froude.workload.types import Cases, Constant, Generated, Rule, Scalar, Scaled

Place = tuple[Scalar, Scalar]
"""Priority and name of the place that containers are asked for."""
FOLLOWED, FIXED, RANDOM, UNKNOWN = "flow", "equal", "generated", "wrong"
"""What becomes of a leaf: it follows from earlier calls, is what it always is, is the generator's, or has no rule."""
_FIRST = "first"
"""Parameter of the generator: the number that the first ask of its kind has, as a formula over the Scale."""
_INPUT, _HOSTS = "input", "hosts"
"""Parameters: the client's call that was answered with the blocks of the input, and `Hosts`."""
_VALUE = "value"
"""Parameter: what the leaf is in every ask of its kind."""


# --- rules ------------------------------------------------------------------------------------------------


def rules(
    occurrences: Sequence[Occurrence],
    scales: Sequence[Mapping[str, Quantity]],
    inputs: Mapping[int, Told] | None = None,
) -> dict[str, Rule]:
    """The rules of all leaves of asks in the calls of one template; none in calls that ask for nothing.

    Args:
        inputs: where the input of each sender's application lies (`inputs.find_inputs`).
    """
    method = occurrences[0].call.token[1]
    if method not in ASKS:
        return {}
    found: dict[str, Rule] = {}
    followed: dict[Scalar, Rule | None] = {}
    for path, values in columns(occurrences).items():
        if not is_asked(method, path) or representative(path) != path:
            continue
        asks = ASKS[method]
        if path.startswith(f"{asks.listed}[{NODE}") and path.endswith((asks.amount, asks.place)):
            priority = path.partition("]")[0].rpartition("-")[2]
            if priority not in followed:
                followed[priority] = _of_input(occurrences, priority, inputs or {})
            if (rule := followed[priority]) is not None:
                found[path] = rule if path.endswith(asks.amount) else Generated(CONTAINER_ASKS)
                continue
        first = _of_first(occurrences, values, scales, amount=path.endswith(f".{ASKS[method].amount}"))
        later = Generated(CONTAINER_ASKS, _parameters(first))
        begins = all(
            o.indices[o.template] > 0 or v is not Special.ABSENT
            for o, v in zip(occurrences, values, strict=True)
        )
        found[path] = Cases(occurrences[0].template, first, None, later) if begins and first else later
    return found


def _of_input(occurrences: Sequence[Occurrence], priority: str, inputs: Mapping[int, Told]) -> Rule | None:
    """The rule of asks for nodes that follow from where the input lies, which the client was told; None if none does.

    Args:
        priority: of the asks, as paths name it.
        inputs: by identity of the sender.
    """
    asks = ASKS[occurrences[0].call.token[1]]
    firsts: dict[int, dict[Scalar, int]] = {}
    for occurrence in occurrences:
        request = occurrence.call.request
        seen = firsts.setdefault(id(occurrence.sender), {})
        for prefix, _ in elements(asks.listed, request):
            number, place = request.get(f"{prefix}.{asks.amount}"), request.get(f"{prefix}.{asks.place}")
            same_stage = str(request.get(f"{prefix}.{asks.priority}")) == priority
            if same_stage and kind_of(place) == NODE and isinstance(number, int):
                seen.setdefault(place, number)
    asking = {sender: asked for sender, asked in firsts.items() if asked}
    told = [inputs.get(sender, {}) for sender in asking]
    for template in dict.fromkeys(template for each in told for template in each):
        how = {
            explained(asked, each.get(template, ()))
            for asked, each in zip(asking.values(), told, strict=True)
        }
        if how and None not in how:
            hosts = Hosts.ALL if how == {Hosts.ALL} else Hosts.ONE
            return Generated(CONTAINER_ASKS, {_INPUT: template, _HOSTS: hosts.value})
    return None


def _of_first(
    occurrences: Sequence[Occurrence],
    values: Sequence[Value],
    scales: Sequence[Mapping[str, Quantity]],
    *,
    amount: bool,
) -> Rule | None:
    """What a leaf is when a kind of place is first asked for; of what is no number of containers: in all asks."""
    firsts: dict[int, tuple[int, Scalar]] = {}
    everywhere: dict[tuple[type, Scalar], Scalar] = {}
    for occurrence, value in zip(occurrences, values, strict=True):
        if not isinstance(value, Special):
            firsts.setdefault(id(occurrence.sender), (occurrence.run, value))
            everywhere[type(value), value] = value
    if not amount:
        return Constant(next(iter(everywhere.values()))) if len(everywhere) == 1 else None
    points = [(scales[run], float(value)) for run, value in firsts.values() if isinstance(value, int)]
    count = fit_count(points).count
    return None if count is None else Scaled(count)


def _parameters(first: Rule | None) -> Mapping[str, Scalar]:
    match first:
        case Constant(value):
            return {_VALUE: value}
        case Scaled(count):
            return {_FIRST: str(count)}
        case _:
            return {}


# --- prediction -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Outstanding:
    """The asks of one application master, as it and its answers tell of them.

    `due` is what the next request has to say, `unwanted` what it gives back.
    """

    asks: Asks
    told: Told = field(default_factory=dict)
    """Where the input lies, by the client's calls."""
    due: dict[Place, int] = field(default_factory=dict)
    unwanted: list[Leaves] = field(default_factory=list)
    _open: dict[Place, int] = field(default_factory=dict)

    def expected(self, leaves: Leaves, prefix: str) -> tuple[bool, int | None]:
        """What follows of an ask from those before.

        Returns:
            Whether the ask was due, and the number of containers that it should have; None where nothing says it.
        """
        place = self._place(leaves, prefix)
        return place in self.due, self.due.get(place)

    def begins(self, leaves: Leaves, prefix: str) -> bool:
        """Whether an ask is the first for its place."""
        return self._place(leaves, prefix) not in self._open

    def gives_back(self, leaves: Leaves, prefix: str) -> bool:
        """Whether an element of those that are given back is a container that was given and not wanted."""
        named_by = {path[len(prefix) :]: value for path, value in leaves.items() if path.startswith(prefix)}
        return named_by in self.unwanted

    def not_said(self, leaves: Leaves) -> int:
        """How many asks were due that a request does not make."""
        return len(
            self.due.keys()
            - {self._place(leaves, prefix) for prefix, _ in elements(self.asks.listed, leaves)}
        )

    def take(self, request: Leaves, response: Leaves | None) -> None:
        """Go on to the next call.

        Args:
            request: of this call, raw or named.
            response: its answer; None for none.
        """
        for prefix, _ in elements(self.asks.listed, request):
            number = request.get(f"{prefix}.{self.asks.amount}")
            self._open[self._place(request, prefix)] = number if isinstance(number, int) else 0
        self.due, self.unwanted = {}, []
        for prefix, inside in elements(self.asks.given, response or EMPTY):
            leaves = response or EMPTY
            priority = leaves.get(f"{prefix}.{self.asks.priority}")
            anywhere = (priority, "*")
            if self._open.get(anywhere, 0) <= 0:
                name = f"{prefix}.{self.asks.thing}"
                self.unwanted.append({p[len(name) :]: leaves[p] for p in inside if p.startswith(f"{name}.")})
                continue
            self._count_down(priority, leaves.get(f"{prefix}.{self.asks.given_place}"))

    def _count_down(self, priority: Scalar, host: Scalar) -> None:
        for place, number in list(self._open.items()):
            if place[0] == priority and number > 0 and (kind_of(place[1]) != NODE or place[1] == host):
                self._open[place] = self.due[place] = number - 1
        if self._open[priority, "*"] == 0:  # nothing is wanted any more, wherever it was wanted
            for place, number in list(self._open.items()):
                if place[0] == priority and number > 0:
                    self._open[place] = self.due[place] = 0

    def _place(self, leaves: Leaves, prefix: str) -> Place:
        return leaves.get(f"{prefix}.{self.asks.priority}"), leaves.get(f"{prefix}.{self.asks.place}")


def number_at_first(rule: Rule, scale: Mapping[str, Quantity]) -> int | None:
    """The number of containers that a kind of place is first asked for; None where no formula says it."""
    generated = rule.otherwise if isinstance(rule, Cases) else rule
    text = generated.parameters.get(_FIRST) if isinstance(generated, Generated) else None
    return None if text is None else Count.parse(str(text)).whole_at(scale)


def near(rule: Rule | None, told: Told) -> Mapping[Scalar, int]:
    """How many containers are asked for on each machine at first; none where chance decides or nothing says it."""
    parameters = rule.parameters if isinstance(rule, Generated) else {}
    if parameters.get(_HOSTS) != Hosts.ALL.value:
        return {}
    return on_each(told.get(str(parameters.get(_INPUT)), ()))


def value_of(rule: Rule) -> Value:
    """What a leaf is in every ask of its kind; ABSENT where it differs."""
    generated = rule.otherwise if isinstance(rule, Cases) else rule
    parameters = generated.parameters if isinstance(generated, Generated) else {}
    return parameters.get(_VALUE, Special.ABSENT)


def judge(
    occurrence: Occurrence,
    arguments: Mapping[str, Rule],
    scale: Mapping[str, Quantity],
    outstanding: Outstanding,
) -> dict[str, tuple[str, str]]:
    """What becomes of each leaf of a call's asks, and what its rule says once the ask is made."""
    asks, request = outstanding.asks, occurrence.call.request
    judged: dict[str, tuple[str, str]] = {}
    for prefix, inside in elements(asks.returned, request):
        became = FOLLOWED if outstanding.gives_back(request, prefix) else RANDOM
        judged |= dict.fromkeys(inside, (became, became))
    for prefix, inside in elements(asks.listed, request):
        begins = outstanding.begins(request, prefix)
        was_due, number = outstanding.expected(request, prefix)
        if begins:
            amount = arguments.get(representative(f"{prefix}.{asks.amount}"))
            there = near(amount, outstanding.told).get(request.get(f"{prefix}.{asks.place}"))
            was_due, number = (was_due, number) if there is None else (True, there)
        for path in inside:
            rule, leaf, value = arguments.get(representative(path)), path[len(prefix) + 1 :], request[path]
            at_first = isinstance(rule, Cases) and occurrence.indices[occurrence.template] == 0
            if rule is None:
                judged[path] = UNKNOWN, UNKNOWN
                continue
            fixed = FIXED if same(value_of(rule), value) else RANDOM
            if leaf == asks.amount:
                first = begins and number_at_first(rule, scale) == value
                became = FOLLOWED if was_due and number == value else FIXED if first else RANDOM
            elif leaf in {asks.priority, asks.place}:
                became = FOLLOWED if was_due else fixed if at_first else RANDOM
            else:
                became = fixed
            judged[path] = became, fixed if became == RANDOM else became
    return judged
