"""Shows the size of each package of `src/froude` beside its budget: `python tools/rooms.py`.

With a package, `python tools/rooms.py mining`, its rooms: files and lines of each, the arrows between them, and the
splinters, which are files that a single other file of the same folder imports.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

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


def modules(source: Path) -> dict[str, Path]:
    """Modules below a package's folder by their dotted names, which begin with the folder's name."""
    paths = sorted(source.rglob("*.py"))
    return {".".join(path.relative_to(source.parent).with_suffix("").parts): path for path in paths}


def imports(text: str, known: Mapping[str, object]) -> set[str]:
    """Modules among the known ones that a module's text imports, those inside functions included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (inner & known.keys()) or {node.module}
    return found & known.keys()


def splinters(arrows: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
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


def rooms(source: Path, package: str) -> Iterator[str]:
    """The rooms of a package, the arrows between them, and its splinters."""
    known = modules(source)
    arrows = {name: imports(path.read_text(), known) - {name} for name, path in known.items()}
    prefix = f"{source.name}.{package}."
    room = {name: name.removeprefix(prefix).split(".")[0] for name in known if name.startswith(prefix)}
    sizes: dict[str, list[int]] = defaultdict(list)
    for name, its in room.items():
        sizes[its].append(lines(known[name]))
    yield "| room | files | lines | uses |"
    yield "|---|---:|---:|---|"
    for its, counts in sorted(sizes.items()):
        mine = [name for name in room if room[name] == its]
        uses = sorted({room[t] for name in mine for t in arrows[name] if t in room} - {its, "__init__"})
        yield f"| `{its}` | {len(counts)} | {sum(counts):,} | {', '.join(uses)} |"
    small = [(a, b) for a, b in splinters(arrows) if a in room]
    yield f"\n{len(small)} splinters"
    for name, only in small:
        yield f"{lines(known[name]):5} {name.removeprefix(prefix)} → {only.removeprefix(prefix)}"


def main(arguments: Sequence[str]) -> int:
    """Print one of the tables."""
    table = rooms(SOURCE, arguments[0]) if arguments else packages(SOURCE)
    print("\n".join(table))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
