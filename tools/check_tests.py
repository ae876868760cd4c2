"""Every module that does something has its test file, and no module imports tests: `python tools/check_tests.py`.

`src/froude/a/b.py` is tested by `tests/a/test_b.py`. A module of plain values, without a function or method, needs none.
Tests share `tests/support`; what tests and benchmarks share is in `testbed`, so benchmarks run without the tests.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE, TESTS = Path("src/froude"), Path("tests")
_PYTHON = ("src", "tests", "testbed", "benchmarks", "tools")
_OUTSIDE = re.compile(r"^[ \t]*(?:from|import)[ \t]+tests\b", re.MULTILINE)
_WITHIN = re.compile(_OUTSIDE.pattern + r"[^\n(]*(?:\([^)]*)?\btest_", re.MULTILINE)
"""What may be an import to report. To parse every file takes ten times as long."""
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


def imports_of_tests(path: Path, text: str) -> Iterator[str]:
    """Modules of tests that a file imports and should not: test modules anywhere, any of `tests` outside of it.

    Args:
        path: the file, from the project's folder on.
        text: its source.
    """
    within = path.parts[0] == TESTS.name
    if not (_WITHIN if within else _OUTSIDE).search(text):
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            module = name.split(".")
            if module[0] == TESTS.name and (not within or any(part.startswith("test_") for part in module)):
                yield name


def main() -> int:
    """Show modules without a test file, and imports of tests; 1 if there are any."""
    found = [f"{SOURCE / module}: has no {TESTS / test_file(module)}" for module in untested(SOURCE, TESTS)]
    for folder in _PYTHON:
        for path in sorted(Path(folder).rglob("*.py")):
            found += [f"{path}: imports {name}" for name in imports_of_tests(path, path.read_text())]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
