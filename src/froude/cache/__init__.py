"""Splitting a scarce SSD cache among VMs: cached disks, their curves, what observes, decides and applies."""
