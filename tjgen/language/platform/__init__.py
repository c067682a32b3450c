"""A Platform: device classes, image rewriting, profiles, and the tools of the cluster."""
