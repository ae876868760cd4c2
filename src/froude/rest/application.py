"""What every REST interface of ours is made of: the secret, errors as JSON, OpenAPI, figures for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, get_type_hints

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from prometheus_client import CollectorRegistry, generate_latest
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from froude.base.errors import FroudeError, GuardError, InputError, MissingError, nearest
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
    """What the document says of answers that are none."""
    return {status: {"model": Problem, "description": _PROBLEMS[status]} for status in statuses}


def application(title: str, token: str) -> FastAPI:
    """An application that serves only who has the secret, but for `/health` and `/openapi.json`."""
    app = FastAPI(title=title, version=__version__, docs_url=None, redoc_url=None)

    @app.exception_handler(FroudeError)
    def refused(_: Request, error: FroudeError) -> JSONResponse:
        status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 502)
        return JSONResponse(error.parts(), status)

    @app.exception_handler(HTTPException)
    def unserved(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"message": str(error.detail)}, error.status_code, error.headers)

    @app.exception_handler(RequestValidationError)
    def malformed(request: Request, error: RequestValidationError) -> JSONResponse:
        return JSONResponse(_refusal(request, error.errors()[0]).parts(), 422)

    @app.get("/health", summary="Whether it answers")
    def health() -> Health:
        return Health()

    app.add_middleware(BoundedBody)
    app.state.token = token
    return app


def _refusal(request: Request, first: Mapping[str, Any]) -> InputError:
    """What is wrong with a request, by the first error that its form found."""
    *above, name = first["loc"][1:] or ("",)
    place = ".".join(map(str, (*above, name))) or None
    if first["type"] not in {"extra_forbidden", "unexpected_keyword_argument"}:
        return InputError(str(first["msg"]), place=place, found=first.get("input"))
    kind = request.scope["route"].body_field.field_info.annotation
    for each in above:
        kind = get_type_hints(kind)[each]
    known = list(getattr(kind, "model_fields", None) or kind.__dataclass_fields__)
    return InputError(f"is not a field here{nearest(name, known)}", place=place, allowed=known)


def check_query(request: Request) -> None:
    """Refuse what is asked for by a name that a path does not know, rather than answer something else.

    Raises:
        InputError: with the name.
    """
    route = request.scope["route"]
    known = [each.alias for each in route.dependant.query_params]  # codespell:ignore dependant
    for name in request.query_params:
        if name not in known:
            message = f"is not a parameter here{nearest(name, known)}"
            raise InputError(message, place=name, allowed=", ".join(known) or "no parameter")


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
    return APIRouter(dependencies=[Depends(check_token), Depends(check_query)], responses=problems(401, 422))


def serve_metrics(paths: APIRouter, registry: Callable[[], CollectorRegistry]) -> None:
    """Add the path of figures for Prometheus.

    Args:
        registry: that has the figures, made when they are asked for.
    """

    @paths.get("/metrics", response_class=PlainTextResponse, summary="The same for Prometheus")
    def metrics() -> PlainTextResponse:
        return PlainTextResponse(generate_latest(registry()), media_type="text/plain; version=0.0.4")
