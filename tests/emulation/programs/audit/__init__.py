"""Clients of an audit log."""
