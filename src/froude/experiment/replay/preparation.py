"""What a run of kind `dyno` is played on, read and made ready: image, blocks, load, accounts.

A log names users and no groups. Each user is put into the group of its own name and into every group that it owns
something with, in the image or in the log; the owner of `/` in the image is a superuser, as it was. Permissions are
checked, as in production.

Source: org.apache.hadoop.security.Groups (`hadoop.user.group.static.mapping.overrides`).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from froude.base.errors import InputError
from froude.base.files import stated_os_errors
from froude.base.progress import Progress
from froude.base.seeds import Seeds
from froude.base.summary import counted
from froude.base.units import parse_zone
from froude.emulation.programs.audit.lines import Client, Head
from froude.emulation.settings import Leftovers, Mode
from froude.experiment.replay.block_lists import open_block_lists, write_block_lists
from froude.experiment.replay.growth import Growth, plan_growth, unused_mark
from froude.experiment.replay.image import Replayed, profile_of, read_image, replayed_image
from froude.experiment.replay.made_log import Asked, made_log
from froude.experiment.replay.recorded_load import (
    SWITCHES,
    lines_of,
    make_ready,
    make_trace_ready,
    replay_plan,
)
from froude.experiment.replay.rounds import Rounds
from froude.experiment.scenario.options import PlayOptions
from froude.experiment.scenario.replay_options import ReplayedDatanodes, ReplayLoad
from froude.experiment.scenario.scenario import DynoScenario
from froude.hadoop.audit.text import line_text
from froude.hadoop.fsimage.block_lists import Cluster
from froude.hadoop.fsimage.copies import rows_of
from froude.hadoop.fsimage.namespace import ROOT_ID, Namespace
from froude.hadoop.fsimage.placement import Topology
from froude.hadoop.fsimage.replicas import fullest_storage
from froude.hadoop.fsimage.saving import transaction_of
from froude.hadoop.release.distribution import Hadoop
from froude.render.format import size
from froude.trace.audit.cut import Cut
from froude.trace.audit.files import AuditLog, open_audit
from froude.trace.files import read_trace
from froude.trace.importers.audit_log import import_audit
from froude.trace.importers.audit_pieces import Options
from froude.trace.importers.image_cut import cut_by_edits, cut_by_namespace
from froude.workload.plan import Plan

_SUPERUSERS = "supergroup"
_SEPARATORS = frozenset(";,= \t\n")
_MODE_BITS = 16
_ACCOUNTS = (
    "Permissions are checked. Each user is in the group of its own name, and in those that it owns something with in "
    "the image; the owner of / is a superuser."
)


class _Options(PlayOptions):
    """Those of a scenario whose blocks were laid down for this run."""

    scenario: DynoScenario

    def kept(self, folder: Path) -> str:
        """The scenario as it was asked for."""
        return self.scenario.kept(folder)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Inputs that were read and made ready, for one run or for several that have them in common."""

    plan: Plan
    datanodes: ReplayedDatanodes
    """With the blocks that they hold."""
    image: Path | None
    """Alone: what edits hold behind it is in the log, too."""
    properties: dict[str, str]
    """Of the NameNode: the accounts of the log."""

    def options(self, scenario: DynoScenario) -> PlayOptions:
        """How a scenario is played on these inputs.

        Args:
            scenario: one of the same `inputs_of`.
        """
        ours = self.datanodes
        datanodes = scenario.nodes.datanodes.replaced(
            blocks=ours.blocks,
            count=ours.count,
            storages=ours.storages,
            capacity_bytes=max(ours.capacity_bytes, scenario.nodes.datanodes.capacity_bytes),
        )
        asked: dict[str, Any] = {name: getattr(scenario, name) for name in PlayOptions.model_fields}
        nodes = scenario.nodes.replaced(datanodes=datanodes)
        return _Options(**{**asked, "nodes": nodes, "scenario": scenario})


@dataclass(frozen=True, slots=True)
class _Load:
    """A load that was made ready for players."""

    head: Head
    remarks: tuple[str, ...]
    sources: tuple[str, ...] = ()
    """Ids of what it was recorded from."""


