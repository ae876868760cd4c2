"""Redaction."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.messages.leaves import leaves
from froude.trace.importers.tap import import_tap
from froude.trace.redact import SECRET_FIELDS, Redactor
from testbed import wire
from testbed.recorded import recorded, schema, tape_of

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
    first, second = Redactor(wire.SCHEMA, KEY), Redactor(wire.SCHEMA, b"x" * 32)
    assert first.hashed(SECRET) == first.hashed(SECRET) != first.hashed(SECRET + b"x")
    assert first.hashed(SECRET) != second.hashed(SECRET)
    assert len(first.hashed(b"ab")) == 16


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


def test_a_message_without_what_it_requires_is_an_error() -> None:
    """It cannot be encoded again without its secret, and is never passed on as it was."""
    whole = wire.message("SealProto", serial=7, password="hunter2").SerializeToString()
    redactor = Redactor(wire.SCHEMA, KEY)
    assert (
        type(wire.message("SealProto")).FromString(redactor.request(wire.PROTOCOL, "seal", whole)).serial == 7
    )
    with pytest.raises(InputError, match=r"SealProto: a message is not whole; found .*serial"):
        redactor.request(wire.PROTOCOL, "seal", whole[2:])


def test_a_secret_under_a_damaged_tag_goes() -> None:
    """A field that the schema does not know is dropped, unless it is to be kept."""
    raw = wire.message("TokenProto", identifier=SECRET, kind="HDFS").SerializeToString()
    damaged = (
        wire.message("GrantProto", owner="alice").SerializeToString() + b"\x12" + bytes([len(raw)]) + raw
    )
    damaged = damaged.replace(b"\x0a" + bytes([len(SECRET)]), b"\x52" + bytes([len(SECRET)]))
    assert SECRET not in (Redactor(wire.SCHEMA, KEY).response(wire.PROTOCOL, "grant", damaged) or SECRET)
    kept = Redactor(wire.SCHEMA, KEY, keep_unknown=True).response(wire.PROTOCOL, "grant", damaged)
    assert SECRET in (kept or b"")


def test_a_secret_text_that_is_none_is_replaced() -> None:
    """Damage can make a text of bytes that are no UTF-8; their replacement is text."""
    raw = wire.message("SealProto", serial=7, password="hunter2").SerializeToString()
    out = Redactor(wire.SCHEMA, KEY).request(wire.PROTOCOL, "seal", raw.replace(b"hun", b"\xff\xfe\xfd"))
    seal = type(wire.message("SealProto")).FromString(out or b"")
    assert (seal.serial, len(seal.password)) == (7, 16)


def test_where_damage_is_expected_every_message_is_looked_at() -> None:
    """A token that came under another call's number, or that a text has swallowed, is not kept."""
    grant = wire.message("GrantProto", owner="alice", token=token()).SerializeToString()
    swallowed = wire.message("GrantProto", owner=b"alice" + grant[7:]).SerializeToString()
    strict = Redactor(wire.SCHEMA, KEY, strict=True)
    assert SECRET not in (strict.response(wire.PROTOCOL, "echo", grant) or SECRET)
    with pytest.raises(InputError, match="text is damaged"):
        strict.response(wire.PROTOCOL, "grant", swallowed)
    echo = wire.message("EchoProto", text="a\tb", names=["c"]).SerializeToString()
    assert strict.response(wire.PROTOCOL, "echo", echo) == echo
    with pytest.raises(InputError, match="does not decode"):
        strict.response(wire.PROTOCOL, "echo", b"\xff")


def test_short_keys_are_refused() -> None:
    """A key that can be guessed protects nothing."""
    with pytest.raises(ValueError, match="16 to 64"):
        Redactor(wire.SCHEMA, b"short")


def test_the_list_names_fields_that_exist() -> None:
    """Held against the descriptors of a real release: a misspelt field would protect nothing."""
    for name, fields in SECRET_FIELDS.items():
        known = {field.name for field in schema().message(name).DESCRIPTOR.fields}
        assert fields <= known, name


def test_variables_that_name_folders_stay() -> None:
    """Of an environment, unless what such a variable holds is no printable text: then something else came along."""
    trace = recorded("k4")
    call = next(call for call in trace.calls if call.method == "submitApplication")
    message = trace.request(call)
    assert message is not None
    environment = message.application_submission_context.am_container_spec.environment  # type: ignore[attr-defined]
    del environment[:]
    values = {"SHELL": "/bin/bash", "JAVA_HOME": "/usr/lib/jvm\x12\x07hunter2", "DB_URL": "hunter2@db"}
    for key, value in values.items():
        environment.add(key=key, value=value)
    redactor = Redactor(schema(), KEY, strict=True)
    out = redactor.request(call.protocol, call.method, message.SerializeToString())
    assert out is not None
    assert b"hunter2" not in out
    kept = type(message).FromString(out).application_submission_context.am_container_spec.environment  # type: ignore[attr-defined]
    assert [entry.key for entry in kept] == list(values)
    assert kept[0].value == "/bin/bash"


SECRET_PATHS = re.compile(r"identifier|password|\.tokens|keyBytes|_key\.bytes|credentialsForApp|service_data")


def test_secrets_of_a_real_yarn_cluster_do_not_survive(tmp_path: Path) -> None:
    """Tokens, job tokens and master keys, found by the names of their paths, are not in the Trace made of a capture."""
    secrets = set()
    for call in recorded("k4").calls:
        for message in (
            recorded("k4").request(call),
            recorded("k4").response(call) if call.response else None,
        ):
            parts = {} if message is None else leaves(message)
            secrets |= {
                value
                for path, value in parts.items()
                if isinstance(value, bytes) and len(value) >= 8 and SECRET_PATHS.search(f".{path}")
            }
    assert len(secrets) > 20
    (tmp_path / "x.tap").write_bytes(b"".join(tape_of(recorded("k4"))))
    calls = import_tap(tmp_path / "x.tap", schema()).calls
    kept = b"\0".join(part for call in calls for part in (call.request, call.response) if part)
    assert not [secret for secret in secrets if secret in kept]
