"""A workspace: a folder with a `froude.toml`, in which every artifact has its place."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from froude.base.errors import InputError, nearest
from froude.base.files import atomic_write_text, read_bounded, refuse_taken, remove_folder, stated_os_errors
from froude.base.version import __version__
from froude.documents.artifact import TAGS, Artifact, State
from froude.documents.lineage import parse_file, read_lineage
from froude.documents.recognise import DOCUMENTS

MARKER = "froude.toml"
FORMAT = 1
PLACES = {
    "trace": "traces",
    "audit": "audits",
    "workload": "workloads",
    "plan": "plans",
    "run": "runs",
    "knee": "knees",
    "report": "reports",
    "scenario": "scenarios",
}
_SIDECAR = ".lineage.yaml"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}")
_LIMIT_BYTES = 1 << 20
_SUFFIXES = (".yaml", ".yml", ".json")


class Workspace:
    """A folder of artifacts; made when it is not there.

    Args:
        folder: the workspace's folder; an existing one must be empty or hold a `froude.toml`.

    Raises:
        InputError: the folder holds other things, or was made by a newer Froude.
        MissingError: no right to write there.
    """

    def __init__(self, folder: Path | str = ".") -> None:
        self.folder = Path(folder).resolve()
        marker = self.folder / MARKER
        if marker.exists():
            self._check(marker)
            return
        if self.folder.is_file():
            raise InputError("is a file where a folder is needed", file=self.folder)
        if self.folder.is_dir() and any(self.folder.iterdir()):
            remedy = f"Choose an empty folder, or put an empty {MARKER} into this one to say that it is meant"
            raise InputError("is not a workspace and not empty", file=self.folder, remedy=remedy)
        with stated_os_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            self.folder.chmod(0o700)
        _mark(self.folder)

    @classmethod
    def begin(cls, folder: Path | str = ".") -> Workspace:
        """The workspace that a folder lies in; where there is none, the folder becomes one, with all it holds.

        Args:
            folder: made when it is not there.

        Raises:
            InputError: the folder is a file, or its workspace was made by a newer Froude.
            MissingError: no right to write there.
        """
        here = Path(folder).resolve()
        around = cls.around(here)
        if around is None and here.is_dir() and any(here.iterdir()):
            _mark(here)
        return around or cls(here)

    @classmethod
    def around(cls, start: Path | str = ".") -> Workspace | None:
        """The workspace that a folder lies in, or None."""
        here = Path(start).resolve()
        for folder in (here, *here.parents):
            if (folder / MARKER).is_file():
                return cls(folder)
        return None

    def new(self, kind: str, name: str | None = None, suffix: str = "") -> Path:
        """Where a new artifact shall be written.

        Args:
            kind: `trace`, `audit`, `workload`, `plan`, `run`, `knee`, `report` or `scenario`.
            name: its name; None takes the next free number: `trace-1`, ...
            suffix: for kinds that are files: `.yaml`, `.html`.

        Raises:
            InputError: the name is taken, or no name for a file.
            ValueError: no such kind.
        """
        place = self.place(kind)
        with stated_os_errors(place):
            place.mkdir(mode=0o700, exist_ok=True)
        if name is None:
            taken = {self._stem(path) for path in place.iterdir()}
            name = next(f"{kind}-{n}" for n in range(1, len(taken) + 2) if f"{kind}-{n}" not in taken)
        else:
            check_name(name, kind)
        path = place / f"{name}{suffix}"
        refuse_taken(path)
        return path

    def discard(self, path: Path) -> None:
        """Remove an artifact's folder that shall not be kept; harmless where there is none.

        Args:
            path: what `new` gave.
        """
        remove_folder(path)

    def artifacts(self, kind: str | None = None, tag: str | None = None) -> list[Artifact]:
        """What is here, oldest first.

        Args:
            tag: only those with this tag.

        Raises:
            InputError: a lineage is damaged.
        """
        kinds = [kind] if kind is not None else list(PLACES)
        artifacts = [artifact for each in kinds for artifact in self._in(each)]
        artifacts.sort(key=lambda a: (a.lineage.made_at, a.path.stat().st_mtime_ns, a.path.name))
        return [artifact for artifact in artifacts if tag is None or tag in artifact.tags]

    def matches(self, what: str, kind: str | None = None) -> list[Artifact]:
        """The artifacts that something may name: by name or path, else by the beginning of their ids.

        Args:
            what: as in `find`.
            kind: as in `find`.
        """
        candidates = self.artifacts(kind)
        exact = [a for a in candidates if what in {a.name, a.path.name} or a.path == Path(what).resolve()]
        return exact or [a for a in candidates if len(what) >= 4 and a.lineage.content_hash.startswith(what)]

    def find(self, what: str, kind: str | None = None) -> Artifact:
        """One artifact by name, by (the beginning of) its id, or by path.

        Args:
            what: its name; its content hash, or at least the first four characters of that; or its path.
            kind: the kind looked for, such as `trace`; None for any.

        Raises:
            InputError: none, or more than one.
        """
        matches = self.matches(what, kind)
        if len(matches) != 1:
            names = [artifact.name for artifact in matches or self.artifacts(kind)]
            message = (
                "names more than one artifact"
                if matches
                else f"is not in the workspace{nearest(what, names)}"
            )
            raise InputError(message, file=self.folder, found=what, allowed=", ".join(names[:10]) or None)
        return matches[0]

    def traces(self, tag: str | None = None, *, incomplete: bool = False) -> list[Path]:
        """The folders of the traces, oldest first.

        Args:
            tag: only those with this tag.
            incomplete: also those whose recording failed or was interrupted.
        """
        return self._folders("trace", tag, incomplete=incomplete)

    def runs(self, tag: str | None = None, *, incomplete: bool = False) -> list[Path]:
        """The folders of the runs, oldest first.

        Args:
            tag: only those with this tag.
            incomplete: also those that failed or were interrupted.
        """
        return self._folders("run", tag, incomplete=incomplete)

    def _folders(self, kind: str, tag: str | None, *, incomplete: bool) -> list[Path]:
        artifacts = self.artifacts(kind, tag)
        return [a.path for a in artifacts if incomplete or a.lineage.state is State.COMPLETE]

    def _in(self, kind: str) -> Iterator[Artifact]:
        place = self.place(kind)
        if not place.is_dir():
            return
        for path in sorted(place.iterdir()):
            if path.name.startswith(".") or path.name.endswith(".partial"):
                continue
            artifact = read_artifact(path)
            if artifact is not None:
                yield artifact

    def place(self, kind: str) -> Path:
        """The folder of a kind, which may not be there yet.

        Raises:
            ValueError: no such kind.
        """
        if kind not in PLACES:
            raise ValueError(f"kind must be one of {', '.join(PLACES)}, got {kind!r}")
        return self.folder / PLACES[kind]

    @staticmethod
    def _stem(path: Path) -> str:
        return path.name.lstrip(".").split(".")[0]

    @staticmethod
    def _check(marker: Path) -> None:
        try:
            facts = tomllib.loads(read_bounded(marker, limit_bytes=_LIMIT_BYTES).decode())
        except (ValueError, RecursionError) as error:  # also digits beyond what is read
            raise InputError("is not readable TOML", file=marker, found=str(error)) from error
        version = facts.get("format", FORMAT)
        if type(version) is not int or not 1 <= version <= FORMAT:
            allowed = f"1 to {FORMAT}"
            raise InputError(
                "is a workspace of another Froude",
                file=marker,
                place="format",
                found=version,
                allowed=allowed,
            )


def check_name(name: str, kind: str) -> None:
    """Refuse a name that no artifact may have.

    Raises:
        InputError: with what is allowed.
    """
    if not _NAME.fullmatch(name):
        allowed = "at most 101 letters, digits, '.', '_' and '-', not beginning with one of these three"
        raise InputError(f"is no name for a {kind}", found=name, allowed=allowed)


def _mark(folder: Path) -> None:
    head = "# A Froude workspace: traces, workloads, plans, runs and reports lie beside this file."
    atomic_write_text(folder / MARKER, f'{head}\nformat = {FORMAT}\nfroude = "{__version__}"\n')


def read_artifact(path: Path) -> Artifact | None:
    """An artifact with its lineage, from within its document; None if it has none.

    Workspaces of Froude 0.1.0 kept the lineage of workloads and plans in a file beside them, which is read still.

    Raises:
        InputError: the lineage is damaged.
    """
    inside = [path / name for name in DOCUMENTS] if path.is_dir() else [path]
    for source in (*inside, path.with_name(f".{path.name}{_SIDECAR}")):
        if source.suffix not in _SUFFIXES or not source.is_file():
            continue
        root = parse_file(source)
        lineage = read_lineage(root)
        if lineage is not None:
            return Artifact(path, lineage, frozenset(map(str, root.items(TAGS))))
    return None
