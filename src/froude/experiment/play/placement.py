"""Players of a play on the workers of a dask.distributed scheduler: it places them, and has no other part in the play.

Each worker gets one task, which holds a player process until that ends. The player reaches the play by a channel of its
own (`emulation.remote`): no call and no notice goes by the scheduler.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from urllib.parse import urlsplit

from froude.base.errors import InputError, TargetError
from froude.base.parallel import scheduler_at
from froude.emulation.engine import Crew
from froude.emulation.remote import JOIN, TOKEN_BYTES, Invitation, decline
from froude.emulation.settings import MOST_PLAYERS


@contextmanager
def placed(scheduler: str, players: int | None, nodes: int) -> Iterator[Crew]:
    """Have players started on workers; they stay until the play is over.

    Args:
        scheduler: `tcp://HOST:PORT`.
        players: how many; one a worker by default.
        nodes: the most players that have something to do.

    Raises:
        InputError: no scheduler answers, it has no workers, or fewer than players; or it speaks TLS.
        MissingError: dask.distributed is not installed.
    """
    if not scheduler.startswith("tcp://"):
        message = "players talk to each other without encryption, which such a scheduler is there for"
        raise InputError(message, place="--workers", found=scheduler, allowed="tcp://HOST:PORT")
    with scheduler_at(scheduler) as client:
        workers = _spread(client.nthreads())
        if not workers:
            raise InputError("the scheduler has no workers", place="--workers", found=scheduler)
        if players is not None and players > len(workers):
            allowed = f"1 to {len(workers)}, the workers of {scheduler}"
            raise InputError("one worker holds one player", place="--players", found=players, allowed=allowed)
        names = tuple(workers[: max(1, min(players or len(workers), nodes, MOST_PLAYERS))])
        token = os.urandom(TOKEN_BYTES)
        with socket.create_server((_address_towards(scheduler), 0), backlog=len(names)) as listener:
            host, port = listener.getsockname()[:2]
            futures = []
            for player, name in enumerate(names, 1):
                invitation = Invitation(host, port, token.hex(), player)
                future = client.submit(hold, asdict(invitation), workers=[name], pure=False, retries=0)
                future.add_done_callback(lambda each, invitation=invitation: _failed(each, invitation))
                futures.append(future)
            yield Crew(listener.fileno(), token, names)


def _spread(workers: Mapping[str, int]) -> list[str]:
    """Workers, first one of each host."""
    seen: Counter[str | None] = Counter()

    def rank(name: str) -> int:
        host = urlsplit(name).hostname
        seen[host] += 1
        return seen[host]

    return sorted(sorted(workers), key=rank)


def _address_towards(scheduler: str) -> str:
    """The address of this machine from which a scheduler is reached, and so, as a rule, its workers."""
    where = urlsplit(scheduler)
    (family, *_, address), *_ = socket.getaddrinfo(where.hostname, where.port, type=socket.SOCK_DGRAM)
    with socket.socket(family, socket.SOCK_DGRAM) as sock:
        sock.connect(address)  # sends nothing
        return str(sock.getsockname()[0])


def _failed(future: object, invitation: Invitation) -> None:
    """A task is over: where its player never came, the play hears why."""
    if future.status == "error":  # type: ignore[attr-defined]
        decline(invitation, str(future.exception()))  # type: ignore[attr-defined]


def hold(invitation: Mapping[str, str | int]) -> None:
    """Run a player until it ends; what a worker does.

    Args:
        invitation: fields of an `Invitation`.

    Raises:
        TargetError: it could not come.
    """
    command = [sys.executable, "-m", "froude.emulation.player", JOIN]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, process_group=0
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(f"{json.dumps(invitation)}\n")
        child.stdin.flush()
        why = child.stdout.read().strip()
    if child.returncode:
        raise TargetError(why or "the player process died", found=None if why else f"exit {child.returncode}")
