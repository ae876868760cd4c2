"""Placement on a real HDFS: what a NameNode is told, how it is told, and how that is taken back."""
