"""Repeated runs of a baseline and a candidate, compared."""
