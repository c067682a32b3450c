"""Volumes of an experiment: one module for each source, their mounts, and the claims to create."""
