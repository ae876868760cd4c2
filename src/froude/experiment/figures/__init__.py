"""Sections of a report made from Workloads, Traces, predictions and Runs."""
