"""What a real catalog of more than a thousand instance types costs in time, from its file to a checked plan.

    python benchmarks/bench_catalog.py EC2.csv GCP_STORAGE.csv

The tables are imported once, outside the time, with the guessed rates of catalog_rates.yaml, and written as XML.
PhotoShare, its isolation off, asks for some dozens of servers. Bandwidths to volumes are taken "up to", so that no
type is missing for want of a figure.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from froude.provision.checker import check
from froude.provision.compile import Effort, compile_plan
from froude.provision.inputs.read import Parts, read_parts
from froude.provision.inputs.write import to_xml, to_yaml
from froude.provision.instance import Instance
from froude.provision.model import build as build_instance
from froude.provision.optimise.dominance import undominated
from froude.provision.plan import Plan
from froude.provision.prices.bandwidth import Bandwidth
from froude.provision.prices.build import Wanted, build
from froude.provision.prices.files import date_of, load_rates, load_table
from froude.provision.prices.layouts import Prices
from froude.provision.prices.rows import read_prices
from froude.provision.types import Catalog, Options, Problem

COMMAND = "python benchmarks/bench_catalog.py EC2.csv GCP_STORAGE.csv"
RATES = Path(__file__).parent / "catalog_rates.yaml"
AIM_S, GAP = 2.0, 0.01


def catalog(tables: list[Path], region: str) -> Catalog:
    """Every type that is priced and described well enough, with volumes."""
    prices = Prices()
    for path in tables:
        prices += read_prices(load_table(path), region=None if "ec2" in path.name else region)
    wanted = Wanted(date_of(tables, None), bandwidth=Bandwidth.UP_TO)
    return build(prices, load_rates(RATES), wanted).catalog()


def problem(hardware: Catalog, scale: float) -> Problem:
    """PhotoShare as shipped, at a multiple of its rates, on a catalog of its own."""
    parts = read_parts(["photoshare-calibrated"])
    assert parts.application is not None
    assert parts.sla is not None
    data = tuple(replace(dataset, profile=None) for dataset in parts.application.datasets)
    application = replace(parts.application, datasets=data)
    return Problem(hardware, application, parts.sla.scaled(scale), Options(memory_unit="memory"))


def _point(folder: Path, hardware: Catalog, scale: float, limit_s: float) -> tuple[dict[str, float], Plan]:
    """Seconds of each step, from the file."""
    path = folder / "catalog.xml"
    begin = time.perf_counter()
    read = read_parts([path]).catalog
    assert read == hardware
    loaded = time.perf_counter()
    wanted = problem(hardware, scale)
    plan = compile_plan(wanted, Effort(GAP, limit_s, 0))
    compiled = time.perf_counter()
    verdict = check(wanted, plan)
    checked = time.perf_counter()
    assert verdict.sound, verdict.violations
    spans = {"load": loaded - begin, "compile": compiled - loaded, "check": checked - compiled}
    return spans | {"all": checked - begin}, plan


def _row(measure: str, value: float, unit: str, aim: float | None, conditions: str) -> dict[str, object]:
    met = None if aim is None else value <= aim
    shown = "" if aim is None else f"<= {aim:g}"
    fields = {"measure": measure, "value": round(value, 4), "unit": unit, "aim": shown, "met": met}
    return {**fields, "command": COMMAND, "conditions": conditions}


def rows(tables: list[Path], region: str, scale: float, limit_s: float) -> Iterator[dict[str, object]]:
    """Every measurement: measure, value, unit, aim, met."""
    hardware = catalog(tables, region)
    built = build_instance(problem(hardware, scale))
    assert isinstance(built, Instance)
    begin = time.perf_counter()
    needed = undominated(built)
    seconds = time.perf_counter() - begin
    types = f"{len(hardware.servers):,} server types, {len(hardware.units)} storage units"
    choices = ", ".join(str(len(dataset.choices)) for dataset in built.datasets)
    yield _row(
        "dominated server types", seconds, "s", None, f"{types}: {len(needed)} are needed; choices {choices}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("xml", to_xml(Parts(hardware))), ("yaml", to_yaml(Parts(hardware)))):
            (Path(folder) / f"catalog.{name}").write_text(text)
        spans, plan = _point(Path(folder), hardware, scale, limit_s)
        said = f"{plan.status.value}, gap {plan.gap:.3%}, {plan.servers} servers, ${plan.upper:,.0f}"
        steps = ", ".join(f"{name} {span:.2f} s" for name, span in spans.items() if name != "all")
        yield _row(
            "real catalog: load, compile and check at 1 %",
            spans["all"],
            "s",
            AIM_S,
            f"{types}; {steps}; {said}",
        )
        begin = time.perf_counter()
        read_parts([Path(folder) / "catalog.yaml"])
        yield _row("the same catalog read from YAML", time.perf_counter() - begin, "s", None, types)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("tables", nargs="+", type=Path)
    parser.add_argument("--region", default="us-east1")
    parser.add_argument("--scale", type=float, default=100.0, help="times PhotoShare's rates")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for the plan")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--profile", action="store_true")
    args = parser.parse_args()
    profile = cProfile.Profile()
    if args.profile:
        profile.enable()
    found = list(rows(args.tables, args.region, args.scale, args.limit))
    if args.profile:
        profile.disable()
        pstats.Stats(profile, stream=sys.stderr).sort_stats("cumtime").print_stats(45)
    if args.json:
        print(json.dumps(found, indent=2))
        return
    for row in found:
        print(f"{row['measure']:46} {row['value']:>9} {row['unit']:3} {row['aim']:>7}  {row['conditions']}")


if __name__ == "__main__":
    main()
