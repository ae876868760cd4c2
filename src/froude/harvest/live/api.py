"""The class-selection API: a job says what it needs and is told where to run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, FastAPI, HTTPException
from pydantic import BaseModel, ConfigDict, Field

from froude.harvest.live.choosing import Choice, LastRun, Request, choice_fields
from froude.harvest.live.controller import View
from froude.harvest.schedule.selection import Container, JobType
from froude.rest.application import application, problems, protected

_Name = Annotated[str, Field(min_length=1, max_length=200)]
_Seconds = Annotated[float, Field(ge=0, le=1e9)]
_Containers = Annotated[float, Field(gt=0, le=1e6)]


class Asked(BaseModel):
    """A job that asks where to run."""

    model_config = ConfigDict(extra="forbid", strict=True)
    job: _Name
    containers: _Containers
    cores: Annotated[float, Field(gt=0, le=1024)] = 1.0
    memory_mb: Annotated[float, Field(ge=0, le=1 << 26)] = 2048.0
    last_run_s: _Seconds | None = None
    type: Annotated[JobType | None, Field(strict=False)] = None


class Ran(BaseModel):
    """A job that has run."""

    model_config = ConfigDict(extra="forbid", strict=True)
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
        """Bind them."""
        self.choose, self.ran, self.view = choose, ran, view


def selection_app(calls: Calls, token: str) -> FastAPI:
    """The API.

    Args:
        token: what every request must carry as its bearer token.
    """
    app, paths = application("Class selection", token), protected()

    def seen() -> None:
        if not calls.view().at_s:
            raise HTTPException(503, "the ResourceManager has not answered yet")

    @paths.post(
        "/v1/select",
        dependencies=[Depends(seen)],
        responses=problems(413, 422, 503),
        summary="Where a job shall run",
    )
    def select(asked: Asked) -> dict[str, Any]:
        container = Container(asked.cores, asked.memory_mb)
        return choice_fields(
            calls.choose(Request(asked.job, asked.containers, container, asked.last_run_s, asked.type))
        )

    @paths.post("/v1/ran", status_code=204, responses=problems(413, 422), summary="How long a job took")
    def ran(told: Ran) -> None:
        calls.ran(told.job, LastRun(told.seconds, told.containers))

    @paths.get(
        "/v1/classes",
        dependencies=[Depends(seen)],
        responses=problems(503),
        summary="The classes and what they use",
    )
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

    app.include_router(paths)
    return app
