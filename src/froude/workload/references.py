"""Names in a rule of what is not there, and nodes that could never begin: what an edit may break."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from froude.workload.scale import term_of
from froude.workload.types import (
    NODE,
    Cases,
    Counter,
    Flow,
    NodeType,
    Rule,
    Scaled,
    StartRule,
    Workload,
)
from froude.workload.walk import repeats, rules, templates, within

INDEX, VARIABLE, CALL = "index", "scale variable", "earlier call"
"""What a rule refers to by name."""


def uncounted(workload: Workload) -> Iterator[tuple[str, str]]:
    """Loops that rules count by and that are not there: each would be 0 in every call.

    Yields:
        The node type and the loop.
    """
    for node_type in workload.node_types:
        known = names_for(workload, node_type, {segment.id for segment in repeats(node_type.steps)})
        for rule in rules(node_type):
            yield from ((node_type.name, name) for what, name in unknown_names(rule, known) if what == INDEX)


def names_for(
    workload: Workload, node_type: NodeType, loops: Collection[str]
) -> Mapping[str, Collection[str]]:
    """The names that a rule of a node type may refer to, by what they are: index, Scale variable, earlier call.

    Args:
        workload: has the recorded Scales and all types.
        loops: those by whose iterations it may count.
    """
    variables = {name for scale in workload.recorded.scales for name in scale}
    # Effects count by the loops of the type whose call they follow.
    counted = {f"{each.name}.{name}" for each in workload.node_types for name in indices(each)}
    periodic = {each.call.id for each in node_type.periodic}
    calls = {call.id for each in workload.node_types for call in templates(each)}
    return {INDEX: {NODE, *loops, *periodic, *counted, *variables}, VARIABLE: variables, CALL: calls}


def unknown_names(rule: Rule, known: Mapping[str, Collection[str]]) -> Iterator[tuple[str, str]]:
    """What a rule refers to by name and is not there.

    Args:
        known: the names that there are, as `names_for` gives them.

    Yields:
        What it would be, and the name.
    """
    for inner in within(rule):
        yield from ((what, name) for what, name in _references(inner) if name not in known[what])


def _references(rule: Rule) -> Iterator[tuple[str, str]]:
    """What one rule refers to by name, without the rules in it."""
    if isinstance(rule, Counter):
        for term in map(term_of, rule.steps):
            *factors, index = term.names
            yield INDEX, index
            yield from ((VARIABLE, name) for name in factors)
            if term.by and not term.by.isdecimal():
                yield VARIABLE, term.by
    elif isinstance(rule, Scaled):
        yield from ((VARIABLE, name) for name in rule.count.variables)
    elif isinstance(rule, Cases):
        yield INDEX, rule.index
    elif isinstance(rule, Flow):
        yield CALL, rule.call


def endless_turn(starts: Mapping[str, StartRule]) -> list[str]:
    """Types in turn with each other of which none could begin: a node waits, in the end, for itself or a later one.

    Args:
        starts: the start rule by node type.

    Returns:
        The types around; empty where every round waits for the one before.
    """
    for name in starts:
        passed, offset, current = [name], 0, starts[name]
        while current.follows in starts and len(passed) <= len(starts):
            assert current.follows is not None
            offset += current.offset
            passed.append(current.follows)
            if current.follows == name:
                if offset >= 0:
                    return passed
                break
            current = starts[current.follows]
    return []


def indices(node_type: NodeType) -> set[str]:
    """What calls of a type may count by: its loops, and its periodic calls by their own numbers."""
    return {segment.id for segment in repeats(node_type.steps)} | {
        each.call.id for each in node_type.periodic
    }
