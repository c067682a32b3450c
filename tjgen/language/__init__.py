"""What users write: experiments, overlays, platforms, projects, runtimes; and the identity of the runs that they mean."""
