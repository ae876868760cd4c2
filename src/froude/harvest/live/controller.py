"""One minute after the other of a daemon that harvests: what it was told → what it changes; nothing is sent here."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from froude.base.errors import GuardError, InputError
from froude.base.seeds import Seeds
from froude.harvest.classify.classes import Grouping, classify
from froude.harvest.classify.patterns import DAY_S
from froude.harvest.live.changes import (
    Carrier,
    class_changes,
    class_labels,
    remembered,
    require_memory,
    resource_changes,
    together,
)
from froude.harvest.live.choosing import Choice, LastRun, Request, choose, fitted_thresholds, remembered_run
from froude.harvest.live.classes import classes_of, rooms_of
from froude.harvest.live.history import History
from froude.harvest.live.service_file import Known
from froude.harvest.live.types import RUNNING, Changes, ClusterState, Prior
from froude.harvest.live.usage import Reserve, Usage, usage_of
from froude.harvest.schedule.selection import ClassRoom, Policy, Thresholds

_MOST_IDS = 100


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a daemon was allowed and told to do."""

    address: str
    """Of the ResourceManager's web server."""
    resources: bool = False
    """Whether nodes give containers what their primary tenants leave."""
    carrier: Carrier | None = None
    """What carries classes; None where nodes are not told."""
    queues: bool = True
    """Whether capacities of queues may be changed for labels."""
    forecast: bool = False
    """Whether nodes take no more containers than the next hour is expected to leave."""
    reserve: Reserve = field(default_factory=Reserve)
    reclassify_s: float = DAY_S
    """From one classification to the next."""
    grouping: Grouping = field(default_factory=Grouping)
    thresholds: Thresholds | None = field(default_factory=Thresholds)
    """Of jobs' types; None works them out of how jobs ran."""


