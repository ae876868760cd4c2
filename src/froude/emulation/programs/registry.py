"""Every kind of program that a node type may name. A new kind is added to `KINDS`, and nowhere else."""

from __future__ import annotations

from froude.base.errors import InputError
from froude.base.seeds import Seeds
from froude.emulation.programs.audit.family import ClientKind
from froude.emulation.programs.hdfs.family import DatanodeKind
from froude.emulation.programs.population import PlaySettings, Population, ProgramKind
from froude.emulation.programs.yarn.family import LauncherKind, NodemanagerKind, ScriptedKind
from froude.messages.schema import Schema
from froude.workload.plan import Plan

KINDS: tuple[ProgramKind, ...] = (
    ScriptedKind(),
    DatanodeKind(),
    NodemanagerKind(),
    LauncherKind(),
    ClientKind(),
)


def kind_of(program: str) -> ProgramKind:
    """The kind that a node type names as its program.

    Raises:
        InputError: there is none of that name.
    """
    for kind in KINDS:
        if kind.name == program:
            return kind
    raise InputError(
        "is no program", place="program", found=program, allowed=", ".join(kind.name for kind in KINDS)
    )


def populate(plan: Plan, schema: Schema, *, seeds: Seeds, settings: PlaySettings | None = None) -> Population:
    """All nodes of a plan, each type with its program.

    Args:
        schema: of the target's release.
        seeds: every random choice of the play.
        settings: how it is played.

    Raises:
        InputError: a node type names a program that there is not, or the release lacks what a program needs.
    """
    population = Population(plan, schema, seeds=seeds, settings=settings)
    for node_type in plan.workload.node_types:
        population.add(node_type.name, kind_of(node_type.program).family(node_type, population))
    return population
