"""Helpers of the tests of workload."""
