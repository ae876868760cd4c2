"""What every command knows: global flags, resolved (flag, environment, workspace, default), and output."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from froude.base.errors import InputError
from froude.base.files import read_bounded
from froude.base.input_limits import InputLimits, parse_limits
from froude.base.parallel import Workers, parse_workers
from froude.base.progress import Progress, Silent
from froude.cli.terminal import results, visible, visible_json

if TYPE_CHECKING:
    from rich.console import Console

    from froude.documents.artifact import Origin

_LIMIT_BYTES = 1 << 20
_ENVIRONMENT = {
    "workspace": "FROUDE_WORKSPACE",
    "workers": "FROUDE_WORKERS",
    "seed": "FROUDE_SEED",
    "max": "FROUDE_MAX",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Global flags, resolved."""

    workspace: Path = field(default_factory=Path.cwd)
    """The workspace folder; the current folder unless told otherwise."""
    workers: Workers = 1
    seed: int = 0
    asked_seed: int | None = None
    """The seed that the flag gave, which is before that of a scenario; None without one."""
    dry_run: bool = False
    json: bool = False
    quiet: bool = False
    force: bool = False
    """Whether outputs may replace files of another kind, and edited ones."""
    limits: InputLimits = field(default_factory=InputLimits)
    """The largest inputs that are read."""
    command: str = ""
    """The command line as typed."""

    def origin(self, inputs: Sequence[str] = (), *, seeded: bool = False, tags: Sequence[str] = ()) -> Origin:
        """How what this command writes came to be.

        Args:
            inputs: content hashes of what it was made from.
            tags: words by which a workspace finds it.
        """
        from froude.documents.artifact import Origin

        return Origin(self.command, tuple(inputs), self.seed if seeded else None, tags=tuple(tags))

    def progress(self) -> Progress:
        """Progress on stderr: a live line on a terminal, a line a step elsewhere; silent with --quiet or --json."""
        if self.quiet or self.json:
            return Silent()
        from froude.cli.progress import LineProgress, RichProgress

        return RichProgress() if sys.stderr.isatty() else LineProgress()

    def console(self) -> Console:
        """Where results are printed; colours only on a terminal without NO_COLOR."""
        from rich.console import Console

        # A path or a name may hold `[b]` or `:key:`, which are no markup.
        return Console(highlight=False, markup=False, emoji=False, soft_wrap=not sys.stdout.isatty())

    def out(self, renderable: Any) -> None:
        """Print a result for people; nothing with --json, since that prints one document."""
        if not self.json:
            self.console().print(visible(renderable) if isinstance(renderable, str) else renderable)

    def note(self, text: str) -> None:
        """Print a remark on stderr, unless --quiet."""
        if not self.quiet:
            print(visible(text), file=sys.stderr)

    def would(self, what: str, **parts: Any) -> None:
        """Say what --dry-run leaves undone: to people, or as one JSON document.

        Args:
            what: the doing, such as `write report.html`.
        """
        self.emit({"dry_run": True, "would": what, **parts})
        self.out(f"Would {what}")

    def emit(self, document: Any) -> None:
        """Print the result as one JSON document; nothing without --json.

        Args:
            document: values that JSON takes; or its text, as it is written to a file.
        """
        if self.json:
            text = document if isinstance(document, str) else json.dumps(document, indent=2, default=str)
            print(visible_json(text.rstrip("\n")), file=results(), flush=True)  # a service goes on after it


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
    limits = pick("max") or ()
    if not isinstance(limits, str | list | tuple):
        raise InputError("are not limits", place="max", found=limits, allowed='"NAME=NUMBER,…", or a list')
    return Settings(
        workspace=workspace,
        workers=1 if workers is None else parse_workers(str(workers)),
        seed=number,
        asked_seed=flags.get("seed"),
        dry_run=bool(flags.get("dry_run")),
        json=bool(flags.get("json")),
        quiet=bool(flags.get("quiet")),
        force=bool(flags.get("force")),
        limits=parse_limits(limits.split(",") if isinstance(limits, str) else map(str, limits)),
        command=str(flags.get("command") or ""),
    )


def _workspace_defaults(file: Path) -> dict[str, Any]:
    if not file.is_file():
        return {}
    from froude.documents.plain import Fields
    from froude.documents.reading import STAMP, Section

    try:
        table = tomllib.loads(read_bounded(file, limit_bytes=_LIMIT_BYTES).decode())
    except (ValueError, RecursionError) as error:  # also digits beyond what is read
        raise InputError(f"is not TOML ({error})", file=file) from error
    root = Section(
        Fields((name, Fields(each) if isinstance(each, dict) else each) for name, each in table.items()),
        str(file),
    )
    for name in ("format", STAMP):  # the workspace's own
        root.raw(name)
    section = root.section("defaults")
    defaults = {
        "workers": section.raw("workers"),
        "seed": section.optional("seed", int),
        "max": section.raw("max"),
    }
    section.finish()
    root.finish()
    return defaults
