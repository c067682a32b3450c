"""The items of a data set divided among readers."""
