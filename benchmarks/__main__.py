"""Runs every benchmark and prints its rows: `make bench`, or `python -m benchmarks proxy` for some."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from benchmarks.results import Row, from_dict

NAMES = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))


def main(wanted: list[str]) -> int:
    """Print a line a figure.

    Returns:
        2 for a name that is no benchmark.
    """
    unknown = set(wanted) - set(NAMES)
    if unknown:
        print(
            f"no such benchmark: {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}", file=sys.stderr
        )
        return 2
    for name in wanted or NAMES:
        for fields in import_module(f"benchmarks.bench_{name}").rows():
            print(_line(from_dict(fields, name)), flush=True)
    return 0


def _line(row: Row) -> str:
    met = {True: "met", False: "missed", None: ""}[row.met]
    value = f"{row.value:,.4g}" if isinstance(row.value, float) else str(row.value)
    return f"{row.group:10} {row.measure:60} {value:>12} {row.unit:10} {row.aim:>10} {met:6} {row.conditions}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
