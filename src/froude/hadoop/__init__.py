"""Hadoop: its schema, wire protocol, jars and daemons."""
