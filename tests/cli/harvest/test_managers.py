"""What commands on a ResourceManager share; the rest is tested with `harvest apply` and `harvest serve`."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.cli.harvest import managers
from froude.cli.settings import Settings
from froude.harvest.live.changes import Carrier
from froude.harvest.live.usage import Reserve


def test_flags_are_read() -> None:
    """Shares; what carries a class."""
    assert managers.reserve("25%,50%") == Reserve(0.25, 0.5)
    assert managers.carrier("both") is Carrier.BOTH
    server = managers.server(Settings(), "h:1", "me", admin="h:2")
    assert server.address == "h:1"


def test_an_admin_protocol_has_an_address() -> None:
    """Told before anything is sent."""
    with pytest.raises(InputError, match="--admin: is not an address"):
        managers.server(Settings(), "h:1", None, admin="h")
