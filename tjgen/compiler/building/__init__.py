"""Paths to runs: every experiment, environment, and point of a sweep is compiled."""
