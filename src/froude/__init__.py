"""Froude: scale models of Hadoop-class clusters."""
__version__ = "0.1.0"
