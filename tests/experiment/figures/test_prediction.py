"""The prediction's tables carry its shares, its ceiling and its misses."""

from dataclasses import replace

from froude.experiment.figures.prediction import prediction_section
from froude.render import Table
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