def prepare(scenario: DynoScenario, hadoop: Hadoop, scratch: Path, progress: Progress) -> Prepared:
    """Read the image, lay down its blocks, read the load.

    Args:
        scratch: an empty folder, which stays while it is played.

    Raises:
        InputError: one of the inputs is not what it should be.
    """
    remarks = [*_made_up(scenario), *([] if scenario.target.running else [_ACCOUNTS])]
    place = replayed_image(scenario, hadoop, _folder(scratch, "image"), progress)
    if place is not None:
        place.check_room(scenario.nodes.datanodes.count)
    cut = _cut(scenario, place, hadoop, progress)
    log = None if scenario.load.trace else _log(scenario, place, cut, scratch, progress)
    growing = scenario.load.growth
    if place is not None and growing.namespace > 1:
        with progress.task("Writing the grown namespace"):
            place, grown = place.grown(growing.namespace, _folder(scratch, "namespace"))
        remarks.append(grown)
    growth: Growth | None = None
    if log is not None and growing.clients > 1:
        with progress.task("Looking which clients belong together"):
            growth = plan_growth(
                log, growing.clients, None if place is None else place.namespace, scenario.seed
            )
        if place is not None:
            with progress.task("Writing the grown image"):
                place = _with_copies(place, growth, _folder(scratch, "grown"))
    datanodes = _placed(scenario, place, scratch, remarks, progress)
    with progress.task("Making the load ready"):
        ready = scratch / "lines.json"
        if log is None:
            load = _of_trace(scenario.load, cut, hadoop, ready)
        else:
            namespace = None if place is None else place.namespace
            load = _of_log(log, growth, ready, _rounds(scenario.load, log, growth, namespace))
    plan = replay_plan(
        ready,
        load.head,
        datanodes=datanodes.count,
        remarks=[*load.remarks, *remarks],
        sources=load.sources,
    )
    properties = _accounts(load.head, None if place is None else place.namespace)
    return Prepared(plan, datanodes, None if place is None else place.image, properties)


def _made_up(scenario: DynoScenario) -> list[str]:
    """What was nobody's."""
    profile, made = profile_of(scenario.namespace), scenario.load.made
    said = (
        []
        if profile is None
        else [f"The namespace was made up from {profile.name}, with seed {scenario.seed}."]
    )
    if made.rate is not None:
        said.append(
            f"The log was made up, with seed {scenario.seed}: {counted(made.clients, 'client')}, {made.rate:g} lines a "
            f"second for {made.duration_s:g} s, {made.changes:.0%} of them changes. It is nobody's load."
        )
    return said


def _folder(scratch: Path, name: str) -> Path:
    folder = scratch / name
    folder.mkdir()
    return folder


def _cut(scenario: DynoScenario, place: Replayed | None, hadoop: Hadoop, progress: Progress) -> Cut | None:
    """Where the load begins behind the image; None where it is not cut, or one of the two was made up."""
    load = scenario.load
    made = scenario.namespace.profile is not None or load.made.rate is not None
    if place is None or not load.cut or load.imported or made:
        return None
    with progress.task("Looking where the log is to be cut"):
        if load.edits is None:
            return cut_by_namespace(place.opened, place.schema, place.namespace)
        return cut_by_edits(place.image, load.edits, place.schema, hadoop)


def _with_copies(place: Replayed, growth: Growth, scratch: Path) -> Replayed:
    """The image with what the copies of clients need."""
    image = scratch / f"fsimage_{transaction_of(place.image):019d}"
    growth.write_image(place.opened, place.namespace, place.schema, image)
    return read_image(image, place.schema, scratch)


def _rounds(
    load: ReplayLoad, log: AuditLog, growth: Growth | None, namespace: Namespace | None
) -> Rounds | None:
    """What the log does when it begins again; None where it does not."""
    if load.mode is Mode.ONCE:
        return None
    lines = log.lines() if growth is None else replace(growth, made=Counter()).lines()
    mark = unused_mark(log, namespace) + (growth.mark if growth is not None else "")
    return Rounds.of(
        lines_of(lines, [], Path()),
        mark,
        lambda paths: None if namespace is None else rows_of(namespace, paths),
        removes=load.leftovers is Leftovers.REMOVE,
    )


def _of_log(log: AuditLog, growth: Growth | None, path: Path, rounds: Rounds | None) -> _Load:
    lines = log.lines() if growth is None else growth.lines()
    head = make_ready(lines, path, rounds)
    cut = [f"The log was cut {log.meta.cut}."] if log.meta.cut else []
    remarks = [*cut, *(growth.remarks() if growth is not None else ())]
    return _Load(head, (*remarks, *(rounds.remarks() if rounds is not None else ())))


def _of_trace(load: ReplayLoad, cut: Cut | None, hadoop: Hadoop, path: Path) -> _Load:
    assert load.trace is not None  # there is no log
    trace = read_trace(load.trace)
    try:
        ready = make_trace_ready(trace, path, cut)
    except InputError as error:
        error.file = error.file or str(load.trace)
        raise
    released = trace.meta.release
    other = f"The Trace is of release {released}." if released not in {"", hadoop.version} else ""
    said = (*ready.remarks, *([other] if other else ()))
    return _Load(ready.head, said, (trace.meta.source_id,) if trace.meta.source_id else ())


