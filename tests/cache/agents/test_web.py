"""The agents' REST interface."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from froude.cache.agents.config import VmAgent
from froude.cache.agents.vm import VmWatch
from froude.cache.agents.web import hypervisor_app, vm_app
from froude.cache.monitor.messages import HypervisorReport, VmReport, parsed
from tests.support.cache.agents.hypervisor import hypervisor
from tests.support.rest.documents import keeps_to_its_document, operations, refuses_what_it_does_not_know

_SECRET = "0123456789abcdef"


@pytest.fixture
def client() -> TestClient:
    """A hypervisor's agent, asked with the secret."""
    return TestClient(hypervisor_app(hypervisor(), _SECRET), headers={"Authorization": f"Bearer {_SECRET}"})


def test_a_report(client: TestClient) -> None:
    """It reads as the message that it is."""
    report = parsed(HypervisorReport, client.get("/v1/report").json(), peer="test")
    assert [vm.name for vm in report.vms] == ["vm1", "vm2"]


def test_a_change(client: TestClient) -> None:
    """The VM after it; one that the SSD has not, a late one and one of another VM are refused with the reason."""
    asked = {"number": 5, "limits": {"cache_bytes": 70}}
    answer = client.put("/v1/vms/vm1/limits", json=asked)
    assert (answer.status_code, answer.json()["limits"]["cache_bytes"]) == (200, 70)
    for vm, body, status, why in (
        ("vm1", {"number": 6, "limits": {"cache_bytes": 71}}, 409, "has not that much left"),
        ("vm1", asked, 409, "is late"),
        ("vm9", {"number": 7, "limits": {}}, 422, "is no VM here"),
    ):
        answer = client.put(f"/v1/vms/{vm}/limits", json=body)
        assert (answer.status_code, answer.json()["message"]) == (status, why)


@pytest.mark.parametrize(
    "body", [{"number": -1, "limits": {}}, {"limits": {}}, {"number": 1, "limits": {"iops": 0}}]
)
def test_a_change_that_is_none(client: TestClient, body: dict[str, object]) -> None:
    """It is refused before anything is done."""
    assert client.put("/v1/vms/vm1/limits", json=body).status_code == 422


def test_no_request_is_taken_for_another(client: TestClient) -> None:
    """A limit that is misspelled would lift the one that was meant."""
    before = client.get("/v1/report").json()["vms"][0]["limits"]
    body = {"number": 5, "instance": None, "limits": {"cache_bytes": 70, "iops": 9, "bytes_per_s": 8}}
    refuses_what_it_does_not_know(client, "PUT", "/v1/vms/vm1/limits", body)
    for path in ("/v1/report", "/metrics"):
        refuses_what_it_does_not_know(client, "GET", path)
    assert client.get("/v1/report").json()["vms"][0]["limits"] == before


@pytest.mark.parametrize("path", ["/v1/report", "/metrics"])
def test_without_the_secret(path: str) -> None:
    """Nothing is told; only that it lives."""
    stranger = TestClient(hypervisor_app(hypervisor(), _SECRET))
    assert stranger.get(path).status_code == 401
    assert stranger.get(path, headers={"Authorization": "Bearer wrong"}).status_code == 401
    assert stranger.put("/v1/vms/vm1/limits", json={"number": 1, "limits": {}}).status_code == 401
    assert stranger.get("/health").json() == {"status": "ok"}


def test_a_body_without_end_is_not_kept() -> None:
    """Also of who has no secret: it is refused before it is read to its end."""

    def pieces() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 65536

    stranger = TestClient(hypervisor_app(hypervisor(), _SECRET))
    assert stranger.put("/v1/vms/vm1/limits", content=pieces()).status_code == 413


def test_metrics(client: TestClient) -> None:
    """As Prometheus reads them."""
    text = client.get("/metrics").text
    assert 'froude_cache_limit_bytes{vm="vm1"} 60.0' in text
    assert "froude_cache_ssd_bytes 100.0" in text


def test_a_vms_agent(tmp_path: Path) -> None:
    """Its report and its figures."""
    watch = VmWatch(VmAgent(name="vm1", token=tmp_path / "t"))
    client = TestClient(vm_app(watch, _SECRET), headers={"Authorization": f"Bearer {_SECRET}"})
    assert parsed(VmReport, client.get("/v1/report").json(), peer="test").name == "vm1"
    assert "froude_vm_cpu_seconds_total" in client.get("/metrics").text


_OPERATIONS = operations(hypervisor_app(hypervisor(), _SECRET))


@pytest.mark.parametrize("label", _OPERATIONS)
def test_it_keeps_to_its_own_document(label: str) -> None:
    """Whatever is asked, answers are of the codes and forms that OpenAPI names, and never an error of ours."""
    # limits that are whole and of a VM that is not there are refused, as they should be
    keeps_to_its_document(_OPERATIONS[label], _SECRET, but=["positive_data_acceptance"])
