"""Simulations over months: scheduling, availability, durability, with paired seeds."""
