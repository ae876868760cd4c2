"""Rows of results, and the table they make in docs/results.

A row is `measure, value, unit, aim, met, command, conditions`; a missed aim stays, with its reason.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from importlib import import_module
from pathlib import Path

_SMALLER_IS_BETTER = {"s", "ms", "us", "us/call", "MB", "bytes", "share of a core", "% of a core", "%"}
RESULTS = Path(__file__).parent.parent / "docs" / "results"


@dataclass(frozen=True, slots=True)
class Row:
    """One measured figure."""

    measure: str
    value: float | str | None
    unit: str
    aim: str = ""
    met: bool | None = None
    """None where nothing was aimed at."""
    command: str = ""
    conditions: str = ""
    group: str = ""
    """Heading it stands under."""


def at_most(measure: str, value: float, unit: str, aim: float, **more: str) -> Row:
    """A figure that should not exceed its aim."""
    return Row(measure, value, unit, f"<= {aim:g}", value <= aim, **more)


def at_least(measure: str, value: float, unit: str, aim: float, **more: str) -> Row:
    """A figure that should reach its aim."""
    return Row(measure, value, unit, f">= {aim:g}", value >= aim, **more)


def from_dict(fields: dict[str, object], group: str) -> Row:
    """A row from a benchmark module's dictionary; fields it does not know go into the conditions."""
    known = {
        name: fields[name]
        for name in ("measure", "value", "unit", "aim", "met", "command", "conditions")
        if name in fields
    }
    extra = ", ".join(f"{k} {v}" for k, v in fields.items() if k not in known and v not in (None, ""))
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
        command=str(known.get("command", "")),
        conditions=conditions,
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

    @property
    def command(self) -> str:
        """What measures it."""
        return f"make results-{self.name}"

    def group(self, name: str, title: str) -> Callable[[Measure], Measure]:
        """Register a group of rows."""

        def register(f: Measure) -> Measure:
            self.groups[name] = (title, f)
            return f

        return register

    def benchmark(self, name: str, title: str, module: str) -> None:
        """Register the rows of a module `benchmarks.MODULE`."""

        def measure() -> list[Row]:
            found = import_module(f"benchmarks.{module}").rows()
            return [from_dict({"command": f"python -m benchmarks.{module}", **row}, title) for row in found]

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
        for name, (title, measure) in self.groups.items():
            if name in wanted:
                print(f"measuring: {title}", file=sys.stderr, flush=True)
                rows[title] = [replace(row, group=title) for row in measure()]
                self._write(rows)
        self._write(rows)

    def _write(self, rows: dict[str, list[Row]]) -> None:
        notes = Path(__file__).parent / f"notes_{self.name.replace('-', '_')}.md"
        said = notes.read_text() if notes.is_file() else ""
        write(self.name, self.title, self.intro, [row for found in rows.values() for row in found], said)


def write(topic: str, title: str, intro: str, rows: Iterable[Row], notes: str = "") -> None:
    """Write docs/results/TOPIC.json and .md."""
    rows = list(rows)
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{topic}.json").write_text(
        json.dumps([asdict(row) for row in rows], indent=1, default=str) + "\n"
    )
    lines = [f"# {title}", "", intro, "", f"Machine: {machine()}.", ""]
    for group in dict.fromkeys(row.group for row in rows):
        lines += [
            f"## {group}",
            "",
            "| measure | value | unit | aim | met | conditions |",
            "|---|---:|---|---|---|---|",
        ]
        for row in rows:
            if row.group == group:
                met = {True: "yes", False: "**missed**", None: ""}[row.met]
                cells = (row.measure, _number(row.value), row.unit, row.aim, met, row.conditions)
                lines.append(
                    "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
                )
        lines.append("")
        commands = dict.fromkeys(row.command for row in rows if row.group == group and row.command)
        lines += (
            ["Measured by " + ", ".join(f"`{command}`" for command in commands) + ".", ""] if commands else []
        )
    if notes:
        lines += ["## What falls short, and why", "", notes, ""]
    (RESULTS / f"{topic}.md").write_text("\n".join(lines))


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
