"""The daemon of section 5.2 of the paper: looks at a ResourceManager every minute, acts, and answers jobs that ask."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from froude.base.clock import Clock
from froude.base.errors import InputError, MissingError, TargetError
from froude.base.files import atomic_write_text, stated_os_errors
from froude.base.locks import alone, held
from froude.base.summary import counted
from froude.documents.artifact import Origin
from froude.documents.reading import dump_figures
from froude.harvest.live.api import Calls
from froude.harvest.live.changes import remembered_part
from froude.harvest.live.choosing import Choice, LastRun, Request
from froude.harvest.live.controller import Controller
from froude.harvest.live.prior_file import prior_json
from froude.harvest.live.service_file import ACCESS, ACCESS_VERSION, Known, known_json
from froude.harvest.live.types import Changes, ClusterState
from froude.harvest.live.usage import Usage
from froude.harvest.telemetry.files import write_datacenter
from froude.rest.token import read_token

_HISTORY_S = 3600.0
"""How often the history of utilisation is written."""


@dataclass(frozen=True, slots=True)
class Places:
    """What lies where in a daemon's folder."""

    folder: Path

    @property
    def prior(self) -> Path:
        """What the ResourceManager had before any change; `froude harvest rollback` takes it."""
        return self.folder / "prior.json"

    @property
    def known(self) -> Path:
        """What it knows when it starts again."""
        return self.folder / "service.json"

    @property
    def history(self) -> Path:
        """The last month of its tenants, a datacenter."""
        return self.folder / "history"

    def held(self) -> bool:
        """Whether a daemon runs there now."""
        return held(self.lock)

    @property
    def lock(self) -> Path:
        """Held by the daemon that runs there."""
        return self.folder / "lock"

    @property
    def token(self) -> Path:
        """The secret that requests carry: the same when it is started again, so that copies of `access` go on."""
        return self.folder / "token"

    @property
    def access(self) -> Path:
        """Where its API is, and the token."""
        return self.folder / "access.json"


class Cluster(Protocol):
    """A ResourceManager, as the daemon uses it."""

    def state(self) -> ClusterState:
        """As it is now."""

    def waiting(self) -> int:
        """Containers that are waited for."""

    def stamps(self) -> frozenset[str]:
        """Start times in the names of the applications that it knows."""

    def apply(self, changes: Changes, identity: str, *, grace_s: float = 0.0) -> None:
        """Make changes, if it still is the one that was named."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often, and how."""

    interval_s: float = 60.0
    """From one look to the next (section 5.2)."""
    grace_s: float = 0.0
    """Before containers are killed."""


@dataclass(slots=True)
class Tally:
    """What a daemon did."""

    polls: int = 0
    failed: int = 0
    changes: int = 0
    """Polls that changed something."""


