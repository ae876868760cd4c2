"""Silent progress takes everything and shows nothing."""

import pytest

from froude.base.progress import Silent


def test_silent(capsys: pytest.CaptureFixture[str]) -> None:
    """The default of the Python API writes nothing."""
    with Silent().task("work", total=3) as task:
        task.advance()
        task.say("x")
    assert capsys.readouterr() == ("", "")
