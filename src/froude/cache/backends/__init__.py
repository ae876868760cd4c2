"""Enforcement: what a VM may use of an SSD, set, read back, and measured; several ways behind one interface."""
