"""The page of a plan, as values."""

from __future__ import annotations

from froude.cache.curves import MissRatioCurve
from froude.cache.figures.plan import plan_report
from froude.cache.solve.planner import solve
from froude.cache.solve.policies import policy
from froude.cache.solve.state import Application
from froude.cache.solve.whatif import what_if
from froude.render import Callout, Chart, Table
from tests.support.cache.solve.curve_policies import runs
from tests.support.cache.solve.made import state, table_1, vm


def test_it_says_who_gets_what_and_why() -> None:
    """With the figures that the plan has."""
    made = table_1()
    plan = solve(made, policy("exact"))
    page = plan_report(made, plan, (), {"State": "table-1"})
    assert page.title == "5 GB of SSD for 5 VMs"
    assert (
        page.lede
        == "By the curves of 5 of 5 VMs, reads will take **348 ms** on average instead of 1 s with the caches of now; "
        "2.75/s of them will miss."
    )
    table, why = (block for block in page.sections[0].blocks if isinstance(block, Table))
    assert [row[0] for row in table.rows] == [f"Node-{n}" for n in range(1, 6)]
    assert [row[4] for row in table.rows] == [0, 10**9, 10**9, 3 * 10**9, 0]
    assert why.rows[1] == ("Node-2", "Misses 0.0% of 1/s reads instead of 100.0%; more would save nothing.")
    assert [section.title for section in page.sections] == [
        "Who gets what, and why",
        "What a cache is worth to each VM",
    ]


def test_curves_are_drawn_up_to_what_the_ssd_has() -> None:
    """A chart a hypervisor, of VMs whose curve is known."""
    loop = MissRatioCurve((0, 40, 500), (1.0, 0.5, 0.0), 1)
    made = state([vm("a", curve=loop), vm("b"), vm("c", hypervisor="h2")])
    page = plan_report(made, solve(made, policy("shared")), (), {})
    (chart,) = (block for block in page.sections[1].blocks if isinstance(block, Chart))
    (series,) = chart.series
    assert list(series.xs) == [0, 40, 100]
    assert list(series.ys) == [1.0, 0.5, 0.5]


def test_what_if_has_a_row_for_each_size_and_says_where_curves_end() -> None:
    """Times of jobs are drawn where they are known."""
    loop = MissRatioCurve((0, 60), (1.0, 0.0), 1)
    jobs = runs({"a": 100.0}, 10, 1, slowest=True)
    made = state([vm("a", application="c", curve=loop)], 40, applications=(Application(name="c", runs=jobs),))
    chosen = policy("deadline")
    page = plan_report(made, solve(made, chosen), what_if(made, chosen, (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)), {})
    last = page.sections[-1]
    (table,) = (block for block in last.blocks if isinstance(block, Table))
    assert [row[0] for row in table.rows][:3] == ["0 x", "0.25 x", "0.5 x"]
    assert [type(block) for block in last.blocks] == [Callout, Chart, Chart, Table]
    assert "to 1.5 times the SSDs" in last.blocks[0].markdown  # type: ignore[union-attr]
    assert [section.title for section in page.sections][1] == "Jobs"


def test_what_cannot_be_mended_is_not_overlooked() -> None:
    """Advice, remarks and what stays stand before the table."""
    loop = MissRatioCurve((0, 60), (1.0, 0.0), 1)
    made = state([vm("a", curve=loop, size_bytes=60, iops=9), vm("b", reads_per_s=5.0)])
    made = made.replaced(hypervisors=(made.hypervisors[0].replaced(iops=5.0),))
    page = plan_report(made, solve(made, policy("exact")), (), {})
    titles = [block.title for block in page.sections[0].blocks if isinstance(block, Callout)]
    assert titles[0] == "h1 is asked for more than it serves"
    assert titles[1].startswith("No curve yet of b")
    assert "The split of `h1` stays" in page.lede
    assert "**1 SSD cannot serve what is wanted**" in page.lede
