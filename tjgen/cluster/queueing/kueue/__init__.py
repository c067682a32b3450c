"""Queues and workloads -> the decisions of Kueue: flavors, preemption, and the order of workloads."""
