"""Runs, and the nodes and queues of a Platform -> which runs start, in which order, and why others do not."""
