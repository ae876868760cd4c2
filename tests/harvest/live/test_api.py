"""The class-selection API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from froude.base.errors import TargetError
from froude.harvest.live.api import selection_app
from froude.harvest.live.choosing import LastRun, Request
from froude.harvest.live.controller import View
from froude.harvest.schedule.selection import Container, JobType
from froude.rest.bounded import LARGEST_BYTES
from froude.rest.calls import JsonCalls
from tests.support.harvest.live.api import ASKED, VIEW, Memory, api_of
from tests.support.rest.documents import keeps_to_its_document, operations, refuses_what_it_does_not_know

Served = tuple[Memory, str]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """One server for all, and its address."""
    memory = Memory()
    with api_of(memory) as url:
        yield memory, url


@contextmanager
def client(served: Served, token: str = "secret") -> Iterator[tuple[Memory, httpx.Client]]:
    """Who carries a token."""
    memory, url = served
    memory.asked, memory.view = [], VIEW
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, trust_env=False) as it:
        yield memory, it


def test_a_job_is_told_where_to_run_and_tells_how_it_ran(served: Served) -> None:
    """Label, master's label, attributes, and its share on each class."""
    with client(served) as (memory, one):
        answer = one.post("/v1/select", json={**ASKED, "type": "long"})
        assert answer.json() == {
            "job": "q19",
            "type": "long",
            "fit": "several classes",
            "label": "periodic-01",
            "master_label": "periodic-01",
            "attributes": "OR(rm.yarn.io/harvest-class=periodic-01:rm.yarn.io/harvest-class=constant-01)",
            "lacks": "",
            "classes": [
                {"label": "periodic-01", "headroom": 20.0, "containers": 18},
                {"label": "constant-01", "headroom": 10.0, "containers": 9},
            ],
        }
        assert one.post("/v1/ran", json={"job": "q19", "seconds": 61.5}).status_code == 204
        assert one.get("/v1/classes").json()["classes"][0]["nodes"] == 2
    assert memory.asked == [Request("q19", 27, Container(2, 0), kind=JobType.LONG)]
    assert memory.ran == [("q19", LastRun(61.5, 1.0))]


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({**ASKED, "containers": 0}, 422),
        ({**ASKED, "containers": "many"}, 422),
        ({**ASKED, "job": "x" * 201}, 422),
        ({**ASKED, "nodes": 3}, 422),
        ({"job": "a"}, 422),
        ({**ASKED, "type": "huge"}, 422),
        ({**ASKED, "job": "x" * (LARGEST_BYTES + 1)}, 413),
    ],
)
def test_what_is_no_request(served: Served, fields: dict[str, object], status: int) -> None:
    """Nobody is asked; a body that is too long is not even read."""
    with client(served) as (memory, one):
        assert one.post("/v1/select", json=fields).status_code == status
    assert not memory.asked


def test_without_the_token_nothing_is_said(served: Served) -> None:
    """Neither which classes there are, nor where a job would run."""
    with client(served, "wrong") as (memory, one):
        assert one.get("/v1/classes").status_code == 401
        assert one.post("/v1/select", json=ASKED).status_code == 401
        assert one.get("/v1/classes", headers={"Authorization": "x" * 2000}).status_code in {401, 422}
    assert not memory.asked


def test_before_the_cluster_was_seen_there_is_no_choice(served: Served) -> None:
    """Which is said."""
    with client(served) as (memory, one):
        memory.view = View()
        assert one.post("/v1/select", json=ASKED).status_code == 503
        assert one.get("/v1/classes").status_code == 503


def test_why_it_refuses() -> None:
    """As every interface of ours tells it."""
    with api_of(Memory()) as url:
        calls = JsonCalls(url, "v1/", headers={"Authorization": "Bearer secret"})
        assert calls.send("POST", "select", ASKED)["fit"] == "several classes"
        with pytest.raises(TargetError, match="refuses select; found Field required"):
            calls.send("POST", "select", {})


_OPERATIONS = operations(selection_app(Memory().calls(), "secret"))


@pytest.mark.parametrize("label", _OPERATIONS)
def test_it_keeps_to_its_own_document(label: str) -> None:
    """Whatever is asked, answers are of the codes and forms that OpenAPI names, and never an error of ours."""
    keeps_to_its_document(_OPERATIONS[label], "secret")


def test_no_question_is_answered_as_another(served: Served) -> None:
    """What it does not know is refused."""
    with client(served) as (memory, one):
        asked = {**ASKED, "last_run_s": 5.0, "type": "long"}
        refuses_what_it_does_not_know(one, "POST", "/v1/select", asked)
        refuses_what_it_does_not_know(one, "POST", "/v1/ran", {"job": "q", "seconds": 5, "containers": 2})
        refuses_what_it_does_not_know(one, "GET", "/v1/classes")
        assert not memory.asked
