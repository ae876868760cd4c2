"""The Plan's file form: a folder with `plan.yaml` (scale, counts, refusals, lineage) and its `workload.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from froude.base.errors import ChangedError, InputError
from froude.base.files import atomic_folder, atomic_write_text
from froude.base.units import parse_quantity
from froude.documents.artifact import Lineage, Origin, hash_fields, hash_file
from froude.documents.lineage import dump_sealed, lineage_of, open_document
from froude.documents.migrate import Migrations, same
from froude.documents.reading import Section
from froude.documents.recognise import kind_of
from froude.workload.extrapolate import extrapolate
from froude.workload.plan import Plan, calls_per_node
from froude.workload.scale import Scale
from froude.workload.yaml_file import (
    WorkloadFile,
    open_workload,
    scale_fields,
    workload_hash,
    write_with_lineage,
    write_workload,
)

PLAN, WORKLOAD = "plan.yaml", "workload.yaml"
PARTS = (PLAN, WORKLOAD)
"""All that a plan's folder holds."""
MIGRATIONS = Migrations("plan", 2, {1: same})
_WORKED_OUT = ("nodes", "calls_per_node", "refusals", "playable")
"""Written for people; worked out again from scale and workload."""
_REMEDY = "Edit the workload that the plan was made from, and `froude extrapolate` it again"


def write_plan(
    folder: Path, plan: Plan, origin: Origin | None = None, *, workload: WorkloadFile | None = None
) -> Lineage:
    """Write a plan's folder, whole or not at all; a plan that is there already is replaced.

    Args:
        origin: how it came to be; without one, that it comes from its workload.
        workload: the file that the plan's workload was read from, whose lineage then goes with it.

    Returns:
        Its lineage.

    Raises:
        InputError: the folder exists and is no plan, or holds anything else as well.
        MissingError: it cannot be written.
    """
    if folder.exists() and not (folder / PLAN).is_file():
        raise InputError("exists and is not a plan", file=folder, remedy="Choose another folder with -o")
    origin = origin or Origin(inputs=(workload.content if workload else workload_hash(plan.workload),))
    fields = _fields(plan)
    lineage = lineage_of(MIGRATIONS, fields, origin)
    with atomic_folder(folder, replaces=PARTS) as beside:
        if workload is not None and workload.lineage is not None and not workload.edited:
            write_with_lineage(beside / WORKLOAD, plan.workload, workload.lineage)
        else:
            write_workload(
                beside / WORKLOAD, plan.workload, Origin(origin.command, plan.workload.recorded.traces)
            )
        atomic_write_text(beside / PLAN, dump_sealed(MIGRATIONS, fields, lineage, origin.tags))
    return lineage


def read_plan(folder: Path) -> Plan:
    """Read a plan; counts and refusals are worked out again, by the rules of this Froude.

    Raises:
        ChangedError: it was edited or damaged since it was written.
        InputError: not a plan's folder, or its files are wrong.
    """
    _check_folder(folder)
    document = open_document(folder / PLAN, MIGRATIONS)
    root = document.root
    section = root.section("scale")
    scale = Scale({name: section.convert(name, parse_quantity) for name in section.names()})
    workload = open_workload(folder / WORKLOAD)
    if document.version > 1:
        document.check()
        _check_workload(root, workload.content, folder / WORKLOAD)
    for name in _WORKED_OUT:
        root.raw(name)
    root.finish()
    try:
        return extrapolate(workload.workload, scale)
    except InputError as error:  # the two do not fit together: say in which plan
        error.file = str(folder / PLAN)
        if not (error.place or "").startswith("nodes."):
            error.place = "scale" if error.place is None else f"scale.{error.place}"
        raise


def plan_hash(plan: Plan) -> str:
    """The content hash of a plan."""
    return hash_fields(_fields(plan))


def _check_folder(folder: Path) -> None:
    """Refuse what is at the place of a plan and is something else; what is missing is for the reader of its files.

    Raises:
        InputError: naming what was found.
    """
    if folder.exists() and not (folder / PLAN).exists():
        kind = kind_of(folder)
        raise InputError(
            "is not a plan",
            file=folder,
            found=f"a {kind}"
            if kind
            else "a folder without plan.yaml"
            if folder.is_dir()
            else "another file",
            allowed="a folder that `froude extrapolate` wrote",
            remedy="Choose its Scale first: froude extrapolate" if kind == "workload" else None,
        )


def _check_workload(root: Section, actual: str, file: Path) -> None:
    expected = root.value("workload", str)
    if actual != expected:
        message = "is not the workload of this plan: it was edited or damaged"
        raise ChangedError(message, file=file, found=actual, allowed=expected, remedy=_REMEDY)


def _fields(plan: Plan) -> dict[str, Any]:
    log = {} if plan.log is None else {"log": hash_file(plan.log)}
    return {**plan_summary(plan), "workload": workload_hash(plan.workload), **log}


def plan_summary(plan: Plan) -> dict[str, Any]:
    """What a plan says, as plain fields."""
    calls = {t.name: calls_per_node(plan, t) for t in plan.workload.node_types if t.name in plan.counts}
    return {
        "scale": scale_fields(plan.scale),
        "nodes": dict(plan.counts),
        "calls_per_node": calls,
        "refusals": [{"what": r.what, "node_type": r.node_type, "fatal": r.fatal} for r in plan.refusals],
        "playable": plan.playable,
    }
