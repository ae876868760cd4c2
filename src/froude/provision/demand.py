"""What an application asks of a given architecture, recomputed from the inputs for the checker and `evaluate`.

Deliberately apart from `rates`, `service`, `choices` and `model`: other loops, other order, the same paper.
Rates are found by passing executions on along the calls until nothing moves, run times by repetition from
zero, loads record by record.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from froude.provision.plan import Group, Plan
from froude.provision.types import (
    CacheMedia,
    Compute,
    Dataset,
    Dependency,
    Duplex,
    Io,
    Op,
    Persistence,
    Problem,
    Scope,
    StorageUnit,
    Task,
)

_ROUNDS = 100_000
_STILL = 1e-14
_COUNT_SLACK = 1e-9


class Demand:
    """Demand of one architecture: which unit types a plan chose, and how many units stand beside instances."""

    def __init__(self, problem: Problem, plan: Plan, *, actual_units: bool = False) -> None:
        """Compute rates and run times.

        Args:
            problem: the inputs.
            plan: choices and contents; its shares are not used.
            actual_units: whether parallel operations spread over the units that stand there, as they do on a
                given cluster, instead of over the fewest that the model counts on.
        """
        self.problem = problem
        self.plan = plan
        self.actual_units = actual_units
        self.rates = _rates(problem)
        self.run_times = self._run_times()

    # Storage

    def forbidden(self, name: str) -> Iterator[str]:
        """Why the choice for a dataset is not allowed."""
        dataset, chosen = self.problem.application.dataset(name), self.plan.choices[name]
        kept = self.problem.catalog.unit(chosen[0])
        if kept.volatile and dataset.persistent is Persistence.REQUIRED:
            yield "persistent data on a volatile unit"
        if len(chosen) == 2:
            cache = self.problem.catalog.unit(chosen[1])
            media = self.problem.options.cache_media
            if not dataset.remote:
                yield "cache of a local dataset"
            if kept.volatile or chosen[0] == chosen[1]:
                yield "cache before such a unit"
            if media is CacheMedia.OFF or (media is CacheMedia.VOLATILE and not cache.volatile):
                yield "cache on such a unit"
            slow = sum(self._busy(dataset, kept, Op.READ, phase) for phase in self._phases())
            fast = sum(self._busy(dataset, cache, Op.READ, phase) for phase in self._phases())
            if not fast < slow:
                yield "cache that is not faster"

    def need(self, name: str, *, cache: bool) -> float:
        """Unit-equivalents of one copy of a remote dataset."""
        held = self.need_parts(name, cache=cache)
        return max(held)

    def need_parts(self, name: str, *, cache: bool) -> tuple[float, float]:
        """(units filled, units kept busy over the allowed utilisation) of one copy."""
        dataset = self.problem.application.dataset(name)
        chosen = self.plan.choices[name]
        unit = self.problem.catalog.unit(chosen[int(cache)])
        size = dataset.size if not cache or dataset.cache_size is None else dataset.cache_size
        worst = 0.0
        for phase in self._phases():
            reads = self._busy(dataset, unit, Op.READ, phase)
            writes = self._busy(dataset, unit, Op.WRITE, phase)
            if len(chosen) == 1:
                busy = reads + writes
            elif not cache:
                busy = writes + reads * (1 - dataset.hit_ratio)
            else:
                fills = sum(
                    n * _seconds(unit, Op.WRITE, io.record_size, dataset.profile)
                    for _, io, n in self._on(dataset, phase)
                    if io.op is Op.READ
                )
                busy = writes + reads * dataset.hit_ratio + fills * (1 - dataset.hit_ratio)
            worst = max(worst, busy)
        return size / unit.capacity, worst / self.problem.options.peak_utilization

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
        found = []
        for group in self.plan.groups:
            instances = sum(r.instances for r in group.running if r.task == task)
            units = sum(h.units for h in group.local if h.dataset == name)
            if instances:
                found.append(units // instances)
        return max(1, min(found, default=1))

    def local_load(self, name: str) -> float:
        """Units of a local dataset kept busy by all of the load, in the worst phase."""
        dataset = self.problem.application.dataset(name)
        unit = self.problem.catalog.unit(self.plan.choices[name][0])
        return max(
            self._busy(dataset, unit, Op.READ, phase) + self._busy(dataset, unit, Op.WRITE, phase)
            for phase in self._phases()
        )

    # Tasks

    def cores(self, name: str) -> float:
        """Cores that all of a task keeps busy."""
        task = self.problem.application.task(name)
        seconds = sum(op.time * op.probability for op in task.operations if isinstance(op, Compute))
        return self.rates[name] * seconds

    def parallelism(self, name: str) -> float:
        """Instances that run at once: rate times run time, and enough for the local data."""
        wanted = self.rates[name] * self.run_times[name]
        for dataset in self.problem.application.datasets:
            if not dataset.remote and self.owner(dataset.name) == name:
                units = self.beside(dataset.name)
                unit = self.problem.catalog.unit(self.plan.choices[dataset.name][0])
                busy = self.local_load(dataset.name) / self.problem.options.peak_utilization
                wanted = max(wanted, busy / units)
                if dataset.scope is Scope.PARTITIONED:
                    wanted = max(wanted, dataset.size / unit.capacity / units)
        return wanted

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
                took = op.probability * op.time
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
        dataset = self.problem.application.dataset(io.dataset)
        chosen = [self.problem.catalog.unit(name) for name in self.plan.choices[io.dataset]]
        hit = dataset.hit_ratio
        each = [_seconds(unit, io.op, io.record_size, dataset.profile) for unit in chosen]
        counts = [self._units(dataset, cache=bool(number)) for number in range(len(chosen))]
        if len(chosen) == 1:
            return _together(io, each[0], counts[0], 1.0)
        if io.op is Op.WRITE:
            return max(_together(io, e, n, 1.0) for e, n in zip(each, counts, strict=True))
        missed, found = _together(io, each[0], counts[0], 1 - hit), _together(io, each[1], counts[1], hit)
        return max(missed, found) if io.parallel else missed + found

    def _units(self, dataset: Dataset, *, cache: bool) -> int:
        """How many units a parallel operation spreads over."""
        if not dataset.remote:
            return self.beside(dataset.name)
        if self.actual_units:
            here = (
                h.units * g.count
                for g in self.plan.groups
                for h in g.held
                if h.dataset == dataset.name and h.cache == cache
            )
            return max(1, sum(here))
        need = self.need(dataset.name, cache=cache)
        return max(1, math.ceil(need - _COUNT_SLACK * need))

    # Traffic

    def bus_bytes(self, group: Group, bus: str, phase: str) -> float:
        """Bytes per second that one server's bus carries in a phase."""
        total = 0.0
        for held in group.held:
            if self.problem.catalog.unit(held.unit).bus == bus:
                dataset = self.problem.application.dataset(held.dataset)
                for _, io, n in self._on(dataset, phase):
                    total += (
                        held.share * n * io.record_size * self._device_part(dataset, io, cache=held.cache)
                    )
        for name in {local.dataset for local in group.local if local.units}:
            dataset = self.problem.application.dataset(name)
            if self.problem.catalog.unit(self.plan.choices[name][0]).bus == bus:
                share = sum(r.share for r in group.running if r.task == self.owner(name))
                flow = sum(n * io.amplification * io.record_size for _, io, n in self._on(dataset, phase))
                total += share * flow
        return total

    def network_bytes(self, group: Group, phase: str) -> dict[str, float]:
        """Bytes per second through one server's network in a phase, per direction that is counted."""
        flow = {"in": 0.0, "out": 0.0}
        for held in group.held:
            dataset = self.problem.application.dataset(held.dataset)
            for _, io, n in self._on(dataset, phase):
                inward, outward = self._host_part(dataset, io, cache=held.cache)
                flow["in"] += held.share * n * io.record_size * inward
                flow["out"] += held.share * n * io.record_size * outward
        calls = 0.0
        for running in group.running:
            inward, outward, called = self._task_flow(running.task, phase)
            flow["in"] += running.share * inward
            flow["out"] += running.share * outward
            calls += running.share * called
        if self.problem.options.duplex is Duplex.FULL:
            return {direction: bytes_ + calls for direction, bytes_ in flow.items()}
        return {"both": flow["in"] + flow["out"] + calls}

    def _task_flow(self, name: str, phase: str) -> tuple[float, float, float]:
        """(in, out, calls) bytes per second of all of a task."""
        inward = outward = calls = 0.0
        for dataset in self.problem.application.datasets:
            owner = None if dataset.remote else self.owner(dataset.name)
            for task, io, n in self._on(dataset, phase):
                amount = n * io.record_size
                asks, serves = task.name == name and owner != name, owner == name and task.name != name
                if asks or serves:
                    # What the one takes in, the other gives out.
                    if asks == (io.op is Op.READ):
                        inward += amount
                    else:
                        outward += amount
        for task in self.problem.application.tasks:
            for op in task.operations:
                if task.phase == phase and isinstance(op, Dependency):
                    amount = self.rates[task.name] * op.probability * op.num_invocations * op.bytes
                    calls += amount * ((task.name == name) + (op.task == name))
        return inward, outward, calls

    def _device_part(self, dataset: Dataset, io: Io, *, cache: bool) -> float:
        """Accesses of the device per record that is asked for."""
        if io.op is Op.WRITE or len(self.plan.choices[dataset.name]) == 1:
            return io.amplification
        if cache:
            return io.amplification * dataset.hit_ratio + (1 - dataset.hit_ratio)
        return io.amplification * (1 - dataset.hit_ratio)

    def _host_part(self, dataset: Dataset, io: Io, *, cache: bool) -> tuple[float, float]:
        """(in, out): how often each record asked for crosses the network of the servers that hold a copy."""
        if io.op is Op.WRITE:
            return 1.0, 0.0
        if len(self.plan.choices[dataset.name]) == 1:
            return 0.0, 1.0
        return (1 - dataset.hit_ratio, dataset.hit_ratio) if cache else (0.0, 1 - dataset.hit_ratio)

    # Shared

    def _phases(self) -> list[str]:
        return sorted({task.phase for task in self.problem.application.tasks})

    def _on(self, dataset: Dataset, phase: str) -> Iterator[tuple[Task, Io, float]]:
        """(task, operation, records per second) on a dataset in a phase."""
        for task in self.problem.application.tasks:
            if task.phase == phase:
                for op in task.operations:
                    if isinstance(op, Io) and op.dataset == dataset.name:
                        yield task, op, self.rates[task.name] * op.probability * op.num_records

    def _busy(self, dataset: Dataset, unit: StorageUnit, op: Op, phase: str) -> float:
        return sum(
            n * io.amplification * _seconds(unit, op, io.record_size, dataset.profile)
            for _, io, n in self._on(dataset, phase)
            if io.op is op
        )


