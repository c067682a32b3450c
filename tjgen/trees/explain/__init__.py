"""The origins of a field, as text."""
