"""Shows the size of each package of `src/froude` beside its budget: `python tools/rooms.py`.

With a package, `python tools/rooms.py mining`, its rooms: files and lines of each, the arrows between them, and the
splinters, which are files that a single other file of the same folder imports.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path

import grimp

SOURCE = Path("src/froude")
BUDGETS: Mapping[str, int] = {
    "base": 3200,
    "documents": 2000,
    "messages": 1600,
    "hadoop": 10800,
    "trace": 7400,
    "render": 2400,
    "rest": 1000,
    "workload": 3900,
    "mining": 9000,
    "emulation": 9600,
    "experiment": 8600,
    "provision": 14000,
    "harvest": 8000,
    "cache": 9500,
    "cli": 5800,
}
"""Lines of each package, docstrings included, that the architecture aims at."""


def splinters(arrows: Mapping[str, Set[str]]) -> Iterator[tuple[str, str]]:
    """Modules that exactly one module imports, which is in the same folder, with that one.

    Args:
        arrows: what each module imports.
    """
    importers = defaultdict(set)
    for module, targets in arrows.items():
        for target in targets:
            importers[target].add(module)
    for module in sorted(arrows):
        if len(importers[module]) == 1:
            (only,) = importers[module]
            if only.rpartition(".")[0] == module.rpartition(".")[0]:
                yield module, only


def lines(path: Path) -> int:
    """Lines of a file."""
    return len(path.read_text().splitlines())


def packages(source: Path) -> Iterator[str]:
    """A Markdown table: package, lines, budget, excess in per cent."""
    yield "| package | lines | budget | over |"
    yield "|---|---:|---:|---:|"
    total = 0
    for name, budget in BUDGETS.items():
        size = sum(map(lines, (source / name).rglob("*.py")))
        total += size
        over = f"{size / budget - 1:.0%}" if size > budget else ""
        yield f"| `{name}` | {size:,} | {budget:,} | {over} |"
    yield f"| all | {total:,} | {sum(BUDGETS.values()):,} | {total / sum(BUDGETS.values()) - 1:.0%} |"


def rooms(package: str, arrows: Mapping[str, Set[str]], sizes: Mapping[str, int]) -> Iterator[str]:
    """The rooms of a package, the arrows between them, and its splinters.

    Args:
        package: its name below the source folder.
        arrows: what each module imports.
        sizes: lines of each module.
    """
    prefix = f"{SOURCE.name}.{package}."
    room = {name: name.removeprefix(prefix).split(".")[0] for name in arrows if name.startswith(prefix)}
    yield "| room | files | lines | uses |"
    yield "|---|---:|---:|---|"
    for its in sorted(set(room.values())):
        mine = [name for name in room if room[name] == its]
        uses = sorted({room[t] for name in mine for t in arrows[name] if t in room} - {its})
        yield f"| `{its}` | {len(mine)} | {sum(sizes[name] for name in mine):,} | {', '.join(uses)} |"
    small = [(name, only) for name, only in splinters(arrows) if name in room]
    yield f"\n{len(small)} splinters"
    for name, only in small:
        yield f"{sizes[name]:5} {name.removeprefix(prefix)} → {only.removeprefix(prefix)}"


def module_path(module: str) -> Path:
    """The file of a module, or of a package's own module."""
    place = SOURCE.parent.joinpath(*module.split("."))
    return place / "__init__.py" if place.is_dir() else place.with_suffix(".py")


def main(arguments: Sequence[str]) -> int:
    """Print one of the tables."""
    if arguments:
        graph = grimp.build_graph(SOURCE.name)
        arrows = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
        table = rooms(arguments[0], arrows, {module: lines(module_path(module)) for module in arrows})
    else:
        table = packages(SOURCE)
    print("\n".join(table))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
