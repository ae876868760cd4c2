"""`froude provision import`: price tables become a catalog that the other commands read; every refusal is stated."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from froude.base.errors import InputError
from froude.cli.app import run
from froude.cli.provision import importing
from froude.cli.settings import Settings
from froude.provision.inputs.read import read_parts
from froude.provision.prices.layouts import Prices
from froude.provision.prices.tables import Malformed
from tests.support.provision.prices.tables import DISKS, EC2, GCP, RATES, written

UP_TO = ("--bandwidth", "up-to")


def _import(*words: object) -> int:
    return run(["provision", "import", *map(str, words)])


def test_a_catalog_from_two_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The date is in the file's name; notes say what was left out; both forms hold the same."""
    ec2, gcp, rates = written(tmp_path, ec2_2026__07_csv=EC2, gcp_2026__07_csv=GCP, rates_yaml=RATES)
    places = [tmp_path / "catalog.yaml", tmp_path / "catalog.xml"]
    for place in places:
        assert _import(ec2, gcp, "--region", "here", "--rates", rates, "-o", place, *UP_TO) == 0
    output = capsys.readouterr()
    assert "9 servers, 4 storage units, 3 core types written to" in output.out
    assert "prices as of 2026-07" in output.out
    assert "note: 1 rows without a price left out (p9.large)" in output.err
    yaml, xml = (read_parts([place]).catalog for place in places)
    assert yaml is not None
    assert yaml == xml
    assert yaml.prices_as_of == "2026-07"
    assert (
        places[0].read_text().startswith("# Prices as of 2026-07, from ec2_2026-07.csv, gcp_2026-07.csv.\n")
    )


APP = """froude: provision/1
sla:
  - {task: view, rate: 900}
application:
  dataset:
    - {name: data, size: 300GB, persistent: 1, remote: 1, replication: 2}
    - {name: scratch, size: 100GB, persistent: 0, remote: 1}
  task:
    - name: view
      phase: serve
      memory: 200MB
      operations:
        - compute: {time: 2ms}
        - io: {op: R, dataset: data, num_records: 3, record_size: 4KB}
        - io: {op: W, dataset: scratch, num_records: 1, record_size: 4KB}
"""


def test_the_plan_of_a_price_list_can_be_bought(tmp_path: Path) -> None:
    """Whole volumes for what must persist, no server beyond its type's limits: counted here from the plan alone.

    A server may do 1,000 accesses of volumes a second, where 2,700 reads and 900 writes are asked for.
    """
    ec2, gcp = written(tmp_path, ec2_2026__07_csv=EC2, gcp_2026__07_csv=GCP)
    every = '  - {type: "*", volumes: 3, volume_BW: 1Gbps, volume_IOPS: 1000}\n'
    rates, app = written(tmp_path, rates_yaml=RATES + every, app_yaml=APP)
    catalog, place = tmp_path / "catalog.xml", tmp_path / "plan.json"
    assert _import(ec2, gcp, "--region", "here", "--rates", rates, "-o", catalog) == 0
    assert run(["provision", "compile", str(catalog), str(app), "-o", str(place)]) == 0
    plan = json.loads(place.read_text())
    assert plan["choices"]["data"][0].startswith("balanced ")
    asked, sizes = {"data": 2700, "scratch": 900}, {"100GiB": 100 * 2**30, "1024GiB": 2**40}
    bytes_ = 0.0
    for group in plan["groups"]:
        volumes = [held for held in group.get("held", ()) if held["unit"].startswith("balanced")]
        assert sum(held["units"] for held in volumes) <= 3
        assert sum(held["share"] * asked[held["dataset"]] for held in volumes) <= 1000 * (1 + 1e-6)
        for held in volumes:
            if held["dataset"] == "data":
                bytes_ += group["count"] * held["units"] * sizes[held["unit"].split()[1]]
    assert bytes_ >= 2 * 300e9
    assert run(["provision", "check", str(catalog), str(app), "--cluster", str(place)]) == 0


def test_a_template_is_written_and_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without rates there is a template and no catalog."""
    (ec2,) = written(tmp_path, ec2_2026__07_csv=EC2)
    template, place = tmp_path / "rates.yaml", tmp_path / "catalog.yaml"
    assert _import(ec2, "--template", template) == 0
    assert "memory: {rateR: blank" in template.read_text()
    assert _import(ec2, "--template", template) == 1
    assert f"{template}: " in capsys.readouterr().err
    assert _import(ec2, "--rates", template, "-o", place) == 1
    assert "--template" in capsys.readouterr().err
    assert not place.exists()


def test_a_packed_table_and_its_date(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Gzip is told by its bytes; a name without a date asks for one."""
    table, place = tmp_path / "types.csv.gz", tmp_path / "catalog.yaml"
    table.write_bytes(gzip.compress(EC2.encode()))
    (rates,) = written(tmp_path, rates_yaml=RATES)
    words = (table, "--rates", rates, "-o", place, "--term", "1y", "--no-burstable", "--arch", "arm64")
    assert _import(*words) == 1
    assert "--date" in capsys.readouterr().err
    assert _import(*words, "--date", "2026-07-15") == 0
    catalog = read_parts([place]).catalog
    assert catalog is not None
    assert (catalog.prices_as_of, catalog.hours, len(catalog.servers)) == ("2026-07-15", 8760, 3)
    table.write_bytes(gzip.compress(EC2.encode())[:-20])
    assert _import(*words, "--date", "2026-07-15") == 0
    assert "csv.gz:13: is cut short" in capsys.readouterr().err
    assert _import(*words, "--date", "2026-07-15", "--strict") == 1


