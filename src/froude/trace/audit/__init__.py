"""The audit log as an artifact: parsed, put in the order of time, kept as columns that a replay reads in pieces."""
