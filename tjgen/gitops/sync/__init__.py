"""What Argo CD and Flux need: Applications, Kustomizations, and health checks."""
