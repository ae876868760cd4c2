"""The joint master program: which choice per dataset and how many servers of each kind, contents summed per kind.

Linear in everything, because run time is linear in "one choice per dataset" and every nonlinear figure sits in
a coefficient. Summed contents forget which server holds what, so its optimum is a lower bound; the packing
(`froude.provision.optimise.packing`) tells what the choice really costs and hands back a cut.

Source: ours, after the integer program of scc (FAST 2012), Figure 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from froude.provision.optimise.contents import MANY, Columns, Contents, Kind, Scope, whole_up
from froude.provision.optimise.highs import Floats, Program


@dataclass(frozen=True, slots=True)
class Cut:
    """The cost of a cluster with exactly these choices is at least `bound`."""

    choices: tuple[int, ...]
    bound: float


class Master:
    """The program of a scope, and how to read a point of it."""

    def __init__(
        self, of: Scope, *, whole: bool = True, cuts: Sequence[Cut] = (), floor: float = 0.0
    ) -> None:
        """Build it.

        Args:
            of: the choices that are open.
            whole: counts are integers; choices always are.
            cuts: what packing has taught.
            floor: a lower bound of the cost for every choice: how far a cut reaches.
        """
        self.scope, self.program = of, Program()
        self.choice = self._choice_columns()
        self.kinds = [self._kind(kind, whole=whole) for kind in of.kinds]
        self._stored()
        self._run()
        self._parallelism(whole=whole)
        self._most_servers()
        for cut in cuts:
            self._cut(cut, floor)

    def choices_at(self, x: Floats) -> tuple[int, ...]:
        """The choice per dataset at a point."""
        return tuple(
            max(open_, key=lambda c, d=d: x[self.choice[d, c]])  # type: ignore[misc]
            for d, open_ in enumerate(self.scope.allowed)
        )

    def counts_at(self, x: Floats) -> list[float]:
        """Servers per kind at a point."""
        return [float(x[columns.count]) for columns in self.kinds if columns.count is not None]

    def _choice_columns(self) -> dict[tuple[int, int], int]:
        columns: dict[tuple[int, int], int] = {}
        for d, open_ in enumerate(self.scope.allowed):
            dataset = self.scope.instance.datasets[d]
            for c in open_:
                name = f"{dataset.name}={dataset.choices[c].label}"
                columns[d, c] = self.program.column(name, upper=1.0, integer=True)
            one = [(columns[d, c], 1.0) for c in open_]
            self.program.row(f"choose {dataset.name}", one, lower=1.0, upper=1.0)
        return columns

    def _kind(self, kind: Kind, *, whole: bool) -> Columns:
        name = f"{self.scope.server(kind).name}/{'host' if kind.host else 'worker'}"
        limit = self.scope.server(kind).max_count
        most = MANY if limit is None else float(limit)
        count = self.program.column(
            f"{name}:count", cost=self.scope.base_cost(kind), upper=most, integer=whole
        )
        return Contents(self.program, self.scope, kind, count=count, most=MANY, whole=whole).add()

    def _stored(self) -> None:
        """Each copy of the chosen choice is placed whole, on enough units."""
        for at, item in enumerate(self.scope.items):
            chosen = self.choice[item.dataset, item.choice]
            name = f"{self.scope.instance.datasets[item.dataset].name}.{item.choice}.{item.copy.unit}"
            load = [(columns.load[at], 1.0) for columns in self.kinds if at in columns.load]
            self.program.row(f"place {name}", [*load, (chosen, -item.scale)], lower=0.0, upper=0.0)
            units = [(columns.units[at], 1.0) for columns in self.kinds if at in columns.units]
            least = float(item.copy.min_units)
            self.program.row(f"units of {name}", [*units, (chosen, -least)], lower=0.0)

    def _run(self) -> None:
        """Each task is placed whole, and so is each local dataset beside it."""
        for task in self.scope.tasks:
            name, scale = self.scope.instance.tasks[task].name, self.scope.task_scale[task]
            work = [(columns.work[task], 1.0) for columns in self.kinds if task in columns.work]
            self.program.row(f"run {name}", work, lower=scale, upper=scale)
            for local in self.scope.beside[task]:
                key = (local.dataset, local.choice)
                parts = [(columns.beside[key][1], 1.0) for columns in self.kinds if key in columns.beside]
                self.program.row(
                    f"run {name} beside {key}", [*parts, (self.choice[key], -scale)], lower=0.0, upper=0.0
                )

    def _parallelism(self, *, whole: bool) -> None:
        """Enough instances for the longest path of each task."""
        if self.scope.fixed:
            for task in self.scope.tasks:
                needed = self.scope.parallelism[task]
                self._instances(task, [], float(whole_up(needed)) if whole else needed)
            return
        instance = self.scope.instance
        run_time = [self.program.column(f"{task.name}:run time", upper=MANY) for task in instance.tasks]
        for t, task in enumerate(instance.tasks):
            for path in task.paths:
                terms: dict[int, float] = {run_time[t]: 1.0}
                for dataset, seconds in path.io_s:
                    for c in self.scope.allowed[dataset]:
                        at = self.choice[dataset, c]
                        terms[at] = terms.get(at, 0.0) - seconds[c]
                for called, often in path.calls:
                    terms[run_time[called]] = terms.get(run_time[called], 0.0) - often
                self.program.row(f"path of {task.name}", terms.items(), lower=path.constant_s)
        for t in self.scope.tasks:
            self._instances(t, [(run_time[t], -instance.tasks[t].rate)], 0.0)

    def _instances(self, task: int, run_time: list[tuple[int, float]], needed: float) -> None:
        need = self.scope.instance.tasks[task]
        there = [(columns.instances[task], 1.0) for columns in self.kinds if task in columns.instances]
        weight = 1.0 / max(1.0, need.rate) if run_time else 1.0
        terms = [(column, value * weight) for column, value in (*there, *run_time)]
        self.program.row(f"instances of {need.name}", terms, lower=needed * weight)
        for dataset, floors in need.floors:
            if not self.scope.fixed:
                least = [(self.choice[dataset, c], -floors[c]) for c in self.scope.allowed[dataset]]
                self.program.row(f"instances of {need.name} for {dataset}", [*there, *least], lower=0.0)
        for local in self.scope.beside[task]:
            key = (local.dataset, local.choice)
            floor = next((f[local.choice] for d, f in need.floors if d == local.dataset), 0.0)
            parts = [(columns.beside[key][0], 1.0) for columns in self.kinds if key in columns.beside]
            self.program.row(f"instances beside {key}", [*parts, (self.choice[key], -floor)], lower=0.0)

    def _most_servers(self) -> None:
        for at, server in enumerate(self.scope.instance.servers):
            if server.max_count is not None:
                terms = [(c.count, 1.0) for c in self.kinds if c.kind.server == at and c.count is not None]
                self.program.row(f"count of {server.name}", terms, upper=float(server.max_count))

    def _cut(self, cut: Cut, floor: float) -> None:
        """cost + excess >= bound - (bound - floor) * (datasets that differ); the excess itself costs."""
        program = self.program
        names = {name: at for at, name in enumerate(program.column_names)}
        excess = names.get("excess")
        if excess is None:
            excess = program.column("excess", cost=1.0, upper=MANY * 1e3)
        reach = max(0.0, cut.bound - floor)
        if reach == 0.0 or not math.isfinite(reach):
            return
        # divided by the bound: the row is about 1 on both sides
        terms = {at: value / cut.bound for at, value in program.costs()}
        kept = len(cut.choices)
        for dataset, choice in enumerate(cut.choices):
            column = self.choice[dataset, choice]
            terms[column] = terms.get(column, 0.0) - reach / cut.bound
        program.row(f"cut {cut.choices}", terms.items(), lower=1.0 - reach * kept / cut.bound)
