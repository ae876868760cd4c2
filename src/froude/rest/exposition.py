"""Figures for Prometheus over plain HTTP, for every client that reaches the address: bounded, but without a secret.

A thread for each connection, as prometheus_client serves them; `application` serves those that need a secret.
"""

from __future__ import annotations

import socket
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from socketserver import ThreadingMixIn
from typing import Any
from urllib.parse import urlsplit
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import CollectorRegistry, make_wsgi_app

from froude.rest.bounded import Patience

MOST_READERS = 16
"""Connections at a time; a Prometheus server holds its own for milliseconds."""


def names_this(header: str | None, names: Collection[str]) -> bool:
    """Whether a request's `Host` is for this machine: an IP address, or one of its names.

    A page of another site can lead its own name to this machine's address (DNS rebinding); its browser sends that name.

    Args:
        header: the value of `Host`; None where it is missing, as no browser leaves it out.
        names: of this machine, in lower case.
    """
    if header is None:
        return True
    try:
        host = (urlsplit(f"//{header}").hostname or "").rstrip(".")
        return host in names or bool(ip_address(host))
    except ValueError:
        return False


@contextmanager
def exposed(
    registry: CollectorRegistry, host: str, port: int, *, patience: Patience | None = None
) -> Iterator[int]:
    """Serve figures from threads while the block runs.

    Args:
        registry: that has them.
        host: address or name of this machine.
        port: 0 for a free one.
        patience: how long a client may take for the next byte, of its request and of its answer.

    Returns:
        The port.

    Raises:
        OSError: it cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    server = _Server((host, port), family, (patience or Patience()).stalled_s)
    names = {each.lower() for each in (host, "localhost", socket.gethostname(), socket.getfqdn())}
    server.set_app(_checked(make_wsgi_app(registry), names))
    thread = threading.Thread(target=server.serve_forever, name="froude-metrics", daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _checked(app: Callable[..., Any], names: Collection[str]) -> Callable[..., Any]:
    def checked(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        if names_this(environ.get("HTTP_HOST"), names):
            return app(environ, start)  # type: ignore[no-any-return] # of prometheus_client
        start("421 Misdirected Request", [("Content-Type", "text/plain; charset=utf-8")])
        allowed = ", ".join(sorted(names))
        return [f"Host names another machine; allowed: an IP address, {allowed}\n".encode()]

    return checked


class _Silent(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
        """Log nothing."""


class _Server(ThreadingMixIn, WSGIServer):
    """Serves so many clients; where there are more, the oldest connection makes way."""

    daemon_threads = True
    request_queue_size = 4 * MOST_READERS

    def __init__(self, address: tuple[str, int], family: socket.AddressFamily, stalled_s: float) -> None:
        self.address_family = family
        self._stalled_s = stalled_s
        self._connected: deque[socket.socket] = deque()
        super().__init__(address, _Silent)

    def process_request(self, request: Any, client_address: Any) -> None:
        request.settimeout(self._stalled_s)
        self._connected.append(request)
        if len(self._connected) > MOST_READERS:
            with suppress(OSError):  # it has gone already
                self._connected.popleft().shutdown(socket.SHUT_RDWR)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with suppress(ValueError):  # it made way
            self._connected.remove(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report nothing: a client that goes away or is cut off is not an error of ours."""
