"""What the pages of provisioning show: plans and analyses in, values of `froude.render` out; nothing is drawn here."""

from froude.provision.figures.plans import evaluation_report, plan_report
from froude.provision.figures.sweeps import (
    architecture,
    baseline_table,
    cost_curve,
    cost_stack,
    storage_strip,
    sweep_report,
)

__all__ = [
    "architecture",
    "baseline_table",
    "cost_curve",
    "cost_stack",
    "evaluation_report",
    "plan_report",
    "storage_strip",
    "sweep_report",
]
