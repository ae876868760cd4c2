"""Duets."""
