"""Rows of results, and the table they make in docs/results.

A row is `measure, value, unit, aim, tolerance, met, command, conditions` and says when, where and at which commit it
was measured, since rows of one page may be measured on different days; a missed aim stays, with its reason. A figure of
a made-up input varies with it: `over_inputs` gives the median and range over several, `ONE_INPUT` marks that of one.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from statistics import median

from froude.base import parallel

INPUTS = 7
"""Made-up inputs that a row is measured over, at least; one row may take 20 minutes for them."""
ONE_INPUT = "one input"
"""Condition of a row over made-up inputs that was measured on one: of a speed, or of what takes longer."""
_SMALLER_IS_BETTER = {"s", "ms", "us", "us/call", "MB", "bytes", "share of a core", "% of a core", "%"}
RESULTS = Path(__file__).parent.parent / "docs" / "results"


@dataclass(frozen=True, slots=True)
class Row:
    """One measured figure."""

    measure: str
    value: float | str | None
    """The median, where there are several inputs."""
    unit: str
    aim: str = ""
    met: bool | None = None
    """None where nothing was aimed at."""
    command: str = ""
    """What measured it; a group's own command where a row names none."""
    conditions: str = ""
    tolerance: str = ""
    """How far from its aim a value may lie and still meet it; empty where the aim says all."""
    group: str = ""
    """Heading it stands under."""
    date: str = ""
    """Of the measurement, UTC."""
    machine: str = ""
    commit: str = ""
    """Of the code that was measured; with a plus where files had changed since."""
    range: Sequence[float] | None = None
    """The least and the most over the inputs; None where the value is no median over inputs."""
    inputs: int | None = None
    """How many made-up inputs the value is of; None as `range`."""


def over_inputs(measured: Callable[[int], list[Row]], of: str, workers: int = 1) -> list[Row]:
    """Rows over made-up inputs, each a median with its range.

    Args:
        measured: the rows of one input, which the seed from 1 on makes; it pickles where there are workers. Chance in
            its runs is of the same seed, so that the range is over both.
        of: what the inputs are, and what runs on each: `datacenters, a run on each`.
        workers: processes.
    """
    by_input = parallel.map(measured, range(1, INPUTS + 1), workers)
    return [over(rows, of) for rows in zip(*by_input, strict=True)]


def over(rows: Sequence[Row], of: str) -> Row:
    """One row for several of one measure, each of a made-up input: their median, the least and the most.

    Args:
        rows: alike but for their values; an aim is met where each of them meets it.
        of: what the inputs are, as above.

    Raises:
        ValueError: they differ in more, such as in a condition that names what one input gave.
    """
    first, values = rows[0], [float(f"{row.value:.6g}") for row in rows]
    if any(replace(row, value=first.value, met=first.met) != first for row in rows):
        raise ValueError(f"{first.measure}: rows of several inputs differ in more than their values")
    said = f"median and range of {len(rows)} {of}"
    return replace(
        first,
        value=median(values),
        met=None if first.met is None else all(row.met for row in rows),
        conditions=f"{first.conditions}; {said}" if first.conditions else said,
        range=(min(values), max(values)),
        inputs=len(rows),
    )


def at_most(measure: str, value: float, unit: str, aim: float, **more: str) -> Row:
    """A figure that should not exceed its aim."""
    return Row(measure, value, unit, f"<= {aim:g}", value <= aim, **more)


def at_least(measure: str, value: float, unit: str, aim: float, **more: str) -> Row:
    """A figure that should reach its aim."""
    return Row(measure, value, unit, f">= {aim:g}", value >= aim, **more)


def near(  # noqa: PLR0917 - the columns of a table
    measure: str, value: float, unit: str, published: float, share: float = 0.02, conditions: str = ""
) -> Row:
    """A figure that should be another's.

    Args:
        measure: what it is of.
        value: what was measured.
        unit: of both.
        published: the other's figure.
        share: how far from it a value may lie, as a share of it.
        conditions: under which it was measured.
    """
    met = within(value, published, share)
    return Row(
        measure, value, unit, f"{published:,g}", met, conditions=conditions, tolerance=tolerance_text(share)
    )


