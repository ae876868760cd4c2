"""`froude cache solve` and `simulate`: who gets how much of an SSD and why, and splits played out.

They are played on clusters of jobs or on block traces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from froude.base.errors import InputError
from froude.base.files import read_bounded
from froude.cli import answers, table_flags
from froude.cli.cache.sizes import size_of
from froude.cli.fields import Given, with_fields
from froude.documents.forms import FieldError
from froude.documents.reading import LIMIT_BYTES

if TYPE_CHECKING:
    from froude.base.forms import Options
    from froude.cli.settings import Settings
    from froude.render.answer import Answer


def solve(
    ctx: typer.Context,
    state: Annotated[
        str,
        typer.Argument(
            metavar="STATE",
            help="YAML or JSON of hypervisors and VMs, as a controller gives it (GET /v1/state) or you write it; or one "
            "that comes with Froude: table-1, two-clusters.",
        ),
    ],
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How to split: none, shared, equal, working-set, importance, ac-ssd-ga, "
            "ac-ssd, hull, exact, deadline [exact].",
        ),
    ] = None,
    what_if: Annotated[
        str | None,
        typer.Option(
            "--what-if", metavar="X,...", help="Also with SSDs so many times as large; such as 0.5,2,4."
        ),
    ] = None,
    move_anyway: Annotated[
        bool, typer.Option("--move-anyway", help="Move even where it does not pay for itself.")
    ] = False,
    example: Annotated[
        bool, typer.Option("--example", help="Print the state's text instead, to begin one of your own with.")
    ] = False,
    output: answers.Output = None,
    report: answers.Page = None,
) -> None:
    """Who gets how much of each SSD, and why: a plan by one policy, from what is known of the VMs.

    Example: froude cache solve table-1 --what-if 0.5,2
    """
    from froude.cache import analyses
    from froude.cache.solve.files import PLAN, read_state, shipped
    from froude.cache.solve.policies import DEFAULT

    settings: Settings = ctx.obj
    path = shipped().get(state, Path(state))
    if example:
        _print_example(settings, "state", path)
        return
    answers.claim(settings, [path], output, PLAN.kind, report)
    factors, opened = _factors(what_if), read_state(path)
    answer = analyses.split(
        opened.state,
        policy or DEFAULT,
        factors=factors,
        move_anyway=move_anyway,
        seed=settings.seed,
        progress=settings.progress(),
    )
    answers.finish(settings, answer, inputs={state: opened.content}, output=output, report=report)


def _print_example(settings: Settings, what: str, path: Path) -> None:
    text = read_bounded(path, limit_bytes=LIMIT_BYTES).decode("utf-8", "replace")
    settings.emit({what: text})
    if not settings.json:
        print(text, end="")


def _factors(text: str | None) -> list[float]:
    if text is None:
        return []
    allowed = "numbers from 0 to 100 with commas between, 50 at most"
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise InputError("is no list of factors", place="--what-if", found=text, allowed=allowed) from error
    if len(found) > 50 or not all(0 <= factor <= 100 for factor in found):
        raise InputError("is no list of factors", place="--what-if", found=text, allowed=allowed)
    return sorted(set(found))


@with_fields
def simulate(
    ctx: typer.Context,
    *,
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="SCENARIO|TRACE...",
            help="A scenario, yours or one that comes with Froude (figure-5, table-2); or block traces: of blkparse, "
            "CSV, or as some are published; plain or packed.",
        ),
    ],
    policy: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Repeat [all].")] = None,
    runs: Annotated[
        int | None, typer.Option(min=1, max=1000, help="Of a scenario, each with data of its own [5].")
    ] = None,
    space: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="Of a trace's SSD [half of what is read again]; of a scenario's each SSD."
        ),
    ] = None,
    chunk: Annotated[str | None, typer.Option(metavar="SIZE", help="Of a trace's caches [64 KiB].")] = None,
    windows: Annotated[
        int | None, typer.Option(min=1, max=100_000, help="Of a trace, each with a split of its own [20].")
    ] = None,
    cache_writes: Annotated[
        bool,
        typer.Option(
            "--cache-writes", help="Of a trace's caches: keep what is written, too [only what is read]."
        ),
    ] = False,
    layout: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of traces, such as msr, blkparse or csv; all are in docs/reference/tables.md "
            "[found by the first lines].",
        ),
    ] = None,
    read: Annotated[
        str | None,
        typer.Option(metavar="VALUE", help="Of a trace's operations: a read, where they are numbers."),
    ] = None,
    table: Annotated[Given, table_flags.TABLE],
    example: Annotated[
        bool,
        typer.Option("--example", help="Print the scenario's text instead, to begin one of your own with."),
    ] = False,
    output: answers.Output = None,
    report: answers.Page = None,
) -> None:
    """What each policy would bring: jobs of clusters on a virtual clock, or block traces of several volumes.

    Example: froude cache simulate figure-5 --policy shared --policy equal --runs 1
    """
    from froude.cache import analyses
    from froude.cache.simulate.layouts import QUANTITIES
    from froude.cache.simulate.scenario import shipped

    settings: Settings = ctx.obj
    paths = [shipped().get(each, Path(each)) for each in inputs]
    if example:
        _print_example(settings, "scenario", paths[0])
        return
    names = _names(policy)
    if _is_scenario(paths):
        flags = {
            "chunk": chunk,
            "windows": windows,
            "cache_writes": cache_writes or None,
            "layout": layout,
            "read": read,
        }
        _refuse({**flags, **table}, "traces")
        answers.claim(settings, paths, output, analyses.SIMULATION, report)
        answer, contents = _scenario(settings, paths[0], names, runs or 5, space)
    else:
        _refuse({"runs": runs}, "a scenario")
        answers.claim(settings, paths, output, analyses.REPLAY, report)
        known = ("host", "volume", "op", *QUANTITIES)
        options = table_flags.options_of(layout=layout, known=known, **table)
        how = _How(space, chunk, windows, cache_writes, read or "", options)
        answer, contents = _traces(settings, paths, names, how)
    named = dict(zip(inputs, contents, strict=True))
    answers.finish(settings, answer, inputs=named, output=output, report=report)


@dataclass(frozen=True, slots=True)
class _How:
    """How a trace is read and played, as typed."""

    space: str | None
    chunk: str | None
    windows: int | None
    cache_writes: bool
    read: str
    options: Options


def _refuse(options: Mapping[str, object], whose: str) -> None:
    """Options that are given and would do nothing."""
    for name, value in options.items():
        if value is not None:
            raise FieldError(f"is for {whose} only", names=(name,), found=value)


def _scenario(
    settings: Settings, path: Path, names: list[str], runs: int, space: str | None
) -> tuple[Answer, list[str]]:
    from froude.cache import analyses
    from froude.cache.simulate.scenario import read_scenario

    scenario, content = read_scenario(path)
    space_bytes = None if space is None else size_of(space, "--space", zero=True)
    answer = analyses.simulation(scenario, names, runs=runs, space_bytes=space_bytes, **answers.how(settings))
    return answer, [content]


def _traces(settings: Settings, paths: list[Path], names: list[str], asked: _How) -> tuple[Answer, list[str]]:
    from froude.base.summary import counted, recognised_text
    from froude.cache import analyses
    from froude.cache.simulate.replay import Replay, footprint_bytes
    from froude.cache.simulate.traces import read_traces
    from froude.documents.lineage import content_of

    chunk = size_of(asked.chunk or "64 KiB", "--chunk")
    with settings.progress().task(f"Reading {counted(len(paths), 'block trace')}"):
        trace = read_traces(paths, asked.options, read=asked.read)
    volumes, requests = counted(len(trace.volumes), "volume"), counted(len(trace.requests), "request")
    every_s = trace.duration_s / max(1, len(trace.requests) - 1)
    form = f"block traces of {'; '.join(trace.understood)}"
    settings.note(recognised_text(form, f"{volumes}, {requests}", every_s, trace.duration_s))
    for text in (*trace.dropped.notes(), *trace.remarks):
        settings.note(f"note: {text}")
    space_bytes = (
        footprint_bytes(trace, chunk, cache_writes=asked.cache_writes) // 2
        if asked.space is None
        else size_of(asked.space, "--space", zero=True)
    )
    how = Replay(
        space_bytes=space_bytes,
        chunk_bytes=chunk,
        windows=asked.windows or 20,
        cache_writes=asked.cache_writes,
    )
    answer = analyses.replay(trace, how, names, **answers.how(settings))
    return answer, [content_of(path) for path in paths]


def _is_scenario(paths: list[Path]) -> bool:
    """Whether a scenario is meant, and not traces."""
    from froude.cache.simulate.scenario import SCENARIO
    from froude.documents.recognise import kind_of

    kinds = [kind_of(path) for path in paths]
    if SCENARIO.kind in kinds and len(paths) > 1:
        found, allowed = ", ".join(map(str, paths)), "one scenario, or traces"
        raise InputError("stand beside one another", place="SCENARIO|TRACE", found=found, allowed=allowed)
    return kinds[0] == SCENARIO.kind


def _names(asked: list[str] | None) -> list[str]:
    from froude.cache.solve.policies import POLICIES
    from froude.cache.solve.policies import policy as named

    return (
        list(dict.fromkeys(named(name).name for name in asked)) if asked else [each.name for each in POLICIES]
    )
