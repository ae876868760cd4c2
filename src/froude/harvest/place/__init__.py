"""Where the replicas of a block go: Algorithm 2 of the paper as one set of constraints among others."""
