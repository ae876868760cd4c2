"""What an application asks of a given architecture, recomputed from the inputs for the checker and `evaluate`.

Deliberately apart from `rates`, `service`, `choices` and `model`: other loops, other order, the same paper.
Rates are found by passing executions on along the calls until nothing moves, run times by repetition from
zero, loads stream by stream (`device_load`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from froude.provision.check.device_load import Layout, Stream, busy, layout, seconds, streams, wait
from froude.provision.check.executions import core_types, failing, grown, losing, rates_of
from froude.provision.types import (
    CacheMedia,
    Compute,
    Dataset,
    Io,
    Op,
    Persistence,
    Problem,
    Scope,
    StorageUnit,
    Task,
)
from froude.provision.types.plan import ProvisionPlan

_ROUNDS = 100_000
_STILL = 1e-14
_COUNT_SLACK = 1e-9

Copy = tuple[str, bool]
"""A copy of a dataset: its name, and whether it is the cache."""


class Demand:
    """Demand of one architecture: which unit types a plan chose, and how many units stand beside instances.

    `cache` asks for the copy in the cache, not the one that is kept.
    """

    def __init__(
        self,
        problem: Problem,
        plan: ProvisionPlan,
        *,
        actual_units: bool = False,
        equal_units: Mapping[Copy, float] | None = None,
    ) -> None:
        """Compute rates, waits and run times.

        Args:
            problem: the inputs; their growth is counted.
            plan: choices and contents; its shares are used for waits only.
            actual_units: whether parallel operations spread over the units that stand there, as they do on a
                given cluster, instead of over the fewest that the model counts on.
            equal_units: units that each copy's accesses wait at, where the SLA has a latency; None takes
                them from the plan.
        """
        self.problem = grown(problem)
        self.plan = plan
        self.actual_units = actual_units
        self.cpus = core_types(self.problem, plan)
        self.rates = rates_of(self.problem)
        self.waiting = any(target.latency is not None for target in self.problem.sla.targets)
        self.equal_units = dict(equal_units or self._equal_units()) if self.waiting else {}
        self.waits = {copy: self._wait(*copy) for copy in self.equal_units}
        self.run_times = self._run_times()

    @property
    def reserve(self) -> float:
        """By how much every server's load may grow when others fail: H / (H - f)."""
        return self._growing(failing(self.problem))

    def _growing(self, lost: int) -> float:
        """By how much each part grows when so many of the H servers are lost."""
        spread = self.plan.spread
        return 1.0 if spread is None or spread <= lost else spread / (spread - lost)

    # Storage

    def units_of(self, name: str) -> tuple[StorageUnit, ...]:
        """What a dataset is stored on, the persistent unit first."""
        return tuple(self.problem.catalog.unit(unit) for unit in self.plan.choices[name])

    def copies(self, dataset: Dataset) -> Iterator[Copy]:
        """The copies of a remote dataset that stand on servers; what is on a service does not."""
        for number, unit in enumerate(self.units_of(dataset.name)):
            if dataset.remote and not unit.service:
                yield dataset.name, bool(number)

    def layout(self, name: str, *, cache: bool) -> Layout:
        """Replicas and fragments of a copy."""
        unit = self.units_of(name)[int(cache)]
        return layout(self.problem.application.dataset(name), unit, cache=cache)

    def streams(self, name: str, phase: str, *, cache: bool = False) -> list[Stream]:
        """Accesses of the devices of one copy in a phase."""
        dataset = self.problem.application.dataset(name)
        asked = ((io, n) for _, io, n in self.on(dataset, phase))
        return streams(dataset, self.units_of(name), int(cache), asked)

    def forbidden(self, name: str) -> Iterator[str]:
        """Why the choice for a dataset is not allowed."""
        dataset, chosen = self.problem.application.dataset(name), self.units_of(name)
        if chosen[0].volatile and dataset.persistent is Persistence.REQUIRED:
            yield "persistent data on a volatile unit"
        if any(unit.service for unit in chosen) and not dataset.remote:
            yield "local data on a service"
        if len(chosen) == 2:
            yield from self._no_pair(dataset, *chosen)
        if not self.survives(name):
            yield "data that failing servers take along"

    def _no_pair(self, dataset: Dataset, kept: StorageUnit, cache: StorageUnit) -> Iterator[str]:
        media = self.problem.options.cache_media
        if not dataset.remote:
            yield "cache of a local dataset"
        if kept.volatile or kept.name == cache.name:
            yield "cache before such a unit"
        if media is CacheMedia.OFF or (media is CacheMedia.VOLATILE and not cache.volatile) or cache.service:
            yield "cache on such a unit"
        reads = [(io, n) for phase in self.phases for _, io, n in self.on(dataset, phase) if io.op is Op.READ]
        slow, fast = (
            sum(
                n * io.amplification * seconds(unit, Op.READ, io.record_size, dataset.profile)
                for io, n in reads
            )
            for unit in (kept, cache)
        )
        if slow and not fast < slow:  # without a read it is of no use, and no harm
            yield "cache that is not faster"

    def survives(self, name: str) -> bool:
        """Whether nothing of a dataset is lost with as many servers as may fail."""
        dataset, kept = self.problem.application.dataset(name), self.units_of(name)[0]
        failures = self.problem.options.survive_hosts
        if not failures or dataset.persistent is not Persistence.REQUIRED or kept.service:
            return True
        if not dataset.remote:
            return dataset.scope is Scope.REPLICATED
        if dataset.erasure is not None:
            return dataset.erasure[1] >= failures
        return dataset.replication > failures

    def need(self, name: str, *, cache: bool) -> float:
        """Unit-equivalents of one copy of a remote dataset."""
        return max(self.need_parts(name, cache=cache))

    def sized(self, name: str, *, cache: bool) -> float:
        """Unit-equivalents of one copy of a remote dataset, so that those left can take over."""
        filled, busy = self.need_parts(name, cache=cache)
        return max(filled * self._growing(losing(self.problem)), busy * self.reserve)

    def need_parts(self, name: str, *, cache: bool) -> tuple[float, float]:
        """(units filled, units kept busy over the allowed utilisation) of one copy."""
        unit = self.units_of(name)[int(cache)]
        filled = self.stored(name, cache=cache) / (unit.capacity * self.problem.options.peak_fill)
        worst = max(busy(self.streams(name, phase, cache=cache)) for phase in self.phases)
        return filled, worst / self.problem.options.peak_utilization

    def stored(self, name: str, *, cache: bool = False) -> float:
        """Bytes of one copy, replicas and parity included; of all of a partitioned local dataset."""
        dataset = self.problem.application.dataset(name)
        size = dataset.cache_size if cache and dataset.cache_size is not None else dataset.size
        return size * self.layout(name, cache=cache).stored

    def least_units(self, name: str, *, cache: bool) -> int:
        """Fewest units of one copy: for its need, and one for each replica or fragment."""
        need = self.need(name, cache=cache)
        return max(self.layout(name, cache=cache).servers, math.ceil(need - _COUNT_SLACK * need))

    def owner(self, name: str) -> str | None:
        """The task that a local dataset stands beside."""
        dataset = self.problem.application.dataset(name)
        if dataset.remote or dataset.local_to is not None:
            return dataset.local_to
        for task in self.problem.application.tasks:
            if any(isinstance(op, Io) and op.dataset == name for op in task.operations):
                return task.name
        return None

    def beside(self, name: str) -> int:
        """Units of a local dataset beside each instance: the fewest on any server that has instances."""
        task = self.owner(name)
        per_instance = []
        for group in self.plan.groups:
            instances = sum(r.instances for r in group.running if r.task == task)
            units = sum(h.units for h in group.local if h.dataset == name)
            if instances:
                per_instance.append(units // instances)
        return max(1, min(per_instance, default=1))

    def whole(self, name: str) -> int:
        """Fewest units that may stand beside an instance: they hold all of a replicated dataset."""
        dataset, unit = self.problem.application.dataset(name), self.units_of(name)[0]
        if dataset.scope is Scope.PARTITIONED:
            return 1
        filled = dataset.size / (unit.capacity * self.problem.options.peak_fill)
        return max(1, math.ceil(filled - _COUNT_SLACK * filled))

    def filled_locally(self, name: str) -> float:
        """Units that a partitioned local dataset fills; 0 for a replicated one, of which each instance has all."""
        dataset, unit = self.problem.application.dataset(name), self.units_of(name)[0]
        if dataset.scope is Scope.REPLICATED:
            return 0.0
        return dataset.size / (unit.capacity * self.problem.options.peak_fill)

    def local_load(self, name: str) -> float:
        """Units of a local dataset kept busy by all of the load, in the worst phase."""
        return max(busy(self.streams(name, phase)) for phase in self.phases)

    # Waits

    def _equal_units(self) -> dict[Copy, float]:
        """By copy: so many equal units have no more load each than the fullest unit of the plan."""
        equal: dict[Copy, float] = {}
        for dataset in self.problem.application.datasets:
            if not dataset.remote:
                equal[dataset.name, False] = self._equal(self._local_parts(dataset.name))
            for name, cache in self.copies(dataset):
                parts = (
                    (h.share, h.units)
                    for g in self.plan.groups
                    for h in g.held
                    if h.dataset == name and h.cache == cache
                )
                equal[name, cache] = self._equal(parts)
        return equal

    def _local_parts(self, name: str) -> Iterator[tuple[float, int]]:
        task = self.owner(name)
        for group in self.plan.groups:
            share = sum(r.share for r in group.running if r.task == task)
            yield share, sum(h.units for h in group.local if h.dataset == name)

    def _equal(self, parts: Iterator[tuple[float, int]]) -> float:
        """When servers fail, the others have more: the reserve is not there to wait less."""
        fullest = max((share / max(units, 1e-9) for share, units in parts if share > 0), default=1.0)
        return 1 / (fullest * self.reserve)

    def _wait(self, name: str, cache: bool) -> float:
        """The longest mean wait of any phase."""
        units = self.equal_units[name, cache]
        return max(wait(self.streams(name, phase, cache=cache), units) for phase in self.phases)

    # Tasks

    def cores(self, name: str) -> float:
        """Cores that all of a task keeps busy, of its type."""
        task = self.problem.application.task(name)
        took = (op.on(self.cpus[name]) * op.probability for op in task.operations if isinstance(op, Compute))
        return self.rates[name] * sum(took)

    def host_cores(self, name: str, phase: str, *, cache: bool) -> float:
        """Cores that the accesses of one copy keep busy on its hosts."""
        each = self.problem.application.dataset(name).host_time
        return each * sum(stream.rate for stream in self.streams(name, phase, cache=cache))

    def parallelism(self, name: str) -> float:
        """Instances that run at once: rate times run time, and enough for the local data."""
        wanted = self.rates[name] * self.run_times[name]
        options = self.problem.options
        for dataset in self.problem.application.datasets:
            if not dataset.remote and self.owner(dataset.name) == name:
                units = self.beside(dataset.name)
                wanted = max(wanted, self.local_load(dataset.name) / options.peak_utilization / units)
                wanted = max(wanted, self.filled_locally(dataset.name) / units)
        return wanted

    def latencies(self) -> Iterator[tuple[str, float, float]]:
        """(task, run time, the longest allowed) of every latency, met or not; what never runs keeps any."""
        for target in self.problem.sla.targets:
            if target.latency is not None and self.rates[target.task] > 0:
                tail = 1.0 if target.quantile is None else -math.log(1 - target.quantile)
                yield target.task, self.run_times[target.task], target.latency / tail

    def _run_times(self) -> dict[str, float]:
        times = dict.fromkeys(self.rates, 0.0)
        for _ in range(_ROUNDS):
            after = {task.name: self._run_time(task, times) for task in self.problem.application.tasks}
            moved = max((abs(after[name] - times[name]) for name in times), default=0.0)
            times = after
            if moved <= _STILL * max(1.0, *times.values()):
                break
        return times

    def _run_time(self, task: Task, times: Mapping[str, float]) -> float:
        """Walk the path: the clock advances with blocking operations, others only push the end."""
        clock = end = 0.0
        for op in task.operations:
            if isinstance(op, Compute):
                took = op.probability * op.on(self.cpus[task.name])
            elif isinstance(op, Io):
                took = op.probability * self._io_time(op)
            else:
                rounds = 1.0 if op.parallel and op.num_invocations > 0 else op.num_invocations
                took = op.probability * rounds * times[op.task]
            if op.blocking:
                clock += took
            end = max(end, clock if op.blocking else clock + took)
        return max(clock, end)

    def _io_time(self, io: Io) -> float:
        """Time of an operation that happens."""
        hit, numbers = self.problem.application.dataset(io.dataset).hit_ratio, self.plan.choices[io.dataset]
        if len(numbers) == 1:
            return self._copy_time(io, 0, 1.0)
        if io.op is Op.WRITE:
            return max(self._copy_time(io, 0, 1.0), self._copy_time(io, 1, 1.0))
        missed, cached = self._copy_time(io, 0, 1 - hit), self._copy_time(io, 1, hit)
        return max(missed, cached) if io.parallel else missed + cached

    def _copy_time(self, io: Io, number: int, part: float) -> float:
        """Time of a part of an operation's records on one copy: each takes as long as one replica or fragment."""
        dataset, unit = self.problem.application.dataset(io.dataset), self.units_of(io.dataset)[number]
        size = io.record_size * self.layout(io.dataset, cache=bool(number)).part
        each = seconds(unit, io.op, size, dataset.profile)
        count = part * io.num_records * io.amplification
        if not count:
            return 0.0
        waited = self.waits.get((io.dataset, bool(number)), 0.0)
        if not io.parallel:
            return count * (each + waited)
        units = math.inf if unit.service else self._units(dataset, cache=bool(number))
        return max(each, each * count / units) + waited

    def _units(self, dataset: Dataset, *, cache: bool) -> float:
        """How many units a parallel operation spreads over."""
        if not dataset.remote:
            return self.beside(dataset.name)
        if self.waiting:
            return self.equal_units[dataset.name, cache]
        if self.actual_units:
            here = (
                h.units * g.count
                for g in self.plan.groups
                for h in g.held
                if h.dataset == dataset.name and h.cache == cache
            )
            return max(1, sum(here))
        return self.least_units(dataset.name, cache=cache)

    # Shared

    @property
    def phases(self) -> list[str]:
        """Names of all phases."""
        return sorted({task.phase for task in self.problem.application.tasks})

    def on(self, dataset: Dataset, phase: str) -> Iterator[tuple[Task, Io, float]]:
        """(task, operation, records per second) on a dataset in a phase."""
        for task in self.problem.application.tasks:
            if task.phase == phase:
                for op in task.operations:
                    if isinstance(op, Io) and op.dataset == dataset.name:
                        yield task, op, self.rates[task.name] * op.probability * op.num_records
