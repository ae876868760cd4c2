"""`froude cache`: a scarce SSD cache, split among VMs."""

from __future__ import annotations

import typer

from froude.cli.cache import serving, splits

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="A scarce SSD cache, split among VMs.",
)


@app.callback()
def cache() -> None:
    """A scarce SSD cache, split among VMs: observe, decide, apply."""


app.command()(serving.disk)
app.command()(splits.solve)
app.command()(splits.simulate)
app.command()(serving.serve)
app.command()(serving.agent)
