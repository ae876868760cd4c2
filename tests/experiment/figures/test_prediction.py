"""The prediction's tables carry its shares, its ceiling and its misses."""

from dataclasses import replace

from froude.experiment.figures.prediction import _intervals, _starts, prediction_section
from froude.mining.check.intervals import Site
from froude.mining.fit.starts import Delay
from froude.render import Table
from froude.trace.intervals import Observed
from tests.support.experiment.figures.prediction import PREDICTION


def test_shares_are_not_rounded_up() -> None:
    """80 % of the nodes and 99 % of the arguments are what the words say."""
    section = prediction_section(PREDICTION, "datanodes=6")
    assert "80.00 % of the nodes" in section.intro
    assert "99.00 % of the arguments" in section.intro


def test_arguments_stand_beside_their_ceiling() -> None:
    """Each kind of outcome has a column; a ceiling that was not measured is a dash."""
    tables = {
        block.caption: block
        for block in prediction_section(PREDICTION, "x").blocks
        if isinstance(block, Table)
    }
    first = tables["Argument values"].rows[0]
    assert first[:4] == ("the job's own calls", 1000, 0.99, 0.995)
    assert sum(count for count in first[4:] if isinstance(count, int)) == 1000
    assert tables["Argument values"].rows[1][3] is None
    assert tables["What it could not predict"].rows[0][:4] == ("create", "src", "wrong", 10)


def test_a_ceiling_that_nobody_measured_has_no_column() -> None:
    """Dashes alone, and a word that is explained nowhere, help nobody."""
    rows = tuple(replace(row, ceiling=None) for row in PREDICTION.rows)
    section = prediction_section(replace(PREDICTION, rows=rows), "x")
    table = next(
        block for block in section.blocks if isinstance(block, Table) and "Argument" in block.caption
    )
    assert "Ceiling" not in [column.title for column in table.columns]
    assert "ceiling" not in table.note


def test_call_sites_by_service() -> None:
    """With a second run only those at which the two agree count."""
    good, bad, few = Observed(9, 1.0, 1.1), Observed(9, 2.0, 3.0), Observed(2, 1.0, 1.0)
    sites = [Site("namenode", "c1", "m", False, good, good), Site("namenode", "c2", "m", False, good, bad)]
    other = [sites[0], Site("namenode", "c2", "m", False, good, good)]
    assert _intervals(sites, ()).rows[0] == ("namenode", "median", 1, 2, 1.5)
    assert _intervals(sites, other).rows[0][:5] == ("namenode", "median", 1, 1, 2)
    nothing = _intervals([Site("scheduler", "c1", "m", False, few, few)], ()).rows[0]
    assert nothing == ("scheduler", "median", 0, 0, 1.0)


def test_starts() -> None:
    """Also of a type that began before what it should have waited for."""
    table = _starts([Delay("map", "shell", 4.7, 6.8), Delay("nodemanager", None, 0.0, None)])
    assert table.rows == [
        ("map", "shell", "4.7", "6.8"),
        ("nodemanager", "the beginning", "0.0", "before it"),
    ]
