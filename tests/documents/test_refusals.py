"""What a form refuses, as an error of ours."""

from __future__ import annotations

from pathlib import Path

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
