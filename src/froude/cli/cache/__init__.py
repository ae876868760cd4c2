"""`froude cache`: a scarce SSD cache, split among VMs."""

from froude.cli.cache.group import app

__all__ = ["app"]
