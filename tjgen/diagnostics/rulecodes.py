"""The codes of the rules of lint, made from them by `python -m docs.generate`: change the rules."""

from __future__ import annotations

RULES: tuple[tuple[str, str, str, str, str], ...] = ()