def within(value: float, published: float, share: float) -> bool:
    """Whether a value lies within a share of a published one.

    Args:
        value: what was measured.
        published: the other's figure.
        share: of `published`.
    """
    return abs(value - published) <= share * abs(published)


def tolerance_text(share: float) -> str:
    """A tolerance as a row shows it."""
    return f"± {share * 100:g} %"


def with_condition(row: Row, condition: str) -> Row:
    """A row with one more condition.

    Args:
        row: to take.
        condition: nothing is added if it is empty.
    """
    parts = (row.conditions, condition)
    return replace(row, conditions="; ".join(part for part in parts if part))


def from_dict(fields: dict[str, object], group: str) -> Row:
    """A row from a benchmark module's dictionary; fields it does not know go into the conditions."""
    known = {
        name: fields[name]
        for name in ("measure", "value", "unit", "aim", "met", "conditions", "tolerance")
        if name in fields
    }
    extra = ", ".join(
        f"{k} {v}" for k, v in fields.items() if k not in {*known, "command"} and v not in (None, "")
    )
    conditions = "; ".join(part for part in (str(known.pop("conditions", "") or ""), extra) if part)
    aim = known.pop("aim", "")
    value, met = known["value"], known.get("met")
    if isinstance(aim, (int, float)) and isinstance(value, (int, float)):
        smaller = str(known.get("unit", "")) in _SMALLER_IS_BETTER
        met = (value <= aim if smaller else value >= aim) if met is None else met
        aim = f"{'<=' if smaller else '>='} {aim:g}"
    if met is None and isinstance(value, (int, float)) and isinstance(aim, str) and aim[:2] in {"<=", ">="}:
        met = value <= float(aim[2:]) if aim[0] == "<" else value >= float(aim[2:])
    return Row(
        measure=str(known["measure"]),
        value=known["value"],  # type: ignore[arg-type]
        unit=str(known.get("unit", "")),
        aim="" if aim is None else str(aim),
        met=met,  # type: ignore[arg-type]
        conditions=conditions,
        tolerance=str(known.get("tolerance", "")),
        group=group,
    )


Measure = Callable[[], list[Row]]


@dataclass(slots=True)
class Topic:
    """A page of results: groups of rows, each measured alone or with the others."""

    name: str
    """Of the files in docs/results, and of `make results-NAME`."""
    title: str
    intro: str
    groups: dict[str, tuple[str, Measure]] = field(default_factory=dict)

    def command(self, group: str) -> str:
        """What measures a group's rows."""
        return f"python -m benchmarks.results_{self.name.replace('-', '_')} --only {group}"

    def group(self, name: str, title: str) -> Callable[[Measure], Measure]:
        """Register a group of rows."""

        def register(f: Measure) -> Measure:
            self.groups[name] = (title, f)
            return f

        return register

    def benchmark(
        self, name: str, title: str, module: str, rows: str = "rows", *, conditions: str = ""
    ) -> None:
        """Register the rows that a function of a module `benchmarks.MODULE` yields.

        Args:
            name: of the group.
            title: its heading.
            module: its name in `benchmarks`.
            rows: the function; it yields rows, or their dictionaries.
            conditions: of all of them, behind their own.
        """

        def measure() -> list[Row]:
            found = getattr(import_module(f"benchmarks.{module}"), rows)()
            made = [each if isinstance(each, Row) else from_dict(each, title) for each in found]
            return [with_condition(row, conditions) for row in made]

        self.groups[name] = (title, measure)

    def main(self) -> None:
        """Measure the groups of `--only`, or all, and write the table after each; other rows stay as they are."""
        parser = argparse.ArgumentParser(description=self.intro)
        parser.add_argument(
            "--only", help=f"groups to measure, of {', '.join(self.groups)}; keep measures none"
        )
        wanted = (parser.parse_args().only or ",".join(self.groups)).split(",")
        unknown = [name for name in wanted if name not in {*self.groups, "keep"}]
        if unknown:
            parser.error(f"no such group: {', '.join(unknown)}; there are {', '.join(self.groups)}, keep")
        old = RESULTS / f"{self.name}.json"
        kept = [Row(**fields) for fields in json.loads(old.read_text())] if old.is_file() else []
        rows = {title: [row for row in kept if row.group == title] for title, _ in self.groups.values()}
        where = {"machine": machine(), "commit": commit()}
        for name, (title, measure) in self.groups.items():
            if name in wanted:
                print(f"measuring: {title}", file=sys.stderr, flush=True)
                stamp = {"group": title, "date": f"{datetime.now(UTC):%Y-%m-%d}", **where}
                measured = measure()
                rows[title] = [
                    replace(row, command=row.command or self.command(name), **stamp) for row in measured
                ]
                self._write(rows)
        self._write(rows)

    def _write(self, rows: dict[str, list[Row]]) -> None:
        notes = Path(__file__).parent / f"notes_{self.name.replace('-', '_')}.md"
        said = notes.read_text() if notes.is_file() else ""
        write(self.name, self.title, self.intro, [row for group in rows.values() for row in group], said)


