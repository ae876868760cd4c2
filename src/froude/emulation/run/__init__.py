"""A Run: counts and latencies, the verdict on it, its files and figures."""
