"""The processes of one play: the first one hands on what the others let each other know, and forks those that are here.

Each of the others has one socket, to the first. Frames on it are a length and a pickle: a list of notices, a `Status`
now and then, at the end its outcome or a stated error. A player whose socket ends before its outcome has died, which
ends the play; what the others counted is kept. They end by themselves when the first one's sockets close.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import socket
import struct
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, NoReturn

from froude.base.clock import RealClock
from froude.base.errors import FroudeError, TargetError
from froude.emulation.core import Core
from froude.emulation.engine import PlayOutcome, Status, Watch
from froude.emulation.offsets import OffsetOf
from froude.emulation.sharing import Codec, Notice, Over, Ping, Pong, Relay, Share
from froude.messages.schema import Schema

_READ_BYTES = 1 << 18
_LENGTH = struct.Struct("<Q")
_END_S = 10.0
"""Longest silence of another player once the play is over."""
_LOOK_S = 0.2
_KILL_S = 2.0
"""How long a process may take to end whose socket was closed."""

_UNCOUNTED = "its calls are not counted"

Play = Callable[[int, "Peers", Watch], PlayOutcome]
"""Plays the nodes of a player, by its number."""


class Spooled(NamedTuple):
    """A part of the calls that a player on another machine wrote down."""

    data: bytes


class Peers:
    """The other players, as one player knows them: the first has a socket to each, the others one to the first."""

    def __init__(
        self,
        sockets: dict[int, socket.socket],
        schema: Schema,
        names: Mapping[int, str] | None = None,
        *,
        first: int = 0,
        ended: Callable[[int], str | None] = lambda _: None,
    ) -> None:
        """Talk to them from now on.

        Args:
            sockets: by player.
            names: what errors call their processes, by player.
            first: as of `sharing.player_of`: 1 where the first process has no nodes.
            ended: how the process of a player ended whose socket has closed, as far as that can be known.
        """
        self.players = len(sockets) + 1 - first
        """How many have nodes, with this one if it has."""
        self._names, self._ended = names or {}, ended
        self.statuses: dict[int, Status] = {}
        self.letters: dict[int, object] = {}
        """Of each player, the last report of another kind: what passes between their start and the play."""
        self.lost: dict[int, TargetError] = {}
        """Players that died, or gave no answer at the end, in that order."""
        self.offsets = {player: OffsetOf() for player in sockets}
        self.keep: Callable[[int, bytes], object] = lambda *_: None
        """Takes what a player on another machine wrote down."""
        self._outcomes: dict[int, PlayOutcome] = {}
        self._sockets = sockets
        self._codec = Codec(schema)
        self._relay = Relay(self.players, first)
        self._players = {sock.fileno(): player for player, sock in sockets.items()}
        self._read: dict[int, bytearray] = {player: bytearray() for player in sockets}
        self._backlog: dict[int, bytearray] = {player: bytearray() for player in sockets}
        self._armed: set[int] = set()
        """Players whose sockets are to take more."""
        self._epoll: select.epoll | None = None
        self._core: Core | None = None
        self._share = Share()
        self._first = 0 not in sockets
        for sock in sockets.values():
            sock.setblocking(False)

    def serve(self, core: Core) -> None:
        """Have a core hear what others let it know, and the others what it does."""
        self._core, self._share = core, core.share

    def speak(self, schema: Schema) -> None:
        """Read and write messages of a release from now on."""
        self._codec = Codec(schema)

    def send(self, report: object) -> None:
        """Send a report to each of them."""
        for player in self._sockets:
            self.post(player, report)

    def tell(self, notice: Notice) -> None:
        """Send a notice to all other players; of the first one."""
        self._relay.hand_on([*self._share.out, notice], 0)
        self._share.out.clear()

    @property
    def ended(self) -> bool:
        """Whether each of them has given its outcome, or died."""
        return len(self._outcomes) + len(self.lost) == len(self._sockets)

    def report(self, status: Status) -> bool:
        """Send a status to the first player; True, since another player goes on until that one ends the play."""
        self.post(0, status)
        return True

    @property
    def oldest_s(self) -> float:
        """The time of the oldest of the others' last statuses, seconds since the play began."""
        times = [each.load.time_s for each in self.statuses.values()]
        return min(times) if len(times) == len(self._sockets) else 0.0

    # --- what a driver calls, as of a `Listener` ----------------------------------------------------------

    def begin(self, epoll: select.epoll) -> None:
        """Take their events from now on."""
        self._epoll = epoll
        self._armed.clear()
        for descriptor in self._players:
            epoll.register(descriptor, select.EPOLLIN)

    def takes(self, descriptor: int) -> bool:
        """Whether an event is of a socket of these."""
        return descriptor in self._players

    def handle(self, descriptor: int, mask: int, now_s: float) -> None:
        """Take an event.

        Raises:
            TargetError: the first player process died.
            FroudeError: what another player states.
        """
        player = self._players[descriptor]
        if mask & select.EPOLLOUT:
            self._push(player)
        if mask & ~select.EPOLLOUT:
            data = self._receive(player)
            self._read[player] += data
            for report in self._reports(player):
                self._take(player, report, now_s)
            if not data and descriptor in self._players:
                self._died(player, now_s)

    def _died(self, player: int, now_s: float) -> None:
        found = self._ended(player)
        if not self._first:
            raise TargetError("the first player process died", place=self.name(player), found=found)
        error = TargetError(f"died, and {_UNCOUNTED}", place=self.name(player), found=found)
        self.lost[player] = error
        self._leave(player)
        if self._core is not None:
            self._core.fail(error, now_s)

    def flush(self) -> None:
        """Send what the others are to know."""
        if self._first:
            self._relay.hand_on(self._share.out, 0)
            self._share.out.clear()
        for player, waiting in self._relay.out.items() if self._first else [(0, self._share.out)]:
            if waiting:
                self.post(player, waiting)
                waiting.clear()

    def close(self) -> None:
        """Let the core hear nothing more; what is under way comes to its end in `outcomes` or `finish`."""
        self._epoll = self._core = None

    # --- the end ------------------------------------------------------------------------------------------

    def outcomes(self) -> list[PlayOutcome]:
        """The outcomes of the others, whose play ends now at the latest; of the first player.

        A player from which nothing comes any more has none, and is among `lost`.

        Raises:
            FroudeError: what one states.
        """
        self.tell(Over())
        self.settle(lambda: self.ended, _END_S)
        for player in self._sockets:
            if player not in self._outcomes and player not in self.lost:
                message = f"gave no answer for {_END_S:.0f} s, and {_UNCOUNTED}"
                remedy = "Play again; fewer players (--players) need less memory and CPU"
                self.lost[player] = TargetError(message, place=self.name(player), remedy=remedy)
        return [self._outcomes[player] for player in sorted(self._outcomes)]

    def finish(self, outcome: PlayOutcome | FroudeError) -> None:
        """Give the first player the outcome, and wait until it has it.

        Raises:
            TargetError: it is gone.
        """
        self.flush()
        self.deliver(outcome)

    def deliver(self, report: object) -> None:
        """Send a report to each of them, and wait until all is on its way.

        Raises:
            TargetError: one is gone.
        """
        self.send(report)
        self.settle(lambda: not any(self._backlog.values()))

    def settle(self, settled: Callable[[], bool], silence_s: float = math.inf) -> None:
        """Send and take what is under way, without a core: before a play, after it, or between players elsewhere.

        Args:
            settled: whether it is over; asked several times a second.
            silence_s: after so long without anything to send or to take it ends.
        """
        heard_s = time.monotonic()
        with select.epoll() as epoll:
            self.begin(epoll)
            self.flush()
            for player in self._backlog:
                self._push(player)
            while not settled() and time.monotonic() < heard_s + silence_s:
                for descriptor, mask in epoll.poll(_LOOK_S):
                    if descriptor in self._players:
                        heard_s = time.monotonic()
                        self.handle(descriptor, mask, 0.0)
                self.flush()
        self._epoll = None

    def name(self, player: int) -> str:
        """What errors call a player."""
        return f"player {player}" + (f" ({self._names[player]})" if player in self._names else "")

    # --- frames -------------------------------------------------------------------------------------------

    def _take(self, player: int, report: Any, now_s: float) -> None:
        if isinstance(report, list):
            for notice in self._relay.hand_on(report, player) if self._first else report:
                if self._core is not None:
                    self._core.hear(notice, now_s)
        elif isinstance(report, Status):
            self.statuses[player] = report
        elif isinstance(report, FroudeError):
            raise report
        elif isinstance(report, PlayOutcome):
            self._outcomes[player] = report
            self._leave(player)
        elif isinstance(report, Ping):
            self.post(player, Pong(report.sent_s, RealClock().now()))
        elif isinstance(report, Pong):
            self.offsets[player].hear(report, RealClock().now())
        elif isinstance(report, Spooled):
            self.keep(player, report.data)
        else:
            self.letters[player] = report

    def _leave(self, player: int) -> None:
        """A player has ended; nothing more comes from it."""
        sock = self._sockets[player]
        del self._players[sock.fileno()]
        self._relay.out[player] = []
        if self._epoll is not None:
            self._epoll.unregister(sock)

    def _receive(self, player: int) -> bytes:
        try:
            return self._sockets[player].recv(_READ_BYTES)
        except OSError:
            return b""

    def _reports(self, player: int) -> Iterator[object]:
        data = self._read[player]
        while len(data) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(data)[0]
            if len(data) < end:
                return
            report = bytes(memoryview(data)[_LENGTH.size : end])
            del data[:end]
            yield self._codec.loads(report)

    def post(self, player: int, report: object) -> None:
        """Send a report to one of them."""
        data = self._codec.dumps(report)
        backlog = self._backlog[player]
        idle = not backlog
        backlog += _LENGTH.pack(len(data)) + data
        if idle:
            self._push(player)

    def _push(self, player: int) -> None:
        sock, backlog = self._sockets[player], self._backlog[player]
        try:
            sent = sock.send(backlog) if backlog else 0
        except BlockingIOError:
            sent = 0
        except OSError:  # it is gone, which shows when it is read from
            sent = len(backlog)
        del backlog[:sent]
        if self._epoll is None or sock.fileno() not in self._players:
            return
        if backlog and player not in self._armed:
            self._armed.add(player)
            self._epoll.modify(sock, select.EPOLLIN | select.EPOLLOUT)
        elif not backlog and player in self._armed:
            self._armed.discard(player)
            self._epoll.modify(sock, select.EPOLLIN)


