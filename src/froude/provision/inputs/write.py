"""From values back to elements, so that either form can be written; what equals its default is left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum

from froude.provision.inputs.hardware import DEFAULT_CPU, UNBOUNDED
from froude.provision.inputs.read import Parts
from froude.provision.inputs.tree import Element, Text
from froude.provision.inputs.units import Dimension, show
from froude.provision.inputs.xml_file import dump_xml
from froude.provision.inputs.yaml_form import dump_yaml
from froude.provision.types import (
    DOLLARS_PER_KWH,
    HOURS,
    Application,
    Batch,
    Bundle,
    Bus,
    Catalog,
    Compute,
    Cpu,
    Dataset,
    Discount,
    Io,
    Operation,
    Options,
    Profile,
    Rack,
    ReReplication,
    Server,
    Sla,
    StorageUnit,
    Task,
)

_SIZE, _RATE, _TIME, _POWER = Dimension.SIZE, Dimension.RATE, Dimension.TIME, Dimension.POWER
_PLAIN = Dimension.NUMBER
Value = str | float | int | bool | Enum | None | tuple[float | None, Dimension]


def to_xml(parts: Parts) -> str:
    """Everything that was found, as one XML file."""
    return dump_xml(elements(parts))


def to_yaml(parts: Parts) -> str:
    """Everything that was found, as one YAML file."""
    return dump_yaml(elements(parts))


def elements(parts: Parts) -> list[Element]:
    """The top elements of what was found."""
    top = [] if parts.sla is None else _sla(parts.sla)
    top += [] if parts.catalog is None else [_catalog(parts.catalog)]
    top += [] if parts.application is None else [_application(parts.application)]
    return top + ([] if parts.options == Options() else [_options(parts.options)])


def _element(tag: str, fields: dict[str, Value], children: Sequence[Element] = ()) -> Element:
    """An element; fields that are None are left out."""
    texts = {name: Text(_text(value), None) for name, value in fields.items() if _given(value)}
    return Element(tag, "", None, texts, tuple(children))


def _given(value: Value) -> bool:
    return value is not None and not (isinstance(value, tuple) and value[0] is None)


def _text(value: Value) -> str:
    if isinstance(value, tuple):
        return "" if value[0] is None else show(value[0], value[1])
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, bool):
        return "1" if value else "0"
    return show(value, _PLAIN) if isinstance(value, (float, int)) else str(value)


def _unless(value: Value, default: Value) -> Value:
    """The value, or None where it is the default."""
    return None if value == default else value


def _sla(sla: Sla) -> list[Element]:
    demands = [
        _element(
            "sla", {"task": t.task, "rate": t.rate, "latency": (t.latency, _TIME), "quantile": t.quantile}
        )
        for t in sla.targets
    ]
    if sla.batch is not None:
        demands.append(_batch(sla.batch))
    if sla.growth is not None:
        growth: dict[str, Value] = {
            "load": sla.growth.load,
            "data": sla.growth.data,
            "lead_time": (sla.growth.lead_time, _TIME),
        }
        demands.append(_element("growth", growth))
    if sla.re_replication is not None:
        demands.append(_re_replication(sla.re_replication))
    return demands


def _re_replication(re_replication: ReReplication) -> Element:
    default = ReReplication(1.0)
    fields: dict[str, Value] = {
        "time": (re_replication.time, _TIME),
        "of": _unless(re_replication.of, default.of),
        "share": _unless(re_replication.share, default.share),
        "max_streams": _unless(re_replication.max_streams, default.max_streams),
        "block_size": _unless((re_replication.block_size, _SIZE), (default.block_size, _SIZE)),
        "heartbeat": _unless((re_replication.heartbeat, _TIME), (default.heartbeat, _TIME)),
    }
    return _element("re_replication", fields)


def _batch(batch: Batch) -> Element:
    jobs = [_element("job", {"task": t.task, "executions": t.executions}) for t in batch.targets]
    splits = [_element("split", {"phase": phase, "share": share}) for phase, share in batch.split.items()]
    return _element("batch", {"time": (batch.time, _TIME)}, jobs + splits)


def _catalog(catalog: Catalog) -> Element:
    several = len(catalog.cpus) > 1
    children = [_unit(unit) for unit in catalog.units]
    children += [_cpu(cpu, named=several) for cpu in catalog.cpus]
    children += [_server(server) for server in catalog.servers]
    children += [] if catalog.rack is None else [_rack(catalog.rack)]
    energy: dict[str, Value] = {
        "time": _unless((catalog.hours * 3600, _TIME), (HOURS * 3600.0, _TIME)),
        "price": _unless(catalog.dollars_per_kwh, DOLLARS_PER_KWH),
        "pue": _unless(catalog.pue, 1.0),
        "load": _unless(catalog.mean_load, 1.0),
    }
    if any(value is not None for value in energy.values()):
        children.append(_element("energy", energy))
    fields: dict[str, Value] = {
        "prices_as_of": catalog.prices_as_of,
        "diversity": _unless(catalog.diversity, 0.0),
    }
    return _element("resources", fields, children)


def _unit(unit: StorageUnit) -> Element:
    by_size = bool(unit.price_per_gb_month)
    fields: dict[str, Value] = {
        "name": unit.name,
        "capacity": None if unit.service and unit.capacity == UNBOUNDED else (unit.capacity, _SIZE),
        "bus": _unless(unit.bus, ""),
        "rateR": (unit.rate_r, _RATE),
        "gapR": (unit.gap_r, _TIME),
        "rateW": (unit.rate_w, _RATE),
        "gapW": (unit.gap_w, _TIME),
        "volatile": None if unit.service else unit.volatile,
        "price": None if (unit.service or by_size) and unit.price == 0 else unit.price,
        "power": (unit.power, _POWER),
        "idle_power": (unit.idle_power, _POWER),
        "price_per_GB_month": _unless(unit.price_per_gb_month, 0.0),
        "price_per_read": _unless(unit.price_per_read, 0.0),
        "price_per_write": _unless(unit.price_per_write, 0.0),
        "service": _unless(unit.service, False),
        "owned": _unless(unit.owned, 0),
    }
    children = [_profile(profile) for profile in unit.profiles] + _discounts(unit.discounts)
    return _element("storage_unit", fields, children)


def _discounts(discounts: Sequence[Discount]) -> list[Element]:
    return [
        _element("discount", {"count": discount.count, "price": discount.price}) for discount in discounts
    ]


def _cpu(cpu: Cpu, *, named: bool) -> Element:
    fields: dict[str, Value] = {
        "name": cpu.name if named else _unless(cpu.name, DEFAULT_CPU),
        "price": cpu.price,
        "power": (cpu.power, _POWER),
        "idle_power": (cpu.idle_power, _POWER),
    }
    return _element("cpu", fields, _discounts(cpu.discounts))


def _profile(profile: Profile) -> Element:
    fields: dict[str, Value] = {
        "name": profile.name,
        "rateR": (profile.rate_r, _RATE),
        "gapR": (profile.gap_r, _TIME),
        "rateW": (profile.rate_w, _RATE),
        "gapW": (profile.gap_w, _TIME),
    }
    return _element("profile", fields)


def _server(server: Server) -> Element:
    fields: dict[str, Value] = {
        "name": server.name,
        "price": server.price,
        "cpus": server.cpus,
        "BW": (server.bandwidth, _RATE),
        "power": _unless((server.power, _POWER), (0.0, _POWER)),
        "max_count": server.max_count,
        "cpu": server.cpu,
        "idle_power": (server.idle_power, _POWER),
        "owned": _unless(server.owned, 0),
    }
    children = [_bus(bus) for bus in server.buses]
    children += [] if server.bundle is None else [_bundle(server.bundle)]
    return _element("server", fields, children + _discounts(server.discounts))


def _rack(rack: Rack) -> Element:
    fields: dict[str, Value] = {
        "servers": rack.servers,
        "uplink": (rack.uplink, _RATE),
        "price": _unless(rack.price, 0.0),
        "power": _unless((rack.power, _POWER), (0.0, _POWER)),
        "idle_power": (rack.idle_power, _POWER),
    }
    return _element("rack", fields)


def _bundle(bundle: Bundle) -> Element:
    included = [_element("included", {"unit": unit, "count": count}) for unit, count in bundle.units]
    return _element("bundle", {"cores": bundle.cores}, included)


def _bus(bus: Bus) -> Element:
    accesses = None if math.isinf(bus.iops) else bus.iops
    fields: dict[str, Value] = {"name": bus.name, "slots": bus.slots, "BW": (bus.bandwidth, _RATE)}
    return _element("bus", fields | {"IOPS": accesses})


def _application(application: Application) -> Element:
    children = [_dataset(dataset) for dataset in application.datasets]
    children += [_task(task) for task in application.tasks]
    if application.host_cores or application.host_memory:
        host: dict[str, Value] = {
            "cores": application.host_cores,
            "memory": (application.host_memory, _SIZE),
        }
        children.append(_element("host", host))
    return _element("application", {}, children)


def _dataset(dataset: Dataset) -> Element:
    default = Dataset("", 1, dataset.persistent, dataset.remote)
    fields: dict[str, Value] = {
        "name": dataset.name,
        "size": (dataset.size, _SIZE),
        "persistent": dataset.persistent,
        "remote": dataset.remote,
        "cache_size": (dataset.cache_size, _SIZE),
        "hit_ratio": _unless(dataset.hit_ratio, default.hit_ratio),
        "local_to": dataset.local_to,
        "scope": _unless(dataset.scope, default.scope),
        "profile": dataset.profile,
        "replication": _unless(dataset.replication, 1),
        "erasure": None if dataset.erasure is None else "{}+{}".format(*dataset.erasure),
        "host_time": _unless((dataset.host_time, _TIME), (0.0, _TIME)),
    }
    return _element("dataset", fields)


def _task(task: Task) -> Element:
    fields: dict[str, Value] = {
        "name": task.name,
        "phase": task.phase,
        "memory": (task.memory, _SIZE),
    }
    return _element("task", fields, [_operation(op) for op in task.operations])


def _operation(op: Operation) -> Element:
    common: dict[str, Value] = {
        "probability": _unless(op.probability, 1.0),
        "blocking": op.blocking,
    }
    if isinstance(op, Io):
        io: dict[str, Value] = {
            "op": op.op,
            "dataset": op.dataset,
            "num_records": op.num_records,
            "record_size": (op.record_size, _SIZE),
            "parallel": _unless(op.parallel, False),
            "amplification": _unless(op.amplification, 1.0),
            "rack_local": _unless(op.rack_local, 0.0),
        }
        return _element("io", io | common)
    if isinstance(op, Compute):
        times = [_element("on", {"cpu": cpu, "time": (time, _TIME)}) for cpu, time in op.times]
        return _element("compute", {"time": (op.time, _TIME), **common}, times)
    call: dict[str, Value] = {
        "task": op.task,
        "num_invocations": op.num_invocations,
        "parallel": op.parallel,
        "bytes": _unless((op.bytes, _SIZE), (0.0, _SIZE)),
    }
    return _element("dependency", call | common)


def _options(options: Options) -> Element:
    default = Options()
    names = (
        "isolation",
        "placement",
        "cache_media",
        "duplex",
        "peak_utilization",
        "memory_unit",
        "peak_fill",
        "survive_hosts",
        "survive_rack",
    )
    fields = {name: _unless(getattr(options, name), getattr(default, name)) for name in names}
    return _element("options", fields)
