"""What commands on a ResourceManager share; the rest is tested with `harvest apply` and `harvest serve`."""

from __future__ import annotations

import pytest

from froude.base.errors import InputError
from froude.cli.harvest import managers
from froude.cli.settings import Settings
from froude.harvest.live.changes import Carrier
from froude.harvest.live.types import Changes, Resource
from froude.harvest.live.usage import Reserve, Usage, allowance


def test_flags_are_read() -> None:
    """Shares; what carries a class."""
    assert managers.reserve("25%,50%") == Reserve(0.25, 0.5)
    # In whole cores what the flag says is what simulators keep: the paper's third.
    usual = managers.reserve(managers.USUAL_RESERVE)
    for cores in (3, 6, 12, 24, 96):
        own = Resource(memory_mb=32768, vcores=cores)
        assert allowance(own, Usage(0.0), usual) == allowance(own, Usage(0.0), Reserve())
    assert managers.carrier("both") is Carrier.BOTH
    server = managers.server(Settings(), "h:1", "me", admin="h:2")
    assert server.address == "h:1"


def test_an_admin_protocol_has_an_address() -> None:
    """Told before anything is sent."""
    with pytest.raises(InputError, match="--admin: "):
        managers.server(Settings(), "h:1", None, admin="h")


def test_changes_are_plain_in_json() -> None:
    """What containers may use, too."""
    plain = managers._plain(
        Changes(resources={"n:1": Resource(memory_mb=1024, vcores=2)}, spared=frozenset("b"))
    )
    assert plain["resources"] == {"n:1": {"memory_mb": 1024, "vcores": 2}}
    assert plain["spared"] == ["b"]
