"""Splits of an SSD cache played out: jobs of clusters on a virtual clock, and block traces of several volumes."""
