"""Which targets are let in, asked or presumed to be who the user says."""

from __future__ import annotations

import pytest

from froude.base.errors import GuardError, InputError, TargetError
from froude.experiment import admission
from froude.experiment.admission import TargetLike, admit, by_service, check_targets
from froude.experiment.sections import Running
from froude.hadoop.distribution import Hadoop
from froude.hadoop.identity import Identity

MANAGER = {"resourcemanager": Running(address="10.0.0.5:8032", id="17@10.0.0.5:8032")}


def test_a_server_that_cannot_be_asked_is_whose_the_other_one_on_its_host_is(
    hadoop: Hadoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scheduler's port of a ResourceManager that said who it is; on another host it stays unknown."""

    def ask(service: str, address: tuple[str, int], *_: object, **__: object) -> Identity:
        admission.check_askable(service, address)
        return Identity("17@10.0.0.5:8032")

    monkeypatch.setattr(admission, "ask_identity", ask)
    scheduler = {"resourcemanager-scheduler": Running(address="10.0.0.5:8030")}
    called = admit(scheduler | MANAGER, (), hadoop.schema())
    assert called["resourcemanager-scheduler"].address == "10.0.0.5:8030"
    assert called["resourcemanager-scheduler"].id == called["resourcemanager"].id
    elsewhere = {"resourcemanager-scheduler": Running(address="10.0.0.6:8030")}
    with pytest.raises(TargetError, match=r"cannot tell who it is.*resourcemanager=10.0.0.6:PORT"):
        admit(elsewhere | MANAGER, (), hadoop.schema())


@pytest.mark.parametrize(
    ("service", "target", "error", "said"),
    [
        ("", "127.0.0.1:1", GuardError, "was not started by Froude here"),
        ("", Running(address="127.0.0.1:1", id="CID-source"), GuardError, "never played against"),
        ("", "namenode", InputError, "is not an address"),
        ("journalnode", Running(address="127.0.0.1:1", id="x"), TargetError, "cannot tell who it is"),
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
    assert list(by_service(only, ["resourcemanager", "resourcemanager-tracker"])) == [""]
    assert list(by_service(only, ["namenode", "resourcemanager"])) == ["namenode"]
    assert list(by_service({"": only, "resourcemanager": only}, ["namenode", "resourcemanager"])) == [
        "namenode",
        "resourcemanager",
    ]
