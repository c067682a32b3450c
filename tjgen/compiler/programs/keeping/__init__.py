"""Checkpoints: where they are, what stays of them, and whether there is room and time for them."""
