"""Racks that are asked for stand in the resources, and what must outlive one has pieces in others."""

from __future__ import annotations

import pytest

from tests.support.provision.inputs.additions import TEXT, flaws_of, read

_RACK = ("  energy: {pue", "  rack: {servers: 4, uplink: 10Gbps}\n  energy: {pue")
_LOST = ("survive_hosts: 2", "survive_hosts: 2, survive_rack: data")


def test_a_lost_rack_needs_racks() -> None:
    """And so does the re_replication of one."""
    assert any("survive_rack: asks for racks" in flaw for flaw in flaws_of(*_LOST))
    assert any(
        "of: is of racks" in flaw
        for flaw in flaws_of("growth:", "re_replication: {time: 1h, of: rack}\ngrowth:")
    )


@pytest.mark.parametrize("loss", ["data", "service"])
def test_a_single_replica_does_not_outlive_a_rack(loss: str) -> None:
    """Two do, and so do fragments."""
    text = TEXT.replace(*_RACK).replace(_LOST[0], f"survive_rack: {loss}")
    assert read(text)[1] == []
    flaws = read(text.replace("replication: 3", "replication: 1"))[1]
    assert len(flaws) == 1
    assert "is persistent and does not outlive survive_rack" in flaws[0]


def test_local_data_outlives_a_rack_only_in_service() -> None:
    """Its task then has instances on so many servers that some are left."""
    local = "remote: 0, local_to: view}"
    text = TEXT.replace(*_RACK).replace("remote: 1, replication: 3, host_time: 10us}", local)
    assert read(text.replace(_LOST[0], "survive_rack: service"))[1] == []
    assert any("scope" in flaw for flaw in read(text.replace(_LOST[0], "survive_rack: data"))[1])


def test_without_a_lost_rack_nothing_is_asked() -> None:
    """Racks alone need nothing."""
    assert read(TEXT.replace(*_RACK))[1] == []
