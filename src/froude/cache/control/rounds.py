"""One round of the loop: monitor, analyse, plan, execute, and write down; all but the world, which it is given.

What is safe whatever happens:

* An SSD is never promised twice. Every change goes through a `Transition`, whose start is what agents read back in
  this round, never what a plan once said; and each agent refuses by itself what its SSD has not.
* A change that was sent by a controller that has died since cannot undo a later one: numbers of changes only grow, and
  an agent refuses a number that is not larger than the last.
* Where a change fails, its hypervisor goes back to what it had before the round, in the same safe order; the others are
  not touched by that. So the last plan that was whole stays in force.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from froude.base.clock import Clock
from froude.base.errors import FroudeError, InputError
from froude.cache.backends.order import Step, Transition
from froude.cache.control.types import Agents, Decision, Journal, Outcome, Policy, Record
from froude.cache.monitor.limits import Limits
from froude.cache.monitor.messages import HypervisorReport
from froude.cache.monitor.view import Monitor, View, VmView

_STEPS_A_VM = 4
"""Changes of one VM in a round: down and up, and both again on the way back."""


@dataclass(slots=True)
class Controller:
    """The loop's state between rounds."""

    agents: Agents
    journal: Journal
    clock: Clock
    monitor: Monitor
    policy: Policy
    last: Record | None = None
    view: View = field(default_factory=lambda: View((), ()))
    """What was seen in it."""
    _next: int = 1

    def __post_init__(self) -> None:
        """Go on where the journal ends: a round that had begun and has no end died with its controller."""
        records = self.journal.records()
        if records:
            self.last = records[-1]
            self._next = self.last.number + 1

    def observe(self) -> View:
        """Ask all agents; what comes of it."""
        hypervisors, guests = self.agents.hypervisors(), self.agents.guests()
        now = self.clock.now()
        for name, report in hypervisors.items():
            if isinstance(report, FroudeError):
                self.monitor.failed(name, str(report))
            elif report.name != name:
                self.monitor.failed(name, f"says that it is {report.name}")
            else:
                self.monitor.hypervisor(report, now)
        for name, guest in guests.items():
            if isinstance(guest, FroudeError):
                self.monitor.failed(name, str(guest), guest=True)
            elif guest.name != name:
                self.monitor.failed(name, f"says that it is {guest.name}", guest=True)
            else:
                self.monitor.guest(guest, now)
        self.view = self.monitor.view(now)
        return self.view

    def round(self, *, cause: str = "interval", dry: bool = False) -> Record:
        """Observe, decide, and apply.

        Args:
            dry: whether it is only said what would be done.

        Raises:
            FroudeError: the journal cannot be written; nothing was changed then.
        """
        begun = self.clock.now()
        view = self.observe()
        if all(vm.trouble for vm in view.vms):
            decision = Decision("none", {}, remarks=("no VM can be observed", *view.remarks))
            return self._end(self._record(cause, decision, Outcome.BLIND, begun), dry=dry)
        try:
            decided = self.policy.decide(view, view.pinned)
        except InputError as error:
            decision = Decision("none", {}, remarks=(f"no plan: {error}", *view.remarks))
            failed = replace(
                self._record(cause, decision, Outcome.FAILED, begun), failures=(f"no plan: {error}",)
            )
            return self._end(failed, dry=dry)
        decision = _within(decided, view)
        return self._carry_out(decision, view, cause, begun, dry=dry)

    def restore(self, number: int, *, dry: bool = False) -> Record:
        """Go back to what was in force after an earlier round.

        Args:
            dry: whether it is only said what would be done.

        Raises:
            KeyError: the history has no such round.
            FroudeError: the journal cannot be written; nothing was changed then.
        """
        wanted = next((each for each in self.journal.records() if each.number == number and each.after), None)
        if wanted is None:
            raise KeyError(number)
        begun = self.clock.now()
        view = self.observe()
        decision = Decision("rollback", wanted.after, remarks=(f"as after round {number}",))
        return self._carry_out(_within(decision, view), view, "rollback", begun, dry=dry)

    def _carry_out(self, decision: Decision, view: View, cause: str, begun: float, *, dry: bool) -> Record:
        held = {vm.name: vm.held for vm in view.vms}
        before = {vm: held[vm] for vm in decision.limits}
        record = replace(self._record(cause, decision, Outcome.BEGUN, begun), before=before, after=before)
        if all(limits == before[vm] for vm, limits in decision.limits.items()):
            return self._end(replace(record, outcome=Outcome.KEPT), dry=dry)
        if dry:
            return replace(record, outcome=Outcome.DRY)
        self.journal.add(record)
        numbers = iter(self.journal.numbers(_STEPS_A_VM * len(view.vms), above=view.last_number))
        after, failures = self._applied(decision.limits, view, numbers)
        outcome = Outcome.APPLIED
        if failures:
            self._go_back(view, after, failures, numbers)
            touched = {vm.hypervisor for vm in view.vms if vm.name in decision.limits}
            outcome = Outcome.PARTLY if touched - set(failures) else Outcome.FAILED
        ended = replace(
            record,
            outcome=outcome,
            after={vm: after.get(vm, before[vm]) for vm in before},
            failures=tuple(f"{name}: {why}" for name, why in failures.items()),
            seconds=self.clock.now() - begun,
        )
        return self._end(ended, dry=False)

    def _go_back(
        self, view: View, after: dict[str, Limits], failures: dict[str, str], numbers: Iterator[int]
    ) -> None:
        """Give VMs of the hypervisors that failed what they had; what they hold by now is asked for first."""
        reports = self.agents.hypervisors()
        now = {
            vm.name: vm.limits
            for name in failures
            if isinstance(report := reports.get(name), HypervisorReport)
            for vm in report.vms
        }
        known = replace(
            view,
            vms=tuple(replace(vm, held=now[vm.name]) for vm in view.vms if vm.name in now),
            hypervisors=tuple(each for each in view.hypervisors if each.name in failures),
        )
        after.update(now)
        again, more = self._applied({vm.name: vm.held for vm in view.vms if vm.name in now}, known, numbers)
        after.update(again)
        for name, why in more.items():
            failures[name] += f"; and on the way back {why}"

    def _applied(
        self, wanted: Mapping[str, Limits], view: View, numbers: Iterator[int]
    ) -> tuple[dict[str, Limits], dict[str, str]]:
        """Change limits, on all hypervisors at the same time, on each in its safe order.

        Returns:
            What VMs hold then, as far as anybody knows, and by hypervisor what went wrong first.
        """
        moves: dict[str, Transition] = {}
        for hypervisor in view.hypervisors:
            vms = {vm.name: vm.most(hypervisor.supply) for vm in view.vms if vm.hypervisor == hypervisor.name}
            goals = {vm: limits for vm, limits in wanted.items() if vm in vms}
            if goals:
                moves[hypervisor.name] = Transition(hypervisor.supply, vms, goals)
        failures: dict[str, str] = {}
        while steps := self._steps(moves, failures, numbers):
            for name, answer in self.agents.apply(steps).items():
                asked = steps[name][1]
                told = None if isinstance(answer, FroudeError) else answer.limits
                moves[name].done(told)
                if isinstance(answer, FroudeError):
                    failures[name] = f"{asked.vm}: {answer}"
                elif told != asked.after:
                    failures[name] = f"{asked.vm} has {told} instead of {asked.after}"
        return {vm: limits for move in moves.values() for vm, limits in move.held.items()}, failures

    @staticmethod
    def _steps(
        moves: Mapping[str, Transition], failures: Mapping[str, str], numbers: Iterator[int]
    ) -> dict[str, tuple[int, Step]]:
        """The next change of every hypervisor that has one and has not failed."""
        found = {}
        for name, move in moves.items():
            step = None if name in failures else move.next()
            if step is not None:
                found[name] = (next(numbers), step)
        return found

    def _record(self, cause: str, decision: Decision, outcome: Outcome, begun: float) -> Record:
        seconds = self.clock.now() - begun
        return Record(self._next, self.clock.wall(), cause, outcome, decision, seconds=seconds)

    def remember(self, record: Record) -> Record:
        """Write a round into the history, as it ended.

        Raises:
            FroudeError: the journal cannot be written.
        """
        self.journal.add(record)
        self.last = record
        self._next += 1
        return record

    def _end(self, record: Record, *, dry: bool) -> Record:
        return record if dry else self.remember(record)