def pytest_counts(output: str) -> Counter[str]:
    """Tests by what became of them, from the last line of pytest's output: `passed`, `failed`, `error`."""
    last = output.strip().splitlines()[-1] if output.strip() else ""
    return Counter(
        {
            what.removesuffix("s"): int(number)
            for number, what in re.findall(r"(\d+) (passed|failed|errors?)\b", last)
        }
    )


def write(topic: str, title: str, intro: str, rows: Iterable[Row], notes: str = "") -> None:
    """Write docs/results/TOPIC.json and .md."""
    rows = list(rows)
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{topic}.json").write_text(
        json.dumps([_fields(row) for row in rows], indent=1, default=str) + "\n"
    )
    lines = [f"# {title}", "", intro, ""]
    for group in dict.fromkeys(row.group for row in rows):
        lines += [
            f"## {group}",
            "",
            "| measure | value | unit | aim | tolerance | met | conditions |",
            "|---|---:|---|---|---|---|---|",
        ]
        members = [row for row in rows if row.group == group]
        lines += [_line(row) for row in members]
        lines.append("")
        lines += [f"{source}." for source in dict.fromkeys(map(_source, members))]
        lines.append("")
    if notes:
        lines += ["## What falls short, and why", "", notes, ""]
    (RESULTS / f"{topic}.md").write_text("\n".join(lines))


def _fields(row: Row) -> dict[str, object]:
    """What the JSON has of a row; `range` and `inputs` only where there are several inputs."""
    return {
        name: value
        for name, value in asdict(row).items()
        if value is not None or name not in {"range", "inputs"}
    }


def _line(row: Row) -> str:
    met = {True: "yes", False: "**missed**", None: ""}[row.met]
    value = _number(row.value)
    if row.range is not None:
        value += f" ({_number(row.range[0])} to {_number(row.range[1])})"
    cells = (row.measure, value, row.unit, row.aim, row.tolerance, met, row.conditions)
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _source(row: Row) -> str:
    """By what, when, where and of which commit a row was measured."""
    return f"Measured by `{row.command}` on {row.date} at commit {row.commit}: {row.machine}"


def commit() -> str:
    """The commit that is measured, with a plus where files other than results have changed since."""
    git = ["git", "-C", str(RESULTS)]
    head = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    status = [*git, "status", "--porcelain", "--", ":/", ":!/docs/results"]
    changed = subprocess.run(status, capture_output=True, text=True, check=False)
    return head.stdout.strip() + ("+" if changed.stdout else "")


def machine() -> str:
    """The machine in one line: cores, memory, Python, kernel."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cpu = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    java = (
        subprocess.run(["java", "-version"], capture_output=True, text=True, check=False)
        if _has_java()
        else None
    )
    version = java.stderr.splitlines()[0] if java and java.stderr else "no java on PATH"
    return f"{os.cpu_count()} cores ({cpu}), {memory:.0f} GiB, Python {platform.python_version()}, {version}"


def _has_java() -> bool:
    import shutil

    return shutil.which("java") is not None


def _number(value: float | str | None) -> str:
    if value is None:
        return "not measured"
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or value == int(value):
        return f"{int(value):,}"
    return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"
