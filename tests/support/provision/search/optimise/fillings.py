"""Random fixed scopes of small servers, and random contents of one server that keep the rules or break them."""

from __future__ import annotations

import math
import random
from dataclasses import replace

from froude.provision.model.instance import Copy, Instance, NetworkRow
from froude.provision.search.optimise.subproblem import ServerKind, Subproblem, subproblem, whole_up
from froude.provision.types import Placement
from tests.support.provision.search.optimise.examples import FEATURES, featured
from tests.support.provision.search.optimise.hand import Filling


def random_scope(dice: random.Random, placement: Placement | None = None) -> Subproblem:
    """A random instance with some features, servers that are soon full, and one choice per dataset."""
    feature = dice.choice([None, *FEATURES])
    made = featured(dice.randint(0, 30), only=feature, placement=placement or dice.choice(list(Placement)))
    instance = _varied_tasks(_small_boxes(made, dice), dice)
    if dice.random() < 0.5:
        instance = _two_phases(instance, dice)
    return subproblem(instance, [(dice.randrange(len(d.choices)),) for d in instance.datasets])


def random_filling(sub: Subproblem, kind: ServerKind, dice: random.Random, most: float) -> Filling:
    """Something that a server of a kind may hold or not: half of it keeps the rules, the rest breaks some."""
    instance, copies, tasks = sub.instance, {}, {}
    for dataset, choice in enumerate(sub.choices):
        for place, copy in enumerate(instance.datasets[dataset].choices[choice].copies):
            units = dice.randint(0, 3) if kind.host or dice.random() < 0.05 else 0
            share = min(
                most, copy.most_share, dice.choice([0.3, 0.7, 0.999, 1.02]) * units / max(copy.need, 0.01)
            )
            if sub.uniform:
                units = min(units, math.floor(most * copy.min_units))
                share = units / copy.min_units
            copies[dataset, place] = (units, share)
    for task in sub.tasks:
        wanted, largest = sub.instances(task), min(most, instance.tasks[task].most_share)
        number = dice.randint(0, 3) if sub.runs(task, kind) or dice.random() < 0.05 else 0
        share = min(largest, dice.choice([0.5, 0.999, 1.02]) * number / wanted)
        # no more instances than a share asks for: the program has no room for useless ones
        number = min(number, whole_up(wanted * share))
        if sub.uniform:
            number = min(number, math.floor(most * wanted))
            share = number / wanted
        tasks[task] = (number, share)
    return Filling(copies, tasks)


def _small_boxes(instance: Instance, dice: random.Random) -> Instance:
    """With servers that random contents fill: each limit is in the way of some."""
    copies = [copy for dataset in instance.datasets for choice in dataset.choices for copy in choice.copies]
    flow = max(sum(needed.nic_bytes) for needed in (*copies, *instance.tasks))
    width = max(sum(copy.bus_bytes) for copy in copies)
    servers = (
        replace(
            server,
            cores=dice.randint(1, 3),
            nic=flow * dice.choice([0.3, 1.0, 9.0]),
            slots=tuple(min(slots, dice.randint(1, 6)) for slots in server.slots),
            bus_bandwidth=tuple(width * dice.choice([0.3, 1.0, 9.0]) for _ in server.slots),
        )
        for server in instance.servers
    )
    return replace(instance, servers=tuple(servers))


def _varied_tasks(instance: Instance, dice: random.Random) -> Instance:
    """With some tasks without memory or work for cores, and some that need much of both."""
    tasks = (
        replace(
            task,
            memory=task.memory * dice.choice([0, 1, 4]),
            cores=tuple(cores * factor for cores in task.cores),
        )
        for task, factor in zip(instance.tasks, dice.sample([0, 1, 1, 3], 2), strict=True)
    )
    return replace(instance, tasks=tuple(tasks))


def _two_phases(instance: Instance, dice: random.Random) -> Instance:
    """With the second task in a phase of its own."""

    def parted(copy: Copy) -> Copy:
        part = dice.random()
        both = [
            (flows[0] * part, flows[0] * (1 - part)) if flows else ()
            for flows in (copy.bus_bytes, copy.nic_bytes, copy.cores)
        ]
        return replace(copy, bus_bytes=both[0], nic_bytes=both[1], cores=both[2])

    datasets = []
    for dataset in instance.datasets:
        choices = []
        for choice in dataset.choices:
            local = choice.local and replace(choice.local, bus_bytes=(0.0, *choice.local.bus_bytes))
            choices.append(replace(choice, copies=tuple(map(parted, choice.copies)), local=local))
        datasets.append(replace(dataset, choices=tuple(choices)))
    first, second = instance.tasks
    return replace(
        instance,
        phases=("serve", "sort"),
        network_rows=(NetworkRow(0, "both"), NetworkRow(1, "both")),
        datasets=tuple(datasets),
        tasks=(
            replace(first, nic_bytes=(*first.nic_bytes, 0.0)),
            replace(second, phase=1, nic_bytes=(0.0, *second.nic_bytes)),
        ),
    )
