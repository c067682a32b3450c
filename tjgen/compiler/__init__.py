"""Experiments to manifests: every run of a project, compiled pass by pass for its target."""
