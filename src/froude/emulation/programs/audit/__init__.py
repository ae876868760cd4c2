"""Clients that make the calls of an audit log again."""
