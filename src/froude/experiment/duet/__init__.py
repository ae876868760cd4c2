"""Two daemons under one load at the same time: the baseline and the candidate, slice by slice."""
