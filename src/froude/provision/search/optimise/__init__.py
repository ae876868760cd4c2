"""The optimiser: from a numeric instance to the cheapest cluster, between two bounds."""
