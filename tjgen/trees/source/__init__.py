"""YAML and JSON in, with a place for every node; YAML out."""
