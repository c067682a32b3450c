"""Ports of a container and the ports that plugins add -> the ports that the JobSet gets.

The controller matches ports "by number or name", and takes two ports without a name for the same one,
so unnamed ports swallow each other. Upstream: pkg/apply `UpsertPort`, v2.3.0.
"""

from __future__ import annotations

from tjgen.trees.typing import Any


def settled(ports: list[Any], added: list[Any]) -> list[Any]:
    """First the plugins' list, which shares the template's memory until it grows, then its copying back."""
    plugin_list = list(ports)
    for port in added:
        _upsert(plugin_list, port)
    result = plugin_list.copy() if len(plugin_list) == len(ports) else list(ports)
    for port in plugin_list:
        _upsert(result, port)
    return result


def are_confused(ports: list[Any]) -> bool:
    """Whether copying the list back onto itself loses a port."""
    return settled(ports, []) != ports


def _upsert(ports: list[Any], port: Any) -> None:
    for position, other in enumerate(ports):
        if other["containerPort"] == port["containerPort"] or other.get("name") == port.get("name"):
            ports[position] = port
            return
    ports.append(port)
