"""Measures a target: fill it, wear it in, then records of every size, read and written, until each is steady.

The order follows the SNIA's Performance Test Specification: write everything once, then random writes until they
are steady (an SSD without free blocks, a thin volume whose blocks are all there), and only then what is measured.
Each size counts with the mean over its last window of rounds. Where the specification takes rounds of a minute we
take two seconds unless told otherwise, and all of a device only when all of it is named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from froude.base.clock import Clock, RealClock
from froude.base.errors import InputError, TargetError
from froude.base.progress import Progress, Silent, Task
from froude.base.seeds import Seeds
from froude.base.units import MIB, size_text
from froude.provision.measure import measurement as measured
from froude.provision.measure.live import fio
from froude.provision.measure.live.fio import FioJob, Ran
from froude.provision.measure.live.target import Opened, StorageTarget, opened
from froude.provision.measure.measurement import SIZES, Measurement, Sample
from froude.provision.measure.steady_state import Rule, is_steady
from froude.provision.types import Op

BLOCK = 4096
"""Every record is a multiple of it: what no device splits and every file system passes on unread."""
_SPREAD = 16
_FEWEST_PLACES = 4
"""Records of the largest size that must fit into the region."""
_FILL_SLICES = 32
_FILL_LEAST = 64 * MIB
"""Bytes of a slice; fio takes a third of a second to begin."""
_FILL_RECORD = MIB
_WORDS = {Op.READ: "reads", Op.WRITE: "writes"}

Run = Callable[[FioJob, float], Ran]
"""Runs one job within a limit in seconds; fio, or a test's model of a device."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to measure, and how long it may take."""

    sizes: tuple[int, ...] = SIZES
    """Record sizes in bytes: multiples of 4 KiB."""
    round_s: float = 2.0
    """Seconds of a round."""
    rule: Rule = field(default_factory=Rule)
    """When a device is steady."""
    time_limit_s: float = 3600.0
    """Seconds after which each size that is left gets one round."""
    durable: bool = False
    """Whether writes count when they are on the medium (O_DSYNC)."""
    seed: int = 0

    def __post_init__(self) -> None:
        if len(set(self.sizes)) < 2:
            given = ", ".join(map(size_text, self.sizes)) or "none"
            raise InputError("too few sizes to fit", place="--sizes", found=given, allowed="two or more")
        for size in self.sizes:
            if size <= 0 or size % BLOCK:
                nearest = size_text(max(BLOCK, round(size / BLOCK) * BLOCK))
                raise InputError(
                    "is not whole blocks",
                    place="--sizes",
                    found=size_text(size) if size > 0 else size,
                    allowed="multiples of 4KiB",
                    remedy=f"The nearest is {nearest}",
                )
        if max(self.sizes) < _SPREAD * min(self.sizes):
            given = f"{size_text(min(self.sizes))} to {size_text(max(self.sizes))}"
            allowed = f"a largest of {_SPREAD} times the smallest or more, to tell rate from gap"
            raise InputError("are too much alike", place="--sizes", found=given, allowed=allowed)
        if not 0.05 <= self.round_s <= 3600:
            raise InputError("is out of range", place="--round", found=self.round_s, allowed="0.05 s to 1 h")
        if not 0 < self.time_limit_s <= 1e7:
            raise InputError(
                "is out of range", place="--time-limit", found=self.time_limit_s, allowed="above 0 s"
            )

    def least_seconds(self, target: StorageTarget) -> float:
        """How long it takes when everything is steady at once, without the filling."""
        directions = 1 if target.read_only else 2
        rounds = self.rule.window * (directions * len(set(self.sizes)) + (not target.read_only))
        return rounds * self.round_s


def measure(
    target: StorageTarget, request: Request | None = None, *, progress: Progress | None = None
) -> Measurement:
    """Measure a target that `find_target` has let pass; what lies on a device is overwritten.

    Raises:
        InputError: the region is too small for the largest record.
        TargetError: fio failed, or the region was not filled within the time limit.
        MissingError, GuardError: as `opened`, and without fio or scipy.
    """
    asked = request or Request()
    check_region(target, asked)
    fio.find_fio()
    measured.least_squares()
    with opened(target) as held:

        def run(job: FioJob, limit_s: float) -> Ran:
            return fio.run(job, held, limit_s=limit_s)

        return Session(held, asked, run, RealClock()).measured(progress or Silent())


