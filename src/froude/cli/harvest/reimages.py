"""`froude harvest reimages`: wipes of servers' disks, as a NameNode sees them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError, TargetError
from froude.base.units import parse_seconds
from froude.cli.harvest.placing import calls_to

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.live.hdfs.datanodes import DataNode

HEAD = "server,time\n"
_LIMIT_BYTES = 1 << 30


def reimages(
    ctx: typer.Context,
    namenode: Annotated[str, typer.Option(metavar="HOST:PORT", help="Its RPC server.")],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="CSV", help="Wipes are added; beside it is what was seen last."
        ),
    ],
    interval: Annotated[str, typer.Option(metavar="TIME", help="From one look to the next.")] = "10min",
    samples: Annotated[int | None, typer.Option(min=1, help="Then it ends [never].")] = None,
    user: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who asks [HADOOP_USER_NAME, or you].")
    ] = None,
) -> None:
    """Wipes of DataNodes' disks as a NameNode sees them, for `harvest import --reimages`.

    A DataNode that answers at an old address with a new uuid was wiped, and one that holds nothing any more while
    others do. With --samples 1 it can be started again and again.

    Example: froude harvest reimages --namenode nn.example.com:8020 -o wipes.csv
    """
    from froude.base.clock import RealClock
    from froude.base.files import atomic_write_text, read_bounded, refuse_special
    from froude.documents.recognise import head_of
    from froude.harvest.live.hdfs.reimages import merged, read_seen, seen_text, wiped

    settings: Settings = ctx.obj
    seconds = parse_seconds(interval, place="--interval")
    refuse_special(output)
    seen = output.with_name(output.name + ".seen.json")
    refuse_special(seen)
    if output.exists() and not head_of(output).startswith(HEAD.encode()):
        allowed = f"a table that begins with {HEAD.strip()}"
        raise InputError("holds something else", file=output, allowed=allowed)
    if settings.dry_run:
        settings.would(f"add wipes to {output}")
        return
    known: tuple[DataNode, ...] = ()
    if seen.exists():
        known = read_seen(
            read_bounded(seen, limit_bytes=_LIMIT_BYTES).decode("utf-8", "replace"), name=str(seen)
        )
    calls, clock = calls_to(settings, namenode, user), RealClock()
    begun, number, found = clock.now(), 0, 0
    while samples is None or number < samples:
        clock.sleep(max(0.0, begun + number * seconds - clock.now()))
        number += 1
        try:
            now = calls.datanodes()
        except TargetError as error:
            if samples == 1:
                raise
            settings.note(f"note: a look is missing: {error}")
            continue
        lines = [f"{node.host},{clock.wall():.0f}\n" for node in wiped(known, now)]
        with output.open("a", encoding="utf-8") as file:
            file.write((HEAD if not file.tell() else "") + "".join(lines))
        known = merged(known, now)
        atomic_write_text(seen, seen_text(known))
        found += len(lines)
    settings.emit({"samples": number, "datanodes": len(known), "reimages": found, "output": str(output)})
    settings.out(f"{found} wipes of {len(known)} DataNodes in {number} looks added to {output}")
