"""The GitOps tools that apply manifests, each described once: `protocol.py` defines the facts, `table.py` lists the tools."""
