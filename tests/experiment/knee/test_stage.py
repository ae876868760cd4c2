"""What the plays of one search are played on; that a NameNode is emptied is shown on a real one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest

from froude.base.errors import TargetError
from froude.experiment.knee import stage as module
from froude.experiment.knee.stage import Stage
from froude.hadoop.cluster.namenode import NameNode
from froude.hadoop.cluster.resourcemanager import ResourceManager
from testbed.plans import plan
from testbed.virtual_clock import VirtualClock


class Targets:
    """Makes targets, and keeps which ran."""

    def __init__(self, *, namenode: bool = True) -> None:
        self.running: list[object] = []
        self._namenode = namenode

    @contextmanager
    def start(self) -> Iterator[Any]:
        """A NameNode that does not run, or two services."""
        target: object = (
            object.__new__(NameNode) if self._namenode else {"namenode": "h:1", "resourcemanager": "h:2"}
        )
        self.running.append(target)
        yield target
        self.running.remove(target)


@pytest.fixture
def emptied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stands in for the root folder of a NameNode."""
    entries: list[str] = []
    monkeypatch.setattr(module, "_entries", lambda _: list(entries))
    monkeypatch.setattr(
        Stage, "_emptied", lambda self, target: self._keeps and not isinstance(target, Mapping)
    )
    return entries


def test_a_target_is_started_on_its_processors(emptied: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What plays has its own again afterwards."""
    targets, seen = Targets(), list[frozenset[int] | None]()

    @contextmanager
    def pinned(processors: frozenset[int] | None) -> Iterator[None]:
        seen.append(processors)
        assert targets.running == []
        yield
        assert len(targets.running) == 1

    monkeypatch.setattr(module, "pinned", pinned)
    with Stage(targets.start, keeps=True, processors=frozenset({0, 1})) as stage:
        stage.target(plan(datanodes=2))
    assert seen == [frozenset({0, 1})]


def test_a_namenode_stays_while_no_daemon_is_missing(emptied: list[str]) -> None:
    """More DataNodes join it; with fewer, or after a failure, another one is started, and the one before ends first."""
    targets = Targets()
    with Stage(targets.start, keeps=True) as stage:
        first = stage.target(plan(datanodes=2))
        assert stage.target(plan(datanodes=2, clients=8)) is first
        assert stage.target(plan(datanodes=5)) is first
        second = stage.target(plan(datanodes=4))
        assert (second is first, targets.running) == (False, [second])
        stage.drop()
        assert targets.running == []
        assert stage.target(plan(datanodes=4)) is not second
    assert (stage.started, stage.played, targets.running) == (3, 1, [])


@pytest.mark.parametrize(
    ("namenode", "keeps", "entries"), [(True, False, []), (False, True, []), (True, True, ["user"])]
)
def test_other_targets_are_fresh_for_each_play(
    emptied: list[str], namenode: bool, keeps: bool, entries: list[str]
) -> None:
    """Those of jobs played once, several services, and a NameNode that begins with a namespace of its own."""
    emptied += entries
    targets = Targets(namenode=namenode)
    with Stage(targets.start, keeps=keeps) as stage:
        for _ in range(3):
            stage.target(plan())
            assert len(targets.running) == 1
    assert stage.started == 3


@pytest.mark.parametrize("busy", [0.0, 0.7])
def test_what_others_use(monkeypatch: pytest.MonkeyPatch, busy: float) -> None:
    """Of a machine on which nothing of ours runs, all of it."""
    monkeypatch.setattr(module, "busy_cores", lambda: busy)
    assert Stage(cast("Any", None), keeps=True).others() == busy


class Client:
    """A connection to a ResourceManager on which two applications are at work until a look after they were killed."""

    def __init__(self, *, ends: bool) -> None:
        self.killed: list[int] = []
        self._ends = ends
        self._looks = 0

    def __enter__(self) -> Client:
        """Open."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close."""

    def message(self, method: str, **fields: Any) -> tuple[str, dict[str, Any]]:
        """A request as its method and fields."""
        return method, fields

    def call(self, method: str, message: tuple[str, dict[str, Any]]) -> Any:
        """The two, until they were killed."""
        if method == "forceKillApplication":
            self.killed.append(message[1]["application_id"].id)
            return None
        self._looks += 1
        left = [] if self._ends and self._looks > 2 else [7, 9]
        return SimpleNamespace(
            applications=[SimpleNamespace(applicationId=SimpleNamespace(id=n)) for n in left]
        )


@pytest.mark.parametrize("ends", [True, False])
def test_a_resourcemanager_stays_without_the_applications_of_the_play_before(
    monkeypatch: pytest.MonkeyPatch, ends: bool
) -> None:
    """Each is killed once, and waited for; one that does not end is an error."""
    client, master = Client(ends=ends), object.__new__(ResourceManager)
    monkeypatch.setattr(module, "_client", lambda *_: client)

    @contextmanager
    def start() -> Iterator[Any]:
        yield {"resourcemanager": master}

    with Stage(start, keeps=True, clock=VirtualClock()) as stage:
        first = stage.target(plan())
        if ends:
            assert stage.target(plan()) is first
            assert (stage.started, stage.played) == (1, 2)
        else:
            with pytest.raises(
                TargetError, match="does not end what an earlier play left; found 2 applications"
            ):
                stage.target(plan())
    assert client.killed == [7, 9]
