"""No circle of imports, imports inside functions counted, no module that is gone: `python tools/check_imports.py`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Set
from graphlib import CycleError, TopologicalSorter

import grimp

PACKAGE = "froude"
GONE = ("froude.documents.declared", "froude.documents.refusals")
"""Replaced by models: `froude.documents.model`."""


def circle(imports: Mapping[str, Set[str]]) -> list[str] | None:
    """One circle, as a path that ends where it begins; None where there is none.

    Args:
        imports: by module, the modules that it imports.
    """
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        path: list[str] = error.args[1]
        return path[::-1]  # it lists what is imported before who imports it
    return None


def main() -> int:
    """Look; 1 if there is a circle, which is then shown."""
    graph = grimp.build_graph(PACKAGE)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    path = circle(imports)
    if back := [name for name in GONE if name in imports]:
        print("Use froude.documents.model instead of", *back)
        return 1
    if path:
        print("A circle of imports:", *path, sep="\n  ")
        return 1
    print(f"No circle among {len(imports)} modules and {sum(map(len, imports.values()))} imports.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
