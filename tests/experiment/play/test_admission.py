"""Which targets are let in, asked or presumed to be who the user says."""

from __future__ import annotations

import pytest

from froude.base.errors import GuardError, InputError, TargetError
from froude.experiment.play import admission
from froude.experiment.play.admission import TargetLike, admit, by_service, check_targets
from froude.experiment.scenario.options import Running
from froude.hadoop.release.distribution import Hadoop
from froude.hadoop.rpc.identity import Identity

MANAGER = {"resourcemanager": Running(address="10.0.0.5:8032", id="17@10.0.0.5:8032")}


def test_a_server_that_cannot_be_asked_is_taken_for_one_of_the_daemon_that_was_named(
    hadoop: Hadoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it listens: it must show that itself in the play. One that belongs to no named daemon is refused."""

    def ask(service: str, address: tuple[str, int], *_: object, **__: object) -> Identity:
        admission.check_askable(service, address)
        return Identity("17@10.0.0.5:8032")

    monkeypatch.setattr(admission, "ask_identity", ask)
    for address in ("10.0.0.5:8030", "10.0.0.6:18030"):
        scheduler = {"resourcemanager-scheduler": Running(address=address)}
        called = admit(scheduler | MANAGER, (), hadoop.schema())
        assert called["resourcemanager-scheduler"].address == address
        assert called["resourcemanager-scheduler"].id == called["resourcemanager"].id
        with pytest.raises(TargetError, match="resourcemanager="):
            admit(scheduler, (), hadoop.schema())
    typed = {"resourcemanager-scheduler": Running(address="10.0.0.6:8030", id="18")}
    assert admit(typed, (), hadoop.schema())["resourcemanager-scheduler"].id == "18"
    with pytest.raises(GuardError, match=r"is not the cluster that was named; found 17@10\.0\.0\.5:8032"):
        admit(typed | MANAGER, (), hadoop.schema())


@pytest.mark.parametrize("passive", ["standby", "observer"])
def test_a_namenode_that_is_not_active_is_refused(
    passive: str, hadoop: Hadoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It answers who it is, and refuses every call of a client."""
    monkeypatch.setattr(admission, "ask_identity", lambda *_, **__: Identity("CID-7", "3.5.0", passive))
    with pytest.raises(TargetError, match=f"not the active NameNode; found {passive}"):
        admit({"namenode": Running(address="10.0.0.5:8020", id="CID-7")}, (), hadoop.schema())


def test_ports_are_inferred_for_hadoops_own_alone() -> None:
    """Of a ResourceManager behind another port its other servers may be anywhere."""
    called = ["resourcemanager", "resourcemanager-tracker"]
    assert by_service(MANAGER, called)["resourcemanager-tracker"] == Running(
        address="10.0.0.5:8031", id="17@10.0.0.5:8032"
    )
    elsewhere = {"resourcemanager": Running(address="10.0.0.5:18032", id="17")}
    with pytest.raises(InputError, match=r"allowed: resourcemanager-tracker=HOST:PORT as well"):
        by_service(elsewhere, called)


@pytest.mark.parametrize(
    ("service", "target", "error", "said"),
    [
        ("", "127.0.0.1:1", GuardError, r"127\.0\.0\.1:1: "),
        ("", Running(address="127.0.0.1:1", id="CID-source"), GuardError, "never played against"),
        ("", "namenode", InputError, "address: "),
        ("journalnode", Running(address="127.0.0.1:1", id="x"), TargetError, r"127\.0\.0\.1:1: "),
    ],
)
def test_what_is_refused_without_asking(
    service: str, target: TargetLike, error: type[Exception], said: str
) -> None:
    """Whatever the targets would say."""
    with pytest.raises(error, match=said):
        check_targets(by_service({service: target}), ("CID-source",))


def test_what_may_be_allowed_is_not_refused() -> None:
    """Nobody is asked: nothing listens there."""
    check_targets(by_service(Running(address="127.0.0.1:1", id="CID-1")), ("CID-source",))
    check_targets({"resourcemanager-scheduler": Running(address="10.0.0.5:8030")} | MANAGER, ())


def test_a_target_without_a_service_is_the_only_one_or_the_namenode() -> None:
    """Of a plan that calls a ResourceManager, too, whose calls are left out then."""
    only = "hdfs://127.0.0.1:8020"
    assert list(by_service(only)) == list(by_service(only, ["namenode"])) == [""]
    assert list(by_service(only, ["namenode", "resourcemanager"])) == ["namenode"]
    assert list(by_service({"": only, "resourcemanager": only}, ["namenode", "resourcemanager"])) == [
        "namenode",
        "resourcemanager",
    ]


def test_a_target_without_a_service_is_the_resourcemanager_that_alone_is_called() -> None:
    """Its other servers are on the same host."""
    targets = by_service("10.0.0.5:8032", ["resourcemanager", "resourcemanager-tracker"])
    assert {service: getattr(target, "address", "") for service, target in targets.items()} == {
        "resourcemanager": "10.0.0.5:8032",
        "resourcemanager-tracker": "10.0.0.5:8031",
    }
