"""Whether an interface keeps to its own OpenAPI document."""

from __future__ import annotations

from collections.abc import Sequence

import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from schemathesis.schemas import APIOperation


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
