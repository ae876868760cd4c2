"""Results of the analyses as JSON takes them: the values field by field, plans and architectures in short."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from froude.provision.analyses.inputs import Input
from froude.provision.search.architecture import Architecture
from froude.provision.types.plan import Conflict, ProvisionPlan


def document(value: Any) -> Any:
    """A result as dictionaries and lists; numbers that are not finite are None."""
    if isinstance(value, ProvisionPlan):
        return _plan(value)
    if isinstance(value, Architecture):
        return {name: list(units) for name, units in value.choices} | (
            {"cpus": dict(value.cpus)} if value.cpus else {}
        )
    if isinstance(value, Input):
        return {"path": value.path, "value": value.value}
    if isinstance(value, Conflict):
        return str(value)
    return _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if is_dataclass(value):
        return {field.name: document(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(name): document(inner) for name, inner in value.items()}
    return [document(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _plan(plan: ProvisionPlan) -> dict[str, Any]:
    """Without its groups: `compile` with the same inputs and choices gives them."""
    return {
        "status": plan.status.value,
        "cost": document(plan.upper),
        "lower": document(plan.lower),
        "gap": plan.gap,
        "servers": plan.servers,
        "choices": document(plan.choices),
        "cpus": dict(plan.cpus),
        "conflict": [str(conflict) for conflict in plan.conflict],
    }
