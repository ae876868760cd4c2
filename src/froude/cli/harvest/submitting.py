"""`froude harvest submit`: a job that runs where its class has room."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from froude.base.errors import InputError, TargetError
from froude.base.units import parse_seconds
from froude.cli.harvest import common, managers
from froude.cli.numbers import amount

if TYPE_CHECKING:
    from froude.cli.settings import Settings
    from froude.harvest.live.controller import Controller
    from froude.harvest.live.submitter import Selecting
    from froude.harvest.live.submitting import Target

_LIMIT_BYTES = 1 << 20


def submit(
    ctx: typer.Context,
    job: Annotated[str, typer.Option(metavar="NAME", help="What kind of job: its last run tells its type.")],
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- COMMAND", help="What starts it, and ends when it ends.")
    ] = None,
    containers: Annotated[
        int | None, typer.Option(min=1, max=1_000_000, help="The most that it uses at once.")
    ] = None,
    graph: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Instead: Spark event log, Rumen or SWIM trace, .jhist or WfCommons instance of an earlier run.",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="One record of --graph that is left out is an error.")
    ] = False,
    cores: Annotated[float, typer.Option(min=0.01, max=1024, help="Of each container.")] = 1.0,
    memory: Annotated[
        float,
        typer.Option(
            metavar="SIZE",
            parser=amount("B", 1 << 20, least=0, most=1 << 26),
            help="Of each; a number is in MiB.",
        ),
    ] = 2048,
    last: Annotated[
        str | None, typer.Option(metavar="TIME", help="How long the last run took [as remembered].")
    ] = None,
    split: Annotated[
        bool, typer.Option("--split", help="Over several classes: the command once for each, side by side.")
    ] = False,
    application: Annotated[
        Path | None,
        typer.Option(
            "--rest", metavar="JSON", help="Instead of a command: what to post to --resourcemanager."
        ),
    ] = None,
    service: Annotated[
        Path, typer.Option(metavar="PATH", help="Folder of the daemon, or its access.json.")
    ] = Path("harvest-service"),
    authority: Annotated[
        Path | None,
        typer.Option(metavar="PEM", help="Who signed the daemon's certificate [as the system knows]."),
    ] = None,
    datacenter: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Choose here, without a daemon; with --resourcemanager."),
    ] = None,
    runs: Annotated[
        Path, typer.Option(metavar="JSON", help="Where last runs are remembered without a daemon.")
    ] = Path("harvest-jobs.json"),
    resourcemanager: Annotated[str | None, managers.AT] = None,
    user: common.User = None,
) -> None:
    """Ask for the class that has room for a job, submit the job with its label, and remember how long it took.

    Options go where `yarn jar JAR NAME`, `mapred streaming` and `spark-submit` take theirs. In any other command the
    words {options} (of MapReduce), {label}, {master_label} (of the application master), {attributes} (a placement
    constraint over all classes chosen) and {containers} are replaced. A node has one label: a job over several classes
    runs on the one with most room, with --split as one job a class, with {attributes} on all of them.

    Example: froude harvest submit --job sort --containers 40 -- yarn jar hadoop-mapreduce-examples.jar terasort in out
    """
    from froude.cli.outputs import Output, claim
    from froude.harvest.live.service_file import MIGRATIONS
    from froude.harvest.live.submitter import Remote
    from froude.harvest.live.submitting import splits_by_attributes, targets_of

    settings: Settings = ctx.obj
    common.require()
    if datacenter is not None:
        claim(settings, [Output(runs, MIGRATIONS.kind)], [datacenter, graph, application])
    if (application is None) == (not command):
        raise InputError(
            "is needed, and only one", place="harvest submit", allowed="-- COMMAND, or --rest JSON"
        )
    if (application is not None or datacenter is not None) and resourcemanager is None:
        raise InputError(
            "is needed", place="--resourcemanager", allowed="HOST:PORT, with --rest and --datacenter"
        )
    if split and application is not None:
        raise InputError("is of a command: an application is posted once", place="--split")
    if authority is not None and datacenter is not None:
        raise InputError("is of no use without a daemon", place="--authority", allowed="--service")
    fields = None if application is None else _fields(application)
    notes: list[str] = []
    request = _request(notes, containers, graph, strict=strict)
    asked = {
        "job": job,
        "containers": request,
        "cores": cores,
        "memory_mb": math.ceil(memory),
        "last_run_s": None if last is None else parse_seconds(last, place="--last"),
    }
    selecting: Selecting = (
        Remote(service, authority)
        if datacenter is None
        else _Here(settings, datacenter, runs, resourcemanager or "", user)
    )
    for note in notes:
        settings.note(note)
    answer = selecting.select(asked)
    try:
        by_attributes = splits_by_attributes(command or [])
        targets = targets_of(answer, round(request), split=split, by_attributes=by_attributes)
        chosen = {name: answer[name] for name in ("job", "type", "fit", "label", "classes")}
    except (KeyError, TypeError, ValueError) as error:
        raise TargetError("answers with a form that is not known", file=str(service), found=error) from error
    _say(settings, chosen, answer)
    if split and len(targets) == 1 and sum(part["containers"] > 0 for part in chosen["classes"]) > 1:
        settings.note("note: nothing tells its classes apart, as nodes carry no labels: it runs once")
    seconds, how = _ran(settings, command or [], fields, targets, resourcemanager, user)
    if seconds is not None:
        selecting.ran({"job": job, "seconds": seconds, "containers": request})
    settings.emit({**chosen, **how, "seconds": seconds})
    settings.out(f"{job} took {seconds:.1f} s" if seconds is not None else "Nothing was started")


def _ran(
    settings: Settings,
    command: list[str],
    fields: Mapping[str, Any] | None,
    targets: list[Target],
    resourcemanager: str | None,
    user: str | None,
) -> tuple[float | None, dict[str, Any]]:
    """How long it took, None where nothing was started; and what was."""
    from froude.base.clock import RealClock
    from froude.harvest.live.submitter import run_application, run_commands
    from froude.harvest.live.submitting import command_for, submission_for

    if fields is not None:
        if settings.dry_run:
            return None, {"application": submission_for(fields, targets[0], "")}
        calls = managers.server(settings, resourcemanager or "", user).calls
        application, seconds = run_application(calls, fields, targets[0], RealClock())
        return seconds, {"application": application}
    commands = [command_for(command, target) for target in targets]
    for words in commands:
        settings.note(" ".join(words))
    if settings.dry_run:
        return None, {"commands": commands}
    clock = RealClock()
    begun = clock.now()
    codes = run_commands(commands, quiet_output=settings.json)
    if any(codes):
        found = ", ".join(map(str, codes))
        raise TargetError(
            "did not succeed, and is not remembered", file=commands[0][0], found=f"exit code {found}"
        )
    return clock.now() - begun, {"commands": commands}


def _request(notes: list[str], containers: int | None, graph: Path | None, *, strict: bool) -> float:
    """Containers that are asked for; what was understood of a graph, and left out, goes to the notes."""
    from froude.harvest.schedule.dags.graph import Concurrency, concurrency
    from froude.harvest.schedule.dags.read import read_jobs

    if (containers is None) == (graph is None):
        raise InputError(
            "is needed, and only one", place="harvest submit", allowed="--containers, or --graph"
        )
    if containers is not None:
        return float(containers)
    graphs = read_jobs(graph or Path(), notes.append, notes.append, strict=strict)
    return float(max(concurrency(each, Concurrency.LEVELS) for each in graphs))


def _fields(path: Path) -> dict[str, Any]:
    from froude.base.files import read_bounded
    from froude.documents.plain import parse_json

    fields = parse_json(read_bounded(path, limit_bytes=_LIMIT_BYTES), str(path))
    if not isinstance(fields, dict) or "am-container-spec" not in fields:
        allowed = "an application submission context, with am-container-spec"
        raise InputError("is no application", file=path, allowed=allowed)
    return dict(fields)


class _Here:
    """Chooses without a daemon: one look at the ResourceManager, which changes nothing."""

    def __init__(
        self, settings: Settings, datacenter: Path, runs: Path, resourcemanager: str, user: str | None
    ) -> None:
        from froude.base.clock import RealClock
        from froude.harvest.live.service_file import read_known

        self._settings, self._runs = settings, runs
        self._known = read_known(runs) if runs.exists() else None
        self._controller = self._made(datacenter, resourcemanager)
        server = managers.server(settings, resourcemanager, user)
        for note in self._controller.poll(server.state(), RealClock().wall()).notes:
            settings.note(f"note: {note}")

    def _made(self, datacenter: Path, resourcemanager: str) -> Controller:
        from froude.base.clock import RealClock
        from froude.base.seeds import Seeds
        from froude.harvest.live.controller import Controller, Wanted
        from froude.harvest.live.history import History
        from froude.harvest.live.service_file import Known
        from froude.harvest.telemetry.files import read_datacenter

        now_s, seeds = RealClock().wall(), Seeds(self._settings.seed)
        history = History(read_datacenter(datacenter), now_s)
        known = Known(last=self._known.last) if self._known is not None else None
        # One draw a command: the same seed each time would send every job to the same class.
        moment = seeds if self._settings.asked_seed is not None else seeds.child(str(now_s))
        draws = moment.child("select").random()
        return Controller(Wanted(resourcemanager), history, seeds, draws=draws, known=known)

    def select(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        from froude.harvest.live.choosing import Request, choice_fields
        from froude.harvest.schedule.selection import Container

        container = Container(asked["cores"], asked["memory_mb"])
        request = Request(asked["job"], asked["containers"], container, asked["last_run_s"])
        return choice_fields(self._controller.choose(request))

    def ran(self, told: Mapping[str, Any]) -> None:
        from froude.base.locks import beside, in_turn
        from froude.cli.outputs import write
        from froude.harvest.live.choosing import LastRun, remembered_run
        from froude.harvest.live.service_file import Known, known_json, read_known

        # Other jobs may have ended while this one ran: what is there now counts, and nobody writes meanwhile.
        with in_turn(beside(self._runs)):
            last = read_known(self._runs).last if self._runs.exists() else {}
            last = remembered_run(last, told["job"], LastRun(told["seconds"], told["containers"]))
            write({self._runs: known_json(Known(last=last), self._settings.origin())})


def _say(settings: Settings, chosen: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
    from froude.base.summary import counted

    where = ", ".join(
        f"{part['label']} ({counted(part['containers'], 'container')})" for part in chosen["classes"]
    )
    lacks = answer.get("lacks") or "room"
    short = "no class is known" if lacks == "classes" else f"too little {lacks} is free"
    alone = f"{short}; its application master goes to {answer['master_label'] or 'any node'}"
    settings.note(f"{chosen['job']}: {chosen['type']}, {chosen['fit']}: {where or alone}")
