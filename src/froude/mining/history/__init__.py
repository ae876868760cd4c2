"""The calls of some runs in order, as arrays, and where values occur in them."""
