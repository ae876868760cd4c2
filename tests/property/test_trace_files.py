"""Traces survive their file form, and redaction leaves no secret."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from froude.base.units import Quantity
from froude.trace.files import read_trace, write_trace
from froude.trace.redact import Redactor
from froude.trace.types import Call, Fidelity, Loss, Status, Trace, TraceMeta
from testbed import wire

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
MAYBE = st.none() | TEXT
CALLS = st.lists(
    st.builds(
        Call,
        start_s=st.floats(0, 1e6),
        duration_s=st.none() | st.floats(0, 100),
        connection=st.integers(0, 2**32 - 1),
        peer=TEXT,
        client_id=st.binary(max_size=16),
        call_id=st.integers(0, 2**31 - 1),
        retry=st.integers(-1, 5),
        user=MAYBE,
        real_user=MAYBE,
        caller_context=MAYBE,
        protocol=st.sampled_from([wire.PROTOCOL, "vendor.Protocol"]),
        method=TEXT,
        request=st.none() | st.binary(max_size=30),
        response=st.none() | st.binary(max_size=30),
        status=st.sampled_from(Status),
        error=MAYBE,
        error_message=MAYBE,
    ),
    max_size=8,
)
QUANTITIES = st.builds(Quantity, st.integers(0, 2**50) | st.floats(0, 1e12), st.sampled_from(["", "B", "s"]))
METAS = st.builds(
    TraceMeta,
    st.dictionaries(st.text("abcde", min_size=1, max_size=5), QUANTITIES, max_size=3),
    st.floats(0, 2e9),
    TEXT,
    TEXT,
    st.builds(Fidelity, *[st.booleans()] * 4),
    st.builds(Loss, *[st.integers(0, 10**12)] * 4),
    st.dictionaries(TEXT, TEXT, max_size=3),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(meta=METAS, calls=CALLS)
def test_any_trace_reads_as_it_was_written(meta: TraceMeta, calls: list[Call]) -> None:
    """Every field of every call and fact, calls in order of their start."""
    with tempfile.TemporaryDirectory() as folder:
        write_trace(Path(folder) / "t", Trace(meta, wire.SCHEMA, calls))
        trace = read_trace(Path(folder) / "t")
    assert trace.meta == meta
    assert trace.calls == sorted(calls, key=lambda call: call.start_s)


SECRETS = st.binary(min_size=8, max_size=60)
TOKENS = st.builds(lambda i, p, k: {"identifier": i, "password": p, "kind": k}, SECRETS, SECRETS, TEXT)


@settings(max_examples=100, deadline=None)
@given(
    tokens=st.lists(TOKENS, min_size=1, max_size=4),
    key=st.binary(min_size=16, max_size=64),
    depth=st.integers(0, 5),
)
def test_no_secret_is_left_and_equality_stays(tokens: list[dict[str, bytes]], key: bytes, depth: int) -> None:
    """At any depth; two fields are equal afterwards exactly if they were before."""
    tree = wire.message("TreeProto", name="root")
    for one in tokens:
        node = tree
        for _ in range(depth):
            node = node.children.add(name="inner")
        node.children.add(token=wire.message("TokenProto", **one))
    out = Redactor(wire.SCHEMA, key).request(wire.PROTOCOL, "grow", tree.SerializeToString())
    assert out is not None
    secrets = [token[part] for token in tokens for part in ("identifier", "password")]
    seen = [bytes(part) for part in _secrets_of(type(tree).FromString(out))]
    assert not [secret for secret in secrets if secret in out]
    assert [[a == b for a in seen] for b in seen] == [[a == b for a in secrets] for b in secrets]


def _secrets_of(node: object) -> list[bytes]:
    own = [node.token.identifier, node.token.password] if node.HasField("token") else []  # type: ignore[attr-defined]
    return own + [part for child in node.children for part in _secrets_of(child)]  # type: ignore[attr-defined]
