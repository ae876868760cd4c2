"""The controller's REST interface: plan, dry run, history, rollback, what-if, pause; OpenAPI at `/openapi.json`."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Path, Query
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import Field

from froude.cache.agents.web import PROBLEMS, SECRET, application, metrics_text
from froude.cache.control.deciding import Solver
from froude.cache.control.loop import Loop
from froude.cache.control.metrics import controller_metrics
from froude.cache.control.types import Decision, Record, plain
from froude.cache.monitor.limits import MOST
from froude.cache.monitor.messages import FindingMessage, LimitsMessage, Message
from froude.cache.monitor.view import View
from froude.cache.solve.files import state_text
from froude.cache.solve.policies import POLICIES
from froude.cache.solve.policies import policy as policy_named


class DecisionMessage(Message):
    """What a policy says."""

    policy: str
    limits: dict[str, LimitsMessage]
    """By VM; a cap of null is none."""
    reasons: dict[str, str]
    """By VM, in a sentence."""
    expected: dict[str, float]
    """What it shall bring, and what is now."""
    remarks: list[str]
    """Advice, and what could not be had."""


class RecordMessage(DecisionMessage):
    """One round."""

    number: int
    made_at_s: float
    """Since the epoch."""
    cause: str
    outcome: str
    before: dict[str, LimitsMessage]
    after: dict[str, LimitsMessage]
    failures: list[str]
    seconds: float


class VmMessage(Message):
    """One VM in the last while."""

    name: str
    hypervisor: str
    held: LimitsMessage
    rates: dict[str, float]
    """Per second."""
    window_s: float
    application: str
    master: bool
    roles: list[str]
    trouble: str
    """Why its limits stay as they are; empty where nothing is wrong."""


class JobMessage(Message):
    """A job of Hadoop that runs."""

    vm: str
    """Whose agent tells of it."""
    id: str
    name: str
    progress: float
    """0 to 1."""
    elapsed_s: float
    hosts: list[str]
    """Where its tasks run, as far as that is known."""


class ViewMessage(Message):
    """What the last round saw."""

    vms: list[VmMessage]
    hypervisors: dict[str, LimitsMessage]
    """What their SSDs have."""
    applications: dict[str, list[str]]
    """VMs by the name of their application."""
    jobs: list[JobMessage]
    findings: list[FindingMessage]
    remarks: list[str]


class Paused(Message):
    """Whether rounds are made by themselves."""

    paused: bool


class RoundRequest(Message):
    """Asks for a round now."""

    dry_run: bool = True
    """Whether it is only said what would be done."""


_POLICY = f"^({'|'.join(each.name for each in POLICIES)})$"


class WhatIf(Message):
    """Asks what a plan would be."""

    space_factor: Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)] = 2.0
    """Of every SSD's space."""
    policy: Annotated[str | None, Field(pattern=_POLICY)] = None
    """Another one than the controller's."""


Number = Annotated[int, Path(ge=1, le=MOST)]


def _responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: PROBLEMS[status] for status in statuses}


def controller_app(loop: Loop, solver: Solver, token: str) -> FastAPI:
    """The controller's interface.

    Args:
        loop: that runs.
        solver: who decides.
        token: the secret.
    """
    app = application("Controller of SSD caches", token)
    _observing(app, loop, solver)
    _acting(app, loop)
    return app


