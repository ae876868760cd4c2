"""Names of secrets, and texts and values without them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from froude.trace.importers.call_secrets import Masker, is_secret
from froude.trace.importers.call_values import Cell

SECRET = "hunter2SECRET"


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("password", True),
        ("api-key", True),
        ("X-Api-Key", True),
        ("private key", True),
        ("accessKey", True),
        ("t\u200boken", True),
        ("\uff50assword", True),
        ("Authorisation", True),
        ("path", False),
        ("keyword", False),
    ],
)
def test_names_of_secrets(name: str, secret: bool) -> None:
    """Whatever stands between their words, and in whatever case."""
    assert is_secret(name) is secret


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"password": SECRET}),
        json.dumps([{"name": "password", "value": SECRET}]),
        json.dumps({"inner": json.dumps({"token": SECRET})}),
        f"password={SECRET}",
        f"password = {SECRET}; n",
        f"{{password: {SECRET}",
        f"http://h/?a=1&token={SECRET}&b=2",
        f"Authorization: Bearer {SECRET}",
        f'{{"x": 1, "private key": "two words {SECRET}", ',
    ],
)
def test_secrets_within_texts(text: str) -> None:
    """What stands around them stays."""
    masker = Masker(lambda secret: "*")
    masked = masker.text(text)
    assert SECRET not in masked
    assert "*" in masked
    assert masker.within_texts >= 1


@pytest.mark.parametrize("text", ["/a/b=c", "the token was lost", "a: b", '{"path": "/x"}'])
def test_other_texts_stay(text: str) -> None:
    """As they are."""
    masker = Masker(lambda secret: "*")
    assert (masker.text(text), masker.within_texts) == (text, 0)


@pytest.mark.parametrize("value", [987654321987, 98765.4321987, Cell("987654321987"), "987654321987"])
def test_values_keep_their_types(value: Any) -> None:
    """Numbers become other numbers, the same ones each time."""
    masker = Masker(lambda secret: f"<{len(secret)}>")
    made = masker.value({"m": [{"token": value}], "n": 1})
    (inner,) = made["m"]
    plain = value.guess() if isinstance(value, Cell) else value
    assert type(inner["token"]) is type(plain)
    assert inner["token"] != plain
    assert made == masker.value({"m": [{"token": value}], "n": 1})
