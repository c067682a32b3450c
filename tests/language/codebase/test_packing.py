"""Files as a ConfigMap: what comes out of its volume is what went in."""

from __future__ import annotations

import re
from base64 import b64decode
from pathlib import Path

from tjgen.language.codebase.files import matching_files
from tjgen.language.codebase.packing import keys, pack, size
from tjgen.trees.files.sandbox import Sandbox

CONTENTS = {
    "train.py": b"print('hello')\n",
    "model/__init__.py": b"",
    "model/net.py": b"x = 1",
    "data.bin": bytes(range(256)),
    "windows.txt": b"one\r\ntwo\r\n",
    "two words.txt": "grün ☃".encode(),
    "escape.txt": b"\x1b[31m",
    "a/b": b"folder",
    "a..b": b"no folder",
}


def test_a_volume_gives_every_file_back_byte_for_byte(tmp_path: Path) -> None:
    for path, content in CONTENTS.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    packed = pack(matching_files(Sandbox([str(tmp_path)]), str(tmp_path)))
    whole = {**{key: text.encode() for key, text in packed.data.items()}, **{k: b64decode(v) for k, v in packed.binary.items()}}
    assert {item["path"]: whole[item["key"]] for item in packed.items} == CONTENTS
    assert set(packed.binary) == {"data.bin", "windows.txt", "escape.txt"}
    assert size(matching_files(Sandbox([str(tmp_path)]), str(tmp_path))) == sum(
        len(key) + len(content) for key, content in whole.items()
    )


def test_keys_are_those_that_kubernetes_takes_and_none_comes_twice() -> None:
    paths = ["a/b", "a..b", "a b", "a_b", "..a", "ü", "x" * 300, "x/" * 200 + "y", "f" * 253]
    found = keys(paths)
    assert len(set(found)) == len(paths)
    for key in found:
        assert re.fullmatch(r"[-._a-zA-Z0-9]+", key) and len(key) <= 253 and key not in (".", "..") and not key.startswith("..")


def test_the_executable_bit_becomes_a_mode(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "run.sh").chmod(0o700)
    assert pack(matching_files(Sandbox([str(tmp_path)]), str(tmp_path))).items == [
        {"key": "run.sh", "path": "run.sh", "mode": 0o755}
    ]
