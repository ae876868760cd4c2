"""The control protocol: lines in, commands out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from froude.base.errors import InputError
from froude.cache.disk.commands import Curve, Limit, Resize, Stat, answer_line, parse_command
from froude.cache.disk.status import Limits


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ('{"cmd":"stat"}', Stat()),
        ('{"cmd":"resize","bytes":0}\n', Resize(0)),
        ('{"cmd":"limit","iops":60,"bytes_per_s":null}', Limit({"iops": 60, "bytes_per_s": None})),
        ('{"cmd":"limit","iops":1.5}', Limit({"iops": 1.5})),
        ('{"cmd":"curve"}', Curve()),
        ('{"cmd":"curve","forget":true}', Curve(forget=True)),
    ],
)
def test_commands_are_read(line: str, command: object) -> None:
    """Each of them."""
    assert parse_command(line.encode()) == command


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ('{"cmd":"grow"}', "cmd"),
        ("[]", "cmd"),
        ('{"cmd":["stat"]}', "cmd"),
        ('{"cmd":"resize"}', "bytes"),
        ('{"cmd":"resize","bytes":-1}', "bytes"),
        ('{"cmd":"resize","bytes":1.5}', "bytes"),
        ('{"cmd":"resize","bytes":true}', "bytes"),
        ('{"cmd":"resize","bytes":1e30}', "bytes"),
        ('{"cmd":"resize","bytes":1152921504606846977}', "bytes"),
        ('{"cmd":"limit","iops":0}', "iops"),
        ('{"cmd":"limit","iops":NaN}', "iops"),
        ('{"cmd":"limit","iops":"60"}', "iops"),
        ('{"cmd":"curve","forget":1}', "forget"),
        ('{"cmd":"stat","bytes":1}', "bytes"),
    ],
)
def test_what_is_no_command_is_refused(line: str, place: str) -> None:
    """With what is wrong in it."""
    with pytest.raises(InputError) as caught:
        parse_command(line.encode())
    assert caught.value.place == place


@given(st.binary(max_size=200))
def test_any_line_is_a_command_or_refused(line: bytes) -> None:
    """Nothing else comes of it."""
    try:
        parse_command(line)
    except InputError as error:
        assert "error" in json.loads(answer_line(error))


def test_a_deep_line_is_refused() -> None:
    """Not the reader's recursion."""
    with pytest.raises(InputError, match="not JSON"):
        parse_command(b"[" * 60_000)


def test_a_limit_that_is_not_named_stays() -> None:
    """And null takes one away."""
    now = Limits(iops=60, bytes_per_s=1e6)
    assert Limit({"iops": None}).applied(now) == Limits(None, 1e6)
    assert Limit({"bytes_per_s": 5}).applied(now) == Limits(60, 5)
