"""What the commands on a real ResourceManager share: where it is, who asks, and what is told of its servers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import GuardError, InputError
from froude.base.locks import alone, beside
from froude.cli.inputs import member
from froude.cli.numbers import amount
from froude.cli.tables import aligned

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.live.changes import Carrier
    from froude.harvest.live.resourcemanager import ResourceManager
    from froude.harvest.live.types import Changes, ClusterState, Prior
    from froude.harvest.live.usage import Reserve
    from froude.messages.schema import Schema

AT = typer.Option("--resourcemanager", metavar="HOST:PORT", help="Its web server.")
At = Annotated[str, AT]
Admin = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT",
        help="Its admin protocol, for attributes [port 8033 of its host, if it uses Hadoop's own ports].",
    ),
]
Release = Annotated[
    str | None,
    typer.Option(
        "--hadoop", metavar="RELEASE|FOLDER", help="Whose admin protocol it speaks [that found here]."
    ),
]
Is = Annotated[
    str | None,
    typer.Option("--target-is", metavar="ID", help="Its id, as shown; without it nothing is changed."),
]
IsNow = Annotated[
    str | None,
    typer.Option(
        "--target-is", metavar="ID", help="Its id now, where it was started again [the one that was changed]."
    ),
]
Grace = Annotated[
    float,
    typer.Option(
        parser=amount("s", least=-1),
        metavar="TIME",
        help="Before containers are killed, youngest first; -1: never.",
    ),
]
Carried = Annotated[str, typer.Option("--as", help="A class is a node's labels, its attributes, or both.")]
Resources = Annotated[
    bool, typer.Option("--resources", help="Nodes give containers what their primary tenants leave.")
]
UsageTable = Annotated[
    Path | None,
    typer.Option(
        metavar="CSV", help="server, cpu (0 to 1), memory_mb of primary tenants [what nodes report]."
    ),
]
KeepQueues = Annotated[bool, typer.Option("--keep-queues", help="Leave capacities of queues.")]
ClassNumbers = Annotated[str, typer.Option(metavar="P,C,U", help="As of `harvest classify`; or auto.")]
ReserveShares = Annotated[str, typer.Option(metavar="CPU,MEMORY", help="Shares that stay free.")]
USUAL_RESERVE = "33.33%,31.25%"


def server(
    settings: Settings,
    text: str,
    user: str | None,
    *,
    admin: str | None = None,
    hadoop: str | None = None,
    every_node: bool = False,
) -> ResourceManager:
    """The ResourceManager that flags name; nothing is sent yet.

    Args:
        text: of `--resourcemanager`.
        every_node: whether one node in a form that is not known refuses all; else it is told, and left out.

    Raises:
        InputError: one is no address.
    """
    from froude.hadoop.rpc.connection import current_user
    from froude.hadoop.rpc.target import parse_address
    from froude.hadoop.settings import yarn as yarn_settings
    from froude.harvest.live import attributes
    from froude.harvest.live.resourcemanager import ResourceManager

    host, port = parse_address(text, place="--resourcemanager")
    at = (host, attributes.PORT) if admin is None else parse_address(admin, place="--admin")
    who = user or current_user()

    def set_classes(classes: Mapping[str, str]) -> None:
        if admin is None and port != yarn_settings.WEB:
            raise InputError(
                f"does not show where its admin protocol listens: it is not at Hadoop's own port {yarn_settings.WEB}",
                file=text,
                allowed="--admin HOST:PORT as well",
            )
        attributes.AttributeAdmin(*at, _schema(settings, hadoop), user=who).set_classes(classes)

    note = None if every_node else settings.note
    return ResourceManager(host, port, user=who, set_classes=set_classes, note=note)


def _schema(settings: Settings, hadoop: str | None) -> Schema:
    from froude.cli.capture_inputs import schema_of

    if hadoop and Path(hadoop).is_dir():
        return schema_of(hadoop, settings)[0]
    from froude.hadoop.release.distribution import Hadoop
    from froude.hadoop.release.yarn_jars import YarnJars

    return YarnJars.find(
        Hadoop.find(hadoop, progress=settings.progress()), progress=settings.progress()
    ).schema()


def carrier(text: str) -> Carrier:
    """What carries a class.

    Raises:
        InputError: no such word.
    """
    from froude.harvest.live.changes import Carrier

    return member(Carrier, text, "--as")


def reserve(text: str) -> Reserve:
    """What stays free of every server.

    Raises:
        InputError: no two shares.
    """
    from froude.cli.provision.common import share
    from froude.harvest.live.usage import Reserve

    parts = text.split(",")
    if len(parts) != 2:
        raise InputError(
            "is no reserve", place="--reserve", found=text, allowed="CPU,MEMORY such as 33.33%,31.25%"
        )
    return Reserve(share("--reserve", parts[0]), share("--reserve", parts[1]))


@contextmanager
def only_one(state: Path) -> Iterator[None]:
    """Keep other commands off a file of what was there before.

    Two that read it, change a cluster, and write it would forget what one of them has changed.

    Args:
        state: the file, which need not be there.

    Raises:
        GuardError: another command has it.
    """
    with alone(beside(state), of=state, other="command"):
        yield


def require_labels(server: ResourceManager, carrier: Carrier | None) -> None:
    """See that nodes can carry labels, before anything is done.

    Args:
        carrier: of classes; None for none.

    Raises:
        InputError: labels are wanted, and are not enabled.
    """
    from froude.harvest.live.changes import Carrier

    if carrier in {Carrier.LABELS, Carrier.BOTH} and server.has_labels() is False:
        raise InputError(
            "has no node labels (yarn.node-labels.enabled is false)",
            file=server.address,
            remedy="Enable them, or say --as attributes",
        )


def same(now: ClusterState, before: Prior | None, file: Path) -> None:
    """See that what is remembered is of the ResourceManager that answers.

    Raises:
        GuardError: it is of another.
    """
    if before is not None and before.id != now.id:
        raise GuardError(
            "holds what another ResourceManager had",
            file=str(file),
            found=before.id,
            allowed=now.id,
            remedy="Choose another --state, or roll that one back",
        )


def show(settings: Settings, now: ClusterState, todo: Changes) -> None:
    """Print what is to be changed."""
    from froude.harvest.live.types import ATTRIBUTE

    settings.emit({"resourcemanager": now.id, "changes": _plain(todo)})
    if not todo:
        settings.out(f"ResourceManager {now.id}: nothing to change")
        return
    totals = {node.id: node for node in now.nodes}
    rows = [("node", "label", "becomes", "vcores", "becomes", "MiB", "becomes")]
    for node in sorted({*todo.node_labels, *todo.resources}):
        was, wanted = totals[node], todo.resources.get(node)
        resource = ("", "") if wanted is None else (str(wanted.vcores), str(wanted.memory_mb))
        label = todo.node_labels.get(node)
        becomes = "" if label is None else label or "none"
        before = (node, was.label or "none", becomes, str(was.total.vcores), resource[0])
        rows.append((*before, str(was.total.memory_mb), resource[1]))
    lines = (
        [f"ResourceManager {now.id}", aligned(rows, words=3)]
        if len(rows) > 1
        else [f"ResourceManager {now.id}"]
    )
    if todo.add_labels:
        lines.append(f"labels added: {', '.join(todo.add_labels)}")
    if todo.remove_labels:
        lines.append(f"labels removed: {', '.join(todo.remove_labels)}")
    lines += [
        f"{host}: {ATTRIBUTE} = {value or '(removed)'}"
        for host, value in sorted(todo.node_attributes.items())
    ]
    lines += [f"{name} = {'(removed)' if value is None else value}" for name, value in todo.scheduler.items()]
    settings.out("\n".join(lines))


def _plain(todo: Changes) -> dict[str, object]:
    from dataclasses import asdict

    resources = {node: each.plain() for node, each in todo.resources.items()}
    return {**asdict(todo), "resources": resources, "spared": sorted(todo.spared)}


def may(settings: Settings, server: ResourceManager, now: ClusterState, typed: str | None) -> bool:
    """Whether changes are allowed; where they are not, it says how to allow them.

    Raises:
        GuardError: another one was named.
    """
    if settings.dry_run or typed is None:
        settings.note(f"Nothing was changed. To do it: --target-is {now.id}")
        return False
    if typed != now.id:
        raise GuardError(
            "is not the ResourceManager that was named", file=server.address, found=now.id, allowed=typed
        )
    return True
