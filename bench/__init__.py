"""Benchmarks of the program as users start it: `python -m bench`."""
