"""What a real catalog of more than a thousand instance types costs in time, from its file to a checked plan.

    python benchmarks/bench_catalog.py EC2.csv GCP_STORAGE.csv
    FROUDE_PRICES=EC2.csv:GCP_STORAGE.csv make results-provisioning

The tables are imported once, outside the time, with the rates that ship with the package, and written as XML.
PhotoShare, its isolation off, at four multiples of its rates asks for a handful to some hundreds of servers.
Bandwidths to volumes are taken "up to", so that no type is missing for want of a figure.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from froude.provision.check.checker import check
from froude.provision.inputs.read import Parts, read_parts
from froude.provision.inputs.write import to_xml, to_yaml
from froude.provision.model.build import build as build_instance
from froude.provision.model.instance import Instance
from froude.provision.prices.bandwidth import Bandwidth
from froude.provision.prices.build import Wanted, build
from froude.provision.prices.files import date_of, load_rates, load_table, rates_file, sourced
from froude.provision.prices.filters import Filters
from froude.provision.prices.layouts import Prices, TableKind, kind_of
from froude.provision.prices.rows import read_prices
from froude.provision.search.compile import compile_plan
from froude.provision.search.optimise.dominance import undominated
from froude.provision.search.solve_limits import SolveLimits
from froude.provision.types import Catalog, Options, Problem
from froude.provision.types.plan import ProvisionPlan, Status

COMMAND = "python benchmarks/bench_catalog.py EC2.csv GCP_STORAGE.csv"
AIM_S, GAP = 2.0, 0.01
FAMILIES = ("c7g", "m7g", "r7g", "i4i")
SCALES = (1.0, 10.0, 30.0, 100.0)
"""Times PhotoShare's rates: few servers leave a gap that many do not."""


def catalog(tables: list[Path], region: str, families: tuple[str, ...] = ()) -> Catalog:
    """Every type that is priced and described well enough, with volumes; of some families only, if named."""
    prices = Prices()
    for path in tables:
        table = load_table(path)
        prices += read_prices(table, region=region if kind_of(table) is TableKind.VOLUMES else None)
    wanted = Wanted(date_of(tables, None), filters=Filters(families=families), bandwidth=Bandwidth.UP_TO)
    rates = load_rates([rates_file(name) for name in sourced()])
    return build(prices, rates, wanted).catalog()


def problem(hardware: Catalog, scale: float) -> Problem:
    """PhotoShare as shipped, at a multiple of its rates, on a catalog of its own."""
    parts = read_parts(["photoshare-calibrated"])
    assert parts.application is not None
    assert parts.sla is not None
    data = tuple(replace(dataset, profile=None) for dataset in parts.application.datasets)
    application = replace(parts.application, datasets=data)
    return Problem(hardware, application, parts.sla.scaled(scale), Options(memory_unit="memory"))


