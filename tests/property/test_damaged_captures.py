"""Whatever damage a capture has, assembling it ends with rows and counts, and without a secret in any of them."""

from __future__ import annotations

import dataclasses

from hypothesis import given, settings
from hypothesis import strategies as st

from froude.trace.assembly import CallAssembly, CallRow, assemble
from froude.trace.redact import Redactor
from froude.trace.tape import Record, RecordKind
from testbed import wire
from tests.support.seeds import examples

SECRETS = (b"never in a row", bytes(range(128, 148)), b"nor this, nor this, nor anything like it")


def _recorded() -> list[Record]:
    """Calls with tokens at every depth, and one without."""
    identifier, password, text = SECRETS
    token = wire.message(
        "TokenProto", identifier=identifier, password=password, kind="HDFS", service="nn:8020"
    )
    tree = wire.message("TreeProto", name="root")
    tree.children.add(name="a").children.add(name="b").token.CopyFrom(token)
    grant = wire.message("GrantProto", owner="alice", token=token, more=[token], trustPassword=text)
    seal = wire.message("SealProto", serial=7, password=text)
    echo = wire.message("EchoProto", text="/file", count=3, names=["a", "b"])
    pairs = [("echo", echo, echo), ("grant", echo, grant), ("grow", tree, tree), ("seal", seal, seal)]
    records = wire.conversation(calls=0)[:-1]
    for number, (method, request, answer) in enumerate(pairs):
        asked = wire.request(number, method, request.SerializeToString())
        records.append((number + 1.0, 1, RecordKind.TO_SERVER, asked))
        records.append(
            (number + 1.5, 1, RecordKind.TO_CLIENT, wire.response(number, answer.SerializeToString()))
        )
    return [*records, (9.0, 1, RecordKind.CLOSE, b"")]


def _damaged(edits: list[tuple[int, int, int, bytes]], kinds: list[tuple[int, int]]) -> list[Record]:
    """The records with bytes replaced, some repeated later, and some of another kind."""
    records = _recorded()
    for index, place, gone, come in edits:
        time_s, number, kind, payload = records[index % len(records)]
        at = place % (len(payload) + 1)
        records[index % len(records)] = (time_s, number, kind, payload[:at] + come + payload[at + gone :])
    for index, kind in kinds:
        records.append((*records[index % len(records)][:2], kind, records[index % len(records)][3]))
        if index % 2:
            records[index % len(records)] = records.pop()
    return records


def _assembled(records: list[Record], *, strict: bool) -> tuple[list[CallRow], CallAssembly]:
    return assemble(iter(records), wire.SCHEMA, Redactor(wire.SCHEMA, b"k" * 32, strict=strict))


def _bytes(cell: object) -> bytes:
    return cell.encode(errors="surrogateescape") if isinstance(cell, str) else bytes(repr(cell), "ascii")


_edits = st.lists(
    st.tuples(st.integers(0, 9), st.integers(0, 400), st.integers(0, 4), st.binary(max_size=4)), max_size=4
)
_kinds = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 6)), max_size=2)


@settings(max_examples=examples(400), deadline=None)
@given(_edits, _kinds)
def test_damage_costs_records_and_shows_no_secret(
    edits: list[tuple[int, int, int, bytes]], kinds: list[tuple[int, int]]
) -> None:
    """No exception, no secret in a row or in an example, and counts that are none below zero."""
    records = _damaged(edits, kinds)
    _assembled(records, strict=False)
    rows, assembly = _assembled(records, strict=True)
    cells = [cell if isinstance(cell, bytes) else _bytes(cell) for row in rows for cell in row]
    kept = b"\n".join([*cells, *map(_bytes, assembly.examples)])
    assert not [secret for secret in SECRETS if secret in kept]
    assert min(dataclasses.astuple(assembly.loss)) >= 0
