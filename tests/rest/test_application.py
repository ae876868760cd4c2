"""What REST interfaces share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from prometheus_client import CollectorRegistry, Gauge

from froude.base.errors import FroudeError, GuardError, InputError, MissingError, TargetError
from froude.rest.application import application, problems, protected, serve_metrics
from froude.rest.bounded import LARGEST_BYTES

_SECRET = "0123456789abcdef"
_ERRORS: dict[str, tuple[FroudeError, int]] = {
    "input": (InputError("is no size", place="size", found=-1, allowed="0 or more"), 422),
    "guard": (GuardError("is another"), 409),
    "missing": (MissingError("is not here", remedy="pip install it"), 503),
    "target": (TargetError("does not answer", file="h:1"), 502),
}


def _client(secret: str = _SECRET) -> TestClient:
    """Of an interface with a path for each error."""
    app, paths = application("test", _SECRET), protected()
    registry = CollectorRegistry()
    Gauge("froude_test", "One.", registry=registry).set(1)

    @paths.get("/v1/errors/{name}", responses=problems(409, 422))
    def errors(name: str) -> None:
        raise _ERRORS[name][0]

    @paths.put("/v1/numbers")
    def numbers(body: dict[str, int]) -> int:
        return sum(body.values())

    serve_metrics(paths, lambda: registry)
    app.include_router(paths)
    return TestClient(app, headers={"Authorization": f"Bearer {secret}"})


@pytest.mark.parametrize("name", _ERRORS)
def test_an_error_as_json(name: str) -> None:
    """All its parts, under the status of its kind."""
    error, status = _ERRORS[name]
    answer = _client().get(f"/v1/errors/{name}")
    assert (answer.status_code, answer.json()) == (status, error.parts())


def test_only_who_has_the_secret() -> None:
    """Whatever the path; but everybody may ask whether it lives."""
    stranger = _client("another")
    for path in ("/v1/errors/input", "/metrics"):
        answer = stranger.get(path)
        assert answer.status_code == 401
        assert answer.json() == {"message": "needs the secret as its bearer token"}
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert stranger.get("/health").json() == {"status": "ok"}
    assert _client().get("/metrics").text.endswith("froude_test 1.0\n")


def test_what_is_no_request() -> None:
    """One form for all: a value that may not be, a path that is none, a body that is too long."""
    client = _client()
    answer = client.put("/v1/numbers", json={"a": "b"})
    assert (answer.status_code, answer.json()["place"]) == (422, "a")
    assert client.put("/v1/numbers", json={"a": 1, "b": 2}).json() == 3
    assert (client.get("/v1/none").status_code, client.get("/v1/none").json()) == (
        404,
        {"message": "Not Found"},
    )

    def pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * LARGEST_BYTES

    answer = client.put("/v1/numbers", content=pieces())
    assert (answer.status_code, answer.json()) == (413, {"message": "a request has at most 65536 bytes"})
