"""Field paths, server-side apply, and the owners of each field."""
