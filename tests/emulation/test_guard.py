"""Which targets may be played against."""

from __future__ import annotations

import pytest

from froude.base.errors import GuardError
from froude.emulation.guard import decide
from froude.hadoop.rpc.target import Target

TARGET = Target("namenode", "127.0.0.1:8020", "CID-1")


def test_ours_is_allowed_and_any_other_needs_its_id() -> None:
    """What Froude started needs nothing; another, on loopback too, needs its id typed."""
    decide(TARGET, ours=True, typed=None, source_ids=())
    decide(TARGET, ours=False, typed="CID-1", source_ids=("CID-2",))
    with pytest.raises(GuardError, match="was not started by Froude"):
        decide(TARGET, ours=False, typed=None, source_ids=())


@pytest.mark.parametrize("ours", [True, False])
def test_a_wrong_id_is_refused(ours: bool) -> None:
    """The id typed must be the target's own."""
    with pytest.raises(GuardError, match=r"CID-1.*CID-9"):
        decide(TARGET, ours=ours, typed="CID-9", source_ids=())


@pytest.mark.parametrize(("ours", "typed"), [(True, None), (False, "CID-1"), (True, "CID-1")])
def test_the_recorded_source_is_always_refused(ours: bool, typed: str | None) -> None:
    """Not even its id typed opens the cluster that was recorded."""
    with pytest.raises(GuardError, match="recorded"):
        decide(TARGET, ours=ours, typed=typed, source_ids=("CID-1",))


@pytest.mark.parametrize("service", ["resourcemanager", "resourcemanager-tracker"])
def test_a_recorded_resourcemanager_is_refused_under_any_name(service: str) -> None:
    """Its id holds the address that it was reached at; the start time alone says who it is."""
    tunnelled = Target(service, "127.0.0.1:9032", "1795219607557@127.0.0.1:9032")
    with pytest.raises(GuardError, match="recorded"):
        decide(tunnelled, ours=False, typed=tunnelled.id, source_ids=("1795219607557@rm.prod:8032",))
    decide(tunnelled, ours=False, typed=tunnelled.id, source_ids=("1795219607558@127.0.0.1:9032",))
