"""The Workload: a scale-free pattern of calls; the Scale it is asked at; the Plan that comes of both."""
