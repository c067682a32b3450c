"""Checks of the complete Workload: experiments that the cluster accepts, and that train wrongly or never start."""
