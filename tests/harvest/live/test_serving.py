"""A daemon that polls, with a cluster that is made up; a real one is in `tests/integration/test_harvest.py`."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from froude.base.errors import GuardError, InputError, MissingError, TargetError
from froude.documents.artifact import Origin
from froude.harvest.live.choosing import LastRun, Request
from froude.harvest.live.prior_file import read_prior
from froude.harvest.live.service_file import read_known
from froude.harvest.live.serving import (
    Places,
    Rhythm,
    Service,
    access,
    changed_text,
    one_daemon,
    token_of,
)
from froude.harvest.live.types import Changes, ClusterState, Resource
from froude.harvest.telemetry.files import read_datacenter
from testbed.virtual_clock import VirtualClock
from tests.support.harvest.live.changes import applied
from tests.support.harvest.live.controller import CORE, NOW, OWN, cluster, daemon


class Made:
    """A cluster that takes changes, and can be away."""

    def __init__(self, places: Places) -> None:
        self.now: ClusterState | TargetError = cluster("s0", "s1", "s2")
        self.places = places
        self.applications = frozenset[str]()
        self.written: list[bool] = []
        """Whether what was there had been written when changes came."""

    def state(self) -> ClusterState:
        if isinstance(self.now, TargetError):
            raise self.now
        return self.now

    def waiting(self) -> int:
        return 0

    def stamps(self) -> frozenset[str]:
        return self.applications

    def apply(self, changes: Changes, identity: str, *, grace_s: float = 0.0) -> None:
        assert identity == self.state().id
        self.written.append(self.places.prior.exists())
        self.now = applied(self.state(), changes)


class Stop(threading.Event):
    """Lets a virtual time pass instead of waiting, and stops after some waits."""

    def __init__(self, clock: VirtualClock, waits: int, each: list[object]) -> None:
        super().__init__()
        self.clock, self.waits, self.each = clock, waits, each

    def wait(self, timeout: float | None = None) -> bool:
        self.clock.sleep(timeout or 0.0)
        self.each.append(self.clock.now())
        self.waits -= 1
        return self.waits < 0


def busier(state: ClusterState, cpu: float) -> ClusterState:
    """The same nodes, whose tenants use so much."""
    return replace(state, nodes=tuple(replace(node, cpu_share=cpu) for node in state.nodes))


def service(tmp_path: Path) -> tuple[Service, Made, VirtualClock, list[str]]:
    """One with everything that it needs."""
    places, clock, notes = Places(tmp_path), VirtualClock(epoch_s=NOW), list[str]()
    made = Made(places)
    one = Service(
        made, daemon(), places, clock=clock, rhythm=Rhythm(60.0), origin=Origin(), note=notes.append
    )
    return one, made, clock, notes


def test_what_was_there_is_written_before_it_is_changed_and_all_at_the_end(tmp_path: Path) -> None:
    """Looks come every minute; jobs' last runs and the history outlive the daemon."""
    one, made, clock, notes = service(tmp_path)
    one.calls().ran("q", LastRun(5.0, 1))
    looks: list[object] = []
    one.run(Stop(clock, 3, looks))
    assert looks[:3] == [0, 60, 120]
    assert made.written == [True]
    assert one.tally.changes == 1
    assert any("3 nodes resized" in note for note in notes)
    places = Places(tmp_path)
    assert read_prior(places.prior).resources["s0:1"] == OWN
    assert read_known(places.known).last == {"q": LastRun(5.0, 1)}
    assert read_datacenter(places.history).slots == 4 * 24 + 1
    assert one.calls().choose(Request("q", 1, CORE)).parts
    assert one.calls().view().nodes == 3


