"""What a play must know of a plan before it begins: whom its nodes call, in which protocols, and whether they end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from froude.emulation.programs.audit.shared import KIND as CLIENTS
from froude.emulation.programs.hdfs.datanodes import KIND as DATANODES
from froude.emulation.programs.population import service_named
from froude.emulation.programs.registry import kind_of
from froude.hadoop.rpc.target import answers_for
from froude.workload.plan import Plan
from froude.workload.types import SCRIPTED, NodeType
from froude.workload.walk import calls, templates

_NAMENODE, _RESOURCEMANAGER = "namenode", "resourcemanager"


@dataclass(frozen=True, slots=True)
class PlanFacts:
    """The facts of one plan.

    Services, protocols and messages are those of types without nodes as well, because a play prepares their programs
    too; all other facts are about the nodes that there are.
    """

    nodes: int
    daemons: tuple[str, ...]
    """What the plan is played against: `namenode`, `resourcemanager`, or both in this order."""
    services: frozenset[str]
    """The services that are called; an unknown one is the empty name."""
    protocols: frozenset[str]
    """Those of the calls, and those that programs speak by themselves."""
    messages: frozenset[str]
    """Full names of the messages that programs read in addition to those of the protocols."""
    methods: frozenset[str]
    endless: bool
    """Whether all nodes go on until the play is stopped."""
    called: bool
    untimed: str | None
    """Id of the first step without a recorded service time, which no schedule can have; None if all have one."""


def facts_of(plan: Plan) -> PlanFacts:
    """The facts of a plan; linear in its call templates, whatever the number of nodes.

    Raises:
        InputError: a node type names an unknown program.
    """
    types = plan.workload.node_types
    kinds = {each.program: kind_of(each.program) for each in types}
    templated = [call for each in types for call in templates(each)]
    played = [each for each in types if plan.counts.get(each.name)]
    steps = (call for each in played if each.program == SCRIPTED for call in calls(each.steps))
    return PlanFacts(
        nodes=sum(plan.counts.values()),
        daemons=_daemons(played),
        services=frozenset(map(service_named, templated)),
        protocols=frozenset(call.protocol for call in templated).union(
            *(k.protocols for k in kinds.values())
        ),
        messages=frozenset(message for kind in kinds.values() for message in kind.messages),
        methods=frozenset(method for each in played for method in kinds[each.program].methods(each)),
        endless=all(kinds[each.program].endless for each in played),
        called=any(kinds[each.program].called for each in played),
        untimed=next((call.id for call in steps if call.timing.service is None), None),
    )


def _daemons(played: Iterable[NodeType]) -> tuple[str, ...]:
    """The daemons that node types call; a NameNode where nothing shows another."""
    called = {answers_for(service_named(call)) for each in played for call in templates(each)}
    if _RESOURCEMANAGER not in called:
        return (_NAMENODE,)
    of_hdfs = _NAMENODE in called or any(each.program in {DATANODES, CLIENTS} for each in played)
    return (_NAMENODE, _RESOURCEMANAGER) if of_hdfs else (_RESOURCEMANAGER,)
