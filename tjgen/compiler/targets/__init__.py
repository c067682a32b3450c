"""Workload to manifests: one module for each kind that an experiment can target."""
