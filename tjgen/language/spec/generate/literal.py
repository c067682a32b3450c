"""Plain data -> Python source of it, wrapped the same way on every machine."""

from __future__ import annotations

from typing import Any

WIDTH = 118


class Name(str):
    """Python source that is used unchanged."""

    __slots__ = ()


def literal(value: Any, indent: int = 0, used: int = 0) -> str:
    """The source of `value`; containers that do not fit on the line get a line for each element."""
    flat = _flat(value)
    if indent + used + len(flat) <= WIDTH or not isinstance(value, dict | list | tuple) or not value:
        return flat
    inner = " " * (indent + 4)
    if isinstance(value, dict):
        items = [f"{inner}{_key(key)}{literal(item, indent + 4, len(_key(key)))},\n" for key, item in value.items()]
        return "{\n" + "".join(items) + " " * indent + "}"
    items = [f"{inner}{literal(item, indent + 4, 0)},\n" for item in value]
    opening, closing = "[]" if isinstance(value, list) else "()"
    return f"{opening}\n{''.join(items)}{' ' * indent}{closing}"


def _flat(value: Any) -> str:
    if isinstance(value, Name):
        return str(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, dict):
        return "{" + ", ".join(_key(key) + _flat(item) for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flat, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_flat, value)) + ("," if len(value) == 1 else "") + ")"
    return repr(value)


def _key(key: str) -> str:
    return key if isinstance(key, Name) else f"{_quoted(key)}: "


def _quoted(text: str) -> str:
    if "\\" in text and '"' not in text:
        return f'r"{text}"'
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