def _within(decision: Decision, view: View) -> Decision:
    """A decision that can be carried out, whatever policy it came from.

    VMs that must stay as they are, or that are not there, are left out; what a VM's back-end does not control stays as
    it is; and a hypervisor whose SSD has less than the plan gives is left out as a whole.
    """
    there = {vm.name: vm for vm in view.vms if not vm.trouble}
    limits = {vm: _controlled(each, there[vm]) for vm, each in decision.limits.items() if vm in there}
    remarks = list(decision.remarks)
    for hypervisor in view.hypervisors:
        goals = {
            vm.name: limits.get(vm.name, vm.most(hypervisor.supply))
            for vm in view.vms
            if vm.hypervisor == hypervisor.name
        }
        for name, supply in hypervisor.supply.plain().items():
            amounts = [each.taken(name) for each in goals.values()]
            total = sum(filter(None, amounts))
            if supply is not None and None not in amounts and total > supply:
                remarks.append(f"{hypervisor.name}: {name} of {total} were planned of {supply}: left out")
                limits = {vm: each for vm, each in limits.items() if vm not in goals}
                break
    return replace(decision, limits=limits, remarks=tuple(remarks))


def _controlled(limits: Limits, vm: VmView) -> Limits:
    held = vm.held.plain()
    kept = {name: value if name in vm.controls else held[name] for name, value in limits.plain().items()}
    if kept["cache_bytes"] is None:
        kept["cache_bytes"] = held["cache_bytes"]
    return Limits(**kept)
