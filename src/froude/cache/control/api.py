"""The controller's REST interface: plan, dry run, history, rollback, what-if, pause; OpenAPI at `/openapi.json`.

What the controller knows is at `/metrics` as well, for Prometheus.
"""

from __future__ import annotations

from typing import Annotated, Any, get_type_hints

from fastapi import APIRouter, FastAPI, Path, Query
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from pydantic import Field, create_model

from froude.cache.agents.metrics import registry_of
from froude.cache.control.deciding import Solver
from froude.cache.control.loop import Loop
from froude.cache.control.types import Decision, Outcome, Record, plain
from froude.cache.monitor.limits import MOST, Limits
from froude.cache.monitor.messages import FindingMessage, Message, Request
from froude.cache.monitor.view import View
from froude.cache.solve.files import state_text
from froude.cache.solve.policies import POLICIES
from froude.cache.solve.policies import policy as policy_named
from froude.rest.application import application, problems, protected, serve_metrics


def _message(name: str, about: str, *kinds: type) -> type[Message]:
    """A message with the fields of some values, side by side."""
    hints: dict[str, Any] = {}
    for kind in kinds:
        hints |= get_type_hints(kind, include_extras=True)
    fields: dict[str, Any] = {field: (hint, ...) for field, hint in hints.items() if hint is not Decision}
    return create_model(name, __base__=Message, __doc__=about, **fields)


DecisionMessage = _message("DecisionMessage", "What a policy says.", Decision)
RecordMessage = _message("RecordMessage", "One round.", Decision, Record)
_RECORDS = list[RecordMessage]  # type: ignore[valid-type] # mypy sees no type in what is made


class VmMessage(Message):
    """One VM in the last while."""

    name: str
    hypervisor: str
    held: Limits
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
    hypervisors: dict[str, Limits]
    """What their SSDs have."""
    applications: dict[str, list[str]]
    """VMs by the name of their application."""
    jobs: list[JobMessage]
    findings: list[FindingMessage]
    remarks: list[str]


class Paused(Request):
    """Whether rounds are made by themselves."""

    paused: bool


class RoundRequest(Request):
    """Asks for a round now."""

    dry_run: bool = True
    """Whether it is only said what would be done."""


_POLICY = f"^({'|'.join(each.name for each in POLICIES)})$"


class WhatIf(Request):
    """Asks what a plan would be."""

    space_factor: Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)] = 2.0
    """Of every SSD's space."""
    policy: Annotated[str | None, Field(pattern=_POLICY)] = None
    """Another one than the controller's."""


Number = Annotated[int, Path(ge=1, le=MOST)]


def controller_app(loop: Loop, solver: Solver, token: str) -> FastAPI:
    """The controller's interface."""
    app, paths = application("Controller of SSD caches", token), protected()
    _observing(paths, loop, solver)
    _acting(paths, loop)
    app.include_router(paths)
    return app


def _observing(paths: APIRouter, loop: Loop, solver: Solver) -> None:
    """What changes nothing."""
    controller = loop.controller

    @paths.get("/v1/view", summary="What the last round saw")
    def view() -> ViewMessage:
        return view_message(controller.view)

    @paths.get(
        "/v1/state",
        response_class=PlainTextResponse,
        summary="What the last round saw, as `froude cache solve` reads it",
    )
    def state() -> PlainTextResponse:
        return PlainTextResponse(state_text(solver.state(controller.view, {})))

    @paths.get("/v1/plan", response_model=RecordMessage | None, summary="The latest round")
    def plan() -> Any:
        return None if controller.last is None else plain(controller.last)

    @paths.get("/v1/history", response_model=_RECORDS, summary="Rounds, the latest first")
    def history(limit: Annotated[int, Query(ge=1, le=1000)] = 50) -> Any:
        return [plain(each) for each in reversed(controller.journal.records()[-limit:])]

    @paths.post(
        "/v1/what-if",
        responses=problems(422),
        response_model=DecisionMessage,
        summary="A plan for SSDs of another size, by what the last round saw",
    )
    def what_if(asked: WhatIf) -> Any:
        other = None if asked.policy is None else policy_named(asked.policy)
        return solver.what_if(controller.view, factor=asked.space_factor, policy=other)

    serve_metrics(
        paths,
        lambda: controller_metrics(
            controller.view, controller.last, failures=loop.failures, seconds=loop.seconds, paused=loop.paused
        ),
    )