def test_a_resourcemanager_that_goes_away_is_waited_for(tmp_path: Path) -> None:
    """It is said once, and again when it is back."""
    one, made, _, notes = service(tmp_path)
    one.poll()
    back, made.now = made.now, TargetError("does not answer", file="h:1")
    del notes[:]
    one.poll()
    one.poll()
    assert [note for note in notes if "h:1: does not answer" in note] == notes[:1]
    made.now = back
    one.poll()
    assert notes[-1] == "it answers again"
    assert (one.tally.polls, one.tally.failed) == (4, 2)


def test_a_full_disk_keeps_back_only_what_nothing_remembers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nodes that are written down are resized as before, new ones are not; the note says what it was."""
    one, made, _, notes = service(tmp_path)
    one.poll()

    def full(path: Path, _text: str) -> None:
        raise MissingError("cannot be written (No space left on device)", file=path)

    with monkeypatch.context() as patched:
        patched.setattr("froude.harvest.live.serving.atomic_write_text", full)
        one.calls().ran("q", LastRun(5.0, 1))
        made.now = busier(made.state(), 0.5)
        one.poll()
        assert {node.total.vcores for node in made.state().nodes} == {2}
        here = made.state()
        added = replace(cluster("s9").nodes[0], cpu_share=0.25)
        made.now = busier(replace(here, nodes=(*here.nodes, added)), 0.4)
        one.poll()
        assert {node.host: node.total.vcores for node in made.state().nodes} == {
            "s0": 3,
            "s1": 3,
            "s2": 3,
            "s9": 12,
        }
        told = [note for note in notes if "No space" in note]
        assert len(told) == 1
        assert told[0].startswith(f"not all was done: {tmp_path / 'service.json'}: cannot be written")
    one.poll()
    assert made.state().nodes[3].total.vcores < 12
    assert "s9:1" in read_prior(Places(tmp_path).prior).resources
    assert notes[-1] == "all is done again"


def test_another_cluster_ends_it_and_what_is_known_is_kept(tmp_path: Path) -> None:
    """So that the first one can be rolled back."""
    one, made, clock, _ = service(tmp_path)
    one.poll()
    made.now = cluster("x0", "x1", id_="9")
    with pytest.raises(GuardError):
        one.run(Stop(clock, 3, []))
    assert read_known(Places(tmp_path).known).ids == ("7",)
    assert len(made.written) == 1


def test_a_folder_has_one_daemon(tmp_path: Path) -> None:
    """A second one is refused; after the first it may begin."""
    places = Places(tmp_path / "new")
    for _ in range(2):
        with (
            one_daemon(places),
            pytest.raises(GuardError, match="new: "),
            one_daemon(places),
        ):
            pass


def test_where_the_api_is_stands_in_a_file_while_it_runs(tmp_path: Path) -> None:
    """For its owner only."""
    places = Places(tmp_path)
    with access(places, "http://127.0.0.1:5", token_of(places)):
        assert places.access.stat().st_mode & 0o077 == 0
        assert '"http://127.0.0.1:5"' in places.access.read_text()
        assert token_of(places) in places.access.read_text()
    assert not places.access.exists()


def test_the_secret_of_a_folder_stays(tmp_path: Path) -> None:
    """So that a copy of what says where the API is goes on after a restart; for its owner only, who may change it."""
    one, other = (Places(tmp_path / name) for name in ("a", "b"))
    for places in (one, other):
        places.folder.mkdir()
    assert token_of(one) == token_of(one) != token_of(other)
    assert one.token.stat().st_mode & 0o077 == 0
    one.token.write_text("0123456789abcdef\n")
    assert token_of(one) == "0123456789abcdef"
    one.token.chmod(0o644)
    with pytest.raises(InputError, match="token: "):
        token_of(one)


def test_changes_in_a_line() -> None:
    """Only what there is."""
    both = {"a": Resource(memory_mb=1, vcores=1), "b": Resource(memory_mb=1, vcores=1)}
    changes = Changes(resources=both, spared=frozenset("a"), node_attributes={"h": "c"})
    text = "2 nodes resized, of these 1 at once, 1 as containers end, 1 attribute set"
    assert changed_text(changes) == text
