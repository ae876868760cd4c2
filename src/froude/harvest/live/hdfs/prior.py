"""What a NameNode had before Froude changed how it places replicas: a value, and its file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from froude.documents.artifact import Origin
from froude.documents.lineage import dump_sealed_figures, open_sealed, read_placed
from froude.documents.migrate import Migrations
from froude.documents.model import Model

MIGRATIONS = Migrations("harvest-placement-state", 1)
_LIMIT_BYTES = 256 << 20


class HdfsPrior(Model):
    """Enough to bring back what was there."""

    address: str
    """`host:port` of the NameNode's RPC server."""
    id: str
    conf: str = ""
    """Its configuration folder; empty where nothing was changed in it."""
    properties: Mapping[str, str | None] = {}
    """Of its hdfs-site.xml; None for one that was not there."""
    files: Mapping[str, str | None] = {}
    """Texts of files; None for one that was not there."""
    hosts: str = ""
    """Its file of hosts; empty where nothing was changed in it."""
    marked: tuple[str, ...] = ()
    """Addresses of DataNodes that are in maintenance in it because of us."""

    written: Mapping[str, str] = {}
    """SHA-256 of the files that Froude wrote there last."""

    def with_earlier(self, before: HdfsPrior | None) -> HdfsPrior:
        """The same, but of what was changed before, what it was at first.

        Args:
            before: what is remembered already; None for nothing.
        """
        if before is None:
            return self
        return self.replaced(
            conf=self.conf or before.conf,
            properties={**self.properties, **before.properties},
            files={**self.files, **before.files},
            hosts=self.hosts or before.hosts,
            marked=self.marked if self.hosts else before.marked,
            written={**before.written, **self.written},
        )


def prior_json(prior: HdfsPrior, origin: Origin | None = None) -> str:
    """The text of the file."""
    return dump_sealed_figures(MIGRATIONS, prior.plain(), origin or Origin())


def read_prior(path: Path) -> HdfsPrior:
    """Read what was there.

    Raises:
        ChangedError: edited since it was written: a cluster is not set to what somebody typed.
        InputError: no such file, or of another kind.
    """
    return read_placed(HdfsPrior, open_sealed(path, MIGRATIONS, limit_bytes=_LIMIT_BYTES).fields, path)
