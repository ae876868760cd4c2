"""A small search service that shares a server, and who asks it: each a process of its own.

    python -m benchmarks.colocation_primary serve 127.0.0.1:9000 --cgroup /sys/fs/cgroup/cpu/x
    python -m benchmarks.colocation_primary ask schedule.json out.json

A request hashes a fixed number of bytes, some milliseconds of CPU. Requests come at moments that were drawn before (open
loop), and a response time counts from the moment at which its request was due: waiting counts, too.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import socketserver
import sys
import time
from pathlib import Path

_CHUNK = b"x" * 65536
_ANSWER = b"found\n"
_TIMEOUT_S = 30.0


def work(chunks: int) -> None:
    """Hash so many chunks of 64 KiB; other threads run meanwhile."""
    digest = hashlib.sha256()
    for _ in range(chunks):
        digest.update(_CHUNK)


def chunks_of(cpu_s: float) -> int:
    """How many chunks take so much CPU on this machine, when nobody else is there to share its caches."""
    best = float("inf")
    for _ in range(5):
        begun = time.process_time()
        work(64)
        best = min(best, (time.process_time() - begun) / 64)
    return max(1, round(cpu_s / best))


def join(cgroup: str | None) -> None:
    """Put this process into a group."""
    if cgroup:
        Path(cgroup, "cgroup.procs").write_text(str(os.getpid()))


class _Handler(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        chunks = int(self.request.recv(32) or b"0")
        work(chunks)
        self.request.sendall(_ANSWER)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 512


def serve(address: str, cgroup: str | None) -> None:
    """Answer until ended; a line on standard output says that it listens."""
    join(cgroup)
    host, _, port = address.rpartition(":")
    with _Server((host, int(port)), _Handler) as server:
        print("listening", flush=True)
        server.serve_forever(poll_interval=0.05)


async def ask(schedule: dict[str, object]) -> dict[str, list[tuple[float, float]]]:
    """Send every request at its moment.

    Returns:
        By server: due (seconds from the begin) and response time (seconds; the longest wait where none came).
    """
    servers: dict[str, list[float]] = schedule["due"]  # type: ignore[assignment]
    chunks = f"{schedule['chunks']}".encode()
    loop = asyncio.get_running_loop()
    begun = loop.time() + 0.5
    out: dict[str, list[tuple[float, float]]] = {address: [] for address in servers}

    async def one(address: str, due_s: float) -> None:
        host, _, port = address.rpartition(":")
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                reader, writer = await asyncio.open_connection(host, int(port))
                writer.write(chunks)
                await reader.readexactly(len(_ANSWER))
                writer.close()
            took_s = loop.time() - begun - due_s
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            took_s = _TIMEOUT_S
        out[address].append((due_s, took_s))

    async with asyncio.TaskGroup() as group:
        for due_s, address in sorted((due_s, address) for address, all_ in servers.items() for due_s in all_):
            await asyncio.sleep(max(0.0, begun + due_s - loop.time()))
            group.create_task(one(address, due_s))
    return out


def main() -> None:
    """One of the two."""
    cgroup = sys.argv[sys.argv.index("--cgroup") + 1] if "--cgroup" in sys.argv else None
    if sys.argv[1] == "serve":
        serve(sys.argv[2], cgroup)
    else:
        join(cgroup)
        schedule = json.loads(Path(sys.argv[2]).read_text())
        Path(sys.argv[3]).write_text(json.dumps(asyncio.run(ask(schedule))))


if __name__ == "__main__":
    main()
