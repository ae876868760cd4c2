"""The class-selection API over a store in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from froude.harvest.live.api import Calls, selection_app
from froude.harvest.live.choosing import Choice, LastRun, Part, Request
from froude.harvest.live.controller import View
from froude.harvest.schedule.selection import ClassRoom, Fit, JobType
from froude.harvest.telemetry.profiles import Pattern
from froude.rest import serving
from froude.rest.serving import Tls, listener

VIEW = View((ClassRoom("periodic-01", Pattern.PERIODIC, 2, 0.3, 0.5, 0.4),), at_s=5.0, nodes=2)
TWO = (Part("periodic-01", 20.0, 18), Part("constant-01", 10.0, 9))
ASKED = {"job": "q19", "containers": 27, "cores": 2, "memory_mb": 0}


class Memory:
    """Answers all alike, and keeps what it was told."""

    def __init__(self, view: View = VIEW) -> None:
        self.view, self.parts, self.labels = view, TWO, True
        self.asked: list[Request] = []
        self.ran: list[tuple[str, LastRun]] = []

    def choose(self, request: Request) -> Choice:
        self.asked.append(request)
        return Choice(request.job, JobType.LONG, Fit.SEVERAL, self.parts, "periodic-01", labels=self.labels)

    def calls(self) -> Calls:
        return Calls(self.choose, lambda job, run: self.ran.append((job, run)), lambda: self.view)


@contextmanager
def api_of(memory: Memory, host: str = "127.0.0.1", tls: Tls | None = None) -> Iterator[str]:
    """Serves it while the block runs; gives its address."""
    bound = listener(f"{host}:0", tls)
    with serving.served(selection_app(memory.calls(), "secret"), bound):
        yield bound.url
