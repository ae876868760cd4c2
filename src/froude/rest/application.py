"""What every REST interface of ours is made of: the secret, errors as JSON, OpenAPI, figures for Prometheus."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from prometheus_client import CollectorRegistry, generate_latest
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from froude.base.errors import FroudeError, GuardError, InputError, MissingError
from froude.base.version import __version__
from froude.rest.bounded import BoundedBody
from froude.rest.token import allows

_STATUS = {InputError: 422, GuardError: 409, MissingError: 503}


class Problem(BaseModel):
    """Why a request was not served."""

    message: str
    file: str | None = None
    place: str | None = None
    found: str | None = None
    allowed: str | None = None
    remedy: str | None = None


class Health(BaseModel):
    """Whether it works."""

    status: Literal["ok"] = "ok"


_PROBLEMS = {
    401: "The secret is missing or wrong.",
    409: "It may not be done as things stand now, or comes too late.",
    413: "The body is too long.",
    422: "A value is not allowed.",
    502: "Who carries it out refuses, or does not answer.",
    503: "What is needed is not there.",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """What the document says of answers that are none.

    Args:
        statuses: of HTTP.
    """
    return {status: {"model": Problem, "description": _PROBLEMS[status]} for status in statuses}


def application(title: str, token: str) -> FastAPI:
    """An application that serves only who has the secret, but for `/health` and `/openapi.json`.

    Args:
        title: of its documentation.
        token: the secret.
    """
    app = FastAPI(title=title, version=__version__, docs_url=None, redoc_url=None)

    @app.exception_handler(FroudeError)
    def refused(_: Request, error: FroudeError) -> JSONResponse:
        status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 502)
        return JSONResponse(error.parts(), status)

    @app.exception_handler(HTTPException)
    def unserved(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"message": str(error.detail)}, error.status_code, error.headers)

    @app.exception_handler(RequestValidationError)
    def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"][1:])) or None
        return JSONResponse({"message": str(first["msg"]), "place": place}, 422)

    @app.get("/health", summary="Whether it answers")
    def health() -> Health:
        return Health()

    app.add_middleware(BoundedBody)
    app.state.token = token
    return app


_bearer = HTTPBearer(auto_error=False)


def check_token(
    request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> None:
    """Refuse who does not send the secret.

    Raises:
        HTTPException: 401.
    """
    header = None if credentials is None else f"{credentials.scheme} {credentials.credentials}"
    if not allows(request.app.state.token, header):
        raise HTTPException(401, "needs the secret as its bearer token", {"WWW-Authenticate": "Bearer"})


def protected() -> APIRouter:
    """Paths that only who has the secret is served."""
    return APIRouter(dependencies=[Depends(check_token)], responses=problems(401))


def serve_metrics(paths: APIRouter, registry: Callable[[], CollectorRegistry]) -> None:
    """Add the path of figures for Prometheus.

    Args:
        paths: to add it to.
        registry: that has the figures, made when they are asked for.
    """

    @paths.get("/metrics", response_class=PlainTextResponse, summary="The same for Prometheus")
    def metrics() -> PlainTextResponse:
        return PlainTextResponse(generate_latest(registry()), media_type="text/plain; version=0.0.4")
