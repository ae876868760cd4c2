"""A knee's page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from froude.documents.artifact import Origin
from froude.emulation.limits import parse_limit
from froude.emulation.run.run import TARGET
from froude.emulation.run.summary import summarise
from froude.experiment.figures.head import head_of
from froude.experiment.figures.knee import conditions, knee_section, knee_title
from froude.experiment.knee.answer import Knee, Play, Status
from froude.experiment.knee.search import Outcome
from froude.render import Callout, Chart, Table, Tone
from tests.support.experiment.knees import two_plays
from tests.support.experiment.main_jobs import a_run_of_yarn


def test_its_page() -> None:
    """Latency and throughput against load with the limit, every play, and what it was measured on."""
    section = knee_section(two_plays())
    assert section.intro == two_plays().answer
    latency, throughput = (block for block in section.blocks if isinstance(block, Chart))
    assert [mark.label for mark in latency.marks] == ["p99 < 1 s"]
    assert {series.name for series in throughput.series} == {"kept", "broke"}
    assert latency.joined
    assert throughput.joined
    plays, place = (block for block in section.blocks if isinstance(block, Table))
    assert [row[1] for row in plays.rows] == ["kept", "broke: p99 < 1 s"]
    assert ("cores", "2") in place.rows
    assert knee_section(replace(two_plays(), plays=(), status=Status.UNSETTLED, low=None, high=None)).blocks


def test_what_each_load_used_is_drawn_where_it_was_seen() -> None:
    """CPU of target and player, and the wait for a handler; of what was not seen there is no chart."""
    seen = [
        replace(
            play,
            run=play.run.model_copy(
                update={"target_cpu_share": 0.5, "player_cpu_share": 0.7, "call_queue_ms": 2.0}
            ),
        )
        for play in two_plays().plays
    ]
    section = knee_section(replace(two_plays(), plays=tuple(seen)))
    shown = {
        block.title: {y for series in block.series for y in series.ys}
        for block in section.blocks[2:]
        if isinstance(block, Chart)
    }
    assert shown == {
        "CPU of the NameNode against load": {0.5},
        "CPU of the player against load": {0.7},
        "Call queue against load": {0.002},
    }


def test_what_makes_it_evidence_is_shown() -> None:
    """Workload, command, date, seed, release, JVM with its flags and heap."""
    environment = {"Hadoop": "3.5.0", "JVM flags": "-Xmx953m", "heap": "954 MiB", "cores of the target": "2"}
    origin = Origin("froude knee w.yaml", ("6d5f98f944b05628",), 7)
    shown = conditions(replace(two_plays(), environment=environment, origin=origin))
    assert shown == {
        "Workload": "6d5f98f944b0",
        "Command": "froude knee w.yaml",
        "Played": "1970-01-01 00:00 UTC",
        "Pacing": "closed",
        "Seed": "7",
        "Hadoop": "3.5.0",
        "JVM flags": "-Xmx953m",
        "heap": "954 MiB",
        "cores of the NameNode": "2",
    }
    head = head_of([("knee", replace(two_plays(), environment=environment))])
    assert head.subtitle == "Hadoop 3.5.0 · heap 954 MiB · 1970-01-01 00:00 UTC"


def test_remarks_on_its_plan_are_shown() -> None:
    """One below the other, as on a plan's own page."""
    section = knee_section(replace(two_plays(), plan_remarks=("files rose with clients", "6 in turn")))
    shown = [block.markdown for block in section.blocks if isinstance(block, Callout)]
    assert shown == ["`files rose with clients`", "`6 in turn`"]


def test_the_answer_heads_the_page() -> None:
    """Question and answer are the title; the limits, and the figures of both sides, stand below."""
    head = head_of([("knee.json", two_plays())])
    assert head.title == "How far does this NameNode scale? Up to 2 calls/s (clients=2)"
    assert head.lede.startswith("**The NameNode keeps its limits up to 2 calls/s (clients=2)")
    assert "\n- The limits: `p99 < 1 s`.\n- Limits kept in 1 of 1 play at clients=2" in head.lede
    items = head.lede.split("\n- ")[3:-1]
    assert items == list(two_plays().remarks)
    assert head.tone is Tone.GOOD
    assert [figure.label for figure in head.figures] == [
        "answered, limits kept",
        "worst p99, limits kept",
        "worst p99 at clients=4",
        "plays",
        "limited by",
    ]


def test_a_play_that_came_out_well_hides_no_other() -> None:
    """Of three plays of one load the worst p99 is shown, and one rate in title, answer and figure."""
    two = two_plays()
    times = ((1404.0, 477.0), (1403.0, 9.7), (1388.0, 16.6))
    plays = tuple(
        replace(two.plays[0], run=two.plays[0].run.model_copy(update={"calls_per_s": rate, "p99_ms": p99}))
        for rate, p99 in times
    )
    knee = replace(two, plays=plays, status=Status.OPEN, high=None)
    rate, p99, *_ = head_of([("knee", knee)]).figures
    assert (rate.value, rate.note) == (1403, "median of 3 plays at clients=2")
    assert "At least 1,403 calls/s (clients=2)" in knee.answer
    assert knee_title(knee) == "How far does this NameNode scale? At least to 1,403 calls/s (clients=2)"
    assert (p99.value, p99.note) == (0.477, "9.7 ms to 477 ms in 3 plays")