def check_region(target: StorageTarget, request: Request) -> None:
    """Whether enough places for the largest record fit.

    Args:
        target: where to measure; its region is what is read and written.

    Raises:
        InputError: they do not.
    """
    needed = _FEWEST_PLACES * max(request.sizes)
    if target.region_bytes < needed:
        raise InputError(
            "is too small for the largest record",
            place="--size",
            found=size_text(target.region_bytes),
            allowed=f"{size_text(needed)} or more, or smaller --sizes",
        )


class Session:
    """One measurement under way; what runs jobs and what tells time are given to it."""

    def __init__(self, held: Opened, request: Request, run: Run, clock: Clock) -> None:
        """Nothing is done until `measured`."""
        self._held, self._request, self._run, self._clock = held, request, run, clock
        self._region = held.target.region_bytes
        self._deadline = clock.now() + request.time_limit_s
        self._seeds = Seeds(request.seed).child("measure")

    def measured(self, progress: Progress) -> Measurement:
        """Everything, in order.

        Raises:
            TargetError: a job failed, or the region was not filled in time.
        """
        target, request = self._held.target, self._request
        sizes = sorted(set(request.sizes))
        directions = (Op.READ,) if target.read_only else (Op.READ, Op.WRITE)
        worn: bool | None = None
        if not target.read_only:
            with progress.task("filling", total=float(self._region)) as task:
                self._fill(task)
            with progress.task("random writes until steady") as task:
                worn = self._until_steady(Op.WRITE, sizes[0], "precondition", task).steady
        fits = []
        for op in directions:
            with progress.task(f"measuring {_WORDS[op]}", total=float(len(sizes))) as task:
                samples = []
                for size in sizes:
                    samples.append(self._until_steady(op, size, "measure", task))
                    task.advance()
                fits.append(measured.fit(op, samples))
        return Measurement(
            target.name,
            self._region,
            tuple(fits),
            target.capacity,
            self._held.direct,
            worn,
            request.durable,
            request.round_s,
            (*target.notes, *self._held.notes),
        )

    def _fill(self, task: Task) -> None:
        """Write the region once, from its beginning, in slices so that progress and the limit can be seen."""
        slices = max(_FILL_LEAST, -(-self._region // MIB // _FILL_SLICES) * MIB)
        for offset in range(0, self._region, slices):
            left = self._deadline - self._clock.now()
            if left <= 0:
                done = f"{offset / self._region:.0%} of {size_text(self._region)}"
                remedy = "Give a smaller --size or a longer --time-limit"
                raise TargetError(
                    "was not filled in time", file=self._held.target.name, found=done, remedy=remedy
                )
            size = min(slices, self._region - offset)
            self._run(FioJob("write", _FILL_RECORD, size, offset), left)
            task.advance(size)

    def _until_steady(self, op: Op, size: int, purpose: str, task: Task) -> Sample:
        """Rounds of one size until they are steady, or there have been too many, or time is up."""
        rule, ran = self._request.rule, list[Ran]()
        steady = False
        while not steady and len(ran) < rule.rounds:
            if ran and self._clock.now() >= self._deadline:
                break
            seed = self._seeds.child(purpose, op.value, size, len(ran)).value >> 2
            ran.append(self._run(self._round(op, size, seed), self._request.round_s))
            speed = size / ran[-1].seconds / 1e6
            task.say(f"{_WORDS[op]} of {size_text(size)}, round {len(ran)}: {speed:.4g} MB/s")
            steady = is_steady([1 / run.seconds for run in ran], rule)
        window = ran[-rule.window :]
        records = sum(run.records for run in window)
        seconds = sum(run.records * run.seconds for run in window) / records
        return Sample(size, seconds, records, steady, tuple(run.seconds for run in ran))

    def _round(self, op: Op, size: int, seed: int) -> FioJob:
        pattern = "randread" if op is Op.READ else "randwrite"
        request = self._request
        return FioJob(pattern, size, self._region, 0, request.round_s, seed, request.durable)
