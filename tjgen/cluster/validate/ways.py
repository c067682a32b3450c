"""The ways in which a manifest gets into a cluster."""

from __future__ import annotations

CLIENT_SIDE = "client-side"
SERVER_SIDE = "server-side"
WAYS = (CLIENT_SIDE, SERVER_SIDE)
"""`kubectl apply` merges a manifest in the client, unless it has `--server-side`, which Flux always uses."""
