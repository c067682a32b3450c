"""Behavior of a cluster for any manifest: the API server, its webhooks, the Trainer controller; and container registries."""
