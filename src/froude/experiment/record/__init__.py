"""Real clusters that are recorded, and the jobs that run on them."""
