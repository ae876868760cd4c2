"""What the tenants of a running cluster used: a Datacenter whose last month goes on, sample by sample."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from froude.base.errors import InputError
from froude.harvest.classify.classes import slots_a_day
from froude.harvest.classify.patterns import DAY_S
from froude.harvest.telemetry.clean import filled
from froude.harvest.telemetry.datacenter import Datacenter, Reimages

WINDOW_DAYS = 31
"""The month that the paper classifies."""
_FORECAST_DAYS = 7
_FORECAST_S = 3600.0
_WEEK_S = 7 * DAY_S


class History:
    """Utilisation of tenants over the last month, kept up to date."""

    def __init__(self, datacenter: Datacenter, now_s: float, *, days: int = WINDOW_DAYS) -> None:
        """Begin with what is known.

        A history that ended more than a week ago, or that was made up, is moved on by whole weeks to just before now:
        hours and weekdays stay what they are.

        Args:
            datacenter: tenants, servers, and their past; its slots divide a day.
            now_s: seconds since 1970.
            days: of the window, 2 or more.

        Raises:
            InputError: its slots do not divide a day.
        """
        per_day = slots_a_day(datacenter)
        if per_day * datacenter.slot_s != DAY_S:
            found, allowed = f"{datacenter.slot_s:g} s", "slots that divide a day"
            raise InputError(
                "has slots that no day is made of", place=datacenter.name, found=found, allowed=allowed
            )
        self._base = datacenter
        self._per_day = per_day
        self._tenant_of = {
            server: int(tenant)
            for server, tenant in zip(datacenter.servers, datacenter.server_tenant, strict=True)
        }
        end_s = datacenter.start_s + datacenter.slots * datacenter.slot_s
        self.moved_s = _WEEK_S * max(0, math.ceil((now_s - end_s) / _WEEK_S) - 1)
        """By how much the past was moved."""
        self._days = days
        self._first = round((datacenter.start_s + self.moved_s) / datacenter.slot_s)
        """Number of the first slot, counted from 1970."""
        self._series = np.array(datacenter.utilisation, np.float32)
        self._slot = -1
        self._sum = np.zeros(len(datacenter.tenants))
        self._seen = np.zeros(len(datacenter.tenants))
        self._reach(int(now_s // datacenter.slot_s))

    def add(self, now_s: float, shares: Mapping[str, float]) -> None:
        """Take a sample; several within a slot are one mean.

        Args:
            now_s: seconds since 1970; a time before that of the last sample counts as that.
            shares: by server, CPU of its primary tenant, 0 to 1; servers that the datacenter does not have are left out.
        """
        slot = max(self._slot, int(now_s // self._base.slot_s))
        if slot != self._slot:
            self._reach(slot)
            self._slot = slot
            self._sum[:] = self._seen[:] = 0
        for server, share in shares.items():
            tenant = self._tenant_of.get(server)
            if tenant is not None:
                self._sum[tenant] += min(1.0, max(0.0, share))
                self._seen[tenant] += 1
        known = self._seen > 0
        self._series[known, slot - self._first] = self._sum[known] / self._seen[known]

    def datacenter(self) -> Datacenter:
        """The window as a Datacenter, with its gaps."""
        start_s = self._first * self._base.slot_s
        moved = Reimages(
            self._base.reimages.server,
            self._base.reimages.time_s + self._base.start_s + self.moved_s - start_s,
        )
        return replace(self._base, utilisation=self._series.copy(), start_s=start_s, reimages=moved)

    def to_classify(self) -> Datacenter:
        """The window with gaps filled by each tenant's usual values, where it was ever measured at that hour.

        Nothing was measured while the daemon was away; a few days of it would be too few for classes.
        """
        found = self.datacenter()
        whole = found.slots_between(found.slots % self._per_day, found.slots)
        return replace(whole, utilisation=filled(whole.utilisation, self._per_day))

    def expected(self, now_s: float) -> Mapping[str, float]:
        """The most CPU that each server's tenant used within the next hour of the day, in the mean of up to seven days.

        Args:
            now_s: seconds since 1970.

        Returns:
            By server, 0 to 1; those of whom no such hour is known are absent.
        """
        ahead = round(_FORECAST_S / self._base.slot_s)
        at = int(now_s // self._base.slot_s) - self._first + np.arange(ahead + 1)
        past = at[None, :] - self._per_day * np.arange(1, _FORECAST_DAYS + 1)[:, None]
        there = (past >= 0) & (past < self._series.shape[1])
        values = np.where(there, self._series[:, np.where(there, past, 0)], np.nan)
        with warnings.catch_warnings():  # of tenants that nothing is known of
            warnings.simplefilter("ignore", RuntimeWarning)
            most = np.nanmax(np.nanmean(values, axis=1), axis=1)
        return {
            server: float(most[tenant])
            for server, tenant in self._tenant_of.items()
            if np.isfinite(most[tenant])
        }

    def _reach(self, slot: int) -> None:
        """Make the series end with a slot, and drop whole days that are older than the window."""
        missing = slot - self._first + 1 - self._series.shape[1]
        if missing > 0:
            gap = np.full((len(self._series), min(missing, (self._days + 1) * self._per_day)), np.nan)
            self._series = np.hstack([self._series, gap.astype(np.float32)])
            self._first = slot + 1 - self._series.shape[1]
        old = (self._series.shape[1] - 1) // self._per_day - self._days
        if old > 0:
            self._series = self._series[:, old * self._per_day :].copy()
            self._first += old * self._per_day
