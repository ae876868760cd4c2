"""The Plan's file form: a folder with `plan.yaml` (scale, counts, refusals) and its `workload.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from froude.base.documents import load_document, write_document
from froude.base.errors import InputError
from froude.base.files import atomic_folder
from froude.base.units import parse_quantity
from froude.workload.extrapolate import calls_of, extrapolate
from froude.workload.plan import Plan
from froude.workload.scale import Scale
from froude.workload.yaml_file import read_workload, scale_fields, write_workload

VERSION = 1


def write_plan(folder: Path, plan: Plan) -> None:
    """Write a plan's folder, whole or not at all; a plan that is there already is replaced.

    Raises:
        InputError: the folder exists and is no plan.
        MissingError: it cannot be written.
    """
    if folder.exists() and not (folder / "plan.yaml").is_file():
        raise InputError("exists and is not a plan", file=folder, remedy="Choose another folder with -o")
    with atomic_folder(folder, replace=True) as beside:
        write_workload(beside / "workload.yaml", plan.workload)
        write_document(beside / "plan.yaml", "plan", VERSION, plan_summary(plan))


def read_plan(folder: Path) -> Plan:
    """Read a plan; counts and refusals are worked out again, so that an edited workload counts.

    Raises:
        InputError: not a plan's folder, or its files are wrong.
    """
    root, _ = load_document(folder / "plan.yaml", "plan", range(1, VERSION + 1))
    section = root.section("scale")
    scale = Scale({name: section.convert(name, parse_quantity) for name in section.names()})
    workload = read_workload(folder / "workload.yaml")
    try:
        return extrapolate(workload, scale)
    except InputError as error:  # the two do not fit together: say in which plan
        place = "scale" if error.place is None else f"scale.{error.place}"
        raise InputError(
            error.message, file=folder / "plan.yaml", place=place, found=error.found, allowed=error.allowed
        ) from error


def plan_summary(plan: Plan) -> dict[str, Any]:
    """What a plan says, as plain fields."""
    calls = {t.name: calls_of(t.steps, plan.scale) for t in plan.workload.node_types if t.name in plan.counts}
    return {
        "scale": scale_fields(plan.scale),
        "nodes": dict(plan.counts),
        "calls_per_node": calls,
        "refusals": [{"what": r.what, "node_type": r.node_type, "fatal": r.fatal} for r in plan.refusals],
        "playable": plan.playable,
    }
