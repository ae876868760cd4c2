"""What was there before Froude changed a cluster, as a file: written before the first change is made."""

from __future__ import annotations

from pathlib import Path

from froude.documents.artifact import Origin
from froude.documents.lineage import dump_sealed_figures, open_sealed, read_placed
from froude.documents.migrate import Migrations, same
from froude.harvest.live.types import Prior

MIGRATIONS = Migrations("harvest-prior-state", 2, {1: same})
_LIMIT_BYTES = 64 << 20


def prior_json(prior: Prior, origin: Origin | None = None) -> str:
    """The text of the file."""
    return dump_sealed_figures(MIGRATIONS, prior.plain(), origin or Origin())


def read_prior(path: Path) -> Prior:
    """Read what was there.

    Raises:
        ChangedError: edited since it was written: a cluster is not set to what somebody typed.
        InputError: no such file, or of another kind.
    """
    return read_placed(Prior, open_sealed(path, MIGRATIONS, limit_bytes=_LIMIT_BYTES).fields, path)
