"""The problem at the end of its lead time, when demand has grown until more can be bought."""

from __future__ import annotations

from dataclasses import replace

from froude.provision.types import Dataset, Problem

YEAR = 365 * 86400.0
"""Seconds."""


def grown(problem: Problem) -> Problem:
    """The problem with its growth applied to rates and sizes, and no growth left; the same without one.

    Rates (executions of a batch job too) become rate * (1 + load) ** years, sizes of datasets and of their
    caches size * (1 + data) ** years, with the years of the lead time.
    """
    growth = problem.sla.growth
    if growth is None:
        return problem
    years = growth.lead_time / YEAR
    sla = replace(problem.sla.scaled((1 + growth.load) ** years), growth=None)
    factor = (1 + growth.data) ** years
    datasets = tuple(_larger(dataset, factor) for dataset in problem.application.datasets)
    return replace(problem, application=replace(problem.application, datasets=datasets), sla=sla)


def _larger(dataset: Dataset, factor: float) -> Dataset:
    held = None if dataset.cache_size is None else dataset.cache_size * factor
    return replace(dataset, size=dataset.size * factor, cache_size=held)
