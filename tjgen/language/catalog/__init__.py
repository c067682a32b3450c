"""Runtimes: the bundled ones, those of a project, and imported ones."""
