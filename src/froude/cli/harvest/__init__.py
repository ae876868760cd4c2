"""`froude harvest`: tenants' history → classes, placement of replicas, and what they are worth."""

from froude.cli.harvest.group import app

__all__ = ["app"]
