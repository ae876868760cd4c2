"""The search: from the inputs to the cheapest checked plan, with a bound on every other."""
