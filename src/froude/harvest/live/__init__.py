"""Harvesting on a real YARN and HDFS: collect, apply, roll back, serve, submit."""
