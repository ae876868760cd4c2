"""From elements to the values of each kind, one function a kind; names and defaults of every field stand here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from froude.provision.inputs.fields import Fields
from froude.provision.inputs.tree import Element, Flaws
from froude.provision.types import (
    DOLLARS_PER_KWH,
    HOURS,
    Application,
    Batch,
    BatchTarget,
    Bus,
    CacheMedia,
    Catalog,
    Compute,
    Cpu,
    Dataset,
    Dependency,
    Duplex,
    Io,
    Isolation,
    Op,
    Operation,
    Options,
    Persistence,
    Placement,
    Profile,
    Scope,
    Server,
    StorageUnit,
    Target,
    Task,
)
from froude.provision.units import Dimension

T = TypeVar("T")
_SIZE, _RATE, _TIME, _POWER = Dimension.SIZE, Dimension.RATE, Dimension.TIME, Dimension.POWER
_COUNT, _DOLLARS, _NUMBER, _SHARE = Dimension.COUNT, Dimension.DOLLARS, Dimension.NUMBER, Dimension.SHARE


def read_catalog(element: Element, flaws: Flaws) -> Catalog | None:
    """`resources`."""
    fields = Fields(element, flaws)
    units = _all(fields, "storage_unit", _storage_unit, flaws)
    cpus = _all(fields, "cpu", _cpu, flaws)
    servers = _all(fields, "server", _server, flaws)
    energies = _all(fields, "energy", _energy, flaws)
    for found, kind in ((cpus, "cpu"), (energies, "energy")):
        if len(found) > 1:
            fields.flaw(f"has {len(found)} elements {kind}", allowed="one")
    for kind in ("storage_unit", "cpu", "server"):
        if not fields.children(kind):
            fields.flaw(f"has no {kind}", allowed="at least one")
    _distinct(fields, flaws, "storage_unit", "server")
    fields.finish("storage_unit", "cpu", "server", "energy")
    hours, price = energies[0] if energies else (HOURS, DOLLARS_PER_KWH)
    return (
        fields.make(lambda: Catalog(tuple(units), tuple(cpus), tuple(servers), hours, price))
        if cpus
        else None
    )


def _energy(fields: Fields, _flaws: Flaws) -> tuple[float, float]:
    """Ours: over how long energy is paid, at which price."""
    time = fields.number("time", _TIME, HOURS * 3600.0)
    price = fields.number("price", _DOLLARS, DOLLARS_PER_KWH)
    fields.finish()
    return time / 3600, price


def _storage_unit(fields: Fields, flaws: Flaws) -> StorageUnit | None:
    name = fields.text("name")
    capacity = fields.number("capacity", _SIZE, above_zero=True)
    bus = fields.text("bus")
    rate_r, gap_r = fields.number("rateR", _RATE, above_zero=True), fields.number("gapR", _TIME)
    rate_w, gap_w = fields.number("rateW", _RATE, above_zero=True), fields.number("gapW", _TIME)
    volatile = fields.flag("volatile")
    price, power = fields.number("price", _DOLLARS), fields.number("power", _POWER, 0.0)
    profiles = tuple(_all(fields, "profile", _profile, flaws))
    _distinct(fields, flaws, "profile")
    fields.finish("profile")
    return fields.make(
        lambda: StorageUnit(
            name, capacity, bus, rate_r, gap_r, rate_w, gap_w, volatile, price, power, profiles
        )
    )


def _profile(fields: Fields, _flaws: Flaws) -> Profile | None:
    name = fields.text("name")
    rates = [fields.optional_number(n, _RATE, above_zero=True) for n in ("rateR", "rateW")]
    gaps = [fields.optional_number(n, _TIME) for n in ("gapR", "gapW")]
    fields.finish()
    return fields.make(lambda: Profile(name, rates[0], gaps[0], rates[1], gaps[1]))


def _cpu(fields: Fields, _flaws: Flaws) -> Cpu | None:
    price, power = fields.number("price", _DOLLARS), fields.number("power", _POWER, 0.0)
    fields.finish()
    return fields.make(lambda: Cpu(price, power))


def _server(fields: Fields, flaws: Flaws) -> Server | None:
    name = fields.text("name")
    price, power = fields.number("price", _DOLLARS), fields.number("power", _POWER, 0.0)
    cpus = fields.whole("cpus")
    bandwidth = fields.number("BW", _RATE, above_zero=True)
    most = fields.whole("max_count") if "max_count" in fields.element.fields else None
    buses = tuple(_all(fields, "bus", _bus, flaws))
    _distinct(fields, flaws, "bus")
    fields.finish("bus")
    if most is None:
        fields.optional_text("max_count")
    return fields.make(lambda: Server(name, price, cpus, bandwidth, buses, power, most))


def _bus(fields: Fields, _flaws: Flaws) -> Bus | None:
    name, slots = fields.text("name"), fields.whole("slots")
    bandwidth = fields.number("BW", _RATE, above_zero=True)
    fields.finish()
    return fields.make(lambda: Bus(name, slots, bandwidth))


def read_application(element: Element, flaws: Flaws) -> Application | None:
    """`application`."""
    fields = Fields(element, flaws)
    datasets = _all(fields, "dataset", _dataset, flaws)
    tasks = _all(fields, "task", _task, flaws)
    hosts = _all(fields, "host", _host, flaws)
    if not fields.children("task"):
        fields.flaw("has no task", allowed="at least one")
    if len(hosts) > 1:
        fields.flaw(f"has {len(hosts)} elements host", allowed="one")
    _distinct(fields, flaws, "dataset", "task")
    fields.finish("dataset", "task", "host")
    cores, memory = hosts[0] if hosts else (0, 0.0)
    return fields.make(lambda: Application(tuple(datasets), tuple(tasks), cores, memory))


def _host(fields: Fields, _flaws: Flaws) -> tuple[int, float]:
    """Ours: what the storage system needs on each server that holds remote units."""
    cores, memory = fields.whole("cores", 0), fields.number("memory", _SIZE, 0.0)
    fields.finish()
    return cores, memory


def _dataset(fields: Fields, _flaws: Flaws) -> Dataset | None:
    name, size = fields.text("name"), fields.number("size", _SIZE)
    persistent = fields.one_of("persistent", Persistence)
    remote = fields.flag("remote")
    cache_size = fields.optional_number("cache_size", _SIZE, above_zero=True)
    hit_ratio = fields.number("hit_ratio", _SHARE, 1.0)
    local_to = fields.optional_text("local_to")
    scope = fields.one_of("scope", Scope, Scope.REPLICATED)
    profile = fields.optional_text("profile")
    fields.finish()
    return fields.make(
        lambda: Dataset(name, size, persistent, remote, cache_size, hit_ratio, local_to, scope, profile)
    )


def _task(fields: Fields, flaws: Flaws) -> Task | None:
    name, phase = fields.text("name"), fields.text("phase")
    memory = fields.number("memory", _SIZE)
    kinds = {"io": _io, "compute": _compute, "dependency": _dependency}
    operations: list[Operation] = []
    for child in fields.children(*kinds):
        found = kinds[child.tag](Fields(child, flaws), flaws)
        if found is not None:
            operations.append(found)
    fields.finish(*kinds)
    return fields.make(lambda: Task(name, phase, memory, tuple(operations)))


def _io(fields: Fields, _flaws: Flaws) -> Operation | None:
    op, dataset = fields.one_of("op", Op), fields.text("dataset")
    records, size = fields.number("num_records", _COUNT), fields.number("record_size", _SIZE)
    probability = fields.number("probability", _SHARE, 1.0)
    blocking, parallel = fields.flag("blocking", True), fields.flag("parallel", False)
    amplification = fields.number("amplification", _NUMBER, 1.0, above_zero=True)
    fields.finish()
    return fields.make(lambda: Io(op, dataset, records, size, probability, blocking, parallel, amplification))


def _compute(fields: Fields, _flaws: Flaws) -> Operation | None:
    time, blocking = fields.number("time", _TIME), fields.flag("blocking", True)
    probability = fields.number("probability", _SHARE, 1.0)
    fields.finish()
    return fields.make(lambda: Compute(time, blocking, probability))


def _dependency(fields: Fields, _flaws: Flaws) -> Operation | None:
    task, calls = fields.text("task"), fields.number("num_invocations", _COUNT, 1.0)
    parallel, blocking = fields.flag("parallel", False), fields.flag("blocking", True)
    probability = fields.number("probability", _SHARE, 1.0)
    size = fields.number("bytes", _SIZE, 0.0)
    fields.finish()
    return fields.make(lambda: Dependency(task, calls, parallel, blocking, probability, size))


def read_target(element: Element, flaws: Flaws) -> Target | None:
    """`sla`."""
    fields = Fields(element, flaws)
    task, rate = fields.text("task"), fields.number("rate", _COUNT)
    fields.finish()
    return fields.make(lambda: Target(task, rate))


def read_batch(element: Element, flaws: Flaws) -> Batch | None:
    """`batch` (ours): `time`, `job task executions`, `split phase share`."""
    fields = Fields(element, flaws)
    time = fields.number("time", _TIME, above_zero=True)
    jobs = _all(fields, "job", _job, flaws)
    splits = _all(fields, "split", _split, flaws)
    if not fields.children("job"):
        fields.flaw("has no job", allowed="at least one")
    fields.finish("job", "split")
    return fields.make(lambda: Batch(time, tuple(jobs), dict(splits)))


def _job(fields: Fields, _flaws: Flaws) -> BatchTarget | None:
    task, executions = fields.text("task"), fields.number("executions", _COUNT)
    fields.finish()
    return fields.make(lambda: BatchTarget(task, executions))


def _split(fields: Fields, _flaws: Flaws) -> tuple[str, float] | None:
    phase, share = fields.text("phase"), fields.number("share", _SHARE, above_zero=True)
    fields.finish()
    return fields.make(lambda: (phase, share))


def read_options(element: Element, flaws: Flaws) -> Options | None:
    """`options` (ours)."""
    fields = Fields(element, flaws)
    isolation = fields.one_of("isolation", Isolation, Isolation.NONE)
    placement = fields.one_of("placement", Placement, Placement.WEIGHTED)
    media = fields.one_of("cache_media", CacheMedia, CacheMedia.ANY)
    duplex = fields.one_of("duplex", Duplex, Duplex.HALF)
    busy = fields.number("peak_utilization", _SHARE, 1.0, above_zero=True)
    memory = fields.optional_text("memory_unit")
    fields.finish()
    return fields.make(lambda: Options(isolation, placement, media, duplex, busy, memory))


def _all(fields: Fields, tag: str, read: Callable[[Fields, Flaws], T | None], flaws: Flaws) -> list[T]:
    """Every child of a tag that is sound."""
    found = (read(Fields(child, flaws), flaws) for child in fields.children(tag))
    return [one for one in found if one is not None]


def _distinct(fields: Fields, flaws: Flaws, *tags: str) -> None:
    """Refuse two children of a tag with one name."""
    for tag in tags:
        seen: dict[str, int | None] = {}
        for child in fields.children(tag):
            name = child.fields["name"].text if "name" in child.fields else None
            if name in seen:
                flaws.add(child, f"stands on line {seen[name]} already", name="name", found=repr(name))
            elif name is not None:
                seen[name] = child.line
