"""Harvesting: spare cycles and storage of servers that serve somebody else first, by their recorded history."""
