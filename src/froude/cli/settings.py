"""What every command knows: global flags, resolved (flag, environment, workspace, default), and output."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from froude.base.errors import InputError
from froude.base.parallel import Workers, parse_workers
from froude.base.progress import Progress, Silent

if TYPE_CHECKING:
    from rich.console import Console

_ENVIRONMENT = {"workspace": "FROUDE_WORKSPACE", "workers": "FROUDE_WORKERS", "seed": "FROUDE_SEED"}


@dataclass(frozen=True, slots=True)
class Settings:
    """Global flags, resolved."""

    workspace: Path = field(default_factory=Path.cwd)
    """The workspace folder; the current folder unless told otherwise."""
    workers: Workers = 1
    seed: int = 0
    dry_run: bool = False
    json: bool = False
    quiet: bool = False

    def progress(self) -> Progress:
        """Progress on stderr; silent when asked for, with --json, or where stderr is no terminal."""
        if self.quiet or self.json or not sys.stderr.isatty():
            return Silent()
        from froude.cli.progress import RichProgress

        return RichProgress()

    def console(self) -> Console:
        """Where results are printed; colours only on a terminal without NO_COLOR."""
        from rich.console import Console

        return Console(highlight=False, soft_wrap=not sys.stdout.isatty())

    def out(self, renderable: Any) -> None:
        """Print a result for people; nothing with --json, since that prints one document."""
        if not self.json:
            self.console().print(renderable)

    def note(self, text: str) -> None:
        """Print a remark on stderr, unless --quiet."""
        if not self.quiet:
            print(text, file=sys.stderr)

    def would(self, what: str, **parts: Any) -> None:
        """Say what --dry-run leaves undone: to people, or as one JSON document.

        Args:
            what: the doing, such as `write report.html`.
            parts: further fields of the document.
        """
        self.emit({"dry_run": True, "would": what, **parts})
        self.out(f"Would {what}")

    def emit(self, document: Any) -> None:
        """Print the result as one JSON document; nothing without --json."""
        if self.json:
            print(json.dumps(document, indent=2, default=str))


def resolve(flags: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Settings:
    """Settings from flags, then environment, then the workspace's froude.toml, then defaults.

    Args:
        flags: values of the global flags; None where not given.
        environment: `os.environ` unless a test gives another.

    Raises:
        InputError: a value of the environment or the workspace's file is wrong.
    """
    around = os.environ if environment is None else environment
    workspace = Path(flags.get("workspace") or around.get(_ENVIRONMENT["workspace"]) or Path.cwd())
    defaults = _workspace_defaults(workspace / "froude.toml")

    def pick(name: str) -> Any:
        if flags.get(name) is not None:
            return flags[name]
        return around.get(_ENVIRONMENT[name], defaults.get(name))

    workers, seed = pick("workers"), pick("seed")
    try:
        number = 0 if seed is None else int(seed)
    except ValueError as error:
        raise InputError("not a seed", place="--seed", found=seed, allowed="a whole number") from error
    return Settings(
        workspace=workspace,
        workers=1 if workers is None else parse_workers(str(workers)),
        seed=number,
        dry_run=bool(flags.get("dry_run")),
        json=bool(flags.get("json")),
        quiet=bool(flags.get("quiet")),
    )


def _workspace_defaults(file: Path) -> dict[str, Any]:
    if not file.is_file():
        return {}
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise InputError(f"is not TOML ({error})", file=file) from error
    found = table.get("defaults", {})
    if not isinstance(found, dict):
        raise InputError("defaults is not a table", file=file, allowed="[defaults] with workers, seed")
    return found