def _acting(paths: APIRouter, loop: Loop) -> None:
    """What changes something."""

    @paths.post(
        "/v1/rounds",
        responses=problems(422, 503),
        response_model=RecordMessage,
        summary="A round now, by default a dry run",
    )
    def rounds(asked: RoundRequest) -> Any:
        return plain(loop.round(cause="asked", dry=asked.dry_run))

    @paths.post(
        "/v1/history/{number}/restore",
        responses={**problems(422, 503), 404: {**problems(422)[422], "description": "No such round."}},
        response_model=RecordMessage,
        summary="Back to what was in force after a round; rounds pause then",
    )
    def restore(number: Number, asked: RoundRequest) -> Any:
        try:
            return plain(loop.restore(number, dry=asked.dry_run))
        except KeyError:
            return JSONResponse({"message": "no such round, or nothing was in force after it"}, 404)

    @paths.get("/v1/pause", summary="Whether rounds pause")
    def paused() -> Paused:
        return Paused(paused=loop.paused)

    @paths.put("/v1/pause", responses=problems(422, 503), summary="Pause rounds, or go on")
    def pause(asked: Paused) -> Paused:
        loop.pause(asked.paused)
        return asked


def view_message(view: View) -> ViewMessage:
    """A view as JSON."""
    return ViewMessage(
        vms=[VmMessage.model_validate(vm, from_attributes=True) for vm in view.vms],
        hypervisors={each.name: each.supply for each in view.hypervisors},
        applications={each.name: list(each.vms) for each in view.applications},
        jobs=[JobMessage.model_validate({**dict(job), "vm": vm}) for vm, job in view.jobs],
        findings=list(view.findings),
        remarks=list(view.remarks),
    )


def controller_metrics(
    view: View, last: Record | None, *, failures: int, seconds: float, paused: bool
) -> CollectorRegistry:
    """The figures of now.

    Args:
        view: of the last round.
        last: that round; None before the first.
        failures: rounds that ended in an error.
    """
    trouble = GaugeMetricFamily(
        "froude_vm_trouble", "Whether the VM's limits must stay as they are.", labels=["vm"]
    )
    missed = GaugeMetricFamily(
        "froude_vm_misses_per_s", "Chunks read a second that no cache held.", labels=["vm"]
    )
    read = GaugeMetricFamily("froude_vm_chunks_per_s", "Chunks read a second.", labels=["vm"])
    space = GaugeMetricFamily(
        "froude_vm_cache_bytes", "Space of the VM's cache.", labels=["vm", "hypervisor"]
    )
    for vm in view.vms:
        trouble.add_metric([vm.name], bool(vm.trouble))
        missed.add_metric([vm.name], vm.rates.get("misses", 0.0))
        read.add_metric([vm.name], vm.rates.get("chunks", 0.0))
        space.add_metric([vm.name, vm.hypervisor], vm.held.cache_bytes or 0)
    families: list[GaugeMetricFamily | CounterMetricFamily] = [trouble, missed, read, space]
    if last is not None:
        outcome = GaugeMetricFamily("froude_round_outcome", "How the last round ended.", labels=["outcome"])
        for each in Outcome:
            outcome.add_metric([each.value], last.outcome is each)
        families += [
            outcome,
            CounterMetricFamily("froude_rounds", "Rounds so far, also before a restart.", value=last.number),
            GaugeMetricFamily(
                "froude_round_time_seconds", "When the last round was, since the epoch.", last.made_at_s
            ),
            GaugeMetricFamily("froude_round_seconds", "How long it took.", value=last.seconds),
        ]
    families += [
        CounterMetricFamily("froude_round_failures", "Rounds that ended in an error.", value=failures),
        CounterMetricFamily("froude_round_cpu_seconds", "Processor time spent in rounds.", value=seconds),
        GaugeMetricFamily("froude_paused", "Whether rounds pause.", value=paused),
    ]
    return registry_of(families)
