"""Manifests that others wrote, rewritten as experiments."""
