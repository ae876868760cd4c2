"""Events are values: equal when they say the same, unchangeable, and silent about secrets."""

from __future__ import annotations

import pytest

from froude.hadoop.rpc.events import Request, Response, Sasl, SaslAuth
from froude.hadoop.rpc.headers import SaslState


def test_events_are_values() -> None:
    """Two events that say the same are equal, and none can be changed."""
    assert Response(1, b"x") == Response(1, b"x") != Response(2, b"x")
    call = Request(1, b"", 0, None, "p", "m", b"")
    with pytest.raises(AttributeError):
        call.call_id = 2  # type: ignore[misc]
    assert call.kind == 2


def test_what_mechanisms_send_is_not_shown() -> None:
    """Tokens and challenges stay out of logs and messages."""
    offer = SaslAuth("TOKEN", "DIGEST-MD5", "", "default", b"challenge-bytes")
    shown = repr(Sasl(True, SaslState.INITIATE, (offer,), b"token-bytes"))
    assert "TOKEN" in shown
    assert "bytes" not in shown