def _point(hardware: Catalog, scale: float, limit_s: float) -> tuple[dict[str, float], ProvisionPlan]:
    """Seconds of each step, from the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "catalog.xml"
        path.write_text(to_xml(Parts(hardware)))
        begin = time.perf_counter()
        read = read_parts([path]).catalog
        loaded = time.perf_counter()
    assert read == hardware
    wanted = problem(hardware, scale)
    plan = compile_plan(wanted, SolveLimits(GAP, limit_s, 0))
    compiled = time.perf_counter()
    if plan.groups:
        verdict = check(wanted, plan)
        assert verdict.sound, verdict.violations
    checked = time.perf_counter()
    spans = {"load": loaded - begin, "compile": compiled - loaded, "check": checked - compiled}
    return spans | {"all": sum(spans.values())}, plan


def _row(measure: str, value: float, unit: str, aim: float | None, conditions: str) -> dict[str, object]:
    met = None if aim is None else value <= aim and Status.PROVED.value in conditions
    shown = "" if aim is None else f"<= {aim:g}"
    fields = {"measure": measure, "value": round(value, 4), "unit": unit, "aim": shown, "met": met}
    return {**fields, "command": COMMAND, "conditions": conditions}


def rows(
    tables: list[Path] | None = None,
    region: str = "us-east1",
    scales: tuple[float, ...] = SCALES,
    limit_s: float = 20.0,
) -> list[dict[str, object]]:
    """Every measurement: measure, value, unit, aim, met; none without tables of prices."""
    places = tables or [Path(name) for name in os.environ.get("FROUDE_PRICES", "").split(os.pathsep) if name]
    if not places:
        print("no tables of prices: name them in FROUDE_PRICES", file=sys.stderr)
        return []
    return [
        *_read(places, region),
        *_few(places, region, scales, limit_s),
        *_all(places, region, scales, limit_s),
    ]


def _read(tables: list[Path], region: str) -> Iterator[dict[str, object]]:
    """The tables, and the catalog in both forms."""
    begin = time.perf_counter()
    hardware = catalog(tables, region)
    yield _row("import of the tables", time.perf_counter() - begin, "s", None, _types(hardware))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("xml", to_xml(Parts(hardware))), ("yaml", to_yaml(Parts(hardware)))):
            path = Path(folder) / f"catalog.{name}"
            path.write_text(text)
            begin = time.perf_counter()
            read_parts([path])
            yield _row(
                f"catalog read from {name.upper()}", time.perf_counter() - begin, "s", None, _types(hardware)
            )


def _few(
    tables: list[Path], region: str, scales: tuple[float, ...], limit_s: float
) -> Iterator[dict[str, object]]:
    """Some families, as a filter leaves them."""
    hardware = catalog(tables, region, FAMILIES)
    names = ", ".join(FAMILIES)
    for scale in scales:
        spans, plan = _point(hardware, scale, limit_s)
        measure = f"families {names} at {scale:g} times the rates: load, compile and check"
        yield _row(measure, spans["all"], "s", None, _said(hardware, spans, plan))


def _all(
    tables: list[Path], region: str, scales: tuple[float, ...], limit_s: float
) -> Iterator[dict[str, object]]:
    """The whole catalog."""
    hardware = catalog(tables, region)
    built = build_instance(problem(hardware, 1.0))
    assert isinstance(built, Instance)
    begin = time.perf_counter()
    needed = undominated(built)
    seconds = time.perf_counter() - begin
    choices = ", ".join(str(len(dataset.choices)) for dataset in built.datasets)
    yield _row(
        "dominated server types",
        seconds,
        "s",
        None,
        f"{len(needed)} of {len(built.servers):,} needed; choices {choices}",
    )
    for scale in scales:
        spans, plan = _point(hardware, scale, limit_s)
        measure = f"whole catalog at {scale:g} times the rates: load, compile and check at 1 %"
        yield _row(measure, spans["all"], "s", AIM_S, _said(hardware, spans, plan))


def _types(hardware: Catalog) -> str:
    return f"{len(hardware.servers):,} server types, {len(hardware.units)} storage units"


def _said(hardware: Catalog, spans: dict[str, float], plan: ProvisionPlan) -> str:
    steps = ", ".join(f"{name} {span:.2f} s" for name, span in spans.items() if name != "all")
    text = f"{plan.status.value}, gap {plan.gap:.2%}, {plan.servers} servers, ${plan.upper:,.0f}"
    return f"{_types(hardware)}; {steps}; {text}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("tables", nargs="+", type=Path)
    parser.add_argument("--region", default="us-east1")
    parser.add_argument("--scale", type=float, nargs="+", default=SCALES, help="times PhotoShare's rates")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds for the plan")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--profile", action="store_true")
    args = parser.parse_args()
    profile = cProfile.Profile()
    if args.profile:
        profile.enable()
    measured_rows = rows(args.tables, args.region, tuple(args.scale), args.limit)
    if args.profile:
        profile.disable()
        pstats.Stats(profile, stream=sys.stderr).sort_stats("cumtime").print_stats(45)
    if args.json:
        print(json.dumps(measured_rows, indent=2))
        return
    for row in measured_rows:
        print(f"{row['measure']:58} {row['value']:>9} {row['unit']:3} {row['aim']:>7}  {row['conditions']}")


if __name__ == "__main__":
    main()
