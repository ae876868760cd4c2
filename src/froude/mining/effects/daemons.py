"""What daemons are asked to do: requests to a node's own address, and what it answers there, cause calls of the node.

That a sender is a daemon which was called shows in its requests: one of them gives the host and port as its own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from froude.hadoop.rpc.target import Target
from froude.messages.rows import Row
from froude.mining.effects.causes import Channel, is_report
from froude.mining.effects.rare_values import Ints, Said, is_distinctive
from froude.mining.read.elements import ONLY, Numbers, number_of
from froude.mining.read.knowledge import REPORTS
from froude.mining.read.reports import Thing, named_in, thing_of
from froude.workload.types import Actor

_INDEXED = re.compile(r"^(.*)\[([^\]]+)\](.*?)$")


class _Asked(NamedTuple):
    """The first request of a sender to an address that holds a value."""

    call: int
    sender: int
    path: str


class Daemons:
    """The daemons of some runs."""

    def __init__(self, said: Said) -> None:
        self._said = said
        self._called: dict[int, dict[str, Target]] = defaultdict(dict)
        """By run and address."""
        for sender in said.senders:
            targets = dict.fromkeys(call.event.target for call in sender.calls)
            self._called[sender.run] |= {each.address: each for each in targets if is_distinctive(each.host)}
        self._own: dict[tuple[int, str, str], dict[int, str]] = defaultdict(dict)
        """Run, role and address of a daemon that was called -> who gives that host and port as its own in a request (by
        number of the sender), and the leaf with the host."""
        for number in range(len(said.senders)):
            self._note_own(number)
        self._addresses = {number: self._addresses_of(number) for number in range(len(said.senders))}
        self._asked = self._note_asked()
        self._named = self._note_named()

    def addressed(self, rows: Ints) -> Iterator[tuple[int, Channel, int, Numbers]]:
        """Requests of others to a sender's own address that were the first to hold a value which its call carries.

        Yields:
            Which of the calls, the channel, the number of the causing call, and its element.
        """
        said = self._said
        for row, (call, sender) in enumerate(zip(rows.tolist(), said.sender[rows].tolist(), strict=True)):
            for address, fact in self._addresses[sender]:
                for value in dict.fromkeys(said.asked.value[said.asked.of(np.array([call]))[1]].tolist()):
                    entries = self._asked.get((address, value), [])
                    asked = next((entry for entry in entries if entry.sender != sender), None)
                    if asked is None or said.order[asked.call] >= min(
                        said.order[call], said.first_sent(sender, value)
                    ):
                        continue
                    cause = said.calls[asked.call]
                    each, numbers = _element(cause.request, asked.path)
                    yield row, Channel(cause.token, Actor.CALLEE, each, "", fact), asked.call, numbers

    def answered(self, rows: Ints) -> Iterator[tuple[int, Channel, int, Numbers]]:
        """Answers of a sender's own daemon to others that name what a report is about.

        Yields:
            As `addressed`.
        """
        said = self._said
        for row, number in enumerate(rows.tolist()):
            call, sender = said.calls[number], int(said.sender[number])
            run, role = said.senders[sender].run, said.senders[sender].role.name
            for at, path in self._named.get((run, thing_of(call.request, REPORTS[call.token[1]])), ()):
                cause = said.calls[at]
                users = self._own.get((run, role, cause.event.target.address), {})
                if len(users) != 1 or sender not in users or cause.start_s > call.start_s:
                    continue
                each, numbers = _element(said.answer(at), path)
                yield row, Channel(cause.token, Actor.ANSWERER, each, "", users[sender]), at, numbers

    def _note_own(self, number: int) -> None:
        """Note which of the daemons that were called a sender says to be."""
        sender = self._said.senders[number]
        for target in self._called[sender.run].values():
            host, port = target.host, target.port
            if not self._said.sends(number, host):
                continue
            for call in sender.calls:
                if host in call.request.cells and port in call.request.cells:
                    leaf = next(path for path, value in call.request.items() if value == host)
                    self._own[sender.run, sender.role.name, target.address].setdefault(number, leaf)
                    break

    def _addresses_of(self, number: int) -> list[tuple[str, str]]:
        """The addresses that a sender alone of its role gives as its own, each with the leaf."""
        sender = self._said.senders[number]
        own = ((a, self._own.get((sender.run, sender.role.name, a), {})) for a in self._called[sender.run])
        return [(address, users[number]) for address, users in own if list(users) == [number]]

    def _calls_to_daemons(self) -> Iterator[tuple[int, str]]:
        """The calls to such addresses, and these."""
        owned = {(run, address) for run, _, address in self._own}
        for number, call in enumerate(self._said.calls) if owned else ():
            address = call.event.target.address
            if (self._said.senders[int(self._said.sender[number])].run, address) in owned:
                yield number, address

    def _note_asked(self) -> dict[tuple[str, int], list[_Asked]]:
        """Address and number of a value -> the first request to it that holds it, and the first of another sender."""
        said, asked = self._said, defaultdict[tuple[str, int], list[_Asked]](list)
        for number, address in self._calls_to_daemons():
            sender, cells = int(said.sender[number]), said.asked.of(np.array([number]))[1].tolist()
            for cell in cells:
                value, path = int(said.asked.value[cell]), said.leaves[int(said.asked.leaf[cell])]
                entries = asked[address, value]
                if len(entries) < 2 and all(entry.sender != sender for entry in entries):
                    entries.append(_Asked(number, sender, path))
        return dict(asked)

    def _note_named(self) -> dict[tuple[int, Thing], list[tuple[int, str]]]:
        """Run and what is reported of -> answers of daemons that name it, each with the path of the naming message."""
        said, named = self._said, defaultdict[tuple[int, Thing], list[tuple[int, str]]](list)
        things: dict[int, set[Thing]] = defaultdict(set)
        for number in said.of_kinds(is_report):
            call, run = said.calls[number], said.senders[int(said.sender[number])].run
            things[run].add(thing_of(call.request, REPORTS[call.token[1]]))
        for number, _ in self._calls_to_daemons() if things else ():
            run = said.senders[int(said.sender[number])].run
            for thing, path in named_in(said.answer(number), things[run] - {()}):
                named[run, thing].append((number, path))
        return dict(named)


def _element(leaves: Row, path: str) -> tuple[str, Numbers]:
    """The list that a path leads into, and the number of the element; no list for one that leads into none."""
    match = _INDEXED.match(path)
    return (match[1], (number_of(leaves, match[1], match[2]),)) if match else ("", ONLY)
