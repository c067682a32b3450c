"""Image references, and the digests of tags, read from container registries."""
