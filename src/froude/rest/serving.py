"""Serves an application by HTTP, until told to stop or beside something else; by TLS where there is a certificate."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from froude.base.declared import Declared
from froude.base.errors import InputError
from froude.hadoop.target import is_loopback, parse_address

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

_EVERYWHERE = frozenset(("0.0.0.0", "::"))  # noqa: S104 - who listens there is told by a name


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls(Declared):
    """A certificate to serve by."""

    certificate: Path
    """PEM file of the certificate, and of those between it and its authority."""
    key: Path
    """PEM file of its private key."""


def may_listen(listen: str, tls: Tls | None, *, place: str = "listen") -> None:
    """Refuse to send a secret in the clear over a network.

    Args:
        listen: address and port.
        tls: to serve by; None for plain HTTP.
        place: what named the address, for errors.

    Raises:
        InputError: it is no address, or one that others reach without TLS.
    """
    parse_address(listen, place=place, free_port=True)
    if tls is None and not is_loopback(listen):
        raise InputError(
            "needs a certificate: the secret would go over the network as it is",
            place=place,
            found=listen,
            allowed="an address of loopback, or TLS",
        )


@dataclass(frozen=True, slots=True)
class Bound:
    """Where an application is to be served; it listens already."""

    socket: socket.socket
    url: str
    """At which it can be reached, under the name that it was told to listen at: a certificate is for a name."""
    tls: Tls | None

    def close(self) -> None:
        """Listen no more."""
        self.socket.close()


def listener(listen: str, tls: Tls | None = None, *, place: str = "listen") -> Bound:
    """Listen.

    Args:
        listen: address and port; port 0 takes a free one.
        tls: to serve by; None for plain HTTP.
        place: what named the address, for errors.

    Raises:
        InputError: it cannot.
    """
    host, port = parse_address(listen, place=place, free_port=True)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family)
    except OSError as error:
        raise InputError(f"cannot listen ({error.strerror or error})", place=place, found=listen) from error
    name = socket.getfqdn() if host in _EVERYWHERE else host
    scheme = "http" if tls is None else "https"
    shown = f"[{name}]" if ":" in name else name
    return Bound(bound, f"{scheme}://{shown}:{bound.getsockname()[1]}", tls)


def serve(app: ASGIApp, bound: Bound, ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        app: what answers.
        bound: where, and how.
        ready: called with the address once requests are answered.

    Raises:
        InputError: the certificate or its key cannot be used.
    """
    import uvicorn

    class Server(uvicorn.Server):
        """Tells when it answers."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            if self.started:
                ready(bound.url)

    with suppress(KeyboardInterrupt):  # it raises the signal again that has ended it in good order
        Server(_config(app, bound.tls)).run(sockets=[bound.socket])


@contextmanager
def served(app: ASGIApp, bound: Bound) -> Iterator[None]:
    """Serve from a thread while the block runs.

    Args:
        app: what answers.
        bound: where, and how; closed at the end.

    Raises:
        InputError: the certificate or its key cannot be used.
    """
    import uvicorn

    with bound.socket:
        server = uvicorn.Server(_config(app, bound.tls))
        run = partial(server.run, sockets=[bound.socket])
        thread = threading.Thread(target=run, name="froude-rest", daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.should_exit = True
            thread.join()


def _config(app: ASGIApp, tls: Tls | None) -> uvicorn.Config:
    import uvicorn

    from froude.rest.bounded import IDLE_S, MOST_AT_ONCE

    try:
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            ssl_certfile=None if tls is None else str(tls.certificate),
            ssl_keyfile=None if tls is None else str(tls.key),
            limit_concurrency=MOST_AT_ONCE,
            timeout_keep_alive=IDLE_S,
            timeout_graceful_shutdown=IDLE_S,
        )
        config.load()
    except OSError as error:
        raise InputError(
            f"cannot be used ({error})", place="tls", found=None if tls is None else str(tls.certificate)
        ) from error
    return config