@contextlib.contextmanager
def fork(players: int, schema: Schema, play: Play) -> Iterator[Peers]:
    """Fork the other players of a play, which begin; the caller is the first.

    They are ended and waited for when the context is left.

    Args:
        players: how many there are with the first; more than one.

    Raises:
        TargetError: they need more descriptors than this process may have.
    """
    pairs: dict[int, tuple[socket.socket, socket.socket]] = {}
    children: dict[int, int] = {}
    try:
        try:
            for player in range(1, players):
                pairs[player] = socket.socketpair()
        except OSError as error:
            what = f"cannot open the sockets of {players} players ({error.strerror})"
            raise TargetError(what, remedy="Play with fewer (--players), or raise `ulimit -n`") from error
        for player in pairs:
            child = os.fork()
            if child == 0:
                _be(player, pairs, schema, play)
            children[player] = child
        for _, there in pairs.values():
            there.close()
        yield Peers(
            {player: here for player, (here, _) in pairs.items()},
            schema,
            {player: f"pid {child}" for player, child in children.items()},
            ended=lambda player: _exit_text(children[player]),
        )
    finally:
        for here, there in pairs.values():
            here.close()
            there.close()
        for child in children.values():
            _end(child)


def _be(
    player: int, pairs: dict[int, tuple[socket.socket, socket.socket]], schema: Schema, play: Play
) -> NoReturn:
    """Be another player than the first; the process ends here."""
    try:
        for number, (here, there) in pairs.items():
            here.close()
            if number != player:
                there.close()
        peers = Peers({0: pairs[player][1]}, schema)
        try:
            outcome: PlayOutcome | FroudeError = play(player, peers, peers.report)
        except FroudeError as error:
            outcome = error
        with contextlib.suppress(TargetError):  # the first one is gone: nobody waits for this
            peers.finish(outcome)
        os._exit(0)
    except BaseException:  # noqa: BLE001 - a bug, which must not go on in the first player's code
        traceback.print_exc()
    os._exit(70)


def _exit_text(child: int) -> str:
    """How a child process ended whose socket has closed; it stays to be waited for."""
    ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert ended is not None
    return f"exit {ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status}"


def _end(child: int) -> None:
    """Wait until a process has ended, which its closed socket makes it do; kill it if it does not."""
    until_s = time.monotonic() + _KILL_S
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > until_s:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return
        time.sleep(0.002)
