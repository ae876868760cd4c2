"""The agents' REST interface."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Path

from froude.cache.agents.hypervisor import HypervisorWatch
from froude.cache.agents.metrics import hypervisor_metrics, vm_metrics
from froude.cache.agents.vm import VmWatch
from froude.cache.monitor.messages import Apply, CachedVm, HypervisorReport, VmReport
from froude.rest.application import application, problems, protected, serve_metrics


def hypervisor_app(watch: HypervisorWatch, token: str) -> FastAPI:
    """The interface of a hypervisor's agent."""
    app, paths = application("Agent of a hypervisor", token), protected()

    @paths.get("/v1/report", responses=problems(502), summary="SSD, VMs, limits, counters")
    def report() -> HypervisorReport:
        return watch.report()

    @paths.put(
        "/v1/vms/{vm}/limits", responses=problems(409, 422, 502, 503), summary="Change the limits of a VM"
    )
    def limits(vm: Annotated[str, Path(min_length=1, max_length=200)], asked: Apply) -> CachedVm:
        return watch.apply(vm, asked.number, asked.limits, asked.instance)

    serve_metrics(paths, lambda: hypervisor_metrics(watch.report()))
    app.include_router(paths)
    return app


def vm_app(watch: VmWatch, token: str) -> FastAPI:
    """The interface of a VM's agent."""
    app, paths = application("Agent of a VM", token), protected()

    @paths.get("/v1/report", summary="Counters, processes, peers, jobs")
    def report() -> VmReport:
        return watch.report()

    serve_metrics(paths, lambda: vm_metrics(watch.report()))
    app.include_router(paths)
    return app
