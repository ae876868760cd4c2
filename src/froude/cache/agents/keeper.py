"""The hypervisor's side of a change: one at a time, none that is late, and never more than the SSD has.

The controller orders changes so that the SSD is not promised twice; this is the second lock on the same door: it also
holds against a change that was sent by a controller that has died, or that was on its way for long.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Protocol

from froude.base.errors import FroudeError, GuardError, InputError
from froude.cache.monitor.limits import RESOURCES, Limits


class Limited(Protocol):
    """A VM that can be limited."""

    def apply(self, limits: Limits) -> None:
        """Set its limits.

        Raises:
            FroudeError: refused; what is in force must be read back.
        """

    def read_back(self) -> Limits:
        """What is in force.

        Raises:
            FroudeError: nobody knows.
        """


class Keeper:
    """The SSD of one hypervisor, and the VMs on it."""

    def __init__(self, supply: Limits, vms: Mapping[str, Limited]) -> None:
        """Nothing is changed.

        Args:
            vms: by name.
        """
        self.supply = supply
        self.last_number = 0
        self._vms = dict(vms)
        self._one_at_a_time = threading.Lock()

    def apply(self, vm: str, number: int, limits: Limits) -> Limits:
        """Change the limits of a VM.

        Returns:
            What is in force after it, read back.

        Raises:
            InputError: no such VM.
            GuardError: the change is late, or the SSD has not that much.
            FroudeError: a back-end refuses, or does not answer.
        """
        if vm not in self._vms:
            raise InputError("is no VM here", place=vm, allowed=self._vms)
        with self._one_at_a_time:
            if number <= self.last_number:
                raise GuardError(
                    "is late", place=f"change {number}", found=f"{self.last_number} was carried out"
                )
            self._refuse_too_much(vm, limits)
            self.last_number = number
            self._vms[vm].apply(limits)
            return self._vms[vm].read_back()

    def _refuse_too_much(self, vm: str, wanted: Limits) -> None:
        """Refuse a change that makes a VM's share larger while the sum exceeds the SSD.

        Raises:
            GuardError: it does.
        """
        held: dict[str, Limits] = {}
        for name, each in self._vms.items():
            try:
                held[name] = each.read_back()
            except FroudeError:
                if name == vm:
                    raise
                held[name] = self.supply  # it may have anything, so the others can only shrink
        for resource in RESOURCES:
            supply, asked = getattr(self.supply, resource), wanted.taken(resource)
            others = [limits.taken(resource) for name, limits in held.items() if name != vm]
            theirs = sum(filter(None, others))
            now = held[vm].taken(resource)
            if supply is None or asked is None or None in others or (now is not None and asked <= now):
                continue
            if theirs + asked > supply:
                raise GuardError(
                    "has not that much left",
                    file="the SSD",
                    place=resource,
                    found=f"{asked} for {vm}, {theirs} for the others",
                    allowed=supply,
                )
