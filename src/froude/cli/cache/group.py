"""The group `froude cache`: every command, one line each."""

from __future__ import annotations

import typer

from froude.cli.cache import disk, serving, simulating, solving

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="A scarce SSD cache, split among VMs.",
)


@app.callback()
def cache() -> None:
    """A scarce SSD cache, split among VMs: observe, decide, apply."""


app.command()(disk.disk)
app.command()(solving.solve)
app.command()(simulating.simulate)
app.command()(serving.serve)
app.command()(serving.agent)
