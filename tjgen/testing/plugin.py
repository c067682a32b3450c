"""The plugin that pytest loads wherever tjgen is installed: it offers the fixture `tjgen_snapshot`, and costs nothing else.

syrupy, which keeps the snapshots, may be absent or switched off: the fixture then says so, and other tests never notice.
"""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Register the fixture, or what takes its place."""
    if config.pluginmanager.has_plugin("syrupy"):
        from tjgen.testing import snapshot

        config.pluginmanager.register(snapshot, "tjgen-snapshot")
    else:
        from tjgen.testing import absent

        config.pluginmanager.register(absent, "tjgen-snapshot")
