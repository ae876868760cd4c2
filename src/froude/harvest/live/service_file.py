"""What a daemon must know when it starts again: whose cluster it is, the names of classes, how jobs ran last."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from froude.documents.artifact import Origin
from froude.documents.lineage import dump_sealed_figures, open_sealed
from froude.documents.migrate import Migrations
from froude.documents.reading import Section
from froude.harvest.live.choosing import LastRun
from froude.harvest.live.classes import Classes, KnownClass
from froude.harvest.telemetry.profiles import Pattern

MIGRATIONS = Migrations("harvest-service", 1)
ACCESS = "harvest-access"
"""Kind of the document that says where a daemon's API is, and with which token."""
ACCESS_VERSION = 2
"""Since 2 the address is a URL."""
_LIMIT_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class Known:
    """What a daemon knows beside the history of utilisation, and what was there before it changed anything."""

    ids: tuple[str, ...] = ()
    """Start times of the ResourceManager: of its lives that were seen, and of those that named its applications; that of
    the present life at the end."""
    nodes: frozenset[str] = frozenset()
    """Nodes that were seen running."""
    classes: Classes = field(default_factory=Classes)
    classified_s: float = 0.0
    """When classes were made, seconds since 1970."""
    last: dict[str, LastRun] = field(default_factory=dict)
    """How jobs ran last, the newest at the end."""

    @property
    def id(self) -> str:
        """Of the ResourceManager as it was seen last; empty before."""
        return self.ids[-1] if self.ids else ""


def known_json(known: Known, origin: Origin | None = None) -> str:
    """The text of the file."""
    fields: dict[str, Any] = {
        "ids": list(known.ids),
        "nodes": sorted(known.nodes),
        "classified_s": known.classified_s,
        "classes": [{**asdict(each), "pattern": each.pattern.value} for each in known.classes.known],
        "servers": dict(known.classes.of_server),
        "jobs": [{"job": job, **asdict(run)} for job, run in known.last.items()],
    }
    return dump_sealed_figures(MIGRATIONS, fields, origin or Origin())


def read_known(path: Path) -> Known:
    """Read what a daemon wrote.

    Raises:
        ChangedError: edited since it was written.
        InputError: no such file, or of another kind.
    """
    root = open_sealed(path, MIGRATIONS, limit_bytes=_LIMIT_BYTES)
    servers = root.section("servers")
    known = Known(
        tuple(map(str, root.items("ids"))),
        frozenset(map(str, root.items("nodes"))),
        Classes(
            tuple(_class(each) for each in root.sections("classes")),
            {server: servers.value(server, str) for server in servers.names()},
        ),
        root.value("classified_s", float),
        {each.value("job", str): _run(each) for each in root.sections("jobs")},
    )
    root.finish()
    return known


def _class(section: Section) -> KnownClass:
    known = KnownClass(
        section.value("name", str),
        section.value("pattern", Pattern),
        section.value("average", float),
        section.value("peak", float),
    )
    section.finish()
    return known


def _run(section: Section) -> LastRun:
    run = LastRun(section.value("seconds", float), section.value("containers", float))
    section.finish()
    return run
