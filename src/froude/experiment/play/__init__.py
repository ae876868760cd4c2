"""Plays against real daemons: admission, warm-up, observation, execution."""