def test_doubled_loads_stand_apart() -> None:
    """On a logarithmic axis, from a factor of eight on."""
    knee = two_plays()
    wide = replace(
        knee.plays[1], level=8.0, run=knee.plays[1].run.model_copy(update={"scale": {"clients": "16"}})
    )
    charts = [block for block in knee_section(knee).blocks if isinstance(block, Chart)]
    assert not any(chart.x.log for chart in charts)
    wide_knee = replace(knee, plays=(knee.plays[0], wide), high=8.0)
    charts = [block for block in knee_section(wide_knee).blocks if isinstance(block, Chart)]
    assert all(chart.x.log for chart in charts)


def test_outcomes_have_one_colour_whatever_else_is_shown() -> None:
    """On a page of two knees, one of which nothing broke."""
    chart = next(block for block in knee_section(two_plays()).blocks if isinstance(block, Chart))
    busy = replace(two_plays().plays[1], outcome=Outcome.UNCLEAR)
    other = replace(two_plays(), plays=(two_plays().plays[0], busy))
    beside = next(block for block in knee_section(other).blocks if isinstance(block, Chart))
    assert [series.colour for series in chart.series] == [0, 1]
    assert [series.colour for series in beside.series] == [0, 6]


@pytest.mark.parametrize(
    ("status", "title"),
    [
        (Status.BELOW, "Not to 2 calls/s (clients=4)"),
        (Status.UNSETTLED, "Not settled after 2 plays"),
        (Status.MASKED, "Not known"),
    ],
)
def test_a_title_says_what_was_not_found(status: Status, title: str) -> None:
    """In the words of the status."""
    assert knee_title(replace(two_plays(), status=status)) == f"How far does this NameNode scale? {title}"


def test_a_title_states_an_interrupt() -> None:
    """With how many plays there were; the answer begins with it as well."""
    knee = replace(two_plays(), status=Status.UNSETTLED, interrupted=True)
    assert knee_title(knee).endswith("? Interrupted after 2 plays")
    assert knee.answer.startswith("Interrupted after 2 plays: at least 2 calls/s")


def test_one_load_is_a_row_and_no_chart() -> None:
    """A single point shows nothing that the table does not; its outcome has one word everywhere."""
    busy = replace(two_plays().plays[1], outcome=Outcome.UNCLEAR)
    section = knee_section(replace(two_plays(), plays=(busy,), status=Status.MASKED, low=None))
    assert not [block for block in section.blocks if isinstance(block, Chart)]
    plays = next(block for block in section.blocks if isinstance(block, Table))
    assert [row[1] for row in plays.rows] == ["unclear: p99 < 1 s"]


def test_a_knee_of_a_resourcemanager() -> None:
    """Question, answer, table and remarks are about what was called."""
    runs = []
    for nodes, p99_s in (("2", 0.5), ("4", 3.0)):
        run = a_run_of_yarn(namenode=False, scale={"nodes": nodes}, environment={TARGET: "ResourceManager"})
        run.tally.of("nodeHeartbeat").from_actual.add([p99_s] * 99)
        run.limits = [parse_limit("p99 < 1 s").check(run)]
        runs.append(summarise(run))
    plays = (Play(1.0, Outcome.KEPT, runs[0]), Play(2.0, Outcome.BROKE, runs[1]))
    environment = {TARGET: "ResourceManager", "JVM flags": "-XX:TieredStopAtLevel=1"}
    knee = Knee(("nodes",), ("p99 < 1 s",), plays, Status.FOUND, 1.0, 2.0, environment)
    assert knee_title(knee) == "How far does this ResourceManager scale? Up to 10 calls/s (nodes=2)"
    assert knee.answer.startswith("The ResourceManager keeps its limits up to 10 calls/s (nodes=2)")
    assert "NameNode" not in f"{knee_section(knee)} {head_of([('knee', knee)])}"
    granting = [
        replace(
            play, run=play.run.model_copy(update={"containers_per_s": rate, "allocation_p99_ms": rate * 2})
        )
        for play, rate in zip(plays, (200.0, 600.0), strict=True)
    ]
    granted = replace(knee, plays=tuple(granting), limits=("allocation_p99 < 1 s",))
    assert knee_title(granted) == "How far does this ResourceManager scale? Up to 200 containers/s (nodes=2)"
    charts = [block for block in knee_section(granted).blocks if isinstance(block, Chart)]
    assert [(chart.title, len(chart.marks)) for chart in charts[:2]] == [
        ("Allocation delay against load", 1),
        ("Throughput against load", 0),
    ]
    tiles = {figure.label: (figure.value, figure.unit) for figure in head_of([("knee", granted)]).figures}
    assert tiles["granted, limits kept"] == (200, "containers/s")
    assert tiles["worst p99 of allocation, limits kept"][0] == 0.4
    tables = [block for block in knee_section(granted).blocks if isinstance(block, Table)]
    assert [row[1:4] for row in tables[0].rows] == [(200.0, None, 0.4), (600.0, None, 1.2)]
    both = replace(knee, environment={TARGET: "ResourceManager and NameNode"})
    assert knee_title(both).startswith("How far do this ResourceManager and NameNode scale? Up to")
    assert both.answer.startswith("The ResourceManager and NameNode keep their limits up to")
