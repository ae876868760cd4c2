"""Loops that a rule counts by and that are not there, and nodes that could never begin: what an edit may break."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from froude.workload.scale import term_of
from froude.workload.types import NODE, Cases, Counter, NodeType, StartRule, Workload
from froude.workload.walk import repeats, rules, within


def uncounted(workload: Workload) -> Iterator[tuple[str, str]]:
    """Loops that rules count by and that are not there: each would be 0 in every call.

    Args:
        workload: whose rules are looked through.

    Yields:
        The node type and the loop.
    """
    variables = {name for scale in workload.recorded.scales for name in scale}
    counted = {f"{each.name}.{name}" for each in workload.node_types for name in _indices(each)}
    for node_type in workload.node_types:
        indices = {NODE, *_indices(node_type), *counted, *variables}
        for rule in (part for whole in rules(node_type) for part in within(whole)):
            names = [term_of(name).names[-1] for name in rule.steps] if isinstance(rule, Counter) else []
            names += [rule.index] if isinstance(rule, Cases) else []
            yield from ((node_type.name, name) for name in names if name not in indices)


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


def _indices(node_type: NodeType) -> set[str]:
    """What calls of a type may count by: its loops, and its periodic calls by their own numbers."""
    return {segment.id for segment in repeats(node_type.steps)} | {
        each.call.id for each in node_type.periodic
    }
