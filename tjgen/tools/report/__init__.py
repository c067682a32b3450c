"""A page that shows every run of a project to people."""
