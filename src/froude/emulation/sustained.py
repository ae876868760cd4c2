"""Sustained load: clients of a plan that are followed by others, so that its load stays up until the play is stopped.

*Clients* are the node types whose number the Scale gives and of which several work in parallel: not daemons, which never
end, and not commands that run one after another or prepare the others, which are played once; nor application masters
and tasks, which run in the containers of their clients' applications, and follow from these. Types whose nodes run in
turn with those of another, as `mv` after `put` in each client of a script, form a chain: a client is a node of each of
its types, all with one number.

*Population*: as many clients as planned are at work; the end of one is the start of the next. *Arrivals*: clients begin
at a rate, at random times that do not depend on each other (a Poisson process), whatever those before them do. Every
further client has the next number, so that paths and names that follow from numbers stay unique.

A *log* begins again when it is over, over copies of what it makes. Each round begins when the one before it is over by
the log's own times; as a population not before the time at which it is read, so that late calls move later rounds. A
log is read ahead, by two rounds at most, and no more than two are under way at once: a round may begin before the last
calls of the one before it are answered.

Source: Schroeder, Wierman, Harchol-Balter, "Open Versus Closed: A Cautionary Tale" (NSDI 2006).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from froude.base.errors import InputError
from froude.base.summary import counted
from froude.emulation.settings import Leftovers, Mode, Turnover
from froude.workload.plan import Plan, one_at_a_time
from froude.workload.types import SCRIPTED, Moment, NodeType, Workload
from froude.workload.walk import flows, templates

_PLAN, _ONCE = "plan", "Play it once"
_KEEP = "Keep it (`leftovers: keep`)"
_LOG_CLIENTS = "audit"
"""Program of the clients of a log, which begin it again when it is over."""


_ORDER_S = 2.0
"""From the report of a player to its measuring, at most."""


def longest_warm_up_s(duration_s: float, measure_s: float | None) -> float:
    """After how long a sustained load is measured even where it is not steady, seconds.

    Args:
        duration_s: the longest time of the play.
        measure_s: how long is measured; None for what is left of the play.
    """
    return max(0.0, duration_s - (measure_s or 0.0) - _ORDER_S)


@dataclass(frozen=True, slots=True)
class Sustained:
    """The node types of a plan under sustained load."""

    chains: Mapping[str, tuple[str, ...]]
    """By the type that begins a client: that type and those in turn with it, in their order."""
    contained: frozenset[str]
    """Types whose nodes run in containers of their applications."""
    left_out: frozenset[str]
    """Types that wait for the end of all clients, which does not come; none of their nodes begin."""

    @property
    def types(self) -> frozenset[str]:
        """Every type of a client."""
        return frozenset(name for chain in self.chains.values() for name in chain)


def client_types(workload: Workload) -> tuple[NodeType, ...]:
    """The types of which the Scale says how many nodes work in parallel, and whose nodes end."""
    return tuple(
        each
        for each in workload.node_types
        if each.program == SCRIPTED and each.container is None and each.count.variables
        and not one_at_a_time(each, workload)
    )  # fmt: skip


def sustained(plan: Plan) -> Sustained:
    """The types of a plan under sustained load.

    Raises:
        InputError: it has none, or some whose further nodes could not do what the planned ones do.
    """
    if plan.log is not None:
        types = [each.name for each in plan.workload.node_types if each.program == _LOG_CLIENTS]
        return Sustained({name: (name,) for name in types}, frozenset(), frozenset())
    clients = [each for each in client_types(plan.workload) if plan.counts.get(each.name)]
    if not clients:
        found = "no node type of which several work in parallel and end"
        raise InputError("cannot be kept up", place=_PLAN, found=found, remedy=_ONCE)
    names = {each.name for each in clients}
    chains: dict[str, tuple[str, ...]] = {}
    for each in clients:
        if each.start.follows is None:
            chains[each.name] = tuple(_chain(each.name, clients))
        if each.start.after in names and each.start.moment is Moment.FINISHED and not each.start.in_turn:
            remedy = (
                f"With `follows: {each.start.after}` and `pause_s` in its start rule in workload.yaml each begins after "
                "its own predecessor"
            )
            raise _not_sustained(each, f"waits for the end of {each.start.after}", remedy)
    contained = set(_contained(plan.workload, names))
    return Sustained(chains, frozenset(contained), frozenset(_waiting(plan.workload, names | contained)))


def check_turnover(plan: Plan, turnover: Turnover) -> None:
    """Refuse a load that cannot be kept up, or whose clients may need what others have left.

    Raises:
        InputError: so it is.
    """
    if turnover.mode is Mode.ONCE:
        return
    load = sustained(plan)
    if turnover.mode is Mode.ARRIVALS and not turnover.per_s and plan.log is None:
        rules = {each.name: each.start for each in plan.workload.node_types}
        together = [name for name in load.chains if not rules[name].spacing_s]
        if together:
            remedy = "Give a rate: `--clients-per-s`, or `clients_per_s` in a scenario"
            raise InputError("began at one time when recorded", place=together[0], remedy=remedy)
    if turnover.leftovers is Leftovers.KEEP:
        return
    if load.contained:
        message = "may need what its client has left, and what it makes itself is not known to be left"
        raise InputError(message, place=min(load.contained), found="runs in containers", remedy=_KEEP)
    types = plan.workload.node_types
    owners = {call.id: each.name for each in types for call in templates(each)}
    first = {name: each for each, chain in load.chains.items() for name in chain}
    for each in types if len(load.chains) > 1 else ():
        for call in templates(each):
            taken = {owners.get(flow.call) for rule in call.arguments.values() for flow in flows(rule)}
            others = {name for name in (*taken, call.after and call.after.node_type) if name in first}
            if each.name in first and any(first[name] != first[each.name] for name in others):
                raise InputError(
                    "may need what clients of another type have left",
                    place=each.name,
                    found=f"calls that follow from those of {', '.join(sorted(others))}",
                    remedy=_KEEP,
                )


def kept_up_text(turnover: Turnover, plan: Plan) -> str:
    """What keeps the load of a plan up, such as `population of 20 clients`; empty for a plan that is played once."""
    if turnover.mode is Mode.ONCE:
        return ""
    if turnover.mode is Mode.ARRIVALS:
        return f"arrivals, {turnover.per_s:g} clients/s" if turnover.per_s else "arrivals as recorded"
    return f"population of {counted(sum(plan.counts[name] for name in sustained(plan).chains), 'client')}"


def begun_text(plan: Plan, nodes: int) -> str:
    """How many clients of a sustained load have begun, in words.

    Args:
        nodes: all that have begun; daemons, and nodes that are played once, have by then.
    """
    load = sustained(plan)
    clients = nodes - sum(
        count
        for name, count in plan.counts.items()
        if name not in load.types | load.contained | load.left_out
    )
    several = bool(load.contained) or any(len(chain) > 1 for chain in load.chains.values())
    return f"{max(0, clients):,} {'nodes of clients' if several else 'clients'} begun"


def obstacle(plan: Plan) -> str:
    """Why a plan's load cannot be sustained, and the way out where there is one; empty where it can be."""
    try:
        sustained(plan)
    except InputError as error:
        who = "the plan has" if error.place == _PLAN else error.place
        way_out = f". {error.remedy}" if error.remedy not in {None, _ONCE} else ""
        return f"{who} {error.found}{way_out}"
    return ""


