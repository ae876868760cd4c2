"""`froude harvest apply`, `rollback` and `collect`: classes and spare resources on a real ResourceManager."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import GuardError, InputError, TargetError
from froude.base.units import parse_seconds
from froude.cli.harvest import common, managers
from froude.cli.harvest.usage import usage_of_servers

if TYPE_CHECKING:
    from io import FileIO

    from froude.cli.settings import Settings
    from froude.harvest.classify.classes import Classification
    from froude.harvest.live.changes import Carrier
    from froude.harvest.live.resourcemanager import ResourceManager
    from froude.harvest.live.types import Changes, ClusterState, Prior
    from froude.harvest.telemetry.datacenter import Datacenter


def apply(
    ctx: typer.Context,
    resourcemanager: managers.At,
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DATACENTER]", help="Its classes go to the nodes.")
    ] = None,
    resources: managers.Resources = False,
    usage: managers.UsageTable = None,
    reserve: managers.ReserveShares = managers.USUAL_RESERVE,
    keep_queues: managers.KeepQueues = False,
    classes: managers.ClassNumbers = "13,5,5",
    carried: managers.Carried = "labels",
    state: common.PriorState = Path("harvest-state.json"),
    grace: managers.Grace = 0.0,
    target_is: managers.Is = None,
    admin: managers.Admin = None,
    hadoop: managers.Release = None,
    user: common.User = None,
) -> None:
    """Classes and spare resources on a real ResourceManager; shows what it would do unless told.

    A class is a node's label, its attribute, or both. A node has one label: a job asks for one class, and one over
    several is split, or asks by attributes. What was there before is written down first, and `froude harvest
    rollback` brings it back.

    Example: froude harvest apply dc --resourcemanager rm.example.com:8088 --resources
    """
    from froude.cli.outputs import Output, claim
    from froude.harvest.live import changes as wanted
    from froude.harvest.live.prior_file import MIGRATIONS, read_prior

    settings: Settings = ctx.obj
    common.require()
    if folder is None and not resources:
        raise InputError(
            "has nothing to do", place="harvest apply", allowed="DATACENTER, --resources or both"
        )
    claim(settings, [Output(state, MIGRATIONS.kind)], [folder, usage])
    _refuse_running(state)
    if not settings.dry_run:
        ctx.with_resource(managers.only_one(state))
    before = read_prior(state) if state.exists() else None
    measured = None if usage is None else usage_of_servers(usage)
    kept = managers.reserve(reserve)
    classified = None if folder is None else _classified(settings, folder, classes)
    carrier = managers.carrier(carried)
    server = managers.server(settings, resourcemanager, user, admin=admin, hadoop=hadoop)
    now = server.state()
    managers.same(now, before, state)
    wanted.require_memory(server.address, now, before)
    managers.require_labels(server, None if folder is None else carrier)
    parts = []
    if classified is not None:
        parts.append(_labels(settings, *classified, now, carrier, before, keep_queues=keep_queues))
    if resources:
        if before is None:
            settings.note(
                f"note: what nodes give containers now counts as their own, as {state} knows of no change; if another "
                "`apply` or `serve` has changed it, give its --state"
            )
        parts.append(wanted.resource_changes(now, before, kept, measured))
    todo = wanted.together(*parts)
    managers.show(settings, now, todo)
    if not todo or not managers.may(settings, server, now, target_is):
        return
    _carry_out(settings, server, wanted.remembered(server.address, now, todo, before), todo, state, grace)


def rollback(
    ctx: typer.Context,
    state: Annotated[
        Path, typer.Argument(metavar="JSON", help="What `harvest apply` or `place` wrote.")
    ] = Path("harvest-state.json"),
    target_is: managers.IsNow = None,
    grace: managers.Grace = 0.0,
    admin: managers.Admin = None,
    hadoop: managers.Release = None,
    user: common.User = None,
) -> None:
    """What was there before `harvest apply` (resources, labels, attributes, queues) or `harvest place` comes back.

    It does so at once, if it is the cluster that was changed; with --dry-run it shows what would come back.

    Example: froude harvest rollback harvest-state.json
    """
    from froude.cli.harvest import placing
    from froude.documents.recognise import kind_of
    from froude.harvest.live.changes import restoring, unreachable
    from froude.harvest.live.hdfs import prior as hdfs
    from froude.harvest.live.prior_file import read_prior

    settings: Settings = ctx.obj
    if state.exists():
        ctx.with_resource(managers.only_one(state))
    if kind_of(state) == hdfs.MIGRATIONS.kind:
        placing.rollback(settings, state, target_is, user)
        return
    prior = read_prior(state)
    _refuse_running(state)
    # A node that is left out would not come back, and its memory would be removed.
    server = managers.server(settings, prior.address, user, admin=admin, hadoop=hadoop, every_node=True)
    now = server.state()
    if now.id not in {prior.id, target_is}:
        raise GuardError(
            "is not the ResourceManager that was changed, or was started again since",
            file=prior.address,
            found=now.id,
            allowed=prior.id,
            remedy=f"If it is the same cluster, say --target-is {now.id}",
        )
    todo = restoring(prior, now)
    managers.show(settings, now, todo)
    if settings.dry_run:
        settings.note(f"Nothing was changed, and {state} stays")
        return
    server.apply(todo, now.id, grace_s=grace)
    then = server.state()
    left = restoring(prior, then)
    if left:
        raise InputError("did not all come back", file=prior.address, remedy=f"Say it again; {state} is kept")
    lost = unreachable(prior, then)
    if lost:
        raise TargetError(
            "does not change resources of nodes that do not run",
            file=prior.address,
            found=", ".join(lost),
            remedy=f"All else is as it was. Say it again when they run, or are gone; {state} is kept",
        )
    state.unlink()
    settings.out(f"Everything is as it was; {state} is removed")


def collect(
    ctx: typer.Context,
    resourcemanager: managers.At,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="CSV", help="Lines are added to it.")],
    interval: Annotated[str, typer.Option(metavar="TIME", help="From one sample to the next.")] = "2min",
    samples: common.Samples = None,
    user: common.User = None,
) -> None:
    """CPU of the primary tenants of every node, sample by sample, as a table for `harvest import --scale share`.

    Example: froude harvest collect --resourcemanager rm.example.com:8088 -o cpu.csv
    """
    from froude.base.clock import RealClock
    from froude.base.files import refuse_special
    from froude.harvest.live.collector import HEAD, collect

    settings: Settings = ctx.obj
    server = managers.server(settings, resourcemanager, user)
    seconds = parse_seconds(interval, place="--interval")
    if not 1 <= seconds <= 86400:
        raise InputError("is out of range", place="--interval", found=interval, allowed="1 s to 1 day")
    refuse_special(output)
    if not _is_table(output, HEAD.encode()):
        raise InputError(
            "holds something else", file=output, allowed=f"a table that begins with {HEAD.strip()}"
        )
    if settings.dry_run:
        settings.would(f"add samples to {output}")
        return
    number = 0
    failed = lambda error: settings.note(f"note: a sample is missing: {error}")  # noqa: E731 - one line
    for lines in collect(server, RealClock(), interval_s=seconds, samples=samples, failed=failed):
        _append(output, HEAD.encode(), lines.encode())
        number += 1
    settings.emit({"samples": number, "output": str(output)})
    settings.out(f"{number} samples added to {output}")


def _is_table(path: Path, head: bytes) -> bool:
    """Whether lines can be added: there is such a table, or what a write that failed left of its head, or nothing."""
    if not path.exists():
        return True
    with path.open("rb") as file:
        found = file.read(len(head))
    return head.startswith(found)


def _append(path: Path, head: bytes, lines: bytes) -> None:
    """Add whole lines to a table: one that an earlier write left unfinished is cut off first.

    Raises:
        MissingError: it cannot be written; it ends as before.
    """
    from froude.base.files import stated_os_errors

    with stated_os_errors(path), path.open("a+b", buffering=0) as file:
        end = _end_of_lines(file)
        file.truncate(end)
        left = memoryview(lines if end else head + lines)
        try:
            while left:
                left = left[file.write(left) :]
        except OSError:
            file.truncate(end)
            raise


def _end_of_lines(file: FileIO) -> int:
    """Behind the last end of a line."""
    block, at = 1 << 16, file.seek(0, 2)
    while at:
        first = max(0, at - block)
        file.seek(first)
        found = file.read(at - first).rfind(b"\n")
        if found >= 0:
            return first + found + 1
        at = first
    return 0


def _refuse_running(state: Path) -> None:
    from froude.harvest.live.serving import Places

    folder = Places(state.absolute().parent)
    if state.name == folder.prior.name and folder.held():
        raise GuardError(
            "is a running daemon's, which would undo it", file=state, remedy="End the daemon first"
        )


def _classified(settings: Settings, folder: Path, classes: str) -> tuple[Datacenter, Classification]:
    from froude.base.seeds import Seeds
    from froude.cli.harvest.tenants import grouping
    from froude.harvest.classify.classes import classify
    from froude.harvest.telemetry.files import read_datacenter

    how = grouping("folded", classes)
    datacenter = read_datacenter(folder)
    return datacenter, classify(datacenter, Seeds(settings.seed), how)


def _labels(
    settings: Settings,
    datacenter: Datacenter,
    found: Classification,
    now: ClusterState,
    carrier: Carrier,
    before: Prior | None,
    *,
    keep_queues: bool,
) -> Changes:
    from froude.base.summary import counted
    from froude.harvest.live.changes import Carrier, class_changes, class_labels
    from froude.harvest.live.classes import classes_of

    labelled = class_labels(classes_of(datacenter, found), now, before)
    for nodes, why in (
        (labelled.unknown, "of no known class"),
        (labelled.foreign, "with a label of somebody else"),
    ):
        if nodes:
            settings.note(f"note: {counted(len(nodes), 'node')} {why} left alone, such as {nodes[0]}")
    if now.scheduler is None and not keep_queues and carrier is not Carrier.ATTRIBUTES:
        settings.note(
            "note: queues cannot be changed by REST here (yarn.scheduler.configuration.store.class): give each of "
            "them its capacity of every label in capacity-scheduler.xml"
        )
    return class_changes(now, labelled, carrier, queues=not keep_queues)


def _carry_out(
    settings: Settings, server: ResourceManager, prior: Prior, todo: Changes, state: Path, grace: float
) -> None:
    from froude.cli.outputs import write
    from froude.harvest.live.prior_file import prior_json

    write({state: prior_json(prior, settings.origin())})
    server.apply(todo, prior.id, grace_s=grace)
    settings.out(f"Done. Back again: froude harvest rollback {state}")
