"""What a form refuses, as an error of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import TypeAdapter, ValidationError

from froude.documents.refusals import refused


def test_the_first_flaw_with_its_place() -> None:
    """However much stands there."""
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(dict[str, list[int]]).validate_python({"rows": [1, "x" * 200]})
    error = refused(caught.value, Path("knee.json"))
    assert (error.file, error.place) == ("knee.json", "rows.1")
    assert len(str(error)) < 200


@pytest.mark.parametrize(
    ("form", "value", "message"),
    [
        (dict[str, str], {"a": 3}, "x.json:a: has a wrong value; found 3; allowed: a text"),
        (dict[str, int], [], "x.json: has a wrong value; found a list; allowed: a mapping"),
        (tuple[int, int], [1], "x.json:1: is missing"),
        (Literal["once"], "twice", "x.json: has a wrong value; found 'twice'; allowed: 'once'"),
    ],
)
def test_words_are_not_about_classes(form: Any, value: object, message: str) -> None:
    """They name what was found and what is allowed."""
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(form).validate_python(value)
    assert str(refused(caught.value, Path("x.json"))) == message
