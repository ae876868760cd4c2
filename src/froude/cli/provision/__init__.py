"""`froude provision`: hardware, application and SLA → the cheapest cluster, with a bound on what any could cost."""

from froude.cli.provision.group import app

__all__ = ["app"]
