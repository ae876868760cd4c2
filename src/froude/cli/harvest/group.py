"""The group `froude harvest`: every command, in the order of the chain, one line each."""

from __future__ import annotations

import typer

from froude.cli.harvest import (
    applying,
    history,
    inspecting,
    jobs,
    placing,
    reimages,
    replicas,
    serving,
    submitting,
    tenants,
)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Tenants' history → classes, placement of replicas, and what they are worth.",
)

app.command()(history.generate)
app.command(name="import")(history.import_)
app.command()(tenants.characterise)
app.command()(tenants.classify)
app.command()(jobs.schedule)
simulate = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="What a policy is worth, played out."
)
simulate.command()(jobs.scheduling)
simulate.command()(replicas.durability)
simulate.command()(replicas.availability)
app.add_typer(simulate, name="simulate")
app.command()(applying.collect)
app.command()(reimages.reimages)
app.command()(inspecting.inspect)
app.command()(applying.apply)
app.command()(placing.place)
app.command()(applying.rollback)
app.command()(serving.serve)
app.command()(submitting.submit)
