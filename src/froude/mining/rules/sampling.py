"""Which calls of a template are looked at first where it has many.

A rule that holds at all calls holds at some of them, so it is searched for at some, held against all, and searched for
again with those that contradict it: counterexample-guided search (Solar-Lezama 2008, section 3). What that finds is
what a search at all calls would accept; only the search itself costs less.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import chain, islice

from froude.mining.rules.bulk_rules import cases_of
from froude.mining.rules.doubtful_rules import Doubt, replaced
from froude.mining.rules.evidence import Column
from froude.mining.rules.sources import Sources
from froude.mining.shape.structure import Occurrence
from froude.workload.types import Cases, Generated, Rule, Unknown

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
        most: how many, about; 4 or more.
    """
    if len(items) <= most:
        return list(items)
    head, tail = most // 2, most // 4
    between = items[head : len(items) - tail]
    step = max(1, len(between) // (most - head - tail))
    return [*items[:head], *between[::step][: most - head - tail], *items[len(items) - tail :]]


def searched(
    search: Callable[[Column], Rule | None],
    column: Column,
    sources: Sources,
    doubts: list[Doubt],
    by_nature: Callable[[Column], Rule],
) -> Rule | None:
    """The rule of a long column, searched for at some of its calls and held against all.

    Args:
        search: finds the rule of a column.
        by_nature: the rule of a part of the calls that no other rule explains.

    Returns:
        What the search would find at all calls; None for nothing.
    """
    before = len(doubts)
    chosen = column.occurrences.known("sample", lambda: sample(column.occurrences))
    for _ in range(SEARCHES):
        some = column.only(chosen)
        rule = search(some)
        if rule is None or isinstance(rule, Generated | Unknown):
            del doubts[before:]
            return None
        closed: list[tuple[Rule, list[int]]] = [(rule, list(range(len(column.values))))]
        open_: list[tuple[Rule, list[int]]] = []
        if not sources.holds(rule, some):  # in part drawn, asked about, or the machine's own
            if not isinstance(rule, Cases):
                break
            holding = {
                id(part)
                for part, at in cases_of(rule, some.occurrences)
                if sources.holds(part, some.only(at))
            }
            parts = cases_of(rule, column.occurrences)
            closed = [each for each in parts if id(each[0]) in holding]
            open_ = [each for each in parts if id(each[0]) not in holding]
        contradicting = list(
            islice(
                chain.from_iterable(
                    (
                        at[place]
                        for place in sources.contradicting(part, column if part is rule else column.only(at))
                    )
                    for part, at in closed
                ),
                CONTRADICTIONS,
            )
        )
        if not contradicting:
            if open_:
                del doubts[before:]
            for part, at in open_:
                rule = replaced(rule, part, by_nature(column.only(at)))
            return rule
        del doubts[before:]
        chosen = sorted({*chosen, *contradicting})
    del doubts[before:]
    return search(column)
