"""The command line declares and ends in one way: `python tools/check_cli.py`.

A flag that several commands share is declared once; times and sizes have one form, so that no flag is in seconds or MiB
alone; and a command ends by `froude.cli.ending`.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

SOURCE = Path("src/froude/cli")
_ENDS = frozenset({"ending.py", "app.py", "hadoop.py"})
"""Where a command may end: in its own module; `hadoop run` ends with the code of another program, `--version` with 0."""
_UNITS = frozenset({"SECONDS", "MINUTES", "BYTES", "KIB", "MIB", "GIB"})
_FLAGS = frozenset({"Option", "Argument"})


def problems(texts: Mapping[str, str]) -> list[str]:
    """What is wrong, a line each.

    Args:
        texts: of the modules, by path.
    """
    found: list[str] = []
    declared: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for path, text in texts.items():
        tree = ast.parse(text)
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            if name == "Exit" and Path(path).name not in _ENDS:
                found.append(f"{path}:{call.lineno}: ends by itself; use froude.cli.ending.end")
            if name in _FLAGS and _text(call, "metavar") in _UNITS:
                found.append(f"{path}:{call.lineno}: is in one unit alone; use froude.cli.numbers.amount")
        for argument, call in _flags(tree):
            declared[(argument, *map(ast.unparse, call.args), _text(call, "help"))].append(
                f"{path}:{call.lineno}"
            )
    found += [
        f"{', '.join(places)}: the same flag {key[0]}; declare it once, in froude.cli.flags"
        for key, places in declared.items()
        if len(places) > 1
    ]
    return found


def _flags(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """The name and the declaration of each flag that is a parameter of a command."""
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for argument in (*function.args.args, *function.args.kwonlyargs):
            for node in ast.walk(argument.annotation) if argument.annotation else ():
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr in _FLAGS
                ):
                    yield argument.arg, node


def _text(call: ast.Call, keyword: str) -> str:
    value = next((each.value for each in call.keywords if each.arg == keyword), None)
    return str(value.value) if isinstance(value, ast.Constant) else ""


def main() -> int:
    """Look; 1 if something is wrong, which is then shown."""
    paths = sorted(SOURCE.rglob("*.py"))
    found = problems({str(path): path.read_text() for path in paths})
    print(*found, f"{len(paths)} modules of the command line, {len(found)} problems.", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
