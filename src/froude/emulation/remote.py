"""Players on other machines: each reaches by TCP the process that hands on what they let each other know.

That process plays nothing. It knows the players that were asked to come by a token, which each sends before anything
else, and reads nothing from others: what follows are frames of `crew`, which are pickles. A player is given the job,
says when it is ready, answers pings, by which the offset of its clock is known, and begins at a moment of the common
clock. From then on it is one of several players, as those that are forked are.

The kernel watches connections: a machine that is gone ends its player's within six seconds.
"""

from __future__ import annotations

import hmac
import json
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TextIO, TypeVar

from froude.base.clock import RealClock, ShiftedClock
from froude.base.errors import FroudeError, InputError, TargetError
from froude.base.files import stated_os_errors
from froude.base.scratch import Scratch
from froude.base.summary import counted
from froude.base.units import seconds_text
from froude.base.version import __version__
from froude.documents.model import Model
from froude.emulation.crew import Peers, Spooled
from froude.emulation.engine import Crew, Order, PlayJob, PlayOutcome, Watch
from froude.emulation.facts import facts_of
from froude.emulation.merging import merged_outcome, merged_status
from froude.emulation.playing import STILL_S, Common, play_stage, prepare, with_lost
from froude.emulation.recorder import spool_of
from froude.emulation.run.tally import Tally
from froude.emulation.settings import Record
from froude.emulation.sharing import Measured, Ping
from froude.hadoop.rpc.target import is_loopback
from froude.messages.schema import Schema

JOIN = "--join"
"""Makes a player process one that comes to another process."""
_MAGIC = b"froude-player-1\n"
TOKEN_BYTES = 32
_LENGTH_BYTES, _MOST_BYTES = 4, 4096
"""Of the text by which a player presents itself."""
_COME_S = 20.0
"""How long players have until they come: a worker that has other work does not start one."""
_CONNECT_S, _GREET_S = 5.0, 2.0
"""How long one may take to connect, and to present itself."""
_LOOK_S = 0.2
_PINGS, _PING_S = 16, 1.0
"""Pings before a play, and the time between two of them while it goes on."""
_WORST_S = 0.1
"""Where a clock's offset is not known better than this, start rules across players mean little."""
_BEGIN_S = 0.1
"""From the order to begin to the beginning, beside the time that the order is on its way."""
_PART_BYTES = 1 << 20
# A connection whose other end is silent is asked once a second, and lost after five questions without an answer.
_KEEPALIVE = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 5),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 6000),
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
)
_Report = TypeVar("_Report")


@dataclass(frozen=True, slots=True)
class Invitation:
    """By which a player finds the process that hands on."""

    host: str
    port: int
    token: str
    """Hexadecimal digits."""
    player: int
    """Its number, from 1."""


@dataclass(frozen=True, slots=True)
class Guest:
    """A player as it presents itself."""

    player: int
    version: str = __version__
    machine: str = ""
    """The same for all processes of one kernel."""
    network: str = ""
    """The same for those of them that have loopback in common."""
    failure: str = ""
    """Why it does not come; empty for one that is here."""

    @property
    def place(self) -> tuple[str, str]:
        """Machine and network."""
        return self.machine, self.network


class _Task(NamedTuple):
    """What is to be played."""

    job: PlayJob
    common: Common
    files: Mapping[Path, str]
    """Hashes of the files that the player must have."""


class _Ready(NamedTuple):
    """A player has prepared what it plays."""


class _Start(NamedTuple):
    """A player begins."""

    begin_s: float
    """On the clock of who hands on."""
    offset_s: float
    """What is added to the player's clock to have that one."""


def _guest(player: int) -> Guest:
    machine = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return Guest(player, __version__, machine, str(Path("/proc/self/ns/net").readlink()))


# --- who hands on -----------------------------------------------------------------------------------------


