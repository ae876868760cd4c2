"""Profiles of generated datacenters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.harvest.telemetry.profiles import PROFILES


def test_ten_profiles_that_differ() -> None:
    """Each under its own name, no two alike."""
    assert list(PROFILES) == [f"DC-{n}" for n in range(10)]
    assert len({replace(profile, name="") for profile in PROFILES.values()}) == 10


@pytest.mark.parametrize(
    "wrong",
    [
        {"tenants": 2},
        {"tenants": 9, "servers": 8},
        {"scopes": (0.5, 0.4, 0.0)},
        {"server_shares": (1.5, -0.5, 0.0)},
    ],
)
def test_what_cannot_be_is_refused(wrong: dict) -> None:
    """Too few tenants or servers, and shares that are none."""
    with pytest.raises(ValueError, match=r"tenants|shares"):
        replace(PROFILES["DC-9"], **wrong)
