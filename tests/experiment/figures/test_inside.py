"""Charts of a daemon's inside: what moved is drawn, what did not is named."""

from __future__ import annotations

from froude.emulation.run.bottleneck import Measured
from froude.emulation.run.readings import Readings
from froude.experiment.figures.inside import Inside, charts_of, gauge, mean, rate, series
from froude.render import Axis
from tests.support.experiment.main_jobs import a_run

READINGS = Readings(
    [
        Measured(
            float(t), {"B.Held": 2.0 * t, "B.Still": 7.0, "B.TookNumOps": 10.0 * t, "B.TookAvgTime": 5.0 + t}
        )
        for t in range(3)
    ]
)


def test_lines_are_gauges_rates_and_means() -> None:
    """Each in the unit of its chart."""
    lines = (gauge("held", "B.Held", 0.5), rate("rise", "B.Held"), mean("took", "B.Took", 1e-3))
    assert [line.points(READINGS) for line in lines] == [
        [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)],
        [(1.0, 2.0), (2.0, 2.0)],
        [(1.0, 0.006), (2.0, 0.007)],
    ]


def test_what_did_not_move_is_named() -> None:
    """And what nobody told is not spoken of."""
    insides = [
        Inside(
            "Things held", Axis("things", unit="things"), (gauge("held", "B.Held"), gauge("gone", "B.Gone"))
        ),
        Inside("Still ones", Axis("things", unit="things"), (gauge("still", "B.Still"),)),
        Inside("Others", Axis("things", unit="things"), (gauge("gone", "B.Gone"),)),
    ]
    charts, still = charts_of(insides, READINGS, a_run())
    assert [(chart.title, [line.name for line in chart.series]) for chart in charts] == [
        ("Things held", ["held"])
    ]
    assert still == ["still ones (7 things)"]


def test_a_series() -> None:
    """Of points."""
    drawn = series("a", [(1.0, 2.0), (3.0, 4.0)])
    assert (drawn.name, list(drawn.xs), list(drawn.ys)) == ("a", [1.0, 3.0], [2.0, 4.0])
