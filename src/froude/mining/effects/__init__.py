"""Calls that other calls cause: rare values, relocation, requests to daemons."""
