"""The `froude` command: finds the group that is asked for, imports only that, and catches errors once.

Every group is listed in `COMMANDS` with the line that `froude --help` shows, so that the help answers without
importing any of them. Global flags may stand anywhere on the line.
"""

from __future__ import annotations

import importlib
import itertools
import os
import shlex
import signal
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from froude import __version__
from froude.base.errors import FroudeError, InputError, MissingError
from froude.base.input_limits import within_limits
from froude.cli.ending import Code, drop, emit, end, print_error
from froude.cli.settings import resolve
from froude.cli.terminal import closed, reserve_stdout, results, visible


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where a command lives and what the overview says of it."""

    module: str
    attribute: str
    line: str


COMMANDS = {
    "demo": _Entry(
        "demo", "demo", "The whole chain, small, on a real NameNode that Froude fetches and starts."
    ),
    "doctor": _Entry("doctor", "doctor", "What is here, what is missing, and how to get it."),
    "ls": _Entry("ls", "ls", "What a workspace or a folder holds, newest first; Runs side by side."),
    "clean": _Entry("clean", "clean", "What the cache holds, with sizes; removes what of it shall go."),
    "hadoop": _Entry("hadoop", "app", "Get a Hadoop; start and stop daemons or a small cluster."),
    "record": _Entry("record", "record", "A job of yours on small real clusters → Traces."),
    "capture": _Entry("capture", "app", "Record live calls, or those in a packet capture, into a Trace."),
    "trace": _Entry("trace", "app", "Look at, check, compare and import Traces."),
    "mine": _Entry("mine", "mine", "Traces of small runs → a Workload, and the questions it leaves open."),
    "review": _Entry("review", "review", "Answer and confirm a Workload's questions."),
    "mix": _Entry("mix", "mix", "Several Workloads → one, whose jobs run in parallel."),
    "extrapolate": _Entry("extrapolate", "extrapolate", "A Workload at a Scale → a Plan, with its refusals."),
    "run": _Entry("run", "run", "An experiment that was written down: play, knee, sweep, duet and more."),
    "scenario": _Entry("scenario", "app", "Write an experiment down, for `froude run`."),
    "play": _Entry("play", "play", "Play a Plan against a real daemon → a Run."),
    "knee": _Entry(
        "knee",
        "knee",
        "How far does a NameNode or ResourceManager scale? Plays at growing load until a limit breaks.",
    ),
    "sweep": _Entry("sweep", "sweep", "The same experiment with some of its fields varied → Runs by arm."),
    "compare": _Entry(
        "compare", "compare", "Is a candidate slower? Repeated Runs of two arms, with confidence."
    ),
    "image": _Entry(
        "image", "app", "What an FsImage holds; namespaces, block lists, logs made up; the heap they need."
    ),
    "provision": _Entry(
        "provision", "app", "Hardware, application and SLA → the cheapest cluster, with a proof."
    ),
    "harvest": _Entry(
        "harvest", "app", "Tenants' history → classes, placement of replicas, and what they are worth."
    ),
    "cache": _Entry(
        "cache", "app", "A scarce SSD cache, split among VMs: cached disks, who gets how much, and why."
    ),
    "report": _Entry("report", "report", "Workloads, Traces and Runs → one HTML page, and the same as JSON."),
}

_VALUE_FLAGS = {"--workspace", "--workers", "--seed", "--max"}
_MANY = {"--baseline", "--candidate"}
"""Flags that take every word up to the next flag."""
_SWITCHES = {"--dry-run", "--force", "--json", "--quiet"}


class _Lazy(TyperGroup):
    """A group whose members are imported when they are called, not when they are listed."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        names: dict[str, Any] = dict.fromkeys(COMMANDS)
        self.commands = names  # a wrong one is compared with them

    def list_commands(self, _ctx: Any) -> list[str]:
        """Every command, in the order of the chain."""
        return list(COMMANDS)

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        """The command of that name, imported now; None for a name that is not one."""
        return _command(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """The overview, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.line) for name, entry in COMMANDS.items()])

    def invoke(self, ctx: Any) -> Any:
        """Run the command; Ctrl-C ends with 130, as a shell expects."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            end(Code.INTERRUPTED, "interrupted")
        except BrokenPipeError as error:
            if closed(results() or sys.stdout) or closed(sys.stderr):
                raise  # click ends without a word
            raise _stated(error) from error  # of a connection, or of a program


@cache
def _command(name: str) -> Any:
    """One of `COMMANDS`, read from its module the first time that it is called."""
    entry = COMMANDS[name]
    member = getattr(importlib.import_module(f"froude.cli.{entry.module}"), entry.attribute)
    if not isinstance(member, typer.Typer):
        group = typer.Typer(add_completion=False, rich_markup_mode=None)
        group.command(name=name)(member)
        member = group
    command = typer.main.get_command(member)
    command.name = name
    _keep_summaries_whole(command)
    return command


def _keep_summaries_whole(group: Any) -> None:
    """The overview of a group wraps the summaries of its commands; without one of their own they would be cut."""
    for command in getattr(group, "commands", {}).values():
        command.short_help = " ".join((command.help or "").split("\n\n")[0].split())
        _keep_summaries_whole(command)


app = typer.Typer(
    cls=_Lazy,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Try it: froude demo. Exit codes: 0 done, 1 a stated error, 2 usage, 3 a limit missed, 70 a bug.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"froude {__version__}")
        raise typer.Exit


@app.callback()
def froude(
    ctx: typer.Context,
    workspace: Annotated[
        Path | None, typer.Option(help="Folder for what Froude keeps [$FROUDE_WORKSPACE, else here].")
    ] = None,
    workers: Annotated[
        str | None,
        typer.Option(metavar="N", help="Local processes, or tcp://HOST:PORT of a dask scheduler [1]."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Root of every random choice [0].")] = None,
    limits: Annotated[
        list[str] | None,
        typer.Option(
            "--max",
            metavar="NAME=NUMBER",
            help="The largest input that is read, such as expansion=4GB of a packed file; repeat for rows, columns, "
            "nodes, steps, repetitions.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Write over files of another kind or with edits; never over an input."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Results as one JSON document on stdout, errors too.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no remarks.")] = False,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version.")
    ] = False,
) -> None:
    """Scale models of Hadoop-class clusters.

    Record small runs of a real cluster, mine their pattern, predict the full size, and play it against a real
    NameNode with thousands of emulated DataNodes.
    """
    del version
    flags = {"workspace": workspace, "workers": workers, "seed": seed, "max": limits or None}
    switches = {"dry_run": dry_run, "force": force, "json": as_json, "quiet": quiet}
    ctx.obj = resolve({**flags, **switches, "command": ctx.obj})
    ctx.with_resource(within_limits(ctx.obj.limits))


@cache
def _whole() -> Any:
    """The program; to make its parser takes longer than many a command that a process runs after another."""
    return typer.main.get_command(app)


def hoist(arguments: list[str]) -> list[str]:
    """Move global flags to the front, so that `froude mine x --json` works as `froude --json mine x`.

    Everything after a bare `--` stays where it is.
    """
    front: list[str] = []
    rest: list[str] = []
    todo = iter(arguments)
    for word in todo:
        if word == "--":
            rest += [word, *todo]
        elif word in _SWITCHES or word.partition("=")[0] in _VALUE_FLAGS:
            front.append(word)
            if word in _VALUE_FLAGS:
                front += [value for value in [next(todo, None)] if value is not None]
        else:
            rest.append(word)
    return front + rest


def spread(arguments: list[str]) -> list[str]:
    """Repeat a flag that takes several words, as a shell's pattern gives them, before each of them.

    Args:
        arguments: a command line, after `hoist`.
    """
    words: list[str] = []
    flag: str | None = None
    todo = iter(arguments)
    for word in todo:
        if word == "--":
            return [*words, word, *todo]
        if word.startswith("-"):
            flag = word if word in _MANY else None
        if flag is None:
            words.append(word)
        elif word != flag:
            words += [flag, word]
    return words


def _own(words: list[str]) -> list[str]:
    """The words up to a bare `--`: those behind it are for another program."""
    return list(itertools.takewhile(lambda word: word != "--", words))


def as_typed(arguments: list[str]) -> str:
    """The command line for a lineage: quoted, so that a shell reads the same words again."""
    return shlex.join(["froude", *arguments]).encode(errors="backslashreplace").decode()


def main(arguments: list[str] | None = None) -> None:
    """Run a command line and exit with its code.

    SIGTERM, by which job runners cancel, ends a command as Ctrl-C does: what was begun is ended or removed.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # the caller closed it
            setattr(sys, stream, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - until the end
    words = sys.argv[1:] if arguments is None else arguments
    if "--json" in (own := _own(words)) and not {"--help", "-h", "--version"}.intersection(own):
        reserve_stdout()
    code = _flushed(run(words))
    if (
        code == Code.INTERRUPTED
    ):  # Python drops its handlers before it ends: a second signal would be the exit code
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, signal.SIG_IGN)
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run a command line.

    Returns:
        The exit code; a command states one by `raise typer.Exit(code)`.
    """
    words = spread(hoist(arguments))
    try:
        _whole()(words, prog_name="froude", obj=as_typed(arguments))
    except KeyboardInterrupt:
        print("froude: interrupted", file=sys.stderr)
        return Code.INTERRUPTED
    except (FroudeError, OSError, MemoryError) as error:
        return print_error(_stated(error), as_json="--json" in _own(words))
    except SystemExit as stop:
        if stop.code == Code.USAGE and "--json" in _own(words):
            emit(InputError("is a wrong command line: standard error has the reason"))
        return stop.code if isinstance(stop.code, int) else Code.ERROR if stop.code else 0
    except Exception as error:  # noqa: BLE001 - the one place where a bug becomes a message
        return _bug(error)
    return 0


def _flushed(code: int) -> int:
    """The exit code, once standard output is written: Python writes it at its end, and exits with 120 if it cannot."""
    try:
        sys.stdout.flush()
    except OSError as error:
        drop(sys.stdout)
        if code or isinstance(error, BrokenPipeError):
            return code
        print(f"froude: {_stated(error)}", file=sys.stderr)
        return Code.ERROR
    return code


def _stated(error: FroudeError | OSError | MemoryError) -> FroudeError:
    """What the system refused, as an error of ours; readers and writers that know more state it themselves."""
    if isinstance(error, FroudeError):
        return error
    _trace(error)
    if isinstance(error, MemoryError):
        remedy = "Give it less at a time (a shorter span, fewer inputs or --workers), or a machine with more"
        return MissingError("there is not enough memory for this", found=str(error) or None, remedy=remedy)
    return InputError(f"cannot be read or written ({error.strerror or error})", file=error.filename)


def _trace(error: BaseException) -> None:
    """Show where an error comes from, to those who ask for it."""
    import traceback

    if os.environ.get("FROUDE_TRACEBACK"):
        traceback.print_exception(error)


def _bug(error: Exception) -> int:
    import traceback

    _trace(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{last.filename.rpartition('froude/')[2]}:{last.lineno}"
    print(visible(f"froude: a bug of ours: {type(error).__name__}: {error} ({where})"), file=sys.stderr)
    print(f"froude {__version__}; please report it with the command and this line,", file=sys.stderr)
    print("and the output with FROUDE_TRACEBACK=1 set", file=sys.stderr)
    return Code.BUG
