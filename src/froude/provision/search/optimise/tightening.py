"""Rows that a master of few servers lacks: a part of a server holds no more than that part of a whole one could.

Contents summed per kind let a tenth of a large server stand for all that a cluster needs, for a tenth of its price:
one server has room for ten such clusters. But no server holds more than all there is, so that a tenth of one holds
a tenth of it at most. Every cluster keeps these rows (each server holds at most all of a copy, and runs at most all
of a task; summed over the servers of a kind they are the rows), so that bounds with them hold as those without. They
close no gap where one server more or less is nothing, and most of it where there is a handful.

Of a catalog with 511 types that are needed they take the gap after 20 s from 50 % to 3.3 % at 8 servers and from 15 % to
1.3 % at 163, where the cluster found costs 2.8 % less, too (docs/design/2026-11-22-provision-sorted.md).

Source: variable upper bounds, as in the strong form of facility location (Balinski, 1965).
"""

from __future__ import annotations

from froude.provision.search.optimise.highs import Program
from froude.provision.search.optimise.master import Master
from froude.provision.search.optimise.server_rows import ServerVariables
from froude.provision.search.optimise.subproblem import Subproblem


def tighten(master: Master) -> None:
    """Add the rows; O(kinds * (copies + tasks)).

    Args:
        master: one with counts of servers per kind, about a whole cluster (nothing `placed`).
    """
    for variables in master.kinds:
        if variables.count is not None:
            label = master.program.variable_names[variables.count].removesuffix(":count")
            hold_parts(master.program, master.sub, variables, label)


def hold_parts(program: Program, sub: Subproblem, variables: ServerVariables, label: str) -> None:
    """Add the rows of one kind, or of one server.

    Only one choice of a dataset is made, so that the parts of its copies under all choices add up to one at most;
    those of persistent copies and of caches apart.

    Args:
        variables: where the contents of the kind, or of the server, stand in the program.
        label: begins the names of the rows.
    """
    parts: dict[tuple[int, bool], list[tuple[int, float]]] = {}
    for at, variable in variables.load.items():
        item = sub.items[at]
        parts.setdefault((item.dataset, item.copy.cache), []).append((variable, 1.0 / item.scale))
    works = [[(variable, 1.0 / sub.task_scale[task])] for task, variable in variables.work.items()]
    for number, terms in enumerate((*parts.values(), *works)):
        if variables.count is None:
            program.row(f"{label}:part {number}", terms, upper=1.0)
        else:
            program.row(f"{label}:part {number}", [*terms, (variables.count, -1.0)], upper=0.0)


def add_totals(master: Master) -> list[int]:
    """Add how many hosts there are, and how many servers, as whole numbers worth branching on.

    A cluster of few servers has one host or two; the program is indifferent which of fifty types is the first.

    Args:
        master: one with counts of servers per kind.

    Returns:
        Their variables: hosts, servers.
    """
    program, totals = master.program, []
    for name, hosts_only in (("hosts", True), ("servers", False)):
        counts = [
            (variables.count, 1.0)
            for variables in master.kinds
            if variables.count is not None and (variables.kind.host or not hosts_only)
        ]
        total = program.variable(f"number of {name}", upper=master.sub.many, integer=True)
        program.row(f"number of {name}", [*counts, (total, -1.0)], lower=0.0, upper=0.0)
        totals.append(total)
    return totals
