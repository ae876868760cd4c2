"""Serves an application by HTTP until it is told to stop: the address first, then readiness, then an orderly end."""

from __future__ import annotations

import importlib.util
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from froude.base.errors import InputError, MissingError
from froude.cache.agents.config import Serving
from froude.hadoop.target import parse_address

_NEEDED = ("fastapi", "uvicorn", "pyroute2", "qemu", "xxhash")


def require() -> None:
    """Refuse to begin without the libraries of this part.

    Raises:
        MissingError: one is not installed.
    """
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingError(f"{missing[0]} is not installed", remedy="pip install 'froude[cache]'")


def listener(serving: Serving) -> socket.socket:
    """A socket that listens where it is to.

    Args:
        serving: where that is.

    Raises:
        InputError: it cannot.
    """
    host, port = parse_address(serving.listen, place="listen", free_port=True)
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise InputError(
            f"cannot listen ({error.strerror or error})", place="listen", found=serving.listen
        ) from error


def url(serving: Serving, bound: socket.socket) -> str:
    """The address at which it can be reached.

    Args:
        serving: how it is served.
        bound: the socket.
    """
    host, port = bound.getsockname()[:2]
    scheme = "http" if serving.tls is None else "https"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def serve(app: Any, serving: Serving, bound: socket.socket, ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM.

    Args:
        app: an ASGI application.
        serving: how.
        bound: where.
        ready: called with the address once requests are answered.

    Raises:
        InputError: the certificate or its key cannot be used.
    """
    import uvicorn

    from froude.base.bounded import IDLE_S, MOST_AT_ONCE

    tls = serving.tls
    try:
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            ssl_certfile=None if tls is None else str(tls.certificate),
            ssl_keyfile=None if tls is None else str(tls.key),
            limit_concurrency=MOST_AT_ONCE,
            timeout_keep_alive=IDLE_S,
            timeout_graceful_shutdown=IDLE_S,
        )
        config.load()
    except OSError as error:
        raise InputError(f"cannot be used ({error})", place="tls") from error

    class Server(uvicorn.Server):
        """Tells when it answers."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            if self.started:
                ready(url(serving, bound))

    with suppress(KeyboardInterrupt):  # it raises the signal again that has ended it in good order
        Server(config).run(sockets=[bound])
