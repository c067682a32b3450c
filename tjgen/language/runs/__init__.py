"""The identity of a run, its name, and the lock that records it."""
