"""The choice under constraints: Algorithm 2, its variants, and random placement, which has none.

A row may hold `count // rows + 1` of a block's replicas when `count` are placed, so that rows are free again after
each third one (Algorithm 2 "forgets" them then) and survivors count as placed when a block is repaired. Candidates are
drawn until one fits; after a number of misses all are weighed with just the chances that drawing gives them.

The first `count` servers of `taken` have the block's other replicas, here and in `stock`.
"""

from __future__ import annotations

from froude.base.machine_code import shared
from froude.harvest.place.rules import COLUMN, ENVIRONMENT, RACK, ROW, Rules
from froude.harvest.place.targets import Chance, Numbers, Targets

TRIES = 24
"""Draws before all candidates are looked at; no matter for the chances, only for time."""


@shared
def choose_distinct(targets: Targets, rules: Rules, taken: Numbers, count: int, chance: Chance) -> int:
    """A server for the next replica; -1 where none may have it."""
    for level in range(len(rules.masks)):
        server = _choose_under(targets, rules, taken, count, rules.masks[level], chance)
        if server >= 0:
            if level > 0:
                _note(targets, rules, taken, count, server)
            return server
    return -1


@shared
def _choose_under(  # noqa: PLR0917 - compiled functions take no keywords cheaply
    targets: Targets, rules: Rules, taken: Numbers, count: int, mask: int, chance: Chance
) -> int:
    shut = _shut_cells(targets, rules, taken, count, mask)
    while True:
        cell = _draw_cell(targets, rules, shut, chance)
        if cell < 0:
            return -1
        server = _draw_server(targets, cell, taken, count, mask, chance)
        if server >= 0:
            return server
        shut |= 1 << cell


@shared
def _shut_cells(targets: Targets, rules: Rules, taken: Numbers, count: int, mask: int) -> int:
    """Classes, as bits, whose row or column holds as many replicas as it may."""
    shut = 0
    if mask & ROW:
        most = count // rules.rows
        for place in range(count):
            row = targets.row[taken[place]]
            if most == 0 or _repeated(targets.row, taken, count, row) > most:
                shut |= rules.row_bits[row]
    if mask & COLUMN:
        most = count // rules.columns
        for place in range(count):
            column = targets.column[taken[place]]
            if most == 0 or _repeated(targets.column, taken, count, column) > most:
                shut |= rules.column_bits[column]
    return shut


@shared
def _repeated(attribute: Numbers, taken: Numbers, count: int, value: int) -> int:
    same = 0
    for place in range(count):
        if attribute[taken[place]] == value:
            same += 1
    return same


@shared
def _draw_cell(targets: Targets, rules: Rules, shut: int, chance: Chance) -> int:
    """A class that is not shut and has space; -1 where there is none."""
    cells = len(targets.cell_open)
    if cells == 1:
        return -1 if shut or targets.cell_open[0] == 0 else 0
    if not rules.by_servers:
        full = (1 << cells) - 1
        while shut != full:
            cell = int(chance.random() * cells)
            if not shut >> cell & 1:
                if targets.cell_open[cell] > 0:
                    return cell
                shut |= 1 << cell
        return -1
    total = 0
    for cell in range(cells):
        if not shut >> cell & 1:
            total += targets.cell_servers[cell]
    left = int(chance.random() * total)
    for cell in range(cells):
        if not shut >> cell & 1:
            left -= targets.cell_servers[cell]
            if left < 0:
                return cell
    return -1


@shared
def _draw_server(  # noqa: PLR0917 - as above
    targets: Targets, cell: int, taken: Numbers, count: int, mask: int, chance: Chance
) -> int:
    """A group of the class, and a server of it; both again where the server does not fit."""
    first, groups = targets.cell_start[cell], targets.cell_open[cell]
    for _ in range(TRIES):
        group = targets.groups[first + int(chance.random() * groups)]
        place = targets.group_start[group] + int(chance.random() * targets.group_open[group])
        server = targets.servers[place]
        if fits(targets, taken, count, mask, server):
            return server
    return _weigh(targets, cell, taken, count, mask, chance)


@shared
def fits(targets: Targets, taken: Numbers, count: int, mask: int, server: int) -> bool:
    """Whether a server is none of the others, and of no environment or rack of theirs as far as the mask says so."""
    for place in range(count):
        other = taken[place]
        if server == other:
            return False
        if mask & ENVIRONMENT and targets.environment[server] == targets.environment[other]:
            return False
        if mask & RACK and targets.rack[server] == targets.rack[other]:
            return False
    return True


@shared
def _weigh(  # noqa: PLR0917 - as above
    targets: Targets, cell: int, taken: Numbers, count: int, mask: int, chance: Chance
) -> int:
    """The same choice as drawing until one fits, by looking at all; -1 where none does."""
    total = _share(targets, cell, taken, count, mask, -1.0)[0]
    if total == 0.0:
        return -1
    return _share(targets, cell, taken, count, mask, chance.random() * total)[1]


@shared
def _share(  # noqa: PLR0917 - as above
    targets: Targets, cell: int, taken: Numbers, count: int, mask: int, goal: float
) -> tuple[float, int]:
    """The weight of those that fit up to a goal (below 0: all), and the last of them."""
    weight, last = 0.0, -1
    for number in range(targets.cell_start[cell], targets.cell_start[cell] + targets.cell_open[cell]):
        group = targets.groups[number]
        first, size = targets.group_start[group], targets.group_open[group]
        for place in range(first, first + size):
            server = targets.servers[place]
            if fits(targets, taken, count, mask, server):
                weight += 1.0 / size
                last = server
                if 0.0 <= goal < weight:
                    return weight, last
    return weight, last


@shared
def _note(targets: Targets, rules: Rules, taken: Numbers, count: int, server: int) -> None:
    """Count the constraints that a relaxed choice breaks."""
    demanded = rules.masks[0]
    if demanded & ENVIRONMENT:
        targets.relaxed[0] += _repeated(targets.environment, taken, count, targets.environment[server]) > 0
    if demanded & RACK:
        targets.relaxed[1] += _repeated(targets.rack, taken, count, targets.rack[server]) > 0
    if demanded & ROW:
        row = targets.row[server]
        targets.relaxed[2] += _repeated(targets.row, taken, count, row) > count // rules.rows
    if demanded & COLUMN:
        column = targets.column[server]
        targets.relaxed[3] += _repeated(targets.column, taken, count, column) > count // rules.columns
