"""`configMap`: the keys of a ConfigMap, as files."""

from __future__ import annotations

from tjgen.compiler.volumes.key_files import key_source

SOURCE = key_source("configMap", name_field="name", kind="ConfigMap", files_of=lambda volume: volume.config_map)
