"""The class-selection API: a job says what it needs and is told where to run; HTTP and JSON, bounded, with a token."""

from __future__ import annotations

import hmac
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException
from pydantic import BaseModel, ConfigDict, Field
from starlette.types import ASGIApp

from froude.base.bounded import IDLE_S, MOST_AT_ONCE, BoundedBody
from froude.base.errors import InputError
from froude.harvest.live.choosing import Choice, LastRun, Request, choice_fields
from froude.harvest.live.controller import View
from froude.harvest.schedule.selection import Container, JobType

_Name = Annotated[str, Field(min_length=1, max_length=200)]
_Seconds = Annotated[float, Field(ge=0, le=1e9)]
_Containers = Annotated[float, Field(gt=0, le=1e6)]
_Authorization = Annotated[str, Header(max_length=1000)]


class Asked(BaseModel):
    """A job that asks where to run."""

    model_config = ConfigDict(extra="forbid")
    job: _Name
    containers: _Containers
    cores: Annotated[float, Field(gt=0, le=1024)] = 1.0
    memory_mb: Annotated[float, Field(ge=0, le=1 << 26)] = 2048.0
    last_run_s: _Seconds | None = None
    type: JobType | None = None


class Ran(BaseModel):
    """A job that has run."""

    model_config = ConfigDict(extra="forbid")
    job: _Name
    seconds: _Seconds
    containers: _Containers = 1.0


class Calls:
    """What the API asks of whoever serves; each returns at once."""

    def __init__(
        self,
        choose: Callable[[Request], Choice],
        ran: Callable[[str, LastRun], None],
        view: Callable[[], View],
    ) -> None:
        """Bind them.

        Args:
            choose: chooses the classes of a job.
            ran: remembers how one ran.
            view: the cluster as it was seen last.
        """
        self.choose, self.ran, self.view = choose, ran, view


def application(calls: Calls, token: str) -> ASGIApp:
    """The API.

    Args:
        calls: who answers.
        token: what every request must carry as its bearer token.
    """
    expected = f"Bearer {token}".encode()

    def allowed(authorization: _Authorization = "") -> None:
        if not hmac.compare_digest(authorization.encode(), expected):
            raise HTTPException(401, "the token is missing or wrong", {"WWW-Authenticate": "Bearer"})

    def seen() -> None:
        if not calls.view().at_s:
            raise HTTPException(503, "the ResourceManager has not answered yet")

    app = FastAPI(
        title="Froude class selection",
        dependencies=[Depends(allowed)],
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )

    @app.post("/v1/select", dependencies=[Depends(seen)])
    def select(asked: Asked) -> dict[str, Any]:
        container = Container(asked.cores, asked.memory_mb)
        return choice_fields(
            calls.choose(Request(asked.job, asked.containers, container, asked.last_run_s, asked.type))
        )

    @app.post("/v1/ran", status_code=204)
    def ran(told: Ran) -> None:
        calls.ran(told.job, LastRun(told.seconds, told.containers))

    @app.get("/v1/classes", dependencies=[Depends(seen)])
    def classes() -> dict[str, Any]:
        view = calls.view()
        return {
            "at_s": view.at_s,
            "nodes": view.nodes,
            "classes": [
                {
                    "label": room.name,
                    "pattern": room.pattern.value,
                    "nodes": room.servers,
                    "average": room.average,
                    "peak": room.peak,
                    "current": room.current,
                }
                for room in view.rooms
            ],
        }

    app.add_middleware(BoundedBody)
    return app


@contextmanager
def listening(app: ASGIApp, address: tuple[str, int]) -> Iterator[tuple[str, int]]:
    """Serve an application from a thread while the block runs.

    Args:
        app: what answers.
        address: where to listen; port 0 takes a free one.

    Yields:
        Where it listens.

    Raises:
        InputError: nobody may listen there.
    """
    try:
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        bound = socket.create_server(address, family=family)
    except OSError as error:
        found = f"{address[0]}:{address[1]}"
        raise InputError("cannot listen", place="--listen", found=found, allowed=error.strerror) from error
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        limit_concurrency=MOST_AT_ONCE,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=IDLE_S,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, name="froude-api", daemon=True)
    thread.start()
    try:
        host, port = bound.getsockname()[:2]
        yield str(host), int(port)
    finally:
        server.should_exit = True
        thread.join()
        bound.close()