def _placed(
    scenario: DynoScenario, place: Replayed | None, scratch: Path, remarks: list[str], progress: Progress
) -> ReplayedDatanodes:
    """DataNodes with the blocks of the image; a remark where they got more room."""
    datanodes = scenario.nodes.datanodes
    if place is not None and datanodes.blocks is None and datanodes.count:
        with progress.task("Placing its blocks"):
            topology = Topology(datanodes.count, datanodes.racks)
            cluster = Cluster(topology, ("DISK",) * datanodes.storages)
            write_block_lists(scratch / "blocks", place.namespace, place.known, cluster, seed=scenario.seed)
        datanodes = datanodes.replaced(blocks=scratch / "blocks")
    if datanodes.blocks is None:
        return datanodes
    held = _with_room(datanodes)
    if held.capacity_bytes > datanodes.capacity_bytes:
        remarks.append(
            f"The fullest storage holds {size(held.capacity_bytes // 2)}; all have been given a capacity of "
            f"{size(held.capacity_bytes)}, so that there is room."
        )
    return held


def _with_room(datanodes: ReplayedDatanodes) -> ReplayedDatanodes:
    """DataNodes as many and as large as the lists of their blocks want."""
    lists = open_block_lists(datanodes.blocks or Path())
    return datanodes.replaced(
        count=lists.cluster.topology.nodes,
        storages=len(lists.cluster.storages),
        capacity_bytes=max(datanodes.capacity_bytes, 2 * fullest_storage(lists.lists)),
    )


def _accounts(head: Head, namespace: Namespace | None) -> dict[str, str]:
    groups: dict[str, set[str]] = {}
    superusers: list[str] = []
    if namespace is not None:
        groups, owner = owners(namespace)
        superusers = [owner]
    switches = dict(pair for command in head.commands for pair in SWITCHES.get(command, {}).items())
    return {**switches, **account_properties(head.clients, groups, superusers)}


def _log(
    scenario: DynoScenario, place: Replayed | None, cut: Cut | None, scratch: Path, progress: Progress
) -> AuditLog:
    """The log, as it was imported, or imported here and cut at the image; or made up."""
    load = scenario.load
    if load.imported:
        if len(load.audit_log) > 1 or load.edits is not None:
            raise InputError(
                "is an imported log, which is whole and cut already",
                file=load.audit_log[0],
                allowed="it alone, without edits",
            )
        return open_audit(load.audit_log[0])
    options, files = Options(zone=parse_zone(load.time_zone)), load.audit_log
    if load.made.rate is not None:
        assert place is not None  # such a scenario has an image
        made, files, options = load.made, (scratch / "hdfs-audit.log",), Options()
        asked = Asked(made.rate or 0.0, made.duration_s, made.clients, made.changes)
        rng = random.Random(Seeds(scenario.seed).child("log").value)
        with progress.task("Making up a log"):
            _write(files[0], map(line_text, made_log(place.namespace, asked, rng)))
    try:
        return import_audit(files, scratch / "audit", options, cut=cut, progress=progress)
    except InputError as error:
        if error.file == str(scratch / "audit"):  # which nobody has named
            error.file = ", ".join(map(str, load.audit_log))
        raise


def _write(path: Path, lines: Iterable[str]) -> None:
    with stated_os_errors(path), path.open("w", encoding="utf-8") as file:
        file.writelines(lines)


def account_properties(
    clients: Iterable[Client], groups: Mapping[str, Set[str]], superusers: Iterable[str] = ()
) -> dict[str, str]:
    """The properties of a NameNode that knows the users of a log.

    Args:
        groups: by user, as far as they are known.
        superusers: users that may do everything.
    """
    clients = list(clients)
    members = {client.user: {client.user} for client in clients}
    for user, known in groups.items():
        members.setdefault(user, {user}).update(known)
    for user in superusers:
        members.setdefault(user, {user}).add(_SUPERUSERS)
    mapping = ";".join(
        f"{user}={','.join(sorted(filter(_plain, names)))}"
        for user, names in sorted(members.items())
        if _plain(user)
    )
    real_users = {client.real_user for client in clients if client.real_user is not None}
    proxies = {
        f"hadoop.proxyuser.{user}.{what}": "*" for user in sorted(real_users) for what in ("hosts", "groups")
    }
    return {
        "hadoop.user.group.static.mapping.overrides": mapping,
        "dfs.permissions.superusergroup": _SUPERUSERS,
        **proxies,
    }


def owners(namespace: Namespace) -> tuple[dict[str, set[str]], str]:
    """Of an image: by user, the groups that it owns something with; and who owns `/`. O(inodes)."""
    permissions = namespace.column("permission").astype(np.uint64)
    groups: dict[str, set[str]] = {}
    for permission in np.unique(permissions >> np.uint64(_MODE_BITS)).tolist():
        whole = permission << _MODE_BITS
        groups.setdefault(namespace.strings.user(whole), set()).add(namespace.strings.group(whole))
    root = int(np.flatnonzero(namespace.column("id") == ROOT_ID)[0])
    return groups, namespace.strings.user(int(permissions[root]))


def _plain(name: str) -> bool:
    """Whether the mapping can say a name."""
    return bool(name) and not _SEPARATORS & set(name)
