"""Which calls of a template are looked at first where it has many.

A rule that holds at all calls holds at some of them, so it is searched for at some, held against all, and searched for
again with those that contradict it: counterexample-guided search (Solar-Lezama 2008, section 3). What that finds is
what a search at all calls would accept; only the search itself costs less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from froude.mining.structure import Occurrence

FEW = 1000
"""Calls of a template that are all looked at."""
SEARCHES = 4
"""Times that a rule is searched for at some calls before all are looked at."""
CONTRADICTIONS = 48
"""Calls that contradict a rule and are added to the sample: as many at most."""
_NODES = 8
_ROUNDS = 28
_MORE_ROUNDS = 64
"""Of a run's first two nodes: loops in loops show their pattern over many rounds."""


def sample(occurrences: Sequence[Occurrence]) -> list[int]:
    """Places of the calls to look at first: of some nodes of each run, some rounds.

    First ones, last ones and some between, of nodes as of rounds, for exceptions stand at the ends.

    Args:
        occurrences: the calls of one template, in order of run and place.

    Returns:
        Places in `occurrences`, rising.
    """
    by_node: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, occurrence in enumerate(occurrences):
        by_node[occurrence.run][occurrence.node].append(place)
    chosen: set[int] = set()
    for nodes in by_node.values():
        for number, node in enumerate(spread(sorted(nodes), _NODES)):
            chosen.update(spread(nodes[node], _MORE_ROUNDS if number < 2 else _ROUNDS))
    return sorted(chosen)


def spread(items: Sequence[int], most: int) -> list[int]:
    """Some of a sequence: half from its beginning, a quarter from its end, and the rest at even distances between.

    Args:
        items: any.
        most: how many, about; 4 or more.
    """
    if len(items) <= most:
        return list(items)
    head, tail = most // 2, most // 4
    between = items[head : len(items) - tail]
    step = max(1, len(between) // (most - head - tail))
    return [*items[:head], *between[::step][: most - head - tail], *items[len(items) - tail :]]
