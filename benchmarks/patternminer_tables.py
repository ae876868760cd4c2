"""The tables of the PatternMiner paper (II to VI): types of nodes, lengths of sequences, kinds of arguments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from froude.mining.check.summary import RuleKind, kind_of
from froude.workload.types import CallTemplate, NodeType, Workload
from froude.workload.walk import templates

MASTERS = {"NameNode": "namenode", "ResourceManager": "resourcemanager"}
"""Beginnings of the services that each is called as."""
AIMS = {"NameNode": 0.995, "ResourceManager": 0.97}
"""Share of the arguments that have a pattern, counted the paper's way."""
_PAPER = {"NameNode": "0.979 to 0.983", "ResourceManager": "0.83"}
_FOUND = (RuleKind.CONSTANT, RuleKind.REGULAR, RuleKind.FLOW)

Figure = dict[str, object]


def tables(workload: Workload) -> list[Figure]:
    """Every table, counted as the paper counts: on what was mined, once for the representative call.

    Args:
        workload: as mined.
    """
    return [*_types(workload), *(row for master in MASTERS for row in _arguments(workload, master))]


def _calls(node: NodeType, master: str) -> Iterator[CallTemplate]:
    return (call for call in templates(node) if call.service.startswith(MASTERS[master]))


def _types(workload: Workload) -> list[Figure]:
    """Tables II, III and V: a row a type of nodes, with how many calls its representative sequence has."""
    figures: list[Figure] = [
        {"measure": "types of nodes", "value": len(workload.node_types), "unit": "types"}
    ]
    for node in workload.node_types:
        lengths = {master: sum(1 for _ in _calls(node, master)) for master in MASTERS}
        words = ", ".join(f"{length} to the {master}" for master, length in lengths.items())
        beats = ", ".join(sorted({periodic.call.method for periodic in node.periodic}))
        conditions = f"{node.count} of them; {words}" + (f"; periodic: {beats}" if beats else "")
        length = sum(1 for _ in templates(node))
        figures.append(
            {
                "measure": f"length of the sequence, {node.name}",
                "value": length,
                "unit": "calls",
                "conditions": conditions,
            }
        )
    return figures


def _arguments(workload: Workload, master: str) -> list[Figure]:
    """Tables IV and VI: constants, regular patterns, information flow, and what is not known."""
    kinds = Counter(
        kind_of(rule)
        for node in workload.node_types
        for call in _calls(node, master)
        for rule in call.arguments.values()
    )
    total = kinds.total()
    figures: list[Figure] = [
        {"measure": f"{master}: arguments, {kind.value}", "value": kinds[kind], "unit": f"of {total}"}
        for kind in RuleKind
    ]
    share = sum(kinds[kind] for kind in _FOUND) / total if total else 1.0
    return [
        *figures,
        {
            "measure": f"{master}: arguments with a pattern, counted as the paper counts",
            "value": round(share, 4),
            "unit": "share",
            "aim": f">= {AIMS[master]:g}",
            "conditions": f"on the runs that were mined; the paper: {_PAPER[master]}; random values are misses",
        },
    ]
