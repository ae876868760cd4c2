"""What the pages of provisioning show: plans and analyses in, values of `froude.render` out; nothing is drawn here."""

from froude.provision.figures.plans import evaluation_report as evaluation_report
from froude.provision.figures.plans import plan_report as plan_report
from froude.provision.figures.sweeps import architecture as architecture
from froude.provision.figures.sweeps import baseline_table as baseline_table
from froude.provision.figures.sweeps import cost_curve as cost_curve
from froude.provision.figures.sweeps import cost_stack as cost_stack
from froude.provision.figures.sweeps import storage_strip as storage_strip
from froude.provision.figures.sweeps import sweep_report as sweep_report
