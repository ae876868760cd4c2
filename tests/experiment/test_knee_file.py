"""A knee's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from froude.base.errors import ChangedError, InputError
from froude.experiment.knee_file import knee_text, read_knee, write_knee
from tests.experiment.knees import two_plays


def test_its_file(tmp_path: Path) -> None:
    """The answer first; read back as it was; an edit is seen, and another document refused."""
    result = two_plays()
    write_knee(tmp_path / "knee.json", result)
    assert read_knee(tmp_path / "knee.json") == result
    text = knee_text(result)
    (tmp_path / "edited.json").write_text(text.replace("At", "Ab").replace("keeps", "holds"))
    with pytest.raises(ChangedError):
        read_knee(tmp_path / "edited.json")
    (tmp_path / "other.json").write_text('{"froude": "report/2"}')
    with pytest.raises(InputError, match="is not a knee"):
        read_knee(tmp_path / "other.json")
