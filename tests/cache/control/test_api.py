"""The controller's REST interface: what it answers, and that it keeps to its own OpenAPI document."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from froude.cache.control.api import controller_app, controller_metrics, view_message
from froude.cache.control.config import ControllerConfig, HypervisorEntry
from froude.cache.control.loop import Loop
from froude.cache.control.rounds import Controller
from froude.cache.control.types import Decision, Outcome, Record
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import JobSample
from froude.cache.monitor.view import Monitor, View, VmView
from froude.cache.solve.files import read_state
from testbed.cache_world import SimulatedAgents, SimulatedJournal, World
from tests.support.rest.documents import keeps_to_its_document, operations, refuses_what_it_does_not_know

_SECRET = "0123456789abcdef"
_HEADERS = {"Authorization": f"Bearer {_SECRET}"}


def _app(*, rounds: int = 1) -> tuple[FastAPI, World, Loop]:
    """A controller of a world in which all goes well, after some rounds."""
    world = World(1, faults=False)
    for disk in world.disks["h0"].values():
        disk.limits = Limits(100, 100)
    entries = {"h0": HypervisorEntry(agent="https://h0"), "h1": HypervisorEntry(agent="https://h1")}
    config = ControllerConfig(token="t", state="s", hypervisors=entries, policy="equal", granule_bytes=1)  # type: ignore[arg-type]
    solver = config.solver()
    monitor = Monitor(window_s=180, stale_s=1e9)
    controller = Controller(SimulatedAgents(world), SimulatedJournal(world), world.clock, monitor, solver)
    loop = Loop(controller, 1000)
    for _ in range(rounds):
        loop.round(cause="asked", dry=False)
        world.clock.sleep(60)
    return controller_app(loop, solver, _SECRET), world, loop


@pytest.fixture
def client() -> TestClient:
    """Asked with the secret."""
    return TestClient(_app()[0], headers=_HEADERS)


def test_the_plan_with_its_reasons(client: TestClient) -> None:
    """What is in force, why, and what it shall bring."""
    plan = client.get("/v1/plan").json()
    assert (plan["policy"], plan["outcome"]) == ("equal", "applied")
    assert plan["after"]["h0v0"]["cache_bytes"] == 333
    assert plan["reasons"]["h0v0"].startswith("as much as any other")
    assert plan["expected"].keys() == {"written_bytes_per_s"}  # no VM has a curve


def test_before_the_first_round() -> None:
    """There is no plan, and no history."""
    client = TestClient(_app(rounds=0)[0], headers=_HEADERS)
    assert client.get("/v1/plan").json() is None
    assert client.get("/v1/history").json() == []
    assert client.post("/v1/what-if", json={}).json()["limits"] == {}


def test_the_state_can_be_solved(client: TestClient, tmp_path: Path) -> None:
    """As a file that `froude cache solve` takes."""
    file = tmp_path / "state.yaml"
    file.write_text(client.get("/v1/state").text)
    state = read_state(file).state
    assert {vm.name for vm in state.vms} == set(client.get("/v1/plan").json()["limits"])


def test_a_dry_run_and_a_round(client: TestClient) -> None:
    """By default nothing is changed; the history has what was."""
    assert client.post("/v1/rounds", json={}).json()["outcome"] in {"kept", "dry-run"}
    assert client.post("/v1/rounds", json={"dry_run": False}).json()["number"] == 2
    assert [each["number"] for each in client.get("/v1/history").json()] == [2, 1]
    assert len(client.get("/v1/history", params={"limit": 1}).json()) == 1


def test_going_back(client: TestClient) -> None:
    """Rounds pause then; one that is not remembered is not found."""
    assert client.post("/v1/history/1/restore", json={"dry_run": False}).status_code == 200
    assert client.get("/v1/pause").json() == {"paused": True}
    assert client.put("/v1/pause", json={"paused": False}).json() == {"paused": False}
    assert client.post("/v1/history/9/restore", json={}).status_code == 404


def test_what_if(client: TestClient) -> None:
    """SSDs of twice the size; another policy; one that is none."""
    twice = client.post("/v1/what-if", json={"space_factor": 2}).json()
    assert twice["limits"]["h0v0"]["cache_bytes"] == 666
    other = client.post("/v1/what-if", json={"policy": "none"}).json()
    assert (other["policy"], other["limits"]["h0v0"]["cache_bytes"]) == ("none", 0)
    refused = client.post("/v1/what-if", json={"policy": "best"})
    assert (refused.status_code, refused.json()["place"]) == (422, "policy")


def test_what_was_seen(client: TestClient) -> None:
    """VMs, SSDs, and figures for Prometheus."""
    view = client.get("/v1/view").json()
    assert view["hypervisors"]["h0"]["cache_bytes"] == 1000
    assert {vm["name"] for vm in view["vms"]} >= {"h0v0", "h1v2"}
    assert 'froude_vm_cache_bytes{hypervisor="h0",vm="h0v0"}' in client.get("/metrics").text


def test_jobs_that_run() -> None:
    """With who tells of them, and where they are."""
    job = JobSample(id="application_1", name="sort", progress=0.5, elapsed_s=7, hosts=("a", "b"))
    (shown,) = view_message(View((), (), jobs=(("vm1", job),))).jobs
    assert (shown.vm, shown.name, shown.hosts) == ("vm1", "sort", ["a", "b"])


def test_without_the_secret() -> None:
    """Nothing is told and nothing done."""
    app, world, _ = _app()
    stranger = TestClient(app)
    given = world.given
    for method, path in (
        ("GET", "/v1/plan"),
        ("GET", "/metrics"),
        ("POST", "/v1/rounds"),
        ("PUT", "/v1/pause"),
    ):
        assert stranger.request(method, path, json={}).status_code == 401
    assert world.given == given


_OPERATIONS = operations(_app()[0])


def test_the_document_names_all() -> None:
    """What is documented is what is there."""
    assert {label.split()[1] for label in _OPERATIONS} == {
        "/health", "/metrics", "/v1/view", "/v1/plan", "/v1/history", "/v1/history/{number}/restore", "/v1/rounds",
        "/v1/what-if", "/v1/pause", "/v1/state",
    }  # fmt: skip


@pytest.mark.parametrize("label", _OPERATIONS)
def test_it_keeps_to_its_own_document(label: str) -> None:
    """Whatever is asked, answers are of the codes and forms that OpenAPI names, and never an error of ours."""
    keeps_to_its_document(_OPERATIONS[label], _SECRET)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/v1/what-if", {"space_factor": 4, "policy": "none"}),
        ("POST", "/v1/rounds", {"dry_run": False}),
        ("POST", "/v1/history/1/restore", {"dry_run": False}),
        ("PUT", "/v1/pause", {"paused": True}),
        ("GET", "/v1/pause", None),
        ("GET", "/v1/plan", None),
        ("GET", "/v1/view", None),
        ("GET", "/v1/state", None),
        ("GET", "/v1/history", None),
        ("GET", "/metrics", None),
    ],
)
def test_no_question_is_answered_as_another(method: str, path: str, body: object, client: TestClient) -> None:
    """What it does not know is refused, and nothing is done."""
    before = client.get("/v1/history").json(), client.get("/v1/pause").json()
    refuses_what_it_does_not_know(client, method, path, body)
    assert (client.get("/v1/history").json(), client.get("/v1/pause").json()) == before


def test_the_question_that_is_meant_is_named(client: TestClient) -> None:
    """With all that may be asked."""
    answer = client.post("/v1/what-if", json={"space_factr": 4})
    assert answer.json() == {
        "message": "is not a field here, did you mean space_factor?",
        "place": "space_factr",
        "allowed": "space_factor, policy",
    }
    answer = client.get("/v1/history", params={"limitt": 1})
    assert answer.json()["allowed"] == "limit"
    assert answer.json()["message"] == "is not a parameter here, did you mean limit?"


def test_before_the_first_round_of_metrics() -> None:
    """Only what is known."""
    registry = controller_metrics(View((), ()), None, failures=2, seconds=0.5, paused=True)
    assert registry.get_sample_value("froude_round_failures_total") == 2
    assert registry.get_sample_value("froude_paused") == 1
    assert registry.get_sample_value("froude_rounds_total") is None


def test_after_a_round() -> None:
    """VMs with what they have and miss; one outcome of all."""
    vm = VmView("vm1", "h1", Limits(5), {"misses": 3.0}, 60.0, trouble="gone")
    record = Record(7, 1.5, "interval", Outcome.PARTLY, Decision("exact", {}), seconds=0.25)
    registry = controller_metrics(View((), (vm,)), record, failures=0, seconds=0, paused=False)
    assert registry.get_sample_value("froude_vm_trouble", {"vm": "vm1"}) == 1
    assert registry.get_sample_value("froude_vm_cache_bytes", {"vm": "vm1", "hypervisor": "h1"}) == 5
    assert registry.get_sample_value("froude_round_outcome", {"outcome": "partly"}) == 1
    assert registry.get_sample_value("froude_round_outcome", {"outcome": "applied"}) == 0
    assert registry.get_sample_value("froude_rounds_total") == 7
