"""The steps over the Workload, in the order of `table.py`: each contributes fields of one concern."""
