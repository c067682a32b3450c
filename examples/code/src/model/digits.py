"""What the network looks like."""

SHAPE = (784, 10)