def conduct(job: PlayJob, watch: Watch, stopped: Callable[[], bool]) -> PlayOutcome | None:
    """Have a job played by a crew.

    Args:
        watch: called once a second with what goes on; False ends the play.
        stopped: whether nothing shall be played any more; asked until the play begins.

    Returns:
        What they have counted together; None where it was stopped before the play.

    Raises:
        TargetError: a player does not come, or dies before the play.
        FroudeError: what a player states.
    """
    crew, clock = job.crew, RealClock()
    assert crew is not None
    with ExitStack() as stack:
        guests = _welcome(crew, stack, stopped)
        if guests is None:
            return None
        elsewhere = [each for _, each in guests.values() if each.place != _guest(0).place]
        _check(job, [each for _, each in guests.values()], elsewhere)
        sockets = {player: sock for player, (sock, _) in guests.items()}
        names = {player: crew.names[player - 1] for player in sockets}
        peers = Peers(sockets, job.schema, names, first=1)
        peers.keep = partial(_keep, job)
        if not _prepared(peers, job, hashed=bool(elsewhere), stopped=stopped):
            return None
        begin_s = _begin(peers, clock)
        begun_at_s = clock.wall() + begin_s - clock.now()
        interrupted = _follow(peers, clock, begin_s, watch)
        nothing = PlayOutcome(Tally(), begun_at_s, clock.now() - begin_s, 0.0, [])
        outcomes = peers.outcomes() or [nothing]
    outcome = with_lost(merged_outcome(outcomes), peers)
    outcome.begun_at_s, outcome.begun_s = begun_at_s, begin_s
    outcome.interrupted |= interrupted
    outcome.remarks = [*outcome.remarks, _clocks_text(peers, {each.machine for _, each in guests.values()})]
    return outcome


def _welcome(
    crew: Crew, stack: ExitStack, stopped: Callable[[], bool]
) -> dict[int, tuple[socket.socket, Guest]] | None:
    """Wait for all players; None where it was stopped.

    Raises:
        TargetError: one does not come.
    """
    listener = stack.enter_context(socket.socket(fileno=crew.listener))
    listener.settimeout(_LOOK_S)
    guests: dict[int, tuple[socket.socket, Guest]] = {}
    until_s = time.monotonic() + _COME_S
    while len(guests) < len(crew.names):
        if stopped():
            return None
        if time.monotonic() > until_s:
            missing = [name for player, name in enumerate(crew.names, 1) if player not in guests]
            message = f"no player came from it in {_COME_S:.0f} s: it has left, or has other work"
            raise TargetError(message, file=", ".join(missing))
        with suppress(TimeoutError):
            sock = stack.enter_context(listener.accept()[0])
            guest = _greeted(sock, crew.token)
            if guest is None or guest.player in guests or not 0 < guest.player <= len(crew.names):
                sock.close()
            elif guest.failure:
                name = crew.names[guest.player - 1]
                raise TargetError("cannot run a player", file=name, found=guest.failure)
            else:
                guests[guest.player] = (sock, guest)
    return guests


def _greeted(sock: socket.socket, token: bytes) -> Guest | None:
    """Who came; None for somebody who was not asked."""
    sock.settimeout(_GREET_S)
    try:
        head = _exactly(sock, len(_MAGIC) + len(token) + _LENGTH_BYTES)
        if not hmac.compare_digest(head[:-_LENGTH_BYTES], _MAGIC + token):
            return None
        size = int.from_bytes(head[-_LENGTH_BYTES:], "big")
        guest = Guest(**json.loads(_exactly(sock, min(size, _MOST_BYTES))))
    except (OSError, ValueError, TypeError):
        return None
    _watch_over(sock)
    return guest


