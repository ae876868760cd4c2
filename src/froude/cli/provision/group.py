"""The group `froude provision`: every command, in the order of the chain, one line each."""

from __future__ import annotations

import typer

from froude.cli.provision import (
    analysing,
    compiling,
    drafting,
    importing,
    inputs,
    measuring,
    ranging,
    scheduling,
)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Hardware, application and SLA → the cheapest cluster, with a proof.",
)

app.command()(inputs.validate)
app.command()(drafting.draft)
app.command()(inputs.convert)
app.command(name="import")(importing.import_)
app.command(name="compile")(compiling.compile_)
app.command()(compiling.sweep)
app.command()(ranging.roadmap)
app.command()(ranging.robustness)
app.command()(ranging.sensitivity)
app.command()(ranging.uncertainty)
app.command(name="why-not")(analysing.why_not)
app.command()(analysing.best)
app.command()(analysing.slack)
app.command()(analysing.compare)
app.command()(compiling.evaluate)
app.command()(scheduling.schedule)
app.command()(measuring.measure)
