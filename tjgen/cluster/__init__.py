"""What a cluster does with any manifest: the API server, its webhooks, the Trainer controller; and container registries."""
