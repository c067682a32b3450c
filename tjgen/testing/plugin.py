"""The plugin that pytest loads if tjgen is installed: it provides the fixture `tjgen_snapshot`.

If syrupy, which stores the snapshots, is not available or disabled, the fixture reports this. Other tests do not change.
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
