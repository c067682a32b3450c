"""The ways in which code reaches the pods: one module for each."""