class Service:
    """Polls, applies, answers and remembers."""

    def __init__(
        self,
        cluster: Cluster,
        controller: Controller,
        places: Places,
        *,
        clock: Clock,
        rhythm: Rhythm,
        origin: Origin,
        note: Callable[[str], None],
        usage: Callable[[], Mapping[str, Usage]] | None = None,
    ) -> None:
        """Nothing is sent yet.

        Args:
            usage: what primary tenants use now, read anew at each look; None for what nodes report.
        """
        self._cluster, self._controller, self._places = cluster, controller, places
        self._clock, self._rhythm, self._origin, self._note = clock, rhythm, origin, note
        self._usage = usage
        self._lock = threading.Lock()
        self._prior = controller.prior
        """As it stands in its file."""
        self._known: Known | None = None
        self._history_s = clock.now()
        self._trouble = ""
        self.tally = Tally()
        """What it did so far."""

    def calls(self) -> Calls:
        """What an API asks."""
        return Calls(self._choose, self._ran, lambda: self._controller.view)

    def run(self, stop: threading.Event) -> None:
        """Look at the cluster at even times until told to stop; what is known is then written.

        Raises:
            GuardError: another cluster answers; nothing of it was changed.
        """
        begun, number = self._clock.now(), 0
        try:
            while not stop.wait(max(0.0, begun + number * self._rhythm.interval_s - self._clock.now())):
                self.poll()
                # A look that took too long leaves out those that it missed.
                late = (self._clock.now() - begun) // self._rhythm.interval_s
                number = max(number + 1, int(late))
        finally:
            self._write(history=True)

    def poll(self) -> None:
        """Look once, and act. A ResourceManager or a table of usage that does not answer is tried again next time.

        Raises:
            GuardError: another cluster answers.
        """
        self.tally.polls += 1
        trouble = "nothing was seen"
        try:
            measured = None if self._usage is None else self._usage()
            state, waiting = self._cluster.state(), self._cluster.waiting()
            same = self._controller.known.id == state.id
            earlier = frozenset[str]() if same else self._cluster.stamps()
            with self._lock:
                step = self._controller.poll(
                    state, self._clock.wall(), measured=measured, waiting=waiting, earlier=earlier
                )
            trouble = "not all was done"
            for text in step.notes:
                self._note(text)
            self._change(step.changes, state.id)
            self._write(history=self._clock.now() - self._history_s >= _HISTORY_S)
        except (TargetError, InputError, MissingError) as error:
            self.tally.failed += 1
            if self._trouble != trouble:
                self._note(f"{trouble}: {error}; it is tried again")
            self._trouble = trouble
        else:
            if self._trouble:
                self._note("it answers again" if self._trouble == "nothing was seen" else "all is done again")
            self._trouble = ""

    def _change(self, changes: Changes, identity: str) -> None:
        """Make changes once what was there is written down; where it cannot be, those that were written before.

        Raises:
            MissingError: it cannot be written; what was remembered before is changed all the same.
            TargetError: the cluster does not take them.
        """
        unwritten = None
        try:
            self._write_prior()
        except MissingError as error:
            unwritten = error
            changes = remembered_part(changes, self._prior)
        if changes:
            self._cluster.apply(changes, identity, grace_s=self._rhythm.grace_s)
            self.tally.changes += 1
            self._note(changed_text(changes))
        if unwritten is not None:
            raise unwritten

    def _choose(self, request: Request) -> Choice:
        with self._lock:
            return self._controller.choose(request)

    def _ran(self, job: str, run: LastRun) -> None:
        with self._lock:
            self._controller.ran(job, run)

    def _write(self, *, history: bool) -> None:
        self._write_prior()
        with self._lock:
            known = self._controller.known
            past = self._controller.history.datacenter() if history else None
        if known is not self._known:
            atomic_write_text(self._places.known, known_json(known, self._origin))
            self._known = known
        if past is not None:
            write_datacenter(self._places.history, past, self._origin)
            self._history_s = self._clock.now()

    def _write_prior(self) -> None:
        with self._lock:
            prior = self._controller.prior
        if prior is not None and prior != self._prior:
            atomic_write_text(self._places.prior, prior_json(prior, self._origin))
            self._prior = prior


def changed_text(changes: Changes) -> str:
    """What was changed, in a line."""
    killing = len(changes.resources) - len(changes.spared)
    parts = [
        (len(changes.resources), f"{counted(len(changes.resources), 'node')} resized"),
        (len(changes.spared), f"of these {killing} at once, {len(changes.spared)} as containers end"),
        (len(changes.add_labels), f"{counted(len(changes.add_labels), 'label')} added"),
        (len(changes.node_labels), f"{counted(len(changes.node_labels), 'node')} labelled"),
        (len(changes.node_attributes), f"{counted(len(changes.node_attributes), 'attribute')} set"),
        (len(changes.scheduler), f"{counted(len(changes.scheduler), 'setting')} of queues"),
    ]
    return ", ".join(text for number, text in parts if number)


@contextmanager
def one_daemon(places: Places) -> Iterator[None]:
    """Hold a daemon's folder while the block runs; it is made where it is not there.

    Raises:
        GuardError: another daemon holds it.
    """
    with stated_os_errors(places.folder):
        places.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with alone(places.lock, of=places.folder, other="daemon"):
        yield


@contextmanager
def access(places: Places, url: str, token: str) -> Iterator[None]:
    """Say where the API is while the block runs, in a file for its owner only."""
    atomic_write_text(places.access, dump_figures(ACCESS, ACCESS_VERSION, {"address": url, "token": token}))
    try:
        yield
    finally:
        with suppress(OSError):
            places.access.unlink()


def token_of(places: Places) -> str:
    """A daemon's token: that of its folder, or a new one that nobody guesses.

    Raises:
        InputError: the file holds none, or others can read it.
        MissingError: it cannot be written.
    """
    if not places.token.exists():
        atomic_write_text(places.token, f"{secrets.token_urlsafe(32)}\n")
    return read_token(places.token)
