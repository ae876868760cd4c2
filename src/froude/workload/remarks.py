"""What the recorded Scales cannot tell: variables that drive nothing, or that rose with another."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from froude.base.summary import counted
from froude.base.units import Quantity
from froude.workload.scale import Count
from froude.workload.types import Counter, NodeType, Rule, Scaled, Workload
from froude.workload.walk import repeats, templates, within

_ADDS_BLOCKS = frozenset({"addBlock"})
"""Methods whose calls need somebody who stores what they ask for."""
_NODES = ("datanodes", "nodemanagers")
"""Variables with an option of their own."""
_STORES = "datanode"
"""The program of who does."""


def remarks_on_scale(workload: Workload) -> tuple[str, ...]:
    """What a user should know before trusting a workload at another Scale, one sentence each.

    Args:
        workload: as mined, with or without answers.
    """
    driven = _driven(workload)
    scales = workload.recorded.scales
    pairs = rose_together(scales)
    together = {name for pair in pairs for name in pair}
    remarks = [_confused(first, other, driven, scales) for first, other in pairs]
    remarks += [
        f"{name} drives nothing: at all its recorded values the same was done"
        for name in _varied(scales)
        if not driven[name] and name not in together
    ]
    return tuple(remark for remark in (*remarks, *_without_stores(workload)) if remark)


def rose_together(scales: Sequence[Mapping[str, Quantity]]) -> list[tuple[str, str]]:
    """Pairs of varied variables that cannot be told apart: one is a line over the other in every run.

    Args:
        scales: of the runs; one may come several times.
    """
    return [pair for pair in combinations(_varied(scales), 2) if always_together(scales, *pair)]


def always_together(scales: Sequence[Mapping[str, Quantity]], first: str, other: str) -> bool:
    """Whether two variables cannot be told apart: one is a line over the other in every run that has both.

    What is counted follows variables by straight lines, so that one that rose otherwise than the other tells which.
    """
    points = {
        (scale[first].value, scale[other].value) for scale in scales if first in scale and other in scale
    }
    return len(points) > 1 and _on_a_line(sorted(points))


def _on_a_line(points: Sequence[tuple[float, float]]) -> bool:
    """Whether points lie on one line that is neither level nor upright."""
    (x0, y0), (x1, y1) = points[0], points[-1]
    if x0 == x1 or y0 == y1:
        return False
    slope = (y1 - y0) / (x1 - x0)
    return all(math.isclose(y, y0 + slope * (x - x0), rel_tol=1e-12, abs_tol=1e-6) for x, y in points)


def _varied(scales: Sequence[Mapping[str, Quantity]]) -> list[str]:
    names = sorted({name for scale in scales for name in scale})
    return [name for name in names if len({scale[name].value for scale in scales if name in scale}) > 1]


def _driven(workload: Workload) -> defaultdict[str, list[str]]:
    """What follows from each variable, in words."""
    driven: defaultdict[str, list[str]] = defaultdict(list)
    for node_type in workload.node_types:
        for what, variables in _formulas(node_type):
            for name in sorted(variables):
                driven[name].append(what)
    return driven


def _formulas(node_type: NodeType) -> Iterator[tuple[str, frozenset[str]]]:
    yield f"the number of {node_type.name} nodes", node_type.count.variables
    for segment in repeats(node_type.steps):
        yield f"the iterations of {segment.id} in {node_type.name}", segment.times.variables
    for call in templates(node_type):
        for path, rule in call.arguments.items():
            variables = frozenset(name for part in within(rule) for name in _variables(part))
            yield f"{path} of {call.method} in {node_type.name}", variables


def _variables(rule: Rule) -> frozenset[str]:
    """The names that a rule counts by; of a counter its indices, too, which are no variables and do no harm."""
    if isinstance(rule, Scaled):
        return rule.count.variables
    if isinstance(rule, Counter):
        return Count(0.0, dict.fromkeys(rule.steps, 1.0)).variables
    return frozenset()


def _confused(
    first: str, other: str, driven: Mapping[str, list[str]], scales: Sequence[Mapping[str, Quantity]]
) -> str:
    """What hangs on two variables that rose together, and the run that would tell them apart; empty for nothing."""
    named = {f"the number of {name.rstrip('s')} nodes" for name in (first, other)}
    hanging = [what for what in dict.fromkeys([*driven[first], *driven[other]]) if what not in named]
    if not hanging:
        return ""
    more = f" and {counted(len(hanging) - 1, 'thing')} more" if len(hanging) > 1 else ""
    return (
        f"{other} rose with {first} in every recording: nobody can tell which of them drives {hanging[0]}{more}; "
        f"record {_apart(first, other, scales)}"
    )


def _apart(first: str, other: str, scales: Sequence[Mapping[str, Quantity]]) -> str:
    """The options of a small run that would tell two variables apart: the smallest with the next value of one."""
    both = [scale for scale in scales if first in scale and other in scale]
    smallest = min(both, key=lambda scale: [quantity.value for _, quantity in sorted(scale.items())])
    larger = min(
        (scale[first] for scale in both if scale[first] != smallest[first]),
        key=lambda quantity: quantity.value,
    )
    return options_of({**smallest, first: larger})


def options_of(run: Mapping[str, Quantity]) -> str:
    """The options of `froude record` for a run."""
    options = [f"--{name} {run[name]}" for name in _NODES if name in run]
    rest = [f"{name}={quantity}" for name, quantity in run.items() if name not in _NODES]
    return " ".join([*options, *(f"--scale '{text}'" if " " in text else f"--scale {text}" for text in rest)])


def _without_stores(workload: Workload) -> Iterator[str]:
    adding = [
        node_type.name
        for node_type in workload.node_types
        if any(call.method in _ADDS_BLOCKS for call in templates(node_type))
    ]
    if adding and not any(node_type.program == _STORES for node_type in workload.node_types):
        yield (
            f"{', '.join(adding)} writes blocks, and no call of a DataNode was recorded: a play needs a target that has "
            "DataNodes, or a recording with a capture in front of every daemon"
        )
