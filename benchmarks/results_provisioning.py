"""Measures everything that docs/results/provisioning shows: `make results-provisioning`.

Groups can be measured alone, `python -m benchmarks.results_provisioning --only paper,speed`: their rows replace
the ones already in the table.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks import provision_analyses, provision_paper, provision_variants
from benchmarks.results import Row, Topic, pytest_counts
from froude.base.units import KIB, MIB, size_text
from froude.provision.measure.live.measure import Request, measure
from froude.provision.measure.live.target import find_target, served
from froude.provision.measure.measurement import Measurement
from testbed.nbd_disk import SlowDisk

PRICES = Path(__file__).parent.parent.parent / "shared" / "data" / "prices"
"""Tables of cloud prices, where they are beside the checkout; else FROUDE_PRICES names them."""

TOPIC = Topic(
    "provisioning",
    "Provisioning, measured",
    "Every figure is computed or measured by `make results-provisioning` on the machine named below. In the groups "
    "of the paper the column `aim` has the published figure, and `met` says whether ours is the same within the row's "
    "tolerance; inputs that the paper does not publish are guesses and named as such.",
)


@TOPIC.group("devices", "Published: rate and gap of a device (paper 3.2.1)")
def devices() -> list[Row]:
    """Arithmetic of Table 1."""
    return list(provision_paper.device_rows())


@TOPIC.group("photoshare", "Published: PhotoShare (paper 5.2)")
def photoshare() -> list[Row]:
    """The cluster, its alternatives, scale-out."""
    return list(provision_paper.photoshare_rows())


@TOPIC.group("product-search", "Published: ProductSearch (paper 5.3)")
def product_search() -> list[Row]:
    """The network and the workers."""
    return list(provision_paper.product_search_rows())


@TOPIC.group("terasort", "Published: Terasort and the large sort (paper 5.4, 6.2)")
def terasort() -> list[Row]:
    """Against best practice, and in memory."""
    return list(provision_paper.terasort_rows())


@TOPIC.group("regimes", "Published: regimes of PhotoShare (paper Table 2)")
def regimes() -> list[Row]:
    """Boundaries, proved."""
    return list(provision_analyses.regime_rows())


@TOPIC.group("sensitivity", "Published: robustness and prices (paper Table 3)")
def sensitivity() -> list[Row]:
    """Ranges by halving, prices exactly."""
    return [*provision_analyses.robustness_rows(), *provision_analyses.price_rows()]


@TOPIC.group("designs", "Published: two designs of ProductSearch (paper 6.2)")
def designs() -> list[Row]:
    """One partition, or two."""
    return list(provision_analyses.design_rows())


@TOPIC.group("brute-force", "Plans against brute force and another solver")
def brute_force() -> list[Row]:
    """Tiny clusters enumerated from the inputs alone, feature by feature; random instances by scipy's solver."""
    rows = []
    for what, path, seeds in (
        (
            "problems whose plan is beaten, or refused, by enumeration",
            "tests/provision/test_brute_force.py",
            "2",
        ),
        ("instances whose plan is not another solver's optimum", "tests/provision/search/optimise", "1"),
    ):
        command = f"FROUDE_SEEDS={seeds} python -m pytest {path}"
        begun = time.monotonic()
        words = [sys.executable, "-m", "pytest", path]
        environment = {**os.environ, "FROUDE_SEEDS": seeds}
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
        tests = pytest_counts(done.stdout)
        said = f"{tests['passed']} tests passed in {time.monotonic() - begun:.0f} s"
        failed = tests["failed"] + tests["error"]
        whole = done.returncode in {0, 1} and tests["passed"] > 0
        rows.append(
            Row(what, failed if whole else "did not run", "", "0", whole and failed == 0, command, said)
        )
    return rows


@TOPIC.group("variants", "The same problem said in another way")
def said_in_another_way() -> list[Row]:
    """Other units, names and orders, and parts that nobody buys."""
    return provision_variants.rows()


@TOPIC.group("measure", "Rate and gap measured by fio")
def measured() -> list[Row]:
    """A disk of a known law behind fio's network engine, then a file on this machine's disk."""
    sizes = (4 * KIB, 64 * KIB, 200 * KIB, MIB, 10 * MIB)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        with SlowDisk(Path(folder) / "nbd", size=64 * MIB, rate=90e6, gap=8e-3) as disk:
            quick = Request(sizes, 0.4, time_limit_s=120.0)
            known = measure(replace(served(disk.uri, 64 * MIB), read_only=True), quick)
        here = Path(folder) / "file"
        here.mkdir()
        file = measure(find_target(str(here), size=256 * MIB), Request(sizes, 1.0, time_limit_s=240.0))
    return [
        *_fit_rows("disk of 90 MB/s and 8 ms", known),
        *_fit_rows("file of 256 MiB", file),
    ]


def _fit_rows(target: str, measurement: Measurement) -> Iterator[Row]:
    steady = "steady" if measurement.steady else "not steady within its time"
    for fit in measurement.fits:
        name = f"{target}, {fit.op.name.lower()}s"
        yield Row(f"{name}: rate", fit.rate_gap.rate / 1e6, "MB/s", conditions=steady)
        yield Row(f"{name}: gap", fit.rate_gap.gap * 1e3, "ms", conditions=steady)
        for point in fit.rows:
            size, beside = (
                size_text(point.sample.record_size),
                f"rate+gap {point.error(point.rate_gap):+.1%}; {steady}",
            )
            off = point.error(point.iops_rate) * 100
            yield Row(
                f"{name} of {size}: IOPS+rate predicts too much by",
                off,
                "%",
                conditions=beside,
            )


TOPIC.benchmark("speed", "Speed of the optimiser", "bench_provision")
TOPIC.benchmark(
    "features", "PhotoShare at ten times its SLA with one feature each, 20 s a plan", "bench_features"
)
TOPIC.benchmark("catalog", "A catalog of more than a thousand instance types", "bench_catalog")


_LINES_BEFORE = 22_156
"""Of `src/froude/provision`, before it was sorted into packages (docs/design/2026-11-22-provision-sorted.md)."""


@TOPIC.group("size", "Size of the source")
def size() -> list[Row]:
    """Lines of the package, with what has moved out of it since and with what is new."""
    lines = sum(
        len(path.read_text().splitlines())
        for path in Path("src/froude/provision").rglob("*.py")
        if path.is_file()
    )
    said = (
        "lines of Python; racks, HDFS sizing, cloud volumes and comments of inputs came after it was sorted"
    )
    return [
        Row("src/froude/provision before it was sorted", _LINES_BEFORE, "lines"),
        Row("src/froude/provision", lines, "lines", "16,000", lines <= 16_000, "wc -l", said),
    ]


if __name__ == "__main__":
    if PRICES.is_dir():
        tables = [*PRICES.glob("ec2_*.csv"), *PRICES.glob("gcp_*_storage_*.csv")]
        os.environ.setdefault("FROUDE_PRICES", os.pathsep.join(map(str, tables)))
    TOPIC.main()
