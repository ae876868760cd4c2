"""Pages of splitting an SSD cache: a plan, what if, a simulation."""
