"""Serves an application by HTTP, until told to stop or beside something else; by TLS where there is a certificate."""

from __future__ import annotations

import asyncio
import logging
import math
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from froude.base.errors import InputError
from froude.base.files import read_bounded
from froude.documents.forms import Place
from froude.documents.model import Model
from froude.hadoop.rpc.target import is_loopback, parse_address
from froude.rest.bounded import MOST_AT_ONCE, Patience

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

_EVERYWHERE = frozenset(("0.0.0.0", "::"))  # noqa: S104 - who listens there is told by a name
_LARGEST_PEM = 1 << 20
_PATIENCE = Patience()


class Tls(Model):
    """A certificate to serve by."""

    certificate: Place
    """PEM file of the certificate, and of those between it and its authority."""
    key: Place
    """PEM file of its private key."""


def may_listen(listen: str, tls: Tls | None, *, place: str = "listen") -> None:
    """Refuse to send a secret in the clear over a network.

    Args:
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
    tls: ssl.SSLContext | None

    def close(self) -> None:
        """Listen no more."""
        self.socket.close()


def context_of(tls: Tls) -> ssl.SSLContext:
    """What TLS is spoken by.

    Raises:
        InputError: one cannot be read, or they do not belong together; with its file.
    """

    def refuse() -> str:
        raise InputError(
            "is encrypted", file=tls.key, remedy="openssl pkey -in KEY -out PLAIN, for its owner only"
        )

    for path in (tls.certificate, tls.key):
        read_bounded(path, limit_bytes=_LARGEST_PEM)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(tls.certificate, tls.key, refuse)
    except OSError as error:
        raise InputError(
            f"is no certificate with the key {tls.key} ({getattr(error, 'reason', None) or error})",
            file=tls.certificate,
        ) from error
    return context


def listener(listen: str, tls: Tls | None = None, *, place: str = "listen") -> Bound:
    """Listen.

    Args:
        listen: address and port; port 0 takes a free one.
        tls: to serve by; None for plain HTTP.
        place: what named the address, for errors.

    Raises:
        InputError: it cannot, or the certificate cannot be used.
    """
    host, port = parse_address(listen, place=place, free_port=True)
    context = None if tls is None else context_of(tls)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family)
    except OSError as error:
        raise InputError(f"cannot listen ({error.strerror or error})", place=place, found=listen) from error
    name = _own_name() if host in _EVERYWHERE else host
    scheme = "http" if tls is None else "https"
    shown = f"[{name}]" if ":" in name else name
    return Bound(bound, f"{scheme}://{shown}:{bound.getsockname()[1]}", context)


def serve(app: ASGIApp, bound: Bound, ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        ready: called with the address once requests are answered.
    """
    with suppress(KeyboardInterrupt):  # it raises the signal again that has ended it in good order
        _server(app, bound, lambda: ready(bound.url), _PATIENCE).run(sockets=[bound.socket])


@contextmanager
def served(app: ASGIApp, bound: Bound, patience: Patience = _PATIENCE) -> Iterator[None]:
    """Serve from a thread while the block runs.

    Args:
        bound: where, and how; closed at the end.
        patience: how long clients are waited for.
    """
    with bound.socket:
        server = _server(app, bound, lambda: None, patience)
        run = partial(server.run, sockets=[bound.socket])
        thread = threading.Thread(target=run, name="froude-rest", daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.should_exit = True
            thread.join()


def _own_name() -> str:
    """Of this machine, as others may know it."""
    full = socket.getfqdn()
    return socket.gethostname() if full.startswith("localhost") else full


def _server(app: ASGIApp, bound: Bound, ready: Callable[[], None], patience: Patience) -> uvicorn.Server:
    import uvicorn

    from froude.rest.connection import Connection

    class Server(uvicorn.Server):
        """One whose connections are ours, and whose handshakes end; tells when it answers."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            loop = asyncio.get_running_loop()
            state = {"server_state": self.server_state, "app_state": self.lifespan.state}
            make = partial(Connection, patience=patience, config=self.config, **state)
            late = None if bound.tls is None else patience.request_s
            self.servers = [
                await loop.create_server(make, sock=each, ssl=bound.tls, ssl_handshake_timeout=late)
                for each in sockets or ()
            ]
            self.started = True
            ready()

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="none",
        limit_concurrency=MOST_AT_ONCE,
        timeout_keep_alive=1 << 20,  # `Connection` counts from when an answer was read
        timeout_graceful_shutdown=math.ceil(patience.request_s),
    )
    logging.getLogger("uvicorn.error").addFilter(_worth_saying)
    return Server(config)


def _worth_saying(record: logging.LogRecord) -> bool:
    """Errors of ours: neither what peers do wrong, nor requests that the end cuts off."""
    error = record.exc_info[1] if record.exc_info else None
    return error is not None and not isinstance(error, asyncio.CancelledError)
