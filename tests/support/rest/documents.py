"""Whether an interface keeps to its own OpenAPI document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from schemathesis.schemas import APIOperation

from tests.support.misspelled import misspelled, true_numbers


class Asking(Protocol):
    """Who asks: a client of HTTP, such as `TestClient`."""

    def request(self, method: str, url: str, **parts: Any) -> Any:
        """Ask."""


def operations(app: FastAPI) -> dict[str, APIOperation]:
    """What the document names, by method and path."""
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    return {operation.ok().label: operation.ok() for operation in schema.get_all_operations()}


def keeps_to_its_document(operation: APIOperation, token: str, *, but: Sequence[str] = ()) -> None:
    """Whatever is asked, answers are of the codes and forms that OpenAPI names, and never an error of ours.

    Args:
        operation: that is asked.
        token: of who asks.
        but: names of checks that do not hold for it.
    """
    excluded = [schemathesis.checks.CHECKS.get_one(name) for name in but]

    @given(case=operation.as_strategy())
    @settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def check(case: schemathesis.Case) -> None:
        case.call_and_validate(headers={"Authorization": f"Bearer {token}"}, excluded_checks=excluded)

    check()


def refuses_what_it_does_not_know(client: Asking, method: str, path: str, body: Any = None) -> None:
    """One error, which names the place: for each field that is misspelled, `true` for a number, and any parameter.

    Args:
        client: of an interface, with the secret.
        method: of HTTP.
        path: that is served.
        body: that it takes, with all fields; None for none.
    """
    answer = client.request(method, f"{path}?limitt=5", **({} if body is None else {"json": body}))
    assert (answer.status_code, answer.json()["place"]) == (422, "limitt")
    assert answer.json()["message"].startswith("is not a parameter here")
    if body is None:
        return
    for wrong, other in misspelled(body):
        answer = client.request(method, path, json=other)
        assert (answer.status_code, answer.json()["place"].split(".")[-1]) == (422, wrong), answer.json()
        assert "is not a field here, did you mean" in answer.json()["message"]
        assert answer.json()["allowed"]
    for at, other in true_numbers(body):
        answer = client.request(method, path, json=other)
        assert (answer.status_code, answer.json()["place"]) == (422, ".".join(map(str, at))), answer.json()
        assert answer.json()["found"] == "True"
    for name, value in body.items():
        if isinstance(value, bool):
            assert client.request(method, path, json={**body, name: int(value)}).status_code == 422
