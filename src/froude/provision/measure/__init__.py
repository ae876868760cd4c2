"""Measuring storage: rate and gap of real devices, and how far that model lies from them."""
