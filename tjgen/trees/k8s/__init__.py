"""Quantities, names, and labels of Kubernetes."""
