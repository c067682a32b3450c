"""Documents of users: experiments, overlays, platforms, projects, runtimes; and the identity of their runs."""
