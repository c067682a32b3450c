"""The verdict of the API server on an object: decoding, structure, names, rules, admission webhooks, updates."""
