"""The language: `models` define it, and the generated modules read it fast."""
