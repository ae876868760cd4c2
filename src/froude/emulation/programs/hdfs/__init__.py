"""Emulated daemons of HDFS: DataNodes."""