@dataclass(frozen=True, slots=True)
class Step:
    """What follows from a look at the cluster."""

    changes: Changes
    prior: Prior | None
    """What was there before any change, these included: to be written before they are made."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """The cluster as jobs are placed by it; replaced as a whole."""

    rooms: tuple[ClassRoom, ...] = ()
    thresholds: Thresholds = field(default_factory=Thresholds)
    at_s: float = 0.0
    """When it was seen, seconds since 1970; 0 for never."""
    nodes: int = 0
    labels: bool = False
    """Whether nodes carry their classes as labels, or are given them."""
    tagged: bool = False
    """Whether they do as attributes."""


class Controller:
    """Classes, resources and choices of one cluster over time."""

    def __init__(
        self,
        wanted: Wanted,
        history: History,
        seeds: Seeds,
        *,
        draws: random.Random | None = None,
        known: Known | None = None,
        prior: Prior | None = None,
    ) -> None:
        """Nothing was seen yet.

        Args:
            draws: of jobs' classes; None for those of the seeds.
            prior: what was there before the first change of an earlier life.
        """
        self._wanted, self.history, self._seeds = wanted, history, seeds
        self.known = known or Known()
        """To be written: how it goes on in the next life."""
        self.prior = prior
        """What was there before any change; None before the first."""
        self.view = View()
        """As it was seen last."""
        self._policy = Policy(reserve_cpu=wanted.reserve.cpu, reserve_memory=wanted.reserve.memory)
        self._rng = draws or seeds.child("select").random()
        self._failed_s = -float("inf")

    def poll(
        self,
        state: ClusterState,
        now_s: float,
        *,
        measured: Mapping[str, Usage] | None = None,
        waiting: int = 0,
        earlier: frozenset[str] = frozenset(),
    ) -> Step:
        """Look at the cluster.

        Args:
            now_s: seconds since 1970.
            measured: by node or host, what primary tenants use; None takes what nodes report.
            waiting: containers that applications wait for; while there are any, what is free now counts and no forecast.
            earlier: start times in the names of the applications that the ResourceManager knows
                (`ResourceManager.stamps`); needed where it was started again.

        Raises:
            GuardError: nothing shows that it is the cluster of before, or another memory of it is in use.
        """
        running, notes = self._recognise(state, earlier)
        if self._wanted.carrier is not None or self._wanted.resources:
            require_memory(self._wanted.address, state, self.prior)
        own_of = {} if self.prior is None else self.prior.resources
        self.history.add(now_s, _shares(state, measured))
        notes += self._classified(now_s)
        parts = []
        if self._wanted.carrier is not None:
            labelled = class_labels(self.known.classes, state, self.prior)
            parts.append(class_changes(state, labelled, self._wanted.carrier, queues=self._wanted.queues))
        if self._wanted.resources:
            soon = self.history.expected(now_s) if self._wanted.forecast and not waiting else None
            parts.append(resource_changes(state, self.prior, self._wanted.reserve, measured, soon))
        changes = together(*parts)
        if changes:
            self.prior = remembered(self._wanted.address, state, changes, self.prior)
        rooms = tuple(rooms_of(self.known.classes, state, own_of, measured))
        names, carrier = {each.name for each in self.known.classes.known}, self._wanted.carrier
        self.view = View(
            rooms,
            self._thresholds(rooms),
            now_s,
            len(running),
            carrier in {Carrier.LABELS, Carrier.BOTH} or any(node.label in names for node in state.nodes),
            carrier in {Carrier.ATTRIBUTES, Carrier.BOTH}
            or any(node.attribute in names for node in state.nodes),
        )
        return Step(changes, self.prior, notes)

    def choose(self, request: Request) -> Choice:
        """Where a job shall run, as the cluster was seen last."""
        view = self.view
        found = choose(
            view.rooms,
            request,
            self.known.last,
            policy=self._policy,
            thresholds=view.thresholds,
            rng=self._rng,
        )
        return replace(found, labels=view.labels, tagged=view.tagged)

    def ran(self, job: str, run: LastRun) -> None:
        """Remember how a job ran."""
        self.known = replace(self.known, last=remembered_run(self.known.last, job, run))

    def accept(self, identity: str, earlier: frozenset[str] = frozenset()) -> None:
        """Take a ResourceManager for the one of before, started again.

        Args:
            earlier: start times in the names of the applications that it knows.
        """
        if identity != self.known.id:
            if self.prior is not None and self.prior.id == self.known.id:
                self.prior = self.prior.replaced(id=identity)
            lives = dict.fromkeys([*self.known.ids, *sorted(earlier)])
            lives.pop(identity, None)
            self.known = replace(self.known, ids=(*lives, identity)[-_MOST_IDS:])

    def _recognise(
        self, state: ClusterState, earlier: frozenset[str]
    ) -> tuple[frozenset[str], tuple[str, ...]]:
        """The nodes that run, if it is the cluster of before, perhaps with a ResourceManager that was started again.

        A ResourceManager that recovers its state still knows applications that it named in an earlier life. Names of
        nodes are no proof: those of a test cluster are often a copy.
        """
        running = frozenset(node.id for node in state.nodes if node.state == RUNNING)
        before = self.known.id
        notes: tuple[str, ...] = ()
        if before and state.id != before:
            if earlier.isdisjoint(self.known.ids):
                raise GuardError(
                    "is not the ResourceManager of before, or was started again without its applications",
                    file=self._wanted.address,
                    found=state.id,
                    allowed=before,
                    remedy=f"Nothing was changed. {len(running & self.known.nodes)} of its {len(running)} nodes have "
                    f"names that were seen before. If it is the one that is meant, say --target-is {state.id}",
                )
            notes = (f"the ResourceManager was started again: {state.id}, before {before}",)
        self.accept(state.id, earlier)
        if not running <= self.known.nodes:
            self.known = replace(self.known, nodes=self.known.nodes | running)
        return running, notes

    def _classified(self, now_s: float) -> tuple[str, ...]:
        """Make classes anew where it is time; a history that is too short is tried again after an hour."""
        due = max(self.known.classified_s + self._wanted.reclassify_s, self._failed_s + 3600.0)
        if now_s < due:
            return ()
        datacenter = self.history.to_classify()
        try:
            found = classify(datacenter, self._seeds.child("classes"), self._wanted.grouping)
        except InputError as error:
            self._failed_s = now_s
            return (f"no classes yet: {error}",)
        before = self.known.classes
        classes = classes_of(datacenter, found, before if before.known else None)
        moved = sum(before.of_server.get(server, name) != name for server, name in classes.of_server.items())
        self.known = replace(self.known, classes=classes, classified_s=now_s)
        return (f"{len(classes.known)} classes of {len(classes.of_server)} servers; {moved} changed theirs",)

    def _thresholds(self, rooms: tuple[ClassRoom, ...]) -> Thresholds:
        if self._wanted.thresholds is not None:
            return self._wanted.thresholds
        return fitted_thresholds(self.known.last, rooms, self._policy) or Thresholds()


def _shares(state: ClusterState, measured: Mapping[str, Usage] | None) -> dict[str, float]:
    """CPU of primary tenants by node and host, whichever the history knows."""
    if measured is not None:
        return {server: used.cpu_share for server, used in measured.items()}
    shares = {}
    for node in state.nodes:
        used = usage_of(node) if node.state == RUNNING else None
        if used is not None:
            shares[node.id] = shares[node.host] = used.cpu_share
    return shares
