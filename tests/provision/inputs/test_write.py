"""Both forms say the same: what is written reads back equal, and the XML fits the shipped schema."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from froude.provision.inputs.read import Parts, examples, parse, parts_of, read_parts
from froude.provision.inputs.tree import Flaws
from froude.provision.inputs.write import to_xml, to_yaml
from froude.provision.types import (
    Application,
    Bus,
    CacheMedia,
    Catalog,
    Compute,
    Cpu,
    Dataset,
    Dependency,
    Duplex,
    Io,
    Isolation,
    Op,
    Options,
    Persistence,
    Placement,
    Profile,
    Server,
    Sla,
    StorageUnit,
    Target,
    Task,
)
from tests.provision.inputs.figure2 import APPLICATION, RESOURCES, SLA


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


_number = st.floats(1e-12, 1e12)
_share = st.floats(0, 1)
_name = st.text("abcXYZ019 ._-<>&\"'=:#é", min_size=1, max_size=8).filter(lambda s: s.strip() == s)


def _unit(name: str, bus: str) -> st.SearchStrategy[StorageUnit]:
    gap = st.one_of(st.just(0.0), _number)
    profile = st.builds(
        Profile, st.just("p"), st.none() | _number, st.none() | gap, st.none() | _number, st.none() | gap
    )
    numbers = [_number, st.just(bus), _number, gap, _number, gap]
    profiles = st.lists(profile, max_size=1).map(tuple)
    return st.builds(StorageUnit, st.just(name), *numbers, st.just(True), gap, gap, profiles)


@st.composite
def _parts(draw: st.DrawFn) -> Parts:
    bus, unit, dataset, task = (draw(_name) for _ in range(4))
    server = st.builds(
        Server,
        _name,
        _number,
        st.integers(0, 99),
        _number,
        st.builds(Bus, st.just(bus), st.integers(1, 99), _number).map(lambda b: (b,)),
        _number,
        st.none() | st.integers(0, 9),
    )
    catalog = st.builds(
        Catalog,
        _unit(unit, bus).map(lambda u: (u,)),
        st.builds(Cpu, _number, _number),
        server.map(lambda s: (s,)),
        st.just(26280) | st.integers(1, 10**6).map(float),
        _number,
    )
    size = draw(_number)
    io = st.builds(
        Io,
        st.sampled_from(Op),
        st.just(dataset),
        _number,
        st.floats(0, size),
        _share,
        st.booleans(),
        st.booleans(),
        _number,
    )
    call = st.builds(
        Dependency, st.just(task), _share.map(lambda s: s / 10), st.booleans(), st.booleans(), _share, _number
    )
    operation = io | st.builds(Compute, _number, st.booleans(), _share)
    operations = draw(st.lists(operation, max_size=4)) + draw(st.lists(call, max_size=1))
    stored = st.builds(
        Dataset,
        st.just(dataset),
        st.just(size),
        st.sampled_from([Persistence.ANY, Persistence.NOT_NEEDED]),
        st.just(True),
        st.none() | st.just(size),
        _share,
    )
    application = Application(
        (draw(stored),),
        (Task(task, draw(_name), draw(_number), tuple(operations)),),
        draw(st.integers(0, 9)),
        draw(_number),
    )
    options = st.builds(
        Options,
        st.sampled_from(Isolation),
        st.sampled_from(Placement),
        st.sampled_from(CacheMedia),
        st.sampled_from(Duplex),
        st.floats(1e-6, 1),
        st.none() | st.just(unit),
    )
    return Parts(draw(catalog), application, Sla((Target(task, draw(_number)),)), draw(options))


@settings(max_examples=60, deadline=None)
@given(_parts())
def test_anything_goes_both_ways(parts: Parts) -> None:
    """Any sound inputs, with any names and numbers, come back equal from XML and from YAML."""
    assert _again(to_xml(parts)) == parts
    assert _again(to_yaml(parts)) == parts
