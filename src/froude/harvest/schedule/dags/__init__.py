"""Jobs as graphs of stages: how many containers they need at once, and readers of what others record of them."""
