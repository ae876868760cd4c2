"""What commands on a ResourceManager share; the rest is tested with `harvest apply` and `harvest serve`."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cli.harvest import managers
from froude.cli.settings import Settings
from froude.harvest.live.changes import Carrier
from froude.harvest.live.usage import Reserve, Usage


def test_flags_are_read(tmp_path: Path) -> None:
    """A table of usage, with memory where it is known; shares; what carries a class."""
    (tmp_path / "u.csv").write_text("server,cpu,memory_mb\na,0.5,100\nb,1,\n")
    assert managers.usage(tmp_path / "u.csv") == {"a": Usage(0.5, 100), "b": Usage(1.0)}
    assert managers.reserve("25%,50%") == Reserve(0.25, 0.5)
    assert managers.carrier("both") is Carrier.BOTH
    server = managers.server(Settings(), "h:1", "me", admin="h:2")
    assert server.address == "h:1"


def test_an_admin_protocol_has_an_address() -> None:
    """Told before anything is sent."""
    with pytest.raises(InputError, match="--admin: is not an address"):
        managers.server(Settings(), "h:1", None, admin="h")
