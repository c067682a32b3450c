"""Checkpoints: their location, how many stay, and whether there is enough space and time for them."""
