"""`froude cache disk`, `serve` and `agent`: a cached disk, the controller and its agents, served until told to stop."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.base.files import next_to
from froude.base.units import size_text
from froude.cli.cache.sizes import size_of
from froude.cli.needed import require
from froude.cli.settings import Settings

if TYPE_CHECKING:
    from froude.cache.disk.status import DiskStatus, Limits

_CONTROL = ".control"
_NEEDED = ("fastapi", "uvicorn", "pyroute2", "qemu", "xxhash")


def serve(
    ctx: typer.Context,
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="YAML of the controller.")],
) -> None:
    """Split SSDs among VMs every minute: observe by agents, decide by a policy, apply, remember; REST beside it.

    Every change is made in an order in which no SSD is promised twice, whatever fails. With `apply: false` in its file,
    plans are only shown. Ends at Ctrl-C or SIGTERM, with 0; limits stay as they are.

    Example: froude cache serve controller.yaml
    """
    settings: Settings = ctx.obj
    require("cache", *_NEEDED)
    from froude.cache.control.config import read_controller
    from froude.cache.control.process import run_controller

    told = read_controller(config)
    if settings.dry_run:
        settings.would(
            f"split the SSDs of {', '.join(told.hypervisors)} by {told.policy}, and serve at {told.listen}"
        )
        return
    run_controller(
        told,
        ready=lambda address: _ready(settings, address),
        failed=lambda text: settings.note(f"note: {text}"),
        seed=settings.seed,
    )


def agent(
    ctx: typer.Context,
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="YAML of the agent.")],
) -> None:
    """Report to the controller: what VMs do and have on a hypervisor, or what runs on a VM; and change limits.

    A hypervisor's agent refuses what its SSD has not, whoever asks. At its start it measures whether each back-end
    limits at all. Ends at Ctrl-C or SIGTERM, with 0; limits stay as they are.

    Example: froude cache agent agent.yaml
    """
    settings: Settings = ctx.obj
    require("cache", *_NEEDED)
    from froude.cache.agents.config import read_agent
    from froude.cache.control.process import run_agent

    told = read_agent(config)
    if settings.dry_run:
        settings.would(f"serve the agent {told.name} at {told.listen}")
        return
    run_agent(
        told,
        ready=lambda address: _ready(settings, address),
        failed=lambda text: settings.note(f"note: {text}"),
    )


def _ready(settings: Settings, address: str) -> None:
    settings.emit({"address": address})
    settings.note(f"serving at {address}; Ctrl-C ends it")


def disk(
    ctx: typer.Context,
    image: Annotated[
        Path, typer.Argument(metavar="IMAGE", help="The VM's disk: a raw image file, or a block device.")
    ],
    cache: Annotated[
        Path, typer.Option("--cache", metavar="FILE", help="Cache file on the SSD; its index lies beside it.")
    ],
    size: Annotated[str, typer.Option("--size", metavar="SIZE", help="What the cache may hold: 4 GB.")],
    socket: Annotated[
        Path | None, typer.Option("--socket", metavar="PATH", help="Unix socket for NBD clients.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="TCP port of 127.0.0.1, for all users; 0 for any."),
    ] = None,
    control: Annotated[
        Path | None,
        typer.Option(
            "--control", metavar="PATH", help="Unix socket for commands [the other one's + .control]."
        ),
    ] = None,
    chunk: Annotated[
        str, typer.Option("--chunk", metavar="SIZE", help="What is cached or not: auto chooses by the reads.")
    ] = "auto",
    iops: Annotated[float | None, typer.Option("--iops", min=1, help="Most requests a second.")] = None,
    bandwidth: Annotated[
        str | None, typer.Option("--bandwidth", metavar="SIZE", help="Most bytes a second: 50 MB.")
    ] = None,
    direct: Annotated[
        bool, typer.Option("--direct", help="Pass by the page cache, for image and cache (O_DIRECT).")
    ] = False,
    cache_writes: Annotated[
        bool, typer.Option("--cache-writes", help="Cache what is written, too; else reads only.")
    ] = False,
) -> None:
    """Serve a VM's disk by NBD, with a cache on an SSD that can be resized while the VM runs.

    Every write goes to the image before it is answered; flush and FUA reach its medium. What is cached survives the
    end of this command, also by kill -9, and is never served when the image was changed meanwhile. Ends at Ctrl-C or
    SIGTERM, with 0.

    Example: froude cache disk vm.raw --cache /ssd/vm.cache --size 4GB --socket /run/vm.sock
    """
    from froude.cache.disk import process

    settings: Settings = ctx.obj
    require("cache", "xxhash")
    if socket is None and port is None:
        raise InputError("where shall clients connect?", place="--socket", allowed="--socket, --port or both")
    beside = socket or cache
    asked = process.DiskSettings(
        image=image,
        cache=cache,
        size_bytes=_size_of_cache(size),
        socket=socket,
        control=control or next_to(beside, beside.name + _CONTROL),
        port=port,
        chunk_bytes=None if chunk == "auto" else size_of(chunk, "--chunk"),
        limits=_limits(iops, bandwidth),
        direct=direct,
        cache_writes=cache_writes,
    )
    where = asked.socket or f"port {asked.port}"
    if settings.dry_run:
        settings.would(
            f"serve {image} on {where}, with {size_text(asked.size_bytes)} of {cache} as its cache"
        )
        return

    def ready(status: DiskStatus, address: str) -> None:
        unix = asked.socket and f"nbd+unix:///?socket={asked.socket}"
        everybody = "every user of this machine can read and write it, without a password"
        for where, users in ((unix, "only its owner can use it"), (address, everybody)):
            if where:
                settings.note(f"serving {image} ({size_text(status.image_bytes)}) at {where}; {users}")
        settings.note(_warmth(status))
        settings.note(f"commands at {asked.control}; Ctrl-C ends it")

    end = process.serve(asked, ready, lambda text: settings.note(f"note: {text}"))
    settings.emit(end.to_json())
    settings.out(_summary(end))


def _size_of_cache(text: str) -> int:
    from froude.cache.disk.table import BLOCK

    size_bytes = size_of(text, "--size", zero=True)
    if 0 < size_bytes < BLOCK:
        raise InputError(
            "holds nothing", place="--size", found=text, allowed=f"0, or from {BLOCK} bytes: mind the unit"
        )
    return size_bytes


def _limits(iops: float | None, bandwidth: str | None) -> Limits:
    from froude.cache.disk.status import Limits

    if iops is not None and not math.isfinite(iops):
        raise InputError("is no rate", place="--iops", found=iops, allowed="a number from 1")
    return Limits(iops, None if bandwidth is None else size_of(bandwidth, "--bandwidth"))


def _warmth(status: DiskStatus) -> str:
    most = size_text(status.cache_bytes)
    if status.restored_chunks:
        return f"cache of {most}: {size_text(status.used_bytes)} found and kept"
    return f"cache of {most}: empty{f', since {status.cold_reason}' if status.cold_reason else ''}"


def _summary(status: DiskStatus) -> str:
    chunks = status.hits + status.misses
    share = f"{status.hits / chunks:.1%}" if chunks else "none"
    return (
        f"{status.reads} reads, {status.writes} writes; of {chunks} chunks read {share} from the cache; "
        f"{size_text(status.ssd_written_bytes)} written to the SSD"
    )
