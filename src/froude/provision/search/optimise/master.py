"""The joint master program: which choice per dataset and how many servers of each kind, contents summed per kind.

Linear in everything, because run time is linear in "one choice per dataset" and every nonlinear figure sits in
a coefficient. Summed contents forget which server holds what, so its optimum is a lower bound; the packing
(`column_generation`) tells what the choice really costs, and it is not proposed again.

Source: ours, after the integer program of scc (FAST 2012), Figure 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from froude.provision.search.optimise.cuts import Cut
from froude.provision.search.optimise.highs import Floats, Program
from froude.provision.search.optimise.run_time_rows import run_time_variables
from froude.provision.search.optimise.server_rows import PENALTY, Excess, ServerRows, ServerVariables
from froude.provision.search.optimise.subproblem import ServerKind, Subproblem, whole_up


@dataclass(frozen=True, slots=True)
class Placed:
    """What other servers already hold of a fixed subproblem: the program is about the rest."""

    load: dict[int, float]
    """Per item, in its own unit."""
    units: dict[int, float]
    work: dict[int, float]
    """Per task, in its own unit."""
    instances: dict[int, float]
    servers: dict[int, int]
    """Per server type: they count against how many can be had."""


NOTHING = Placed({}, {}, {}, {}, {})


class Master:
    """The program of a subproblem, and how to read a point of it."""

    def __init__(
        self,
        sub: Subproblem,
        *,
        whole: bool = True,
        never: Iterable[Sequence[int]] = (),
        cuts: Iterable[Cut] = (),
        budget: float = math.inf,
        slots: Sequence[ServerKind] | None = None,
        placed: Placed = NOTHING,
        elastic: bool = False,
    ) -> None:
        """Build it.

        Args:
            whole: counts are integers; choices always are.
            never: choices per dataset that are not to be proposed.
            budget: no kind may cost more than this alone, which bounds every count. A bound of this program
                holds for all clusters up to the budget, so `min(bound, budget)` holds for all. Counts without
                a tight box slow HiGHS by orders of magnitude.
            slots: single servers that may stand instead of kinds with a count: then it is exact for a fixed
                subproblem, and a tighter relaxation for an open one.
            placed: what stands elsewhere, of a fixed subproblem.
            elastic: limits may be exceeded at a penalty, to see which are in the way.
        """
        self.sub, self.budget, self.placed = sub, budget, placed
        self.program, self._many = Program(sub.unit), sub.many
        self._single = slots is not None
        self.elastic: list[Excess] | None = [] if elastic else None
        self.choice = self._choice_variables()
        servers = sub.kinds if slots is None else slots
        self.kinds = [self._kind(kind, at, whole=whole) for at, kind in enumerate(servers)]
        self._stored()
        self._run()
        self._core_types()
        self._spread()
        self._parallelism(whole=whole)
        self._most_servers()
        if self._single:
            self._order()
        for choices in never:
            chosen = [(self.choice[d, c], 1.0) for d, c in enumerate(choices)]
            self.program.row(f"never {choices}", chosen, upper=len(chosen) - 1.0)
        for number, cut in enumerate(cuts):
            self._cut(number, cut)

    def choices_at(self, x: Floats) -> tuple[int, ...]:
        """The choice per dataset at a point."""
        return tuple(
            max(open_, key=lambda c, d=d: x[self.choice[d, c]])  # type: ignore[misc]
            for d, open_ in enumerate(self.sub.allowed)
        )

    def counts_at(self, x: Floats) -> list[float]:
        """Servers per kind at a point."""
        return [float(x[variables.count]) for variables in self.kinds if variables.count is not None]

    def branch_first(self) -> tuple[list[int], list[int]]:
        """Variables worth deciding before others: choices, then counts of servers."""
        return list(self.choice.values()), [c.count for c in self.kinds if c.count is not None]

    def one_of(self) -> list[list[int]]:
        """The variables of each dataset's choices: exactly one of them is 1."""
        return [[self.choice[d, c] for c in open_] for d, open_ in enumerate(self.sub.allowed)]

    def _choice_variables(self) -> dict[tuple[int, int], int]:
        variables: dict[tuple[int, int], int] = {}
        for d, open_ in enumerate(self.sub.allowed):
            dataset = self.sub.instance.datasets[d]
            for c in open_:
                name = f"{dataset.name}={dataset.choices[c].label}"
                cost = dataset.choices[c].cost if self.sub.choices_paid else 0.0
                variables[d, c] = self.program.variable(name, cost=cost, upper=1.0, integer=True)
            terms = [(variables[d, c], 1.0) for c in open_]
            self.program.row(f"choose {dataset.name}", terms, lower=1.0, upper=1.0)
        return variables

    def _kind(self, kind: ServerKind, at: int, *, whole: bool) -> ServerVariables:
        name = f"{self.sub.server(kind).name}/{'host' if kind.host else 'worker'}"
        if self._single:
            name = f"{at}:{name}"
        limit = 1 if self._single else self.sub.server(kind).max_count
        if self.elastic is not None:
            limit = None
        base = self.sub.base_cost(kind)
        affordable = math.ceil(self.budget / base) if base > 0 and math.isfinite(self.budget) else self._many
        most = min(self._many if limit is None else float(limit), affordable)
        count = self.program.variable(f"{name}:count", cost=base, upper=most, integer=whole)
        return ServerRows(
            self.program,
            self.sub,
            kind,
            count=count,
            most=most,
            label=name,
            whole=whole,
            elastic=self.elastic,
        ).add()

    def _order(self) -> None:
        """Of servers of one kind a dearer one comes first: the same cluster is not met in many orders."""
        costs = dict(self.program.costs())
        for first, second in pairwise(self.kinds):
            if first.kind == second.kind:
                worth = [(c, costs[c] / 1e3) for c in first.every() if c in costs]
                less = [(c, -costs[c] / 1e3) for c in second.every() if c in costs]
                self.program.row("dearer first", [*worth, *less], lower=0.0)

    def _cut(self, number: int, cut: Cut) -> None:
        """Servers of its kinds cost what it says where all its choices are made, and at least nothing elsewhere."""
        costs = dict(self.program.costs())
        variables = [c for variables in self.kinds if variables.kind in cut.kinds for c in variables.every()]
        terms = [(variable, costs[variable] / cut.most) for variable in variables if variable in costs]
        needed = cut.lower / cut.most
        for d, open_ in enumerate(self.sub.allowed):
            more = {c: cut.more[d][c] / cut.most for c in open_ if c in cut.more[d]}
            if len(more) < len(open_) or any(more.values()):
                needed -= 1.0
                terms += [(self.choice[d, c], -1.0 - worth) for c, worth in more.items()]
        self.program.row(f"cut {number}", terms, lower=needed)

    def _stored(self) -> None:
        """Each copy of the chosen choice is placed whole, on enough units."""
        for at, item in enumerate(self.sub.items):
            chosen = [self.choice[item.dataset, choice] for choice in item.choices]
            name = f"{self.sub.instance.datasets[item.dataset].name}.{item.choices[0]}.{item.copy.unit}"
            load = [(variables.load[at], 1.0) for variables in self.kinds if at in variables.load]
            done = self.placed.load.get(at, 0.0)
            all_of_it = [(variable, -item.scale) for variable in chosen]
            self.program.row(f"place {name}", [*load, *all_of_it], lower=-done, upper=-done)
            units = [(variables.units[at], 1.0) for variables in self.kinds if at in variables.units]
            least = float(item.copy.min_units)
            there = self.placed.units.get(at, 0.0)
            needed = [(variable, -least) for variable in chosen]
            self.program.row(f"units of {name}", [*units, *needed], lower=-there)

    def _run(self) -> None:
        """Each task is placed whole, and so is each local dataset beside it."""
        for task in self.sub.tasks:
            name, scale = self.sub.instance.tasks[task].name, self.sub.task_scale[task]
            work = [(variables.work[task], 1.0) for variables in self.kinds if task in variables.work]
            left = scale - self.placed.work.get(task, 0.0)
            self.program.row(f"run {name}", work, lower=left, upper=left)
            for local in self.sub.beside[task]:
                key = (local.dataset, local.choice)
                parts = [
                    (variables.beside[key][1], 1.0) for variables in self.kinds if key in variables.beside
                ]
                self.program.row(
                    f"run {name} beside {key}", [*parts, (self.choice[key], -left)], lower=0.0, upper=0.0
                )

    def _core_types(self) -> None:
        """A task runs on servers of the core type chosen for it."""
        for d, dataset in enumerate(self.sub.instance.datasets):
            task = dataset.cpu_of
            if task is None or task not in self.sub.tasks or len(self.sub.allowed[d]) == 1:
                continue
            for cpu in self.sub.allowed[d]:
                of_type = [c for c in self.kinds if self.sub.server(c.kind).cpu == cpu and task in c.work]
                terms = [(variables.work[task], 1.0) for variables in of_type]
                terms.append((self.choice[d, cpu], -self.sub.task_scale[task]))
                self.program.row(f"{dataset.name} on {cpu}", terms, upper=0.0)

    def _spread(self) -> None:
        """As many servers as the largest shares ask for; sharper than their rows where choices are fractional."""
        sub = self.sub
        if self.placed is not NOTHING:
            return
        least: dict[int, dict[int, float]] = {}
        for item in sub.items:
            if 0 < item.most < 1:
                terms = least.setdefault(item.dataset, {})
                for choice in item.choices:
                    variable = self.choice[item.dataset, choice]
                    terms[variable] = max(terms.get(variable, 0.0), float(whole_up(1 / item.most)))
        hosts = [(c.count, 1.0) for c in self.kinds if c.count is not None and c.load]
        for dataset, terms in least.items():
            name = sub.instance.datasets[dataset].name
            less = [(variable, -servers) for variable, servers in terms.items()]
            self.program.row(f"servers of {name}", [*hosts, *less], lower=0.0)
        for task in sub.tasks:
            if sub.instance.tasks[task].most_share < 1:
                there = [(c.count, 1.0) for c in self.kinds if c.count is not None and task in c.work]
                name = sub.instance.tasks[task].name
                self.program.row(f"servers of {name}", there, lower=float(sub.least_servers(task)))

    def _parallelism(self, *, whole: bool) -> None:
        """Enough instances for the longest path of each task."""
        if self.sub.fixed:
            for task in self.sub.tasks:
                needed = self.sub.parallelism[task]
                self._instances(task, [], float(whole_up(needed)) if whole else needed)
            return
        instance = self.sub.instance
        run_time = run_time_variables(self.program, self.sub, self.choice, self.elastic)
        for t in self.sub.tasks:
            variable, seconds = run_time[t]
            self._instances(t, [(variable, -instance.tasks[t].rate * seconds)], 0.0)

    def _instances(self, task: int, run_time: list[tuple[int, float]], needed: float) -> None:
        need = self.sub.instance.tasks[task]
        there = [(variables.instances[task], 1.0) for variables in self.kinds if task in variables.instances]
        needed -= self.placed.instances.get(task, 0.0)
        weight = 1.0 / max(1.0, *(-value for _, value in run_time)) if run_time else 1.0
        terms = [(variable, value * weight) for variable, value in (*there, *run_time)]
        self.program.row(f"instances of {need.name}", terms, lower=needed * weight)
        for dataset, floors in need.floors:
            if not self.sub.fixed:
                least = [(self.choice[dataset, c], -floors[c]) for c in self.sub.allowed[dataset]]
                self.program.row(f"instances of {need.name} for {dataset}", [*there, *least], lower=0.0)
        for local in self.sub.beside[task]:
            key = (local.dataset, local.choice)
            floor = next((f[local.choice] for d, f in need.floors if d == local.dataset), 0.0)
            floor -= self.placed.instances.get(task, 0.0)
            parts = [(variables.beside[key][0], 1.0) for variables in self.kinds if key in variables.beside]
            self.program.row(f"instances beside {key}", [*parts, (self.choice[key], -floor)], lower=0.0)

    def _most_servers(self) -> None:
        for at, server in enumerate(self.sub.instance.servers):
            if server.max_count is not None:
                terms = [(c.count, 1.0) for c in self.kinds if c.kind.server == at and c.count is not None]
                left = server.max_count - self.placed.servers.get(at, 0)
                if self.elastic is not None:
                    name = f"number of {server.name}"
                    variable = self.program.variable(f"over {name}", cost=PENALTY, upper=self._many)
                    self.elastic.append(Excess(name, variable, float(server.max_count), None, unit=""))
                    terms.append((variable, -1.0))
                self.program.row(f"count of {server.name}", terms, upper=float(left))
