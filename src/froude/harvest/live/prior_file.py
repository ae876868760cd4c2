"""What was there before Froude changed a cluster, as a file: written before the first change is made."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from froude.documents.artifact import Origin
from froude.documents.lineage import dump_sealed_figures, open_sealed
from froude.documents.migrate import Migrations, same
from froude.documents.reading import Section
from froude.harvest.live.types import Prior, Resource

MIGRATIONS = Migrations("harvest-prior-state", 2, {1: same})
_LIMIT_BYTES = 64 << 20


def prior_json(prior: Prior, origin: Origin | None = None) -> str:
    """The text of the file.

    Args:
        origin: how it came to be.
    """
    return dump_sealed_figures(MIGRATIONS, asdict(prior), origin or Origin())


def read_prior(path: Path) -> Prior:
    """Read what was there.

    Raises:
        ChangedError: edited since it was written: a cluster is not set to what somebody typed.
        InputError: no such file, or of another kind.
    """
    root = open_sealed(path, MIGRATIONS, limit_bytes=_LIMIT_BYTES)
    prior = Prior(
        address=root.value("address", str),
        id=root.value("id", str),
        labels_added=tuple(map(str, root.items("labels_added"))),
        scheduler=_texts(root.section("scheduler"), none=True),
        node_labels={node: label or "" for node, label in _texts(root.section("node_labels")).items()},
        resources={
            node: _resource(root.section("resources").section(node))
            for node in root.section("resources").names()
        },
        node_attributes=_texts(root.section("node_attributes")),
    )
    root.finish()
    return prior


def _texts(section: Section, *, none: bool = False) -> dict[str, Any]:
    return {
        name: section.optional(name, str) if none else section.value(name, str) for name in section.names()
    }


def _resource(section: Section) -> Resource:
    resource = Resource(section.value("memory_mb", int), section.value("vcores", int))
    section.finish()
    return resource
