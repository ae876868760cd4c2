"""One cached disk from its start to its end, which leaves a cache that the next start finds warm."""

from __future__ import annotations

import asyncio
import ctypes
import secrets
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from froude.base.errors import InputError
from froude.cache.disk.backing import Image
from froude.cache.disk.chunks import FIRST, ChunkChooser
from froude.cache.disk.commands import LINE_LIMIT
from froude.cache.disk.header import Granted
from froude.cache.disk.nbd.connection import Export
from froude.cache.disk.nbd.wire import PAYLOAD_LIMIT, BlockSizes, Feature
from froude.cache.disk.seams import Work
from froude.cache.disk.server import NbdServer, serve_commands, tcp_listener, unix_listener
from froude.cache.disk.service import Parts, Service
from froude.cache.disk.slots import CacheFile, index_of
from froude.cache.disk.space import Space
from froude.cache.disk.state import Places
from froude.cache.disk.status import DiskStatus, Limits
from froude.cache.disk.table import BLOCK, Restored
from froude.cache.disk.work import Inline, Pool, Wary

_THREADS, _SSD_THREADS = 8, 4
"""Requests to a disk that may wait at a time: what its own queue sorts. Those to the SSD never wait behind them."""
_SWITCH_S = 0.0005
"""How long the event loop keeps a thread waiting that has its data; Python's own 5 ms is a disk's seek."""
_LARGEST_CHUNK = 16 << 20
_PATIENCE_S = 10.0
"""How long the end waits for requests that are under way."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_KEPT_BYTES = 128 << 20
_FEATURES = (
    Feature.HAS_FLAGS
    | Feature.SEND_FLUSH
    | Feature.SEND_FUA
    | Feature.SEND_TRIM
    | Feature.SEND_WRITE_ZEROES
    | Feature.CAN_MULTI_CONN
)


@dataclass(frozen=True, slots=True)
class DiskSettings:
    """What a cached disk is."""

    image: Path
    """File or block device that is cached."""
    cache: Path
    """File on the SSD; its index lies beside it."""
    size_bytes: int
    """What the cache may hold."""
    socket: Path | None
    """Where NBD clients connect; None where they come by `port` only."""
    control: Path
    """Where commands are taken."""
    port: int | None = None
    """Of the loopback address, for NBD clients too; 0 for a free one, None for none."""
    chunk_bytes: int | None = None
    """None to choose it from the sizes of reads."""
    limits: Limits = field(default_factory=Limits)
    direct: bool = False
    """Pass by the page cache, for image and cache."""
    cache_writes: bool = False
    """Cache chunks that are written whole."""

    def __post_init__(self) -> None:
        size = self.chunk_bytes
        if size is not None and (size % BLOCK or not BLOCK <= size <= _LARGEST_CHUNK):
            allowed = f"auto, or a multiple of {BLOCK} bytes from 4 KiB to 16 MiB"
            raise InputError("is no size of chunks", place="--chunk", found=size, allowed=allowed)


def serve(
    settings: DiskSettings, ready: Callable[[DiskStatus, str], None], note: Callable[[str], None]
) -> DiskStatus:
    """Serve a disk until SIGTERM or Ctrl-C.

    Args:
        ready: called when clients can connect, with the status and the address of a port (or empty).

    Returns:
        The status at the end.

    Raises:
        FroudeError: something cannot be opened; nothing was served then.
    """
    former = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_S)
    _keep_memory()
    try:
        return asyncio.run(_serve(settings, ready, note))
    finally:
        sys.setswitchinterval(former)


def _keep_memory() -> None:
    """Let the C library keep memory that was freed: new pages for each large read cost more than the read."""
    with suppress(OSError, AttributeError):  # a C library without it
        mallopt = ctypes.CDLL(None).mallopt
        for option, size in ((_M_MMAP_THRESHOLD, PAYLOAD_LIMIT), (_M_TRIM_THRESHOLD, _KEPT_BYTES)):
            mallopt(option, size)


async def _serve(
    settings: DiskSettings, ready: Callable[[DiskStatus, str], None], note: Callable[[str], None]
) -> DiskStatus:
    with ExitStack() as opened:
        image = Image(settings.image, direct=settings.direct)
        opened.callback(image.close)
        for path in (settings.cache, index_of(settings.cache)):
            if _same(path, image.path):
                raise InputError("is the image itself", file=path, allowed="another name for the cache")
        file = CacheFile(settings.cache, direct=settings.direct)
        closing = opened.enter_context(_closing(file))
        chunk = settings.chunk_bytes or file.chosen_chunk or FIRST
        chosen = settings.chunk_bytes is None and file.chosen_chunk is not None
        asked = Granted(settings.size_bytes, settings.limits)
        in_force = file.begin(asked)
        if in_force != asked:
            note(
                f"goes on with what was set last: {in_force.size_bytes} B, {in_force.limits}; another --size, --iops or "
                "--bandwidth than at its last start counts again"
            )
        free = shutil.disk_usage(settings.cache.parent).free + file.allocated_bytes
        if in_force.size_bytes > free:
            note(
                f"the cache may hold {in_force.size_bytes} B, and {settings.cache.parent} has {free} B for it"
            )
        restored = file.start(image.state(), chunk, chosen=chosen)
        pool = Pool(asyncio.get_running_loop(), _THREADS)
        opened.callback(pool.close)
        ssd: Work = Inline()
        if settings.direct:
            ssd = Pool(asyncio.get_running_loop(), _SSD_THREADS)
            opened.callback(ssd.close)
        places = Places(
            backing=image,
            slots=file,
            disk=pool,
            quick=pool if settings.direct else Wary(pool),
            ssd=ssd,
            writing=file.writing,
            now=time.monotonic,
        )
        service = _service(settings, in_force, (image, file, places), restored, note, chosen=chosen)
        server = NbdServer(service, Export(image.size, _FEATURES, BlockSizes(1, BLOCK, PAYLOAD_LIMIT)), note)
        opened.callback(server.close)
        await _until_told(settings, service, server, ready)
        server.stop_accepting()
        service.forget_held()
        await _quiet(service)
        server.close()
        status = service.status()
        if service.idle and not service.failed:
            with suppress(OSError):
                image.flush()
                closing.append(image)
    return status


@contextmanager
def _closing(file: CacheFile) -> Iterator[list[Image]]:
    """Close the cache file; as clean where the image in the list has everything."""
    flushed: list[Image] = []
    try:
        yield flushed
    finally:
        file.close(flushed[0].state() if flushed else None)


def _service(
    settings: DiskSettings,
    in_force: Granted,
    opened: tuple[Image, CacheFile, Places],
    restored: list[Restored],
    note: Callable[[str], None],
    *,
    chosen: bool,
) -> Service:
    image, file, places = opened
    loop = asyncio.get_running_loop()
    space = Space(file.table, 0)
    space.restore(restored)
    file.empty(*space.unused)
    chooser = None if settings.chunk_bytes else ChunkChooser(space.table.geometry.chunk_bytes, chosen=chosen)
    fixed = DiskStatus(
        start=secrets.token_hex(8),
        image=str(image.path),
        image_bytes=image.size,
        restored_chunks=len(space.chunks),
        cold_reason=file.cold_reason,
    )

    parts = Parts(space, places, file, chooser, loop.call_later, fixed, note, settings.cache_writes)
    return Service(parts, in_force.limits, in_force.size_bytes)


async def _until_told(
    settings: DiskSettings, service: Service, server: NbdServer, ready: Callable[[DiskStatus, str], None]
) -> None:
    """Serve until a signal comes; the sockets' files are gone then."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    address = ""
    with ExitStack() as made:
        if settings.socket is not None:
            server.listen(unix_listener(settings.socket))
            made.callback(settings.socket.unlink, missing_ok=True)
        if settings.port is not None:
            listener = tcp_listener(settings.port)
            address = f"nbd://127.0.0.1:{listener.getsockname()[1]}"
            server.listen(listener)
        control = unix_listener(settings.control)
        made.callback(settings.control.unlink, missing_ok=True)
        serve_one = partial(serve_commands, service)
        commands = await asyncio.start_unix_server(serve_one, sock=control, limit=LINE_LIMIT)
        made.callback(commands.close)
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, told.set)
        ready(service.status(), address)
        await told.wait()


async def _quiet(service: Service) -> None:
    """Wait until what is under way has been answered, within reason."""
    end = time.monotonic() + _PATIENCE_S
    while not service.idle and time.monotonic() < end:
        await asyncio.sleep(0.01)


def _same(path: Path, image: Path) -> bool:
    try:
        return path.samefile(image)
    except OSError:
        return False