def _exactly(sock: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = sock.recv(size - len(data))
        if not part:
            raise ValueError("the connection has ended")
        data += part
    return data


def _watch_over(sock: socket.socket) -> None:
    for level, option, value in _KEEPALIVE:
        sock.setsockopt(level, option, value)


def _check(job: PlayJob, guests: list[Guest], elsewhere: list[Guest]) -> None:
    """Refuse players that would play something else.

    Raises:
        InputError: one is of another version, or cannot reach the target, or not be reached.
    """
    assert job.crew is not None
    for each in guests:
        if each.version != __version__:
            raise InputError(
                "plays by another version of Froude",
                file=job.crew.names[each.player - 1],
                found=each.version,
                allowed=__version__,
                remedy="Install the same version on each worker",
            )
    for each in elsewhere:
        name = job.crew.names[each.player - 1]
        here = [to.address for to in job.settings.targets.values() if is_loopback(to.address)]
        if here:
            message = "is on another machine than the target, which listens on loopback"
            remedy = "Name the target by an address that each worker reaches (--target)"
            raise InputError(message, file=name, found=", ".join(here), remedy=remedy)
        if facts_of(job.plan).called:
            message = "is on another machine, and daemons call nodes of the plan at loopback addresses"
            raise InputError(message, file=name, remedy="Play with workers on the target's machine")


def _prepared(peers: Peers, job: PlayJob, *, hashed: bool, stopped: Callable[[], bool]) -> bool:
    """Hand out the job, and learn the offsets of clocks.

    Args:
        hashed: whether players may have other files than those here.

    Returns:
        Whether all are ready, and nothing has stopped it.

    Raises:
        TargetError: a player has died.
        FroudeError: what one states.
    """

    def over() -> bool:
        if peers.lost:
            raise next(iter(peers.lost.values()))
        return stopped()

    players = len(peers.offsets)
    programs = {kind: _placed(each) for kind, each in job.settings.programs.items()}
    plan = replace(job.plan, log=None if job.plan.log is None else job.plan.log.resolve())
    settings = replace(job.settings, programs=programs)
    job = replace(job, plan=plan, settings=settings, crew=None, spool=None, players=players)
    files = {path: _hash(path) for path in _files(job)} if hashed else {}
    peers.send(_Task(job, Common.now(), files))
    peers.settle(lambda: over() or len(peers.letters) == players)
    for number in range(1, _PINGS + 1):
        if stopped():
            return False
        peers.send(Ping(RealClock().now()))
        peers.settle(lambda: over() or min(each.answers for each in peers.offsets.values()) == number)  # noqa: B023
    return not stopped()


def _placed(settings: Any) -> Any:
    """The same settings with paths that do not depend on the folder of a process."""
    return settings.moved(Path.resolve) if isinstance(settings, Model) else settings


def _files(job: PlayJob) -> Iterator[Path]:
    """Files and folders that players read."""
    if job.plan.log is not None:
        yield job.plan.log
    for settings in job.settings.programs.values():
        if isinstance(settings, Model):
            yield from (value for _, value in settings if isinstance(value, Path))


def _hash(path: Path) -> str:
    """A hash of a file, or of all in a folder; empty where there is none."""
    digest = sha256()
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    for each in files:
        try:
            with each.open("rb") as file:
                digest.update(f"{each.relative_to(path)}\0{each.stat().st_size}\0".encode())
                while part := file.read(_PART_BYTES):
                    digest.update(part)
        except OSError:
            return ""
    return digest.hexdigest()


def _begin(peers: Peers, clock: RealClock) -> float:
    """Have players begin at one moment, which is given back.

    Raises:
        TargetError: a clock's offset is not known well enough.
    """
    for player, offset in peers.offsets.items():
        offset.used = offset.now
        if offset.used.error_s > _WORST_S:
            message = "the network takes too long for nodes of several players to start by rules"
            found, allowed = (
                f"clocks within {seconds_text(each)}" for each in (offset.used.error_s, _WORST_S)
            )
            raise TargetError(message, file=peers.name(player), found=found, allowed=allowed)
    begin_s = clock.now() + _BEGIN_S + 2 * max(each.used.error_s for each in peers.offsets.values())
    for player, offset in peers.offsets.items():
        peers.post(player, _Start(begin_s, offset.used.offset_s))
    return begin_s


def _follow(peers: Peers, clock: RealClock, begin_s: float, watch: Watch) -> bool:
    """Hand on until the play is over; whether it was interrupted."""
    looked_s, interrupted = 0.0, False

    def over() -> bool:
        nonlocal looked_s, interrupted
        now_s = clock.now() - begin_s
        if peers.ended or peers.lost or now_s - peers.oldest_s > STILL_S:
            return True
        if now_s - looked_s < _PING_S:
            return False
        looked_s = now_s
        peers.send(Ping(clock.now()))
        order = watch(merged_status(list(peers.statuses.values()))) if peers.oldest_s else Order.GO_ON
        if order == Order.MEASURE:
            peers.tell(Measured())
        interrupted = not order
        return order in {Order.END, Order.DONE}

    peers.settle(over)
    return interrupted


def _keep(job: PlayJob, player: int, data: bytes) -> None:
    """Keep what a player has written down of its calls.

    Raises:
        MissingError: it cannot be written.
    """
    assert job.spool is not None
    path = spool_of(job.spool, player - 1)
    with stated_os_errors(path.parent):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)