def _observing(app: FastAPI, loop: Loop, solver: Solver) -> None:
    """What changes nothing."""

    @app.get("/v1/view", dependencies=SECRET, responses=_responses(401), summary="What the last round saw")
    def view() -> ViewMessage:
        return view_message(loop.controller.view)

    @app.get(
        "/v1/state",
        dependencies=SECRET,
        responses=_responses(401),
        response_class=PlainTextResponse,
        summary="What the last round saw, as `froude cache solve` reads it",
    )
    def state() -> PlainTextResponse:
        return PlainTextResponse(state_text(solver.state(loop.controller.view, {})))

    @app.get("/v1/plan", dependencies=SECRET, responses=_responses(401), summary="The latest round")
    def plan() -> RecordMessage | None:
        last = loop.controller.last
        return None if last is None else record_message(last)

    @app.get(
        "/v1/history", dependencies=SECRET, responses=_responses(401), summary="Rounds, the latest first"
    )
    def history(limit: Annotated[int, Query(ge=1, le=1000)] = 50) -> list[RecordMessage]:
        return [record_message(each) for each in reversed(loop.controller.journal.records()[-limit:])]

    @app.post(
        "/v1/what-if",
        dependencies=SECRET,
        responses=_responses(401, 422),
        summary="A plan for SSDs of another size, by what the last round saw",
    )
    def what_if(asked: WhatIf) -> DecisionMessage:
        other = None if asked.policy is None else policy_named(asked.policy)
        decision = solver.what_if(loop.controller.view, factor=asked.space_factor, policy=other)
        return decision_message(decision)

    @app.get(
        "/metrics",
        dependencies=SECRET,
        responses=_responses(401),
        response_class=PlainTextResponse,
        summary="The same for Prometheus",
    )
    def metrics() -> PlainTextResponse:
        controller = loop.controller
        counted = controller_metrics(
            controller.view, controller.last, failures=loop.failures, seconds=loop.seconds, paused=loop.paused
        )
        return metrics_text(counted)


def _acting(app: FastAPI, loop: Loop) -> None:
    """What changes something."""

    @app.post(
        "/v1/rounds",
        dependencies=SECRET,
        responses=_responses(401, 422, 503),
        summary="A round now, by default a dry run",
    )
    def rounds(asked: RoundRequest) -> RecordMessage:
        return record_message(loop.round(cause="asked", dry=asked.dry_run))

    @app.post(
        "/v1/history/{number}/restore",
        dependencies=SECRET,
        responses={**_responses(401, 422, 503), 404: {**PROBLEMS[422], "description": "No such round."}},
        summary="Back to what was in force after a round; rounds pause then",
        response_model=RecordMessage,
    )
    def restore(number: Number, asked: RoundRequest) -> RecordMessage | JSONResponse:
        try:
            return record_message(loop.restore(number, dry=asked.dry_run))
        except KeyError:
            return JSONResponse({"message": "no such round, or nothing was in force after it"}, 404)

    @app.get("/v1/pause", dependencies=SECRET, responses=_responses(401), summary="Whether rounds pause")
    def paused() -> Paused:
        return Paused(paused=loop.paused)

    @app.put(
        "/v1/pause",
        dependencies=SECRET,
        responses=_responses(401, 422, 503),
        summary="Pause rounds, or go on",
    )
    def pause(asked: Paused) -> Paused:
        loop.pause(asked.paused)
        return asked


def record_message(record: Record) -> RecordMessage:
    """A round as JSON.

    Args:
        record: of it.
    """
    return RecordMessage.model_validate(plain(record))


def decision_message(decision: Decision) -> DecisionMessage:
    """A decision as JSON.

    Args:
        decision: of a policy.
    """
    return DecisionMessage(
        policy=decision.policy,
        limits={vm: LimitsMessage.of(each) for vm, each in decision.limits.items()},
        reasons=dict(decision.reasons),
        expected=dict(decision.expected),
        remarks=list(decision.remarks),
    )


def view_message(view: View) -> ViewMessage:
    """A view as JSON.

    Args:
        view: of a round.
    """
    return ViewMessage(
        vms=[
            VmMessage(
                name=vm.name,
                hypervisor=vm.hypervisor,
                held=LimitsMessage.of(vm.held),
                rates=dict(vm.rates),
                window_s=vm.window_s,
                application=vm.application,
                master=vm.master,
                roles=list(vm.roles),
                trouble=vm.trouble,
            )
            for vm in view.vms
        ],
        hypervisors={each.name: LimitsMessage.of(each.supply) for each in view.hypervisors},
        applications={each.name: list(each.vms) for each in view.applications},
        jobs=[
            JobMessage(
                vm=vm,
                id=job.id,
                name=job.name,
                progress=job.progress,
                elapsed_s=job.elapsed_s,
                hosts=list(job.hosts),
            )
            for vm, job in view.jobs
        ],
        findings=list(view.findings),
        remarks=list(view.remarks),
    )
