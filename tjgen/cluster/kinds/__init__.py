"""The kinds of objects of a run, each described once: `protocol.py` defines the facts, `table.py` lists the kinds."""