def _clocks_text(peers: Peers, machines: set[str]) -> str:
    at_start, at_end = (
        seconds_text(max(errors))
        for errors in zip(
            *((each.used.error_s, each.error_s) for each in peers.offsets.values()), strict=True
        )
    )
    where = f"{counted(len(peers.offsets), 'player')} on {counted(len(machines), 'machine')}"
    return f"{where}: their clocks differed by at most {at_start} at the start, {at_end} at the end"


# --- a player ---------------------------------------------------------------------------------------------


def join(failures: TextIO) -> int:
    """Be a player that comes to another process; its invitation is a line of JSON on stdin, where its holder stays.

    Args:
        failures: is told why it cannot come.

    Returns:
        The process's exit code.
    """
    invitation = Invitation(**json.loads(sys.stdin.buffer.readline()))
    threading.Thread(target=_end_with_holder, daemon=True).start()
    try:
        sock = _come(invitation, _guest(invitation.player))
    except OSError as error:
        why = f"{invitation.host}:{invitation.port} cannot be reached ({error.strerror or error})"
        print(why, file=failures)
        return 1
    with sock, suppress(TargetError):  # who hands on is gone, and does not wait for this
        peers = Peers({0: sock}, Schema({}, {}), {0: f"{invitation.host}:{invitation.port}"})
        try:
            _take_part(peers, invitation.player)
        except FroudeError as error:
            peers.finish(error)
        # Closed with a ping unread, the connection would drop what is still on its way.
        sock.settimeout(None)
        sock.shutdown(socket.SHUT_WR)
        with suppress(OSError):
            while sock.recv(_PART_BYTES):
                pass
    return 0


def decline(invitation: Invitation, why: str) -> None:
    """Let the process that waits for a player know that it does not come; nothing where it does not wait any more."""
    with suppress(OSError):
        _come(invitation, Guest(invitation.player, failure=why)).close()


def _come(invitation: Invitation, guest: Guest) -> socket.socket:
    sock = socket.create_connection((invitation.host, invitation.port), _CONNECT_S)
    _watch_over(sock)
    text = json.dumps(asdict(guest)).encode()[:_MOST_BYTES]
    sock.sendall(_MAGIC + bytes.fromhex(invitation.token) + len(text).to_bytes(_LENGTH_BYTES, "big") + text)
    return sock


def _end_with_holder() -> None:
    """A player does not outlive the worker that holds it."""
    while os.read(0, 1):
        pass
    os._exit(1)


def _take_part(peers: Peers, player: int) -> None:
    task = _letter(peers, _Task)
    job = task.job
    peers.speak(job.schema)
    for path, digest in task.files.items():
        if _hash(path) != digest:
            host = socket.gethostname()
            remedy = "Put it there, or into a folder that all machines share"
            raise InputError(f"is missing on {host}, or differs there", file=path, remedy=remedy)
    with Scratch("player") as scratch:
        spool = scratch / "spool"
        stage = prepare(replace(job, spool=spool), task.common, [player], first=1)
        peers.deliver(_Ready())
        start = _letter(peers, _Start)
        stage = replace(stage, clock=ShiftedClock(start.offset_s), begin_s=start.begin_s)
        outcome = play_stage(stage, player, peers, peers.report)
        outcome.machine = _guest(player).machine
        if job.record is not Record.SUMMARY:
            with spool_of(spool, player).open("rb") as file:
                while part := file.read(_PART_BYTES):
                    peers.deliver(Spooled(part))
        peers.finish(outcome)


def _letter(peers: Peers, kind: type[_Report]) -> _Report:
    """The next report of a kind."""
    peers.settle(lambda: isinstance(peers.letters.get(0), kind))
    report = peers.letters[0]
    assert isinstance(report, kind)
    return report
