"""`secret`: the keys of a Secret, as files."""

from __future__ import annotations

from tjgen.compiler.volumes.key_files import key_source

SOURCE = key_source("secret", name_field="secretName", kind="Secret", files_of=lambda volume: volume.secret)
