"""Structural schemas of every kind: defaulting and the walk that compares an object with its schema."""