def _seconds(unit: StorageUnit, op: Op, size: float, profile: str | None) -> float:
    """Size over rate, plus gap; a profile's numbers replace the bare device's one by one."""
    numbers = {"rate_r": unit.rate_r, "gap_r": unit.gap_r, "rate_w": unit.rate_w, "gap_w": unit.gap_w}
    for known in unit.profiles:
        if known.name == profile:
            own = {name: getattr(known, name) for name in numbers}
            numbers |= {name: value for name, value in own.items() if value is not None}
    suffix = op.value.lower()
    return numbers[f"gap_{suffix}"] + size / numbers[f"rate_{suffix}"]


def _together(io: Io, seconds: float, units: int, part: float) -> float:
    count = part * io.num_records * io.amplification
    if not count:
        return 0.0
    return max(seconds, seconds * count / units) if io.parallel else seconds * count


def _rates(problem: Problem) -> dict[str, float]:
    """Pass executions on along the calls, wave by wave, until no wave is left."""
    wave = dict.fromkeys((task.name for task in problem.application.tasks), 0.0)
    for target in problem.sla.targets:
        wave[target.task] += target.rate
    batch = problem.sla.batch
    for job in batch.targets if batch else ():
        assert batch is not None
        share = batch.split.get(problem.application.task(job.task).phase, 1.0)
        wave[job.task] += job.executions / (batch.time * share)
    total = dict(wave)
    for _ in range(_ROUNDS):
        after = dict.fromkeys(wave, 0.0)
        for task in problem.application.tasks:
            for op in task.operations:
                if isinstance(op, Dependency):
                    after[op.task] += wave[task.name] * op.probability * op.num_invocations
        wave = after
        if sum(wave.values()) <= _STILL * sum(total.values()):
            break
        total = {name: total[name] + wave[name] for name in total}
    return total
