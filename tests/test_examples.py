"""The Python examples of docstrings and of the documentation."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import froude

_ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
_NEEDS_HADOOP = "Hadoop.find()"
"""In an example that starts daemons; the same chain is run by tests/integration/test_python_api.py."""


def _texts() -> Iterator[tuple[str, str]]:
    """Everything that may hold examples: docstrings of modules and pages, each with its name."""
    for path in sorted((_ROOT / "src").rglob("*.py")):
        yield str(path.relative_to(_ROOT)), ast.get_docstring(ast.parse(path.read_text())) or ""
    for path in (_ROOT / "README.md", *sorted((_ROOT / "docs").rglob("*.md"))):
        yield str(path.relative_to(_ROOT)), path.read_text()


EXAMPLES = [
    pytest.param(block, id=f"{name}-{number}")
    for name, text in _texts()
    for number, block in enumerate(_BLOCK.findall(text))
]


def test_the_examples_are_seen() -> None:
    """At least those of the package and of the reports, on which the tests below would otherwise say nothing."""
    names = {str(example.id).rpartition("-")[0] for example in EXAMPLES}
    assert {"README.md", "src/froude/__init__.py", "src/froude/render/__init__.py"} <= names


@pytest.mark.parametrize("code", [e for e in EXAMPLES if _NEEDS_HADOOP not in str(e.values[0])])
def test_an_example_that_needs_no_daemon_runs(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it stands, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "example", "exec"), {"__name__": "example"})


@pytest.mark.parametrize("code", [e for e in EXAMPLES if _NEEDS_HADOOP in str(e.values[0])])
def test_an_example_that_starts_daemons_uses_public_names_only(code: str) -> None:
    """It is Python, and what it takes from the package is there."""
    attributes = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute))
    taken = {a.attr for a in attributes if isinstance(a.value, ast.Name) and a.value.id == "fr"}
    assert taken
    assert taken <= set(froude.__all__)
