"""The command line declares and ends in one way."""

from __future__ import annotations

import pytest

from tools.check_cli import main, problems

FLAG = 'def run(tag: Annotated[str, typer.Option("--tag", help="A word.")]) -> None: ...\n'


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"a.py": FLAG, "b.py": FLAG}, "a.py:1, b.py:1: the same flag tag"),
        ({"a.py": FLAG + FLAG.replace("run", "go")}, "a.py:1, a.py:2: the same flag tag"),
        ({"a.py": "raise typer.Exit(3)\n"}, "a.py:1: ends by itself"),
        ({"a.py": 'Limit = typer.Option(metavar="SECONDS")\n'}, "a.py:1: is in one unit alone"),
    ],
)
def test_what_is_wrong(texts: dict[str, str], message: str) -> None:
    """With its place."""
    (found,) = problems(texts)
    assert found.startswith(message)


def test_what_is_right() -> None:
    """Flags of one name with other words; and the project itself."""
    assert problems({"a.py": FLAG, "b.py": FLAG.replace("A word", "Two"), "hadoop.py": "typer.Exit(0)"}) == []
    assert main() == 0
