"""Figures for Prometheus by plain HTTP, for every client that reaches the address: bounded, but without a secret."""

from __future__ import annotations

import socket
import threading
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from http.server import ThreadingHTTPServer
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry, MetricsHandler

from froude.rest.bounded import Patience
from froude.rest.serving import Bound

_STALLED_S = Patience().stalled_s
MOST_READERS = 16
"""Connections at a time, each with a thread."""


def names_this(header: str | None, names: Collection[str]) -> bool:
    """Whether a `Host` is an IP address or a name of this machine: a web page that leads its own name here has neither.

    Args:
        header: its value; None where it is missing, as no browser leaves it out.
        names: of this machine, in lower case.
    """
    try:
        host = "localhost" if header is None else (urlsplit(f"//{header}").hostname or "").rstrip(".")
        return host in names or bool(ip_address(host))
    except ValueError:
        return False


@contextmanager
def exposed(registry: CollectorRegistry, bound: Bound, stalled_s: float = _STALLED_S) -> Iterator[None]:
    """Serve the figures of a registry from threads while the block runs.

    Args:
        stalled_s: how long a client may take for the next byte, of its request and of its answer.
    """
    own = (urlsplit(bound.url).hostname or "", "localhost", socket.gethostname(), socket.getfqdn())
    names = {each.lower() for each in own}

    class Handler(MetricsHandler):
        timeout = stalled_s

        def do_GET(self) -> None:  # noqa: N802 - its name in http.server
            if names_this(self.headers.get("Host"), names):
                super().do_GET()
            else:
                self.send_error(421, explain=f"Host may be an IP address, {', '.join(sorted(names))}")

    Handler.registry = registry
    with _Server(bound.socket, Handler) as server:
        thread = threading.Thread(target=server.serve_forever, name="froude-metrics", daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    """Where there are too many connections, the oldest one makes way."""

    def __init__(self, bound: socket.socket, handler: type[MetricsHandler]) -> None:
        super().__init__(bound.getsockname()[:2], handler, bind_and_activate=False)
        self.socket.close()
        self.socket = bound
        self._recent: deque[socket.socket] = deque()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._recent.append(request)
        if len(self._recent) > MOST_READERS:
            with suppress(OSError):  # it has ended already
                self._recent.popleft().shutdown(socket.SHUT_RDWR)
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report nothing: a client that goes away or is cut off is not an error of ours."""
