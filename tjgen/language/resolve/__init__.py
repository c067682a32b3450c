"""Files to experiments: layers, overlays, sweeps, variables, and the project that names them."""
