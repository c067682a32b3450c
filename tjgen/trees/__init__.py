"""Plain trees: read from text and written as text, with paths, positions, origins and diagnostics."""
