"""From the solver's point to a cluster that holds exactly: shares add up to one, counts are whole, cost is ours.

Points satisfy their rows within a tolerance and may cover a little too much. Scaling every share of a copy by
the same factor only lowers loads, so the groups stay identical servers; counts are then taken afresh from the
shares. With uniform placement shares follow from whole units, and the superfluous ones are taken away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from froude.provision.model.instance import ServerType
from froude.provision.search.optimise.highs import Floats
from froude.provision.search.optimise.server_rows import ServerVariables
from froude.provision.search.optimise.subproblem import FIT, ServerKind, Subproblem, whole_up
from froude.provision.types.plan import Group, Held, LocalHeld, Running

NEGLIGIBLE = 1e-8
"""A share below this is nothing: the tolerance of a row, left over."""
_MOST_NEGLIGIBLE = 1e-5
"""Of a server's worth, that is: where there are millions of servers each has no more than such a share."""


@dataclass(frozen=True, slots=True)
class Content:
    """What one server holds; shares of the whole copy or task."""

    kind: ServerKind
    shares: dict[int, float] = field(default_factory=dict)
    """Per item."""
    units: dict[int, int] = field(default_factory=dict)
    work: dict[int, float] = field(default_factory=dict)
    """Per task."""
    instances: dict[int, int] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Does it hold nothing?"""
        return not (any(self.units.values()) or self.work)


Servers = list[tuple[Content, int]]
"""Contents, each with the number of servers that have them."""


def content_at(sub: Subproblem, variables: ServerVariables, x: Floats) -> Content:
    """Read one server of a fixed subproblem off a point.

    Args:
        variables: where the server's contents stand in the program.
        x: a solution of the program, shape (variables,).
    """
    shares = {i: _share(float(x[c]), sub.items[i].scale) for i, c in variables.load.items()}
    work = {t: _share(float(x[c]), sub.task_scale[t]) for t, c in variables.work.items()}
    units = {i: round(float(x[c])) for i, c in variables.units.items()}
    instances = {t: round(float(x[c])) for t, c in variables.instances.items()}
    return Content(
        variables.kind,
        {i: share for i, share in shares.items() if share},
        {i: count for i, count in units.items() if count},
        {t: share for t, share in work.items() if share},
        {t: count for t, count in instances.items() if count},
    )


def _share(load: float, scale: float) -> float:
    return load / scale if load > min(NEGLIGIBLE * scale, _MOST_NEGLIGIBLE) else 0.0


def round_servers(sub: Subproblem, servers: Servers) -> Servers:
    """Make contents exact, which cover everything at least once.

    Args:
        servers: covers every copy and task at least once, within tolerance.
    """
    whole = _whole_shares(sub, servers) if sub.uniform else _weighted_shares(sub, servers)
    return [(content, count) for content, count in whole if count and not content.empty]


def groups_of(sub: Subproblem, servers: Servers) -> tuple[Group, ...]:
    """The same by name, dearest server type last as in the catalog."""
    order = sorted(servers, key=lambda pair: (pair[0].kind.server, not pair[0].kind.host))
    return tuple(_group(sub, content, count) for content, count in order)


def cost_of(sub: Subproblem, groups: Iterable[Group]) -> float:
    """Dollars of the servers of a fixed subproblem and of what is in them, from the counts alone.

    Args:
        groups: servers of one content each, by name.
    """
    types = {server.name: server for server in sub.instance.servers}
    numbers = {unit.name: number for number, unit in enumerate(sub.instance.units)}
    tasks = {task.name: at for at, task in enumerate(sub.instance.tasks)}
    total = 0.0
    for group in groups:
        used: Counter[int] = Counter({sub.instance.memory_unit: group.dimms})
        for name, count in [(h.unit, h.units) for h in group.held] + [(b.unit, b.units) for b in group.local]:
            used[numbers[name]] += count
        beside = sum(
            run.instances * b.units.cost for run in group.running for b in sub.beside[tasks[run.task]]
        )
        total += group.count * (_paid(sub, types[group.server], group.cores, used) + beside)
    return total


def _paid(sub: Subproblem, server: ServerType, cores: int, used: Mapping[int, int]) -> float:
    """Dollars of one server, its cores and its units beyond what its price includes."""
    free = server.included_units or (0,) * len(sub.instance.units)
    bought = sum(sub.instance.units[unit].cost * max(0, n - free[unit]) for unit, n in used.items())
    return server.cost + server.core_cost * max(0, cores - server.included_cores) + bought


def _weighted_shares(sub: Subproblem, servers: Servers) -> Servers:
    by_item = _totals(servers, lambda content: content.shares)
    by_task = _totals(servers, lambda content: content.work)
    shared: Servers = []
    for content, count in servers:
        shares = {i: share / by_item[i] for i, share in content.shares.items()}
        work = {t: share / by_task[t] for t, share in content.work.items()}
        shared.append((replace(content, shares=shares, work=work), count))
    shared = _within(sub, shared)
    counted: Servers = []
    for content, count in shared:
        shares, work = content.shares, content.work
        units = {i: max(1, whole_up(sub.items[i].copy.need * share)) for i, share in shares.items()}
        instances = {t: max(1, whole_up(sub.parallelism[t] * share)) for t, share in work.items()}
        counted.append((Content(content.kind, shares, units, work, instances), count))
    return _enough_units(sub, servers, counted)


def _within(sub: Subproblem, servers: Servers) -> Servers:
    """A share that a row's tolerance left above the largest one goes to servers that have room."""
    for i, item in enumerate(sub.items):
        servers = _levelled(servers, lambda content: content.shares, i, item.most)
    for t in sub.tasks:
        servers = _levelled(servers, lambda content: content.work, t, sub.most_work(t))
    return servers


