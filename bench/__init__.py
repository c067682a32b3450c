"""Benchmarks of the program as users start it: `python -m bench`. See docs/how-to/benchmark.md."""
