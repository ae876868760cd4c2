"""Shows which small changes of the core no test notices: `python tools/mutate.py --seed 1 --count 40`.

Each mutant differs from the source in one place, by a fixed operator: a comparison, a whole number by one, a sign, a
statement that is left out, or two arguments that change places. Lines are drawn by the seed, from the modules below.
The tests that cover the module run on a copy of the source: its own test file first, then those of its package. A
mutant that they do not notice survives. One that computes the same is named, with the reason, in `EQUIVALENT`.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

SOURCE, TESTS = Path("src/froude"), Path("tests")
EQUIVALENT = Path("tools/equivalent_mutants.json")
_MINING = [
    f"mining/{folder}test_{name}.py"
    for folder, names in {
        "": "counts pipeline",
        "read/": "periodic reports",
        "shape/": "rounds",
        "fit/": "patterns rival_formulas",
        "yarn/": "container_requests",
        "rules/": "arguments loop_counts questions texts",
    }.items()
    for name in names.split()
]
# Those of whole processes are late on a busy machine, which is not for a mutant.
_EMULATION = ("emulation", "--ignore=tests/emulation/test_engine.py")
MODULES: Mapping[str, Sequence[str]] = {
    "emulation/core.py": _EMULATION,
    "emulation/calls.py": _EMULATION,
    "emulation/pacing.py": _EMULATION,
    "emulation/run/verdict.py": _EMULATION,
    "provision/search/optimise/bounds.py": ["provision/search"],
    "provision/check/checker.py": ["provision/check"],
    "provision/check/evaluate.py": ["provision/check"],
    "mining/counts.py": _MINING,
    "mining/rules/arguments.py": _MINING,
    "hadoop/rpc/frames.py": ["hadoop/rpc"],
    "hadoop/rpc/codec.py": ["hadoop/rpc"],
    "hadoop/metrics/gc_log.py": ["hadoop/metrics/test_gc_log.py"],
    "hadoop/fsimage/inode_rows.py": ["hadoop/fsimage"],
    "cache/curves/curve.py": ["cache/curves", "cache/solve"],
    "cache/curves/shards.py": ["cache/curves"],
    "cache/solve/exact.py": ["cache/solve"],
    "base/units.py": ["base/test_units.py"],
    "base/statistics.py": ["experiment/compare/test_compare.py"],
}
"""Modules, and below `tests` what covers each, besides its own test file; also options of pytest."""
TIMEOUT_S = 300

_COMPARISONS = {ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">")}
_COMPARISONS |= {ast.Eq: ("==", "!="), ast.NotEq: ("!=", "==")}
_COMMUTATIVE = {"max", "min", "math.gcd", "np.maximum", "np.minimum"}
_SIGNS = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*")}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a module's text."""

    module: str
    line: int
    before: str
    after: str
    start: int
    """Offset of `before` in the module's text."""
    statement: str
    """The line as it is, without its indentation."""

    def text(self, source: str) -> str:
        """The module with the change."""
        assert source[self.start :].startswith(self.before)
        return source[: self.start] + self.after + source[self.start + len(self.before) :]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the tests made of a mutant."""

    mutant: Mutant
    fate: str
    """What noticed it: `own tests`, `package's tests` or `timeout`; else `survived` or `equivalent`."""
    why: str = ""


class _Text:
    """A module's text, and where its lines begin."""

    def __init__(self, module: str, source: str) -> None:
        self.module, self.source = module, source
        self.lines = source.splitlines(keepends=True)
        self.begins = [0]
        for line in self.lines:
            self.begins.append(self.begins[-1] + len(line))

    def at(self, line: int, column: int) -> int:
        """The offset of a place that `ast` names: a line, and a column in bytes of UTF-8."""
        return self.begins[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def mutant(self, start: int, end: int, after: str) -> Mutant:
        line = self.source.count("\n", 0, start) + 1
        statement = self.lines[line - 1].strip()
        return Mutant(self.module, line, self.source[start:end], after, start, statement)

    def between(self, left: ast.expr, right: ast.expr, signs: tuple[str, str]) -> Mutant:
        """An operator between two operands."""
        begin, end = self.span(left)[1], self.span(right)[0]
        start = begin + self.source[begin:end].index(signs[0])
        return self.mutant(start, start + len(signs[0]), signs[1])


def mutants(module: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a module.

    Args:
        module: its path below the source folder.
        source: its text.
    """
    text = _Text(module, source)
    tree = ast.parse(source)
    types = {id(part) for node in ast.walk(tree) for part in _annotations(node)}
    for node in ast.walk(tree):
        if id(node) in types:
            continue
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if (
                type(operator) in _COMPARISONS
            ):
                yield text.between(left, right, _COMPARISONS[type(operator)])
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _SIGNS:
                yield text.between(left, right, _SIGNS[type(sign)])
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                yield text.mutant(text.span(node)[0], text.span(operand)[0], "")
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                for changed in (value + 1, value - 1):
                    yield text.mutant(*text.span(node), f"({changed})" if changed < 0 else str(changed))
            case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Continue() | ast.Raise():
                yield text.mutant(*text.span(node), "pass")
            case ast.Call(func=called, args=[first, second, *_]) if ast.unparse(called) not in _COMMUTATIVE:
                if isinstance(first, ast.Starred):
                    continue
                (start, middle), (begin, end) = text.span(first), text.span(second)
                if not isinstance(second, ast.Starred) and source[start:middle] != source[begin:end]:
                    swapped = source[begin:end] + source[middle:begin] + source[start:middle]
                    yield text.mutant(start, end, swapped)


def _annotations(node: ast.AST) -> Iterator[ast.AST]:
    """Types, which nothing computes with."""
    for name in ("annotation", "returns"):
        if isinstance(part := getattr(node, name, None), ast.AST):
            yield from ast.walk(part)


def drawn(seed: int, count: int, modules: Sequence[str]) -> list[Mutant]:
    """Mutants of lines that are drawn by chance, one of a line.

    Args:
        seed: of the draw.
        count: how many.
        modules: paths below the source folder.
    """
    chance = random.Random(seed)
    by_line: dict[tuple[str, int], list[Mutant]] = defaultdict(list)
    for module in modules:
        for mutant in mutants(module, (SOURCE / module).read_text()):
            by_line[mutant.module, mutant.line].append(mutant)
    lines = sorted(by_line)
    return [chance.choice(by_line[line]) for line in sorted(chance.sample(lines, min(count, len(lines))))]


def _tests(module: str) -> list[list[str]]:
    """What runs: the module's own test file, then the rest."""
    own = TESTS / Path(module).with_name(f"test_{Path(module).stem}.py")
    wider = MODULES.get(module, [str(Path(module).parent)])
    wider = [each if each.startswith("--") else str(TESTS / each) for each in wider]
    return [[str(own)], [*wider, f"--deselect={own}"]] if wider != [str(own)] else [[str(own)]]


def _passes(copy: Path, tests: Sequence[str]) -> bool | None:
    """Whether tests pass on a copy of the source; None where they take too long."""
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--durations=0"]
    command += ["-m", "not long and not integration", "--hypothesis-profile=mutants", "--timeout=150", *tests]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return None
    return done.returncode in {0, 5}


@cache
def _pass_unchanged(tests: tuple[str, ...]) -> bool:
    """Whether tests pass on the source as it is: those that always fail notice nothing."""
    return any(_passes(SOURCE.parent.resolve(), tests) for _ in range(2))


def fate(mutant: Mutant, copy: Path) -> str:
    """What notices a mutant.

    Args:
        mutant: the change.
        copy: a copy of the source, which is as it was afterwards.
    """
    place, original = copy / "froude" / mutant.module, SOURCE / mutant.module
    place.write_text(mutant.text(original.read_text()))
    try:
        for what, tests in zip(("own tests", "package's tests"), _tests(mutant.module), strict=False):
            passed = _passes(copy, tests)
            if not passed:
                if not _pass_unchanged(tuple(tests)):
                    raise SystemExit(
                        f"fail without a change, or take longer than {TIMEOUT_S} s: {' '.join(tests)}"
                    )
                return "timeout" if passed is None else what
        return "survived"
    finally:
        shutil.copy2(original, place)


def equivalent(mutant: Mutant, known: Sequence[Mapping[str, str]]) -> str | None:
    """Why a mutant computes the same; None where it does not."""
    own = {
        "module": mutant.module,
        "statement": mutant.statement,
        "before": mutant.before,
        "after": mutant.after,
    }
    return next((each["why"] for each in known if own.items() <= each.items()), None)


def run(chosen: Sequence[Mutant], jobs: int) -> Iterator[Outcome]:
    """Try mutants, several at once.

    Args:
        chosen: which.
        jobs: how many at once, each on a copy of the source of its own.
    """
    known = json.loads(EQUIVALENT.read_text()) if EQUIVALENT.exists() else []
    copies: queue.SimpleQueue[Path] = queue.SimpleQueue()

    def outcome(mutant: Mutant) -> Outcome:
        if why := equivalent(mutant, known):
            return Outcome(mutant, "equivalent", why)
        copy = copies.get()
        try:
            return Outcome(mutant, fate(mutant, copy))
        finally:
            copies.put(copy)

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        for number in range(jobs):
            shutil.copytree(SOURCE, Path(folder, str(number), "froude"))
            copies.put(Path(folder, str(number)))
        yield from pool.map(outcome, chosen)


def main() -> int:
    """Print what becomes of each mutant.

    Returns:
        1 where one survives.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--module", action="append", help="path below the source folder; repeat for several")
    parser.add_argument("--line", type=int, help="every mutant of one line of --module")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write the outcomes there as well")
    options = parser.parse_args()
    modules = options.module or list(MODULES)
    if options.line:
        every = [each for name in modules for each in mutants(name, (SOURCE / name).read_text())]
        chosen = [each for each in every if each.line == options.line]
    else:
        chosen = drawn(options.seed, options.count, modules)
    outcomes = []
    for outcome in run(chosen, options.jobs):
        outcomes.append(outcome)
        mutant = outcome.mutant
        change = f"{' '.join(mutant.before.split())} -> {' '.join(mutant.after.split())}"
        print(f"{outcome.fate:16} {mutant.module}:{mutant.line}: {change}", flush=True)
        if options.json:
            options.json.write_text(json.dumps([asdict(each) for each in outcomes], indent=1) + "\n")
    survivors = sum(outcome.fate == "survived" for outcome in outcomes)
    print(f"{len(outcomes)} mutants, {survivors} survived")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
