"""Redaction."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.trace.redact import SECRET_FIELDS, Redactor
from tests.trace import wire

KEY = b"k" * 32
SECRET = b"a very secret password"


def token(secret: bytes = SECRET) -> object:
    """A token of which only kind and service may be seen."""
    return wire.message("TokenProto", identifier=b"id" + secret, password=secret, kind="HDFS", service="nn")


def test_methods_without_secrets_are_not_decoded() -> None:
    """Echo's plan is empty, so even bytes that would not decode pass as they are."""
    redactor = Redactor(wire.SCHEMA, KEY)
    assert redactor.plan(wire.message("EchoProto").DESCRIPTOR).empty
    assert redactor.plan(wire.message("RingProto").DESCRIPTOR).empty
    assert redactor.request(wire.PROTOCOL, "echo", b"\xff") == b"\xff"


def test_secrets_go_and_the_rest_stays() -> None:
    """Identifier, password and suspicious names are replaced by as many other bytes."""
    body = wire.message("GrantProto", owner="alice", token=token(), more=[token()], trustPassword="hunter2")
    out = Redactor(wire.SCHEMA, KEY).response(wire.PROTOCOL, "grant", body.SerializeToString())
    assert out is not None
    assert SECRET not in out
    assert b"hunter2" not in out
    seen = type(body).FromString(out)
    assert (seen.owner, seen.token.kind, seen.token.service) == ("alice", "HDFS", "nn")
    assert len(seen.token.password) == len(SECRET)
    assert seen.token == seen.more[0]


def test_equal_secrets_stay_equal_within_a_capture_only() -> None:
    """Information flow survives; another capture's key gives other bytes."""
    one, two = Redactor(wire.SCHEMA, KEY), Redactor(wire.SCHEMA, b"x" * 32)
    assert one.hashed(SECRET) == one.hashed(SECRET) != one.hashed(SECRET + b"x")
    assert one.hashed(SECRET) != two.hashed(SECRET)
    assert len(one.hashed(b"ab")) == 16


def test_secrets_are_found_at_any_depth() -> None:
    """A type that contains itself is walked as deep as the message is."""
    tree = wire.message("TreeProto", name="root")
    leaf = tree.children.add(name="a").children.add(name="b")
    leaf.token.CopyFrom(token())
    out = Redactor(wire.SCHEMA, KEY).request(wire.PROTOCOL, "grow", tree.SerializeToString())
    assert out is not None
    assert SECRET not in out
    assert type(tree).FromString(out).children[0].children[0].name == "b"


def test_a_message_without_its_secret_keeps_its_bytes() -> None:
    """Empty tokens, as with security off, change nothing."""
    body = wire.message("GrantProto", owner="alice", token=wire.message("TokenProto", identifier=b""))
    raw = body.SerializeToString()
    assert Redactor(wire.SCHEMA, KEY).response(wire.PROTOCOL, "grant", raw) == raw


def test_unknown_methods_lose_their_payload() -> None:
    """What no schema knows may hold anything; kept only when told."""
    assert Redactor(wire.SCHEMA, KEY).request("vendor.Protocol", "x", SECRET) is None
    assert Redactor(wire.SCHEMA, KEY, keep_unknown=True).request("vendor.Protocol", "x", SECRET) == SECRET


def test_bytes_that_may_hold_secrets_must_decode() -> None:
    """A message that could hold a secret and does not decode is an error, never passed on."""
    with pytest.raises(InputError, match=r"hadoop\.common\.GrantProto"):
        Redactor(wire.SCHEMA, KEY).response(wire.PROTOCOL, "grant", b"\xff\xff")


def test_short_keys_are_refused() -> None:
    """A key that can be guessed protects nothing."""
    with pytest.raises(ValueError, match="16 to 64"):
        Redactor(wire.SCHEMA, b"short")


def test_the_list_names_fields_that_exist() -> None:
    """Held against the descriptors of a real release: a misspelt field would protect nothing."""
    from tests.trace.real import schema_342

    schema = schema_342()
    for name, fields in SECRET_FIELDS.items():
        known = {field.name for field in schema.message(name).DESCRIPTOR.fields}
        assert fields <= known, name


def test_real_yarn_secrets_do_not_survive(recorded_tap: Path) -> None:
    """Tokens, job tokens and master keys of a real YARN cluster are not in the Trace made of its capture."""
    from tests.trace.real import raw_secrets, schema_342, trace_bytes

    secrets = raw_secrets(recorded_tap, schema_342())
    assert len(secrets) > 20
    kept = trace_bytes(recorded_tap, schema_342())
    assert not [secret for secret in secrets if secret in kept]
