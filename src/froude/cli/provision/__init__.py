"""`froude provision`: hardware, application and SLA → the cheapest cluster, with a bound on what any could cost."""

from __future__ import annotations

import typer

from froude.cli.provision import (
    compiling,
    drafting,
    importing,
    inputs,
    measuring,
    questions,
    sizing,
    sweeping,
)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Hardware, application and SLA → the cheapest cluster, with a proof.",
)

app.command()(inputs.check)
app.command()(drafting.draft)
app.command()(inputs.convert)
app.command(name="import")(importing.import_)
app.command(name="compile")(compiling.compile_)
app.command()(sizing.hdfs)
app.command()(compiling.evaluate)
app.command()(sweeping.sweep)
app.command()(questions.vary)
app.command(name="why-not")(questions.why_not)
app.command()(measuring.measure)
