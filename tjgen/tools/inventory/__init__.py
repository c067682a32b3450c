"""Lists of items that are larger than memory, divided into slices by DuckDB."""
