"""The player's shell: sockets, epoll and the clock around a `Core`; one socket a channel, to the channel's target.

epoll by hand instead of asyncio: one thread, one system call a batch of answers, nothing between a socket's
bytes and the core. uvloop costs the same (8.5 to 10 us a pipelined call, both) and would hide when bytes leave.
epoll's timeout has whole milliseconds, so short waits go by select on its descriptor, which has microseconds.
"""

from __future__ import annotations

import errno
import os
import select
import socket
import time
from collections.abc import Callable, Sequence

from froude.base.clock import Clock, RealClock
from froude.base.errors import TargetError
from froude.emulation.channel import Channel
from froude.emulation.core import Core
from froude.emulation.crew import Peers
from froude.emulation.listener import Listener

_CONNECT_TIMEOUT_S = 10.0
"""A connection that is not made by then counts as refused."""
_READ_BYTES = 1 << 20
_MOST_WAIT_S = 0.2
_TAKE_IN_S = 1.0
_SHORT_WAIT_S = 0.002
_GATHER_S, _COUNT_S = 0.001, 0.02
_MANY_IN_FLIGHT = 32
_READABLE = select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR


class Driver:
    """Runs one core against its targets."""

    def __init__(
        self,
        core: Core,
        *,
        clock: Clock | None = None,
        gather: bool = False,
        sides: Sequence[Listener | Peers] = (),
    ) -> None:
        """Make ready.

        Args:
            clock: the time; the machine's by default.
            gather: take answers in, and send what they lead to, at most every millisecond while many calls are in
                flight: far cheaper for both sides, and measured latencies are up to that much longer.
            sides: further sockets: where emulated nodes are called, and those to other players.
        """
        self.core = core
        self._clock = clock or RealClock()
        self._gather = gather
        self._epoll = select.epoll()
        self._sides = sides
        for side in sides:
            side.begin(self._epoll)
        self._links: dict[int, tuple[socket.socket, Channel]] = {}
        self._sockets: dict[int, socket.socket] = {}
        self._backlog: dict[int, bytearray] = {}
        self._connecting: dict[int, float] = {}
        self._armed: set[int] = set()

    def run(
        self,
        *,
        begin_s: float | None = None,
        duration_s: float | None = None,
        watch: Callable[[Core, float], bool] | None = None,
    ) -> None:
        """Play until every node that ends by itself has, the duration is over, or the target fails.

        Args:
            begin_s: when the play begins, on the clock; now by default.
            duration_s: the longest time; None for no limit.
            watch: called now and then with the core and the seconds since the beginning; False ends the play.
        """
        core, clock = self.core, self._clock
        begun_s = clock.now() if begin_s is None else begin_s
        clock.sleep(max(0.0, begun_s - clock.now()))
        end_s = None if duration_s is None else begun_s + duration_s
        look_s = count_s = begun_s
        gathers = False
        core.begin(begun_s)
        try:
            while not core.done:
                self._flush()
                now_s = clock.now()
                if end_s is not None and now_s >= end_s:
                    break
                if watch is not None and now_s >= look_s:
                    look_s = now_s + _MOST_WAIT_S
                    if not watch(core, now_s - begun_s):
                        break
                self._check_connecting(now_s)
                if self._gather and now_s >= count_s:
                    count_s, gathers = now_s + _COUNT_S, core.in_flight >= _MANY_IN_FLIGHT
                if gathers:
                    time.sleep(_GATHER_S)
                    now_s += _GATHER_S
                self._wait(min(core.next_s, end_s or core.next_s) - now_s)
                core.advance(clock.now())
            self._take_in()
        finally:
            if core.failure is None:
                core.finish(clock.now())
            self._close()

    def _take_in(self) -> None:
        """Wait a moment for the answers of what is in flight when the play is over; no timer fires any more."""
        until_s = self._clock.now() + _TAKE_IN_S
        while self.core.failure is None and any(channel.pending for channel in self.core.channels):
            self._flush()
            left_s = until_s - self._clock.now()
            if left_s <= 0:
                return
            self._wait(left_s)

    def _wait(self, wait_s: float) -> None:
        wait_s = max(0.0, min(wait_s, _MOST_WAIT_S))
        if 0 < wait_s < _SHORT_WAIT_S:
            select.select([self._epoll], [], [], wait_s)
            wait_s = 0
        for descriptor, mask in self._epoll.poll(wait_s):
            if descriptor not in self._links:
                for side in self._sides:
                    if side.takes(descriptor):
                        side.handle(descriptor, mask, self._clock.now())
                continue
            for ready, handle in ((select.EPOLLOUT, self._writable), (_READABLE, self._readable)):
                link = self._links.get(descriptor)  # the first may have lost the connection
                if link is not None and mask & ready:
                    handle(*link)

    def _readable(self, sock: socket.socket, channel: Channel) -> None:
        if self.core.failure is not None:
            return
        try:
            data = sock.recv(_READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._lost(channel, error)
            return
        if data:
            self.core.received(channel, data, self._clock.now())
        else:
            self._hang_up(channel)
            self.core.ended(channel, self._clock.now())

    def _writable(self, sock: socket.socket, channel: Channel) -> None:
        number = channel.number
        if number in self._connecting:
            problem = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if problem:
                self._lost(channel, OSError(problem, os.strerror(problem)))
                return
            del self._connecting[number]
        self._push(sock, channel, self._backlog.pop(number, bytearray()))

    def _flush(self) -> None:
        core = self.core
        if core.opened:
            for channel in core.opened:
                self._open(channel)
            core.opened.clear()
        for channel in core.left:
            self._hang_up(channel)
        core.left.clear()
        for side in self._sides:
            side.flush()
        if not core.dirty:
            return
        for channel in core.dirty:
            data = channel.out[0] if len(channel.out) == 1 else b"".join(channel.out)
            channel.out.clear()
            number = channel.number
            if number in self._backlog:
                self._backlog[number] += data
            elif number in self._sockets:
                self._push(self._sockets[number], channel, data)
        core.dirty.clear()

    def _push(self, sock: socket.socket, channel: Channel, data: bytes | bytearray) -> None:
        number = channel.number
        try:
            sent = sock.send(data) if data else 0
        except BlockingIOError:
            sent = 0
        except OSError as error:
            self._lost(channel, error)
            return
        if sent < len(data):
            self._backlog[number] = bytearray(data[sent:])
            if number not in self._armed:
                self._armed.add(number)
                self._epoll.modify(sock, select.EPOLLIN | select.EPOLLOUT)
        elif number in self._armed:
            self._armed.discard(number)
            self._epoll.modify(sock, select.EPOLLIN)

    def _open(self, channel: Channel) -> None:
        host, _, port = channel.endpoint.target.address.rpartition(":")
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            sock = socket.socket(family, socket.SOCK_STREAM)
        except OSError as error:
            what = f"cannot open a socket ({error.strerror or error})"
            if error.errno == errno.EMFILE:
                what = "needs more connections than this process may open"
            self.core.fail(TargetError(what, file=channel.endpoint.target.address), self._clock.now())
            return
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sockets[channel.number] = sock
        self._links[sock.fileno()] = (sock, channel)
        self._backlog[channel.number] = bytearray()
        self._connecting[channel.number] = self._clock.now()
        self._armed.add(channel.number)
        self._epoll.register(sock, select.EPOLLIN | select.EPOLLOUT)
        try:
            if channel.endpoint.source is not None:
                sock.setsockopt(socket.IPPROTO_IP, getattr(socket, "IP_BIND_ADDRESS_NO_PORT", 24), 1)
                sock.bind((channel.endpoint.source, 0))
            sock.connect((host, int(port)))
        except BlockingIOError:
            return
        except OSError as error:
            self._lost(channel, error)

    def _check_connecting(self, now_s: float) -> None:
        for number, begun_s in list(self._connecting.items()):
            if now_s - begun_s > _CONNECT_TIMEOUT_S:
                channel = self.core.channels[number]
                self._hang_up(channel)
                self.core.lost(channel, f"takes no connection in {_CONNECT_TIMEOUT_S:.0f} s", now_s)

    def _lost(self, channel: Channel, error: OSError) -> None:
        """A socket broke, or could not be connected."""
        self._hang_up(channel)
        kinds = {
            errno.ECONNREFUSED: "refuses connections",
            errno.ECONNRESET: "reset the connection",
            errno.EPIPE: "reset the connection",
        }
        how = kinds.get(error.errno or 0, f"cannot be reached ({error.strerror or error})")
        self.core.lost(channel, how, self._clock.now())

    def _hang_up(self, channel: Channel) -> None:
        """Forget a channel's socket; the core may want another."""
        number = channel.number
        sock = self._sockets.pop(number, None)
        self._backlog.pop(number, None)
        self._connecting.pop(number, None)
        self._armed.discard(number)
        if sock is not None:
            del self._links[sock.fileno()]
            self._epoll.unregister(sock)
            sock.close()

    def _close(self) -> None:
        for sock in self._sockets.values():
            sock.close()
        self._sockets.clear()
        self._links.clear()
        for side in self._sides:
            side.close()
        self._epoll.close()
