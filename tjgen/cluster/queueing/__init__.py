"""Queues and workloads -> which workloads are admitted, to which nodes, and the sentence for the others."""