def _not_sustained(node_type: NodeType, what: str, remedy: str = "") -> InputError:
    message = "cannot be kept up by further clients"
    return InputError(message, place=node_type.name, found=what, remedy=remedy or _ONCE)


def _chain(first: str, clients: list[NodeType]) -> Iterator[str]:
    """A type, and those that run in turn with it or with one of these."""
    yield first
    for each in clients:
        if each.start.follows == first:
            yield from _chain(each.name, clients)


def _contained(workload: Workload, clients: set[str]) -> Iterator[str]:
    """The types of application masters whose applications clients submit, and of the tasks of these."""
    for each in workload.node_types:
        if each.container is not None and each.container.of in clients:
            yield each.name
            yield from _contained(workload, {each.name})


def _waiting(workload: Workload, clients: set[str]) -> set[str]:
    """Types other than clients that begin when clients, or others that wait for them, have ended.

    Args:
        clients: with what runs in containers, whose nodes a NodeManager starts.
    """
    waiting: set[str] = set()
    while True:
        ended = clients | waiting
        more = {
            each.name
            for each in workload.node_types
            if each.name not in ended
            and (
                (each.start.after in ended and each.start.moment is Moment.FINISHED)
                or each.start.follows in ended
            )
        }
        if not more:
            return waiting
        waiting |= more
