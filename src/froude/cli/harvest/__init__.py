"""`froude harvest`: tenants' history → classes, placement of replicas, and what they are worth."""

from __future__ import annotations

import typer

from froude.cli.harvest import applying, history, inspecting, placing, replicas, serving, submitting, tenants

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
app.command()(tenants.schedule)
simulate = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="What a policy is worth, played out."
)
simulate.command()(tenants.scheduling)
simulate.command()(replicas.durability)
simulate.command()(replicas.availability)
app.add_typer(simulate, name="simulate")
app.command()(applying.collect)
app.command()(history.reimages)
app.command()(inspecting.inspect)
app.command()(applying.apply)
app.command()(placing.place)
app.command()(applying.rollback)
app.command()(serving.serve)
app.command()(submitting.submit)
