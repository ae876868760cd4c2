"""`froude harvest serve`: the daemon that classifies daily, looks every minute, and tells jobs where to run."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from froude.base.errors import GuardError, InputError
from froude.base.units import parse_seconds
from froude.cli.harvest import common, managers
from froude.cli.harvest.usage import usage_of_servers

if TYPE_CHECKING:
    import threading

    from froude.cli.settings import Settings
    from froude.harvest.live.controller import Controller, Wanted
    from froude.harvest.live.resourcemanager import ResourceManager
    from froude.harvest.live.serving import Places
    from froude.harvest.live.usage import Usage
    from froude.harvest.schedule.selection import Thresholds
    from froude.harvest.telemetry.datacenter import Datacenter
    from froude.rest.serving import Bound, Tls

_LEAST_S, _DAY_S = 1.0, 86400.0
_NONE = "none"


def serve(
    ctx: typer.Context,
    resourcemanager: managers.At,
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[DATACENTER]", help="Tenants and their past [the daemon's own, later on]."),
    ] = None,
    resources: managers.Resources = False,
    carried: Annotated[
        str, typer.Option("--as", help="Classes are nodes' labels, attributes, both, or none.")
    ] = "labels",
    forecast: Annotated[
        bool, typer.Option("--forecast", help="Nodes take no more than the next hour is expected to leave.")
    ] = False,
    usage: managers.UsageTable = None,
    reserve: managers.ReserveShares = managers.USUAL_RESERVE,
    keep_queues: managers.KeepQueues = False,
    classes: managers.ClassNumbers = "13,5,5",
    thresholds: Annotated[
        str, typer.Option(metavar="SHORT,LONG", help="Where jobs' types begin; auto: from how they ran.")
    ] = "173s,433s",
    interval: common.Interval = "60s",
    reclassify: Annotated[
        str, typer.Option(metavar="TIME", help="From one classification to the next.")
    ] = "1d",
    listen: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where jobs ask.")] = "127.0.0.1:8650",
    certificate: Annotated[
        Path | None, typer.Option(metavar="PEM", help="To serve by TLS: needed beyond loopback.")
    ] = None,
    key: Annotated[Path | None, typer.Option(metavar="PEM", help="Of the certificate.")] = None,
    state: Annotated[
        Path, typer.Option("--state", metavar="FOLDER", help="What it must know when it starts again.")
    ] = Path("harvest-service"),
    prior: Annotated[
        Path | None,
        typer.Option(
            metavar="JSON", help="What `harvest apply` wrote: it is moved to --state, and goes on there."
        ),
    ] = None,
    grace: managers.Grace = 0.0,
    target_is: managers.Is = None,
    admin: managers.Admin = None,
    hadoop: managers.Release = None,
    user: common.User = None,
) -> None:
    """Classes made daily, nodes resized every minute, and jobs told where to run, until Ctrl-C or SIGTERM.

    Without --target-is it shows what the first look would change, and ends. What was there before is written to
    prior.json in --state, for `froude harvest rollback`; started again there, it goes on. access.json there says where
    jobs ask, and with which token: `froude harvest submit --service` takes it.

    Example: froude harvest serve dc --resourcemanager rm.example.com:8088 --resources --target-is 1795487635110
    """
    from froude.cli.harvest.tenants import grouping
    from froude.cli.outputs import refuse_inside
    from froude.harvest.live.serving import Places, one_daemon
    from froude.rest.serving import context_of, listener, may_listen

    settings: Settings = ctx.obj
    common.require(web=True)
    from froude.harvest.live.controller import Wanted

    places = Places(state)
    refuse_inside(places.prior)
    interval_s = _between("--interval", interval, _LEAST_S, _DAY_S)
    carrier = None if carried == _NONE else managers.carrier(carried)
    reclassify_s = _between("--reclassify", reclassify, 60.0, 366 * _DAY_S)
    if forecast and not resources:
        raise InputError("says how nodes are resized", place="--forecast", allowed="--resources as well")
    wanted = Wanted(
        resourcemanager,
        resources=resources,
        carrier=carrier,
        queues=not keep_queues,
        forecast=forecast,
        reserve=managers.reserve(reserve),
        reclassify_s=reclassify_s,
        grouping=grouping("folded", classes),
        thresholds=None if thresholds == "auto" else _thresholds(thresholds),
    )
    tls = _tls(certificate, key)
    may_listen(listen, tls, place="--listen")
    if tls is not None:
        context_of(tls)
    server = managers.server(settings, resourcemanager, user, admin=admin, hadoop=hadoop)
    managers.require_labels(server, wanted.carrier)
    reading = None if usage is None else _reading(usage)
    if settings.dry_run or (target_is is None and (wanted.resources or wanted.carrier is not None)):
        _preview(settings, server, _controller(settings, places, wanted, folder, prior), reading)
        return
    if prior is not None and prior.exists():
        ctx.with_resource(managers.only_one(prior))
    with one_daemon(places), contextlib.closing(listener(listen, tls, place="--listen")) as bound:
        controller = _controller(settings, places, wanted, folder, prior)
        _recognise(server, controller, target_is)
        if prior is not None:
            managers.same(server.state(), controller.prior, prior)
            shutil.move(prior, places.prior)
        _run(settings, server, controller, places, bound=bound, rhythm=(interval_s, grace), usage=reading)


def _run(
    settings: Settings,
    server: ResourceManager,
    controller: Controller,
    places: Places,
    *,
    bound: Bound,
    rhythm: tuple[float, float],
    usage: Callable[[], Mapping[str, Usage]] | None,
) -> None:
    import time

    from froude.base.clock import RealClock
    from froude.harvest.live import serving
    from froude.harvest.live.api import selection_app
    from froude.rest.serving import served

    def note(text: str) -> None:
        settings.note(f"{time.strftime('%H:%M:%S')} {text}")

    service = serving.Service(
        server, controller, places,
        clock=RealClock(), rhythm=serving.Rhythm(*rhythm), origin=settings.origin(seeded=True), note=note, usage=usage,
    )  # fmt: skip
    token = serving.token_of(places)
    with served(selection_app(service.calls(), token), bound), serving.access(places, bound.url, token):
        note(f"jobs ask at {bound.url} with {places.access}; Ctrl-C ends it")
        with contextlib.suppress(KeyboardInterrupt), _until_told() as told:
            service.run(told)
    done = service.tally
    settings.emit(
        {"polls": done.polls, "failed": done.failed, "changes": done.changes, "state": str(places.folder)}
    )
    back = f"; back again: froude harvest rollback {places.prior}" if places.prior.exists() else ""
    settings.out(f"{done.polls} looks, {done.changes} with changes, {done.failed} failed{back}")


@contextlib.contextmanager
def _until_told() -> Iterator[threading.Event]:
    """An event that Ctrl-C and SIGTERM set as well.

    They raise KeyboardInterrupt, too, so that nothing is waited for; but Python drops one that is raised while it closes
    a forgotten file, and a daemon must end all the same.
    """
    import signal
    import threading

    class Told(threading.Event):
        interrupted = False

        def wait(self, timeout: float | None = None) -> bool:
            return self.interrupted or super().wait(timeout)

    def interrupt(*_: object) -> NoReturn:
        told.interrupted = True
        raise KeyboardInterrupt

    told = Told()
    before = {name: signal.signal(name, interrupt) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield told
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


def _preview(
    settings: Settings,
    server: ResourceManager,
    controller: Controller,
    usage: Callable[[], Mapping[str, Usage]] | None,
) -> None:
    """What the first look would change."""
    from froude.base.clock import RealClock

    now = server.state()
    earlier = frozenset[str]() if controller.known.id in {"", now.id} else server.stamps()
    measured = None if usage is None else usage()
    step = controller.poll(now, RealClock().wall(), measured=measured, earlier=earlier)
    for text in step.notes:
        settings.note(f"note: {text}")
    managers.show(settings, now, step.changes)
    settings.note(f"Nothing was changed. To do it, and go on: --target-is {now.id}")


def _controller(
    settings: Settings, places: Places, wanted: Wanted, folder: Path | None, taken_over: Path | None
) -> Controller:
    """A controller that goes on where an earlier one in this folder ended, or an `apply`."""
    from froude.base.clock import RealClock
    from froude.base.seeds import Seeds
    from froude.harvest.live.controller import Controller
    from froude.harvest.live.history import History
    from froude.harvest.live.prior_file import read_prior
    from froude.harvest.live.service_file import read_known

    now_s = RealClock().wall()
    history = History(_past(settings, places, folder), now_s)
    if history.moved_s:
        settings.note(f"note: the past was moved on by {history.moved_s / _DAY_S:.0f} days, to end today")
    known = read_known(places.known) if places.known.exists() else None
    if taken_over is not None and places.prior.exists():
        raise InputError("has one already", file=places.prior, place="--prior", found=taken_over)
    file = taken_over or places.prior
    prior = read_prior(file) if file.exists() or taken_over else None
    return Controller(wanted, history, Seeds(settings.seed), known=known, prior=prior)


def _past(settings: Settings, places: Places, folder: Path | None) -> Datacenter:
    from froude.harvest.telemetry.files import read_datacenter

    if places.history.exists():
        if folder is not None:
            settings.note(f"note: {places.history} goes on, which began with {folder}")
        return read_datacenter(places.history)
    if folder is None:
        raise InputError(
            "knows no tenants yet", file=places.folder, allowed="DATACENTER, as of `froude harvest import`"
        )
    return read_datacenter(folder)


def _recognise(server: ResourceManager, controller: Controller, typed: str | None) -> None:
    """See that it is the ResourceManager that was named, now or when this folder was begun."""
    if typed is None or typed in controller.known.ids:
        return
    now = server.state()
    if now.id != typed:
        raise GuardError(
            "is not the ResourceManager that was named", file=server.address, found=now.id, allowed=typed
        )
    controller.accept(typed, server.stamps())


def _thresholds(text: str) -> Thresholds:
    from froude.harvest.schedule.selection import Thresholds

    short, comma, long = text.partition(",")
    allowed = "SHORT,LONG such as 173s,433s; or auto"
    if not comma:
        raise InputError("are no thresholds", place="--thresholds", found=text, allowed=allowed)
    try:
        return Thresholds(
            parse_seconds(short, place="--thresholds"), parse_seconds(long, place="--thresholds")
        )
    except ValueError as error:
        raise InputError(str(error), place="--thresholds", found=text, allowed=allowed) from error


def _tls(certificate: Path | None, key: Path | None) -> Tls | None:
    from froude.rest.serving import Tls

    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise InputError("needs the other", place="--certificate, --key", allowed="both, or neither")
    return Tls(certificate=certificate, key=key)


def _reading(path: Path) -> Callable[[], Mapping[str, Usage]]:
    """Reads the table at each look; once now, so that a wrong one is told at the start."""
    usage_of_servers(path)
    return lambda: usage_of_servers(path)


def _between(flag: str, text: str, low_s: float, high_s: float) -> float:
    seconds = parse_seconds(text, place=flag)
    if not low_s <= seconds <= high_s:
        allowed = f"{low_s:g} s to {high_s / _DAY_S:g} days"
        raise InputError("is out of range", place=flag, found=text, allowed=allowed)
    return seconds
