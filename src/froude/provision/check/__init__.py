"""The check: what a cluster must do and costs, from inputs and plan alone; it shares only values with the model."""
