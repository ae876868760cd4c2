"""Both forms say the same: what is written reads back equal, and the XML fits the shipped schema."""

from __future__ import annotations

from dataclasses import fields
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from froude.provision.inputs.hardware import UNBOUNDED
from froude.provision.inputs.read import Parts, examples, parse, parts_of, read_parts
from froude.provision.inputs.tree import Flaws
from froude.provision.inputs.write import to_xml, to_yaml
from froude.provision.types import (
    Application,
    Bundle,
    Bus,
    CacheMedia,
    Catalog,
    Compute,
    Cpu,
    Dataset,
    Dependency,
    Discount,
    Duplex,
    Growth,
    Io,
    Isolation,
    Op,
    Options,
    Persistence,
    Placement,
    Profile,
    RateTarget,
    Server,
    Sla,
    StorageUnit,
    Task,
)
from tests.support.provision.inputs.figure2 import APPLICATION, RESOURCES, SLA


def _schema() -> etree.XMLSchema:
    return etree.XMLSchema(
        etree.fromstring(files("froude.provision.inputs").joinpath("provision.xsd").read_bytes())
    )


def _again(text: str) -> Parts:
    flaws = Flaws()
    parts = parts_of(parse(text.encode(), "again", flaws), flaws)
    flaws.check()
    return parts


@pytest.mark.parametrize("name", examples())
def test_examples_go_both_ways(name: str) -> None:
    """YAML to XML to YAML and back without loss."""
    parts = read_parts([name])
    assert _again(to_xml(parts)) == parts
    assert _again(to_yaml(_again(to_xml(parts)))) == parts
    _schema().assertValid(etree.fromstring(to_xml(parts)))


def test_the_papers_files_fit_the_schema(tmp_path: Path) -> None:
    """Figure 2, without its elisions, inside the root."""
    text = "\n".join(line for line in (SLA + RESOURCES + APPLICATION).splitlines() if line[:3] != "...")
    _schema().assertValid(etree.fromstring(f"<provision>{text}</provision>"))
    wrong = etree.fromstring(f"<provision>{text.replace('500GB', '500')}</provision>")
    assert not _schema().validate(wrong)
    path = tmp_path / "all.xml"
    path.write_text(SLA + RESOURCES + APPLICATION)
    assert _again(to_yaml(read_parts([path]))) == read_parts([path])


_number = st.floats(1e-8, 1e12)
_share = st.just(0.0) | st.floats(1e-9, 1)
_gap = st.just(0.0) | _number
_name = st.text("abcXYZ019 ._-<>&\"'=:#é", min_size=1, max_size=8).filter(lambda s: s.strip() == s)


def _names(least: int, most: int) -> st.SearchStrategy[list[str]]:
    return st.lists(_name, min_size=least, max_size=most, unique=True)


@st.composite
def _prices(draw: st.DrawFn) -> tuple[float, tuple[Discount, ...]]:
    """A price and lower ones from rising counts on."""
    prices = sorted(draw(st.lists(_gap, min_size=1, max_size=3)), reverse=True)
    counts = draw(
        st.lists(st.integers(2, 10**6), min_size=len(prices) - 1, max_size=len(prices) - 1, unique=True)
    )
    return prices[0], tuple(Discount(*step) for step in zip(sorted(counts), prices[1:], strict=True))


@st.composite
def _powers(draw: st.DrawFn) -> tuple[float, float | None]:
    """Watts, and those when idle."""
    power = draw(_gap)
    return power, draw(st.none() | st.just(0.0) | st.floats(power / 2, power))


@st.composite
def _unit(draw: st.DrawFn, name: str, bus: str) -> StorageUnit:
    profile = st.builds(
        Profile, st.just("p"), st.none() | _number, st.none() | _gap, st.none() | _number, st.none() | _gap
    )
    (price, discounts), (power, idle) = draw(_prices()), draw(_powers())
    service = draw(st.booleans())
    return StorageUnit(
        name,
        draw(_number | st.just(UNBOUNDED)),
        "" if service else bus,
        draw(_number),
        draw(_gap),
        draw(_number),
        draw(_gap),
        volatile=not service and draw(st.booleans()),
        price=price,
        power=power,
        profiles=draw(st.lists(profile, max_size=1).map(tuple)),
        idle_power=idle,
        price_per_gb_month=draw(_gap),
        price_per_read=draw(_gap),
        price_per_write=draw(_gap),
        service=service,
        owned=0 if service else draw(st.integers(0, 9)),
        discounts=discounts,
    )


@st.composite
def _cpu(draw: st.DrawFn, name: str) -> Cpu:
    (price, discounts), (power, idle) = draw(_prices()), draw(_powers())
    return Cpu(price, power, name, idle, discounts)


