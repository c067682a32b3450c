"""Validation of an object as by the API server: decoding, structure, names, rules, admission webhooks, updates."""
