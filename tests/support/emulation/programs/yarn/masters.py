"""Calls of a mined application master, by kind."""

from __future__ import annotations

from dataclasses import replace

from froude.base.seeds import Seeds
from froude.emulation.programs.registry import populate
from froude.emulation.programs.yarn.masters import Masters
from froude.workload.types import Generated, Periodic
from testbed.recorded import schema
from tests.support.emulation.yarn_plans import SETTINGS, plan


def near(hosts: str) -> Masters:
    """The same, whose asks for nodes follow from where the client's input lies."""
    planned = plan(nodes=3, jobs=2, maps=4)
    rule = Generated("container-asks", {"input": "client.report", "hosts": hosts})

    def change(periodic: Periodic) -> Periodic:
        arguments = periodic.call.arguments | {"ask[node1-20].num_containers": rule}
        return replace(periodic, call=replace(periodic.call, arguments=arguments))

    types = tuple(
        replace(each, periodic=tuple(map(change, each.periodic))) if each.name == "am" else each
        for each in planned.workload.node_types
    )
    planned = replace(planned, workload=replace(planned.workload, node_types=types))
    population = populate(planned, schema(), seeds=Seeds(1), settings=SETTINGS)
    return Masters(population.types["am"], population)