@st.composite
def _server(draw: st.DrawFn, bus: str, cpus: list[str], units: list[str]) -> Server:
    (price, discounts), (power, idle) = draw(_prices()), draw(_powers())
    cores = draw(st.integers(0, 99))
    included = st.lists(st.sampled_from(units), unique=True) if units else st.just([])
    bundle = st.builds(
        Bundle,
        st.integers(0, cores),
        included.map(lambda names: tuple((name, number) for number, name in enumerate(names))),
    )
    values = {
        "name": draw(_name),
        "price": price,
        "cpus": cores,
        "bandwidth": draw(_number),
        "buses": (Bus(bus, draw(st.integers(9, 99)), draw(_number)),),
        "power": power,
        "max_count": draw(st.none() | st.integers(0, 9)),
        "cpu": draw(st.none() | st.sampled_from(cpus)),
        "bundle": draw(st.none() | bundle),
        "idle_power": idle,
        "owned": draw(st.integers(0, 9)),
        "discounts": discounts,
    }
    assert set(values) == {
        field.name for field in fields(Server)
    }  # a field that is not drawn could be lost in writing
    return Server(**values)  # type: ignore[arg-type]


@st.composite
def _catalogs(draw: st.DrawFn) -> Catalog:
    """With one volatile unit at least, and a memory unit that is bought by the piece."""
    bus, names, cpus = draw(_name), draw(_names(1, 3)), draw(_names(1, 2))
    memory = StorageUnit(
        names[0], draw(_number), bus, draw(_number), 0.0, draw(_number), 0.0, volatile=True, price=draw(_gap)
    )
    units = (memory, *(draw(_unit(name, bus)) for name in names[1:]))
    inside = [unit.name for unit in units if not unit.service]
    return Catalog(
        units,
        tuple(draw(_cpu(name)) for name in cpus),
        (draw(_server(bus, cpus, inside)),),
        draw(st.just(26280) | st.integers(1, 10**6).map(float)),
        draw(_number),
        draw(st.floats(1, 3)),
        draw(_share),
        draw(_gap),
        draw(st.none() | st.dates().map(str) | st.just("2026-07")),
    )


_SAFE = ({"replication": st.integers(3, 5)}, {"erasure": st.tuples(st.integers(1, 9), st.integers(2, 4))})


@st.composite
def _applications(draw: st.DrawFn, cpus: list[str]) -> Application:
    dataset, task, size = draw(_name), draw(_name), draw(_number)
    io = st.builds(
        Io,
        st.sampled_from(Op),
        st.just(dataset),
        _number,
        st.just(0.0) | st.floats(size / 2, size),
        _share,
        st.booleans(),
        st.booleans(),
        _number,
    )
    call = st.builds(
        Dependency, st.just(task), _share.map(lambda s: s / 10), st.booleans(), st.booleans(), _share, _number
    )
    times = st.lists(st.tuples(st.sampled_from(cpus), _gap), unique_by=lambda one: one[0]).map(tuple)
    operation = io | st.builds(Compute, _number, st.booleans(), _share, times)
    operations = draw(st.lists(operation, max_size=4)) + draw(st.lists(call, max_size=1))
    stored = Dataset(
        dataset,
        size,
        draw(st.sampled_from([Persistence.ANY, Persistence.NOT_NEEDED])),
        remote=True,
        cache_size=draw(st.none() | st.just(size)),
        hit_ratio=draw(_share),
        host_time=draw(_gap),
        **draw(st.one_of(st.just({}), *(st.fixed_dictionaries(kind) for kind in _SAFE))),
    )
    path = Task(task, draw(_name), draw(_number), tuple(operations))
    return Application((stored,), (path,), draw(st.integers(0, 9)), draw(_number))


@st.composite
def _slas(draw: st.DrawFn, task: str) -> Sla:
    latency = draw(st.none() | _number)
    quantile = None if latency is None else draw(st.none() | st.floats(0.01, 0.999))
    growth = draw(st.none() | st.builds(Growth, _gap, _gap, _gap))
    target = RateTarget(task, draw(_number), latency, quantile)
    return Sla((target,), None, growth)


@st.composite
def _parts(draw: st.DrawFn) -> Parts:
    catalog = draw(_catalogs())
    application = draw(_applications([cpu.name for cpu in catalog.cpus]))
    options = st.builds(
        Options,
        st.sampled_from(Isolation),
        st.sampled_from(Placement),
        st.sampled_from(CacheMedia),
        st.sampled_from(Duplex),
        st.floats(1e-6, 1),
        st.none() | st.just(catalog.units[0].name),
        st.floats(1e-6, 1),
        st.integers(0, 2),
    )
    sla = _slas(application.tasks[0].name)
    return Parts(catalog, application, draw(sla), draw(options))


@settings(max_examples=40, deadline=None)
@given(_parts())
def test_anything_goes_both_ways(parts: Parts) -> None:
    """Any sound inputs, with any names and numbers, come back equal from XML and from YAML."""
    assert _again(to_xml(parts)) == parts
    assert _again(to_yaml(parts)) == parts
    _schema().assertValid(etree.fromstring(to_xml(parts)))
