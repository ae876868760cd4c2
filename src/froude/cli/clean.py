"""`froude clean`: what the cache holds, and what of it shall go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from froude.base.errors import InputError
from froude.base.files import remove_folder
from froude.cli.settings import Settings
from froude.cli.tables import aligned

PARTS = {
    "maven": "jars of Hadoop, by their Maven coordinates",
    "releases": "which jars a release has",
    "classes": "archives of classes, with which daemons start in half the time",
    "schema": "messages of releases, as they were read from their jars",
}
"""Folders of the cache; each is made again when it is needed."""


def clean(
    ctx: typer.Context,
    remove: Annotated[
        list[str] | None,
        typer.Option(
            "--remove",
            metavar="PART",
            help="Remove this part; repeat, or `all`. It is fetched or made again.",
        ),
    ] = None,
) -> None:
    """What the cache holds, with sizes; with --remove, what of it shall go.

    Nothing outside of the cache is touched, and nothing that a running process uses.

    Example: froude clean
    Example: froude clean --remove classes
    """
    from froude.hadoop.release.distribution import cache_folder

    settings: Settings = ctx.obj
    cache = cache_folder()
    wanted = _wanted(remove or [])
    sizes = {part: _bytes(cache / part) for part in PARTS if (cache / part).is_dir()}
    gone = [part for part in sizes if part in wanted]
    if gone and (user := next(_users(cache), None)) is not None:
        raise InputError("is in use", file=cache, found=user, remedy="End it first: `froude hadoop down`")
    if settings.dry_run:
        settings.would(f"remove {', '.join(gone) or 'nothing'} from {cache}")
        return
    for part in gone:
        remove_folder(cache / part)
    rows = [
        (part, f"{size / 1e6:,.1f}", "removed" if part in gone else PARTS[part])
        for part, size in sizes.items()
    ]
    settings.emit({"cache": str(cache), "bytes": sizes, "removed": gone})
    settings.out(f"Cache in {cache}: {sum(sizes.values()) / 1e6:,.1f} MB")
    if rows:
        settings.out(aligned([("part", "MB", "what it is"), *rows], prose=True))


def _wanted(remove: Sequence[str]) -> set[str]:
    """The parts that shall go.

    Raises:
        InputError: one is not a part.
    """
    for part in remove:
        if part not in {*PARTS, "all"}:
            allowed = [*PARTS, "all"]
            raise InputError("is not a part of the cache", place="--remove", found=part, allowed=allowed)
    return set(PARTS) if "all" in remove else set(remove)


def _bytes(folder: Path) -> int:
    return sum(file.lstat().st_size for file in folder.rglob("*") if not file.is_dir())


def _users(cache: Path) -> Iterator[str]:
    """Processes whose command line names the cache, as that of a daemon does."""
    import psutil

    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if any(str(cache) in word for word in process.cmdline()):
                yield f"process {process.pid}, {process.name()}"
