"""Every module that does something has its test file: `python tools/check_tests.py`.

`src/froude/a/b.py` is tested by `tests/a/test_b.py`. A module of plain values, without a function or method, needs none.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE, TESTS = Path("src/froude"), Path("tests")
_ENTRIES = frozenset({"__init__.py", "__main__.py"})


def does_something(text: str) -> bool:
    """Whether a module's text defines a function or method with a body of its own."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(_has_body(node) for node in ast.walk(ast.parse(text)) if isinstance(node, functions))


def _has_body(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """More than a docstring and the dots of a protocol."""
    return any(not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)) for s in function.body)


def test_file(module: Path) -> Path:
    """Where a module's tests are.

    Args:
        module: its path below the source folder.
    """
    return module.with_name(f"test_{module.stem.lstrip('_')}.py")


def untested(source: Path, tests: Path) -> Iterator[Path]:
    """Modules without their test file, below `source`.

    Args:
        source: the package's folder.
        tests: the tests' folder.
    """
    for path in sorted(source.rglob("*.py")):
        module = path.relative_to(source)
        if path.name in _ENTRIES or (tests / test_file(module)).is_file():
            continue
        if does_something(path.read_text()):
            yield module


def main() -> int:
    """Look; 1 if a module has no test file, which is then shown."""
    missing = list(untested(SOURCE, TESTS))
    for module in missing:
        print(f"{SOURCE / module}: has no {TESTS / test_file(module)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
