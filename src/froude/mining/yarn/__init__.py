"""What only YARN has: containers, the requests for them, where inputs are."""
