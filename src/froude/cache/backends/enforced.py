"""One VM with all that can limit it: each resource by the first back-end that was found to hold, else that may."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from froude.base.errors import FroudeError
from froude.cache.backends.own import OwnDisk
from froude.cache.backends.probe import choose
from froude.cache.backends.types import Backend, Finding, Verdict
from froude.cache.monitor.limits import RESOURCES, Limits
from froude.cache.monitor.messages import CachedVm, FindingMessage, parsed
from froude.cache.monitor.pieces import CurvePieces


@dataclass(slots=True)
class Enforced:
    """A VM's disk and its back-ends."""

    name: str
    backends: Sequence[Backend]
    """The preferred one first."""
    findings: list[Finding] = field(default_factory=list)
    """What came of measuring them; see `probed`."""
    _by: dict[str, str] = field(default_factory=dict)
    """The name of the back-end that limits each resource."""

    def __post_init__(self) -> None:
        self._choose()

    @property
    def controls(self) -> frozenset[str]:
        """Which of `RESOURCES` can be limited."""
        return frozenset(self._by)

    def probed(self, findings: Sequence[Finding]) -> None:
        """Take what was measured: a back-end that is ignored, or refuses, is not used for that resource.

        Args:
            findings: of some of the back-ends; what was found before of the same is forgotten.
        """
        new = {(each.backend, each.resource) for each in findings}
        kept = [each for each in self.findings if (each.backend, each.resource) not in new]
        self.findings = [*kept, *findings]
        self._choose()

    def apply(self, limits: Limits) -> None:
        """Set limits, each by its back-end.

        Raises:
            FroudeError: a back-end refuses; others may have changed, which is read back.
        """
        for backend in self.backends:
            mine = {name: getattr(limits, name) for name, by in self._by.items() if by == backend.name}
            if mine:
                backend.apply(Limits(**mine))

    def read_back(self) -> Limits:
        """What is in force, each by its back-end.

        Raises:
            FroudeError: one does not answer.
        """
        told = {each.name: each.read_back() for each in self.backends if each.name in self._by.values()}
        return Limits(**{resource: getattr(told[by], resource) for resource, by in self._by.items()})

    def _choose(self) -> None:
        order = {each.name: number for number, each in enumerate(self.backends)}
        self._by = {}
        for resource in RESOURCES:
            known = [each for each in self.findings if each.resource == resource and each.backend in order]
            tried = {each.backend for each in known}
            untried = [
                Finding(each.name, resource, Verdict.UNMEASURED)
                for each in self.backends
                if each.name not in tried and resource in each.controls
            ]
            chosen = choose(sorted([*known, *untried], key=lambda each: order[each.backend]), resource)
            if chosen is not None:
                self._by[resource] = chosen


@dataclass(slots=True)
class Watch:
    """What a hypervisor's agent tells of one VM."""

    vm: Enforced
    disk: OwnDisk | None
    """Its cache, where that is the project's own; without one only limits are known."""
    counters: Callable[[], tuple[float, float]] | None = None
    """Requests and bytes of a disk without a cache of ours."""
    pieces: CurvePieces = field(default_factory=lambda: CurvePieces(120.0))

    def look(self, now_s: float) -> None:
        """Take what was read since the last look into the curve.

        Args:
            now_s: on any clock that only goes on.
        """
        if self.disk is not None:
            try:
                self.pieces.add(self.disk.piece(), now_s)
            except FroudeError:
                return  # the report says so

    def report(self, instance: str, now_s: float) -> CachedVm:
        """The VM now; with the reason where its back-ends do not answer.

        Args:
            now_s: on the clock of `look`.
        """
        controls = tuple(name for name in RESOURCES if name in self.vm.controls)
        empty = CachedVm(name=self.vm.name, instance=instance, limits=Limits(), controls=controls)
        try:
            limits = self.vm.read_back()
            if self.disk is None and self.counters is None:
                # Nobody knows what it wants: its limits stay as they are.
                error = "nobody counts its requests"
                return empty.model_copy(update={"limits": limits, "error": error})
            counted = self._counted(instance, now_s)
            fields = {**empty.model_dump(), "limits": limits.plain(), **counted}
            told = parsed(CachedVm, fields, peer=self.vm.name)
        except FroudeError as error:
            return empty.model_copy(update={"error": str(error)[:200]})
        return told

    def findings(self) -> list[FindingMessage]:
        """What came of measuring its back-ends."""
        return [
            FindingMessage.model_validate(
                {**asdict(each), "vm": self.vm.name, "verdict": each.verdict.value, "note": each.note[:2000]}
            )
            for each in self.vm.findings
        ]

    def _counted(self, instance: str, now_s: float) -> Mapping[str, object]:
        if self.disk is None:
            assert self.counters is not None
            requests, size = self.counters()
            return {"reads": int(requests), "read_bytes": int(size)}
        now = self.disk.status()
        curve = self.pieces.curve(now_s)
        return {
            **{name: value for name, value in now.to_json().items() if name in CachedVm.model_fields},
            "instance": f"{instance}/{now.start}",  # its counters begin anew with each start
            "io_s": now.read_s + now.write_s + now.flush_s,
            "curve": None if curve is None else curve.plain(),
        }
