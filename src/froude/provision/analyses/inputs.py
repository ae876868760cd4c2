"""Every number of the inputs by a path, found by walking the values: `dataset.photos.size`, `unit.SSD.price`.

| path | number |
|---|---|
| `dataset.NAME.FIELD`, `task.NAME.FIELD` | of the application |
| `unit.NAME.FIELD`, `cpu.NAME.FIELD`, `server.NAME.FIELD` | of the catalog; `server.NAME.buses.SAS.slots` |
| `io.TASK.DATASET.FIELD`, `io.TASK.DATASET.R.FIELD` | of all operations of the task on the dataset, or its reads |
| `io.*.DATASET.FIELD` | of all operations on the dataset |
| `compute.TASK.FIELD`, `dependency.TASK.CHILD.FIELD` | of all such operations of the task |
| `A+B` | two or more, in proportion |
| `target.TASK.rate`, `batch.time`, `options.FIELD`, `catalog.FIELD`, `application.FIELD` | the rest |

A path may name several numbers: they are changed in proportion, and the first one's value is shown. A new field
of the values is reached without a line here. Letter case and `_` do not count, so `rateR` finds `rate_r`.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from froude.base.errors import InputError
from froude.provision.inputs.units import Dimension
from froude.provision.types import Compute, Dependency, Io, Problem, Task

_Place = tuple[str | int, ...]
_HEADS = {
    "catalog.units": "unit",
    "catalog.cpus": "cpu",
    "catalog.servers": "server",
    "application.datasets": "dataset",
    "application.tasks": "task",
    "sla.targets": "target",
    "sla.batch": "batch",
    "sla.growth": "growth",
    "sla.re_replication": "re_replication",
    "catalog.rack": "rack",
}
_DIMENSIONS = {
    Dimension.SIZE: (
        "size",
        "capacity",
        "cache_size",
        "memory",
        "host_memory",
        "record_size",
        "bytes",
        "block_size",
    ),
    Dimension.RATE: ("rate_r", "rate_w", "bandwidth", "uplink"),
    Dimension.TIME: ("gap_r", "gap_w", "time", "times", "host_time", "latency", "lead_time", "heartbeat"),
    Dimension.POWER: ("power", "idle_power"),
    Dimension.SHARE: (
        "hit_ratio",
        "probability",
        "rack_local",
        "share",
        "peak_utilization",
        "peak_fill",
        "mean_load",
        "quantile",
        "split",
    ),
    Dimension.DOLLARS: (
        "price",
        "price_per_gb_month",
        "price_per_read",
        "price_per_write",
        "dollars_per_kwh",
        "diversity",
    ),
}


@dataclass(frozen=True, slots=True)
class Input:
    """One number of the inputs, or several that go together."""

    path: str
    value: float
    """Of the first, in base units."""
    places: tuple[_Place, ...]
    whole: bool
    """A count: takes whole values only."""

    @property
    def dimension(self) -> Dimension:
        """How it is written."""
        for part in reversed(self.places[0]):
            for dimension, names in _DIMENSIONS.items():
                if part in names:
                    return dimension
        return Dimension.COUNT if self.whole else Dimension.NUMBER

    def set(self, problem: Problem, value: float) -> Problem:
        """The problem with this value; several numbers keep their proportions.

        Args:
            problem: the inputs; they stay as they are.
            value: of the first number, in base units.

        Raises:
            ValueError: the value is not one that the input may have.
        """
        try:
            return self._set(problem, value, self.places)
        except ValueError:
            # one may bound another: a data set must first grow before its cache, and shrink after it
            return self._set(problem, value, self.places[::-1])

    def _set(self, problem: Problem, value: float, places: tuple[_Place, ...]) -> Problem:
        for place in places:
            old = _get(problem, place)
            new = value if old == self.value or not self.value else old * value / self.value
            problem = _set(problem, place, round(new) if self.whole else new)
        return problem


def all_inputs(problem: Problem) -> dict[str, Input]:
    """Every number by its path; a number may stand under several paths, alone and with others."""
    places: dict[str, list[_Place]] = {}
    whole: dict[str, bool] = {}
    for place, names, count in _walk(problem):
        for name in names:
            places.setdefault(name, []).append(place)
            whole[name] = count
    return {path: _input(problem, path, tuple(own), whole[path]) for path, own in places.items()}


def find_input(problem: Problem, path: str) -> Input:
    """The input of a path; of several, joined by `+`, which then change in proportion.

    Args:
        path: such as `dataset.photos.size`, or several joined by `+`.

    Raises:
        InputError: there is none, with the nearest ones.
    """
    known = all_inputs(problem)
    inputs = [_input_named(known, part.strip()) for part in path.split("+")]
    if len(inputs) == 1:
        return inputs[0]
    places = tuple(dict.fromkeys(place for entry in inputs for place in entry.places))
    return Input(path, inputs[0].value, places, all(entry.whole for entry in inputs))


def _input_named(known: Mapping[str, Input], path: str) -> Input:
    by_plain = {_plain(name): name for name in known}
    plain = by_plain.get(_plain(path))
    if plain is None:
        near = difflib.get_close_matches(_plain(path), by_plain, 3, 0.5)
        raise InputError(
            "is no number of the inputs",
            place="--input",
            found=path,
            allowed=" or ".join(by_plain[name] for name in near) or "dataset.NAME.size, unit.NAME.price, …",
        )
    return known[plain]


def main_inputs(problem: Problem) -> tuple[Input, ...]:
    """What is worth asking about first: prices, sizes, hit ratios, loads, record sizes, compute times, memory."""
    wanted = {
        "unit": ("price",),
        "cpu": ("price",),
        "server": ("price",),
        "dataset": ("size", "hit_ratio"),
        "task": ("memory",),
        "target": ("rate",),
        "batch": ("time", "executions"),
        "compute": ("time",),
    }
    chosen = []
    for path, entry in all_inputs(problem).items():
        head, tail = path.split(".")[0], path.rsplit(".", 1)[-1]
        records = path.startswith("io.*.") and tail == "record_size"
        both = records and not path.endswith((".R.record_size", ".W.record_size"))
        if entry.value > 0 and (tail in wanted.get(head, ()) or both) and _worth(problem, entry, tail):
            chosen.append(entry)
    return tuple(chosen)


def _worth(problem: Problem, entry: Input, tail: str) -> bool:
    """Not a hit ratio of a dataset that is never cached, nor a price of an attached profile."""
    if tail == "hit_ratio":
        return bool(_get(problem, entry.places[0][:-1]).remote)
    return "discounts" not in entry.places[0]


def _plain(path: str) -> str:
    return path.casefold().replace("_", "")


def _input(problem: Problem, path: str, places: tuple[_Place, ...], whole: bool) -> Input:
    values = [_get(problem, place) for place in places]
    first = next((value for value in values if value), values[0])
    return Input(path, float(first), places, whole)


def _walk(problem: Problem) -> Iterator[tuple[_Place, tuple[str, ...], bool]]:
    """(place, its paths, whether it is a count) of every number."""
    for place, path, whole in _numbers(problem, (), "", whole=False):
        task = _task_of(problem, place)
        yield place, (path,) if task is None else tuple(_operation_paths(task, place)), whole


def _task_of(problem: Problem, place: _Place) -> Task | None:
    if place[:2] == ("application", "tasks") and len(place) > 4 and place[3] == "operations":
        task: Task = _get(problem, place[:3])
        return task
    return None


def _operation_paths(task: Task, place: _Place) -> Iterator[str]:
    """An operation has no name: it is reached by its task and what it is about."""
    operation: Any = task.operations[int(place[4])]
    field = ".".join(map(str, place[5:]))
    if isinstance(operation, Io):
        for who in (task.name, "*"):
            yield f"io.{who}.{operation.dataset}.{field}"
            yield f"io.{who}.{operation.dataset}.{operation.op.value}.{field}"
    elif isinstance(operation, Compute):
        yield f"compute.{task.name}.{field}"
    elif isinstance(operation, Dependency):
        yield f"dependency.{task.name}.{operation.task}.{field}"


def _numbers(value: Any, place: _Place, path: str, *, whole: bool) -> Iterator[tuple[_Place, str, bool]]:
    """(place, path, whether it is a count) of every number inside a value."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if math.isfinite(value):  # what has no limit is no input to vary
            yield place, path, whole
        return
    for step, name, inner, kind in _inside(value):
        below = f"{path}.{name}" if path else name
        count = whole if kind is None else "int" in kind and "float" not in kind
        yield from _numbers(inner, (*place, step), _HEADS.get(below, below), whole=count)


def _inside(value: Any) -> Iterator[tuple[str | int, str, Any, str | None]]:
    """(step, name, what is there, declared type) of the parts of a value."""
    if is_dataclass(value):
        for field in fields(value):
            yield field.name, field.name, getattr(value, field.name), str(field.type)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key, key, inner, None
    elif isinstance(value, tuple):
        for number, inner in enumerate(value):
            yield number, _name(inner, number), inner, None


def _name(value: Any, number: int) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], str):
        return value[0]
    return str(getattr(value, "name", None) or getattr(value, "task", None) or number)


def _get(value: Any, place: _Place) -> Any:
    for step in place:
        by_key = isinstance(step, int) or isinstance(value, dict)
        value = value[step] if by_key else getattr(value, str(step))
    return value


def _set(value: Any, place: _Place, new: float) -> Any:
    if not place:
        return new
    step, rest = place[0], place[1:]
    inner = _set(_get(value, (step,)), rest, new)
    if isinstance(value, tuple):
        at = int(step)
        return (*value[:at], inner, *value[at + 1 :])
    if isinstance(value, dict):
        return {**value, step: inner}
    return replace(value, **{str(step): inner})