def test_malformed_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Named with their line; an error with --strict."""
    ec2, rates = written(tmp_path, ec2_2026__07_csv=EC2 + "broken,row\n", rates_yaml=RATES)
    words = (ec2, "--rates", rates, "-o", tmp_path / "c.yaml")
    assert _import(*words) == 0
    assert "ec2_2026-07.csv:14: " in capsys.readouterr().err
    assert _import(*words, "--strict") == 1


def test_disks_join_a_catalog(tmp_path: Path) -> None:
    """--base names servers of one's own, or shipped ones."""
    speed = "rateR: 250MBps, gapR: 8ms, rateW: 250MBps, gapW: 8ms"
    text = f"froude: rates/2\ndisk:\n  - {{model: st16000, capacity: 16TB, bus: SAS, {speed}, power: 7W}}\n"
    disks, rates = written(tmp_path, disks_csv=DISKS, rates_yaml=text)
    place = tmp_path / "catalog.yaml"
    assert _import(disks, "--base", "paper2012", "--rates", rates, "--date", "2026-07", "-o", place) == 0
    catalog = read_parts([place]).catalog
    assert catalog is not None
    assert catalog.unit("st16000").capacity == 16e12
    assert len(catalog.servers) == 3


def test_a_mapping_of_columns(tmp_path: Path) -> None:
    """For an instance table with names of its own."""
    table, rates = written(tmp_path, own_csv="sku,vcpus,ram,usd,net\na-4,4,16,0.5,10\n", rates_yaml=RATES)
    names = ("name=sku", "price_hour=usd", "network_gbps=net", "memory_gb=ram")
    columns = [word for name in names for word in ("--column", name)]
    place = tmp_path / "catalog.yaml"
    assert _import(table, *columns, "--date", "2026-07", "--rates", rates, "-o", place) == 0
    catalog = read_parts([place]).catalog
    assert catalog is not None
    assert (catalog.servers[0].name, catalog.servers[0].cpus) == ("a-4", 4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "nothing to write"),
        (("-o", "c.json"), "has no suffix that tells its form"),
        (("-o", "c.yaml", "--term", "3 years"), "is no term"),
        (("-o", "c.yaml", "--term", "-1y"), "-1y"),
        (("-o", "c.yaml", "--date", "July"), "July"),
        (("-o", "c.yaml", "--column", "name"), "is no mapping"),
        (("-o", "c.yaml", "--column", "nme=instance_type"), "name?"),
        (("-o", "c.yaml", "--min-price", "2", "--max-price", "1"), "--min-price"),
        (("-o", "c.yaml", "--rates", "no.yaml"), "no.yaml: cannot be read"),
        (("-o", "c.yaml", "--rates", "azure"), "aws, gcp"),
        (("-o", "c.yaml", "--tariff", "reserved-3y", "--term", "1y"), "is too short for this tariff"),
        (("-o", "c.yaml", "--base", "no-such"), "no-such"),
        (("-o", "c.yaml", "--template", "c.yaml"), "c.yaml: "),
    ],
)
def test_refusals(
    words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One stated error, and nothing is written."""
    (ec2,) = written(tmp_path, ec2_2026__07_csv=EC2)
    assert _import(ec2, *words) in {1, 2}
    assert message in capsys.readouterr().err
    assert not Path("c.yaml").exists()


def test_what_is_done_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One document; --dry-run writes nothing."""
    ec2, rates = written(tmp_path, ec2_2026__07_csv=EC2, rates_yaml=RATES)
    words = ["provision", "import", str(ec2), "--rates", str(rates), "-o", str(tmp_path / "c.yaml")]
    assert run(["--json", "--dry-run", *words]) == 0
    assert json.loads(capsys.readouterr().out)["dry_run"] is True
    assert not (tmp_path / "c.yaml").exists()
    assert run(["--json", *words]) == 0
    assert json.loads(capsys.readouterr().out)["servers"] == 9


@pytest.mark.parametrize(
    ("term", "hours"), [("24h", 24), ("30d", 720), ("6mo", 6 * 730), ("3y", 3 * 8760), ("1.5y", 1.5 * 8760)]
)
def test_a_term_in_hours(term: str, hours: float) -> None:
    """A year has 365 days, a month a twelfth of that."""
    assert importing._hours(term) == pytest.approx(hours)


@pytest.mark.parametrize("term", ["", "y", "3", "3m", "3yy", "0y", "101y", "nany", "infy", "1e3d "])
def test_what_is_no_term(term: str) -> None:
    """Is refused as it was typed."""
    with pytest.raises(InputError, match="--term"):
        importing._hours(term)


def test_columns_by_field() -> None:
    """Spaces around do not count; what stands behind the first `=` is the column's name."""
    assert importing._mapping(["name = sku", "cpus=v=cpus"]) == {"name": "sku", "cpus": "v=cpus"}


def test_prices_from_and_to() -> None:
    """Both may be the same; neither is negative, or no number."""
    importing._range(0, float("inf"))
    importing._range(1, 1)
    for low, high in ((-1, 1), (2, 1), (float("nan"), 1)):
        with pytest.raises(InputError, match="--min-price, --max-price: is no range"):
            importing._range(low, high)


def test_of_many_malformed_rows_the_first_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """And how many more there are; with --strict the first is the error, whose line is its place."""
    rows = tuple(Malformed("a.csv", number, "has no price") for number in range(2, 27))
    importing._malformed(Settings(), Prices(malformed=rows, unpriced=("x",) * 300), strict=False)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "left out: a.csv:2: has no price"
    assert len(lines) == 21
    assert lines[-1] == "left out: 5 more malformed rows"
    with pytest.raises(InputError, match=r"a\.csv:2: has no price \(and 24 more\)"):
        importing._malformed(Settings(), Prices(malformed=rows), strict=True)
    with pytest.raises(InputError, match=r"a\.csv:2: [^(]*$"):
        importing._malformed(Settings(), Prices(malformed=rows[:1]), strict=True)
    importing._malformed(Settings(), Prices(), strict=True)
    with pytest.raises(InputError, match=r"and 24 more\); allowed: at most 10% of the rows"):
        importing._malformed(Settings(), Prices(malformed=rows, unpriced=("x",) * 200), strict=False)


def test_a_base_needs_servers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An application alone is none; one with errors names each."""
    base, flawed, disks = written(
        tmp_path,
        base_yaml="froude: provision/1\nsla:\n  - {task: a, rate: 1}\n",
        flawed_yaml="froude: provision/1\nresources:\n  cpu: {price: a, power: b}\n",
        disks_csv=DISKS,
    )
    words = (disks, "--date", "2026-07", "-o", tmp_path / "c.yaml", "--base")
    assert _import(*words, base) == 1
    assert "base.yaml:--base: has no resources" in capsys.readouterr().err
    assert _import(*words, flawed) == 1
    assert len(capsys.readouterr().err.splitlines()) >= 2
    assert not (tmp_path / "c.yaml").exists()


def test_a_dry_run_with_a_template(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Says what would be written, and writes nothing."""
    (ec2,) = written(tmp_path, ec2_2026__07_csv=EC2)
    assert _import(ec2, "--template", tmp_path / "rates.yaml", "--dry-run") == 0
    assert f"Would write {tmp_path / 'rates.yaml'}" in capsys.readouterr().out.replace("\n", "")
    assert not (tmp_path / "rates.yaml").exists()


def test_a_template_with_nothing_missing_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was given stands in it."""
    disks, rates = written(
        tmp_path,
        disks_csv="model,price\nst16000,160.00\n",
        rates_yaml="froude: rates/2\ndisk:\n  - {model: st16000, capacity: 16TB, bus: SAS, rateR: 250MBps, "
        "gapR: 8ms, rateW: 250MBps, gapW: 8ms, power: 7W}\n",
    )
    template = tmp_path / "new.yaml"
    assert _import(disks, "--date", "2026-07", "--rates", rates, "--template", template) == 0
    assert "Nothing is missing" in capsys.readouterr().out
    assert "model: st16000, capacity: 16TB" in template.read_text()
    assert ": blank" not in template.read_text()


def test_own_rates_that_fit_nothing_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that ship are not."""
    more = "  - {type: m8.lrge, BW: 1Gbps}\n"
    ec2, rates = written(tmp_path, ec2_2026__07_csv=EC2, rates_yaml=RATES + more)
    assert _import(ec2, "--rates", rates, "--rates", "aws", "-o", tmp_path / "c.xml") == 0
    noted = [line for line in capsys.readouterr().err.splitlines() if "fit nothing" in line]
    assert noted == [
        "note: 2 entries of your rates fit nothing in the tables (type m8.lrge, volume balanced)"
    ]
