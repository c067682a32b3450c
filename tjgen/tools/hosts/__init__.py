"""tjgen inside Argo CD, kustomize, and Helm."""