def _levelled(
    servers: Servers, part: Callable[[Content], dict[int, float]], key: int, most: float
) -> Servers:
    have = [(part(content).get(key, 0.0), count) for content, count in servers]
    over = sum(max(0.0, share - most) * count for share, count in have)
    room = sum(max(0.0, most - share) * count for share, count in have if share)
    if most >= 1 or over <= FIT * most or room == 0:
        return servers
    part_of_room = min(1.0, over / room)
    for (content, _), (share, _) in zip(servers, have, strict=True):
        if share:
            # the dictionaries were made here
            part(content)[key] = min(share, most) + max(0.0, most - share) * part_of_room
    return servers


def _enough_units(sub: Subproblem, before: Servers, after: Servers) -> Servers:
    """Where fewer units than the least remain, those that the solver had placed come back."""
    have = _totals(after, lambda content: content.units)
    short = {i for i, item in enumerate(sub.items) if have.get(i, 0) < item.copy.min_units}
    return [
        (
            replace(content, units={**content.units, **{i: n for i, n in old.units.items() if i in short}}),
            count,
        )
        for (old, _), (content, count) in zip(before, after, strict=True)
    ]


def _whole_shares(sub: Subproblem, servers: Servers) -> Servers:
    """Uniform placement: exactly the units and instances wanted, shares in proportion."""
    for i, item in enumerate(sub.items):
        servers = _trimmed(servers, lambda content: content.units, i, item.copy.min_units)
    for task in sub.tasks:
        servers = _trimmed(servers, lambda content: content.instances, task, int(sub.instances(task)))
    return [
        (
            replace(
                content,
                shares={i: units / sub.items[i].copy.min_units for i, units in content.units.items()},
                work={t: n / sub.instances(t) for t, n in content.instances.items()},
            ),
            count,
        )
        for content, count in servers
    ]


def _trimmed(servers: Servers, part: Callable[[Content], dict[int, int]], key: int, wanted: int) -> Servers:
    """Take what is too much of one thing from the last servers that have it, splitting groups."""
    excess = sum(part(content).get(key, 0) * count for content, count in servers) - wanted
    trimmed: Servers = []
    for content, count in reversed(servers):
        each = part(content).get(key, 0)
        emptied = min(count, excess // each) if each and excess > 0 else 0
        rest, count_left = excess - emptied * each, count - emptied
        for few, left in ((emptied, 0), (1 if 0 < rest < each and count_left else 0, each - rest)):
            if few:
                trimmed.append((_with(content, part, key, left), few))
        if 0 < rest < each and count_left:
            count_left, rest = count_left - 1, 0
        excess = rest
        if count_left:
            trimmed.append((content, count_left))
    return trimmed[::-1]


def _with(content: Content, part: Callable[[Content], dict[int, int]], key: int, amount: int) -> Content:
    changed = {k: v for k, v in part(content).items() if k != key} | ({key: amount} if amount else {})
    is_units = part(content) is content.units
    return replace(content, units=changed) if is_units else replace(content, instances=changed)


def _totals(
    servers: Servers, part: Callable[[Content], dict[int, float] | dict[int, int]]
) -> dict[int, float]:
    total: dict[int, float] = {}
    for content, count in servers:
        for key, amount in part(content).items():
            total[key] = total.get(key, 0.0) + amount * count
    return total


def _group(sub: Subproblem, content: Content, count: int) -> Group:
    instance = sub.instance
    held = tuple(_held(sub, i, content) for i in sorted({*content.shares, *content.units}))
    local = tuple(
        LocalHeld(
            instance.datasets[b.dataset].name,
            instance.units[b.units.unit].name,
            b.units.per_instance * content.instances.get(task, 0),
        )
        for task in sorted(content.work)
        for b in sub.beside[task]
    )
    running = tuple(
        Running(instance.tasks[t].name, content.instances.get(t, 0), content.work[t])
        for t in sorted(content.work)
    )
    cores, dimms = _bought(sub, content, host=bool(held))
    name = instance.servers[content.kind.server].name
    return Group(name, count, held, local, running, cores, dimms)


def _held(sub: Subproblem, at: int, content: Content) -> Held:
    item = sub.items[at]
    dataset = sub.instance.datasets[item.dataset]
    name = sub.instance.units[item.copy.unit].name
    return Held(dataset.name, name, content.units.get(at, 0), content.shares.get(at, 0.0), item.copy.cache)


def _bought(sub: Subproblem, content: Content, *, host: bool) -> tuple[int, int]:
    """Cores and memory units of one server."""
    instance = sub.instance
    cores = memory = 0.0
    cpu = instance.servers[content.kind.server].cpu
    for phase in range(len(instance.phases)):
        here = [t for t in content.work if instance.tasks[t].phase == phase]
        running = sum(instance.tasks[t].cores[cpu] * content.work[t] for t in here)
        copies = ((sub.items[i].copy, share) for i, share in content.shares.items())
        hosting = sum(copy.cores[phase] * share for copy, share in copies if copy.cores)
        cores = max(cores, running + hosting)
        memory = max(memory, sum(instance.tasks[t].memory * content.instances.get(t, 0) for t in here))
    more_cores, more_memory = (instance.host_cores, instance.host_memory) if host else (0, 0.0)
    capacity = instance.units[instance.memory_unit].capacity
    return whole_up(cores) + more_cores, whole_up((memory + more_memory) / capacity)
