"""Values of JSON files in the file of compiled modules: equal to what the JSON files contain, and only for these files."""

from __future__ import annotations

import json
import marshal
import os
import shutil
from pathlib import Path

import pytest

from tests.checkout import ROOT, list_entries
from tests.trees.bytecode.test_bytecode import Copy
from tjgen.cluster.schema.store import read_json
from tjgen.trees import bytecode_file

SCHEMAS = list_entries(ROOT / "schemas", "**/*.json")
SCHEMA = "kubernetes/v1.36.3/meta_v1_objectmeta.json"


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """A copy of the program with schemas of its own, whose file of compiled modules is written."""
    copy = Copy(tmp_path / "copy")
    (copy.folder / "schemas").unlink()
    shutil.copytree(ROOT / "schemas", copy.folder / "schemas", ignore=shutil.ignore_patterns("modules", "gotypes"))
    assert copy.build()[0] == 0
    return copy


def test_each_stored_schema_is_equal_to_its_json() -> None:
    assert len(SCHEMAS) > 50
    for path in SCHEMAS:
        text = path.read_text(encoding="utf-8")
        packed = marshal.dumps(bytecode_file.with_shared_parts(read_json(text), {}))
        # As text: the order of keys, and 1, 1.0 and true are different.
        assert json.dumps(marshal.loads(packed)) == json.dumps(json.loads(text)), path
        assert len(packed) < len(text)


def test_equal_parts_are_one_object_and_values_of_other_classes_are_not() -> None:
    tree = {
        "a": {"x": [1, "text"]},
        "b": {"x": [1, "text"]},
        "c": {"x": [True, "text"]},
        "d": {"x": [1.0, "text"]},
        "e": [[], {}],
    }
    shared = marshal.loads(marshal.dumps(bytecode_file.with_shared_parts(tree, {})))
    assert repr(shared) == repr(tree)
    assert shared["a"] is shared["b"]
    assert shared["a"] is not shared["c"]
    assert shared["a"] is not shared["d"]


def test_a_stored_value_is_used_without_reading_the_json(copy: Copy) -> None:
    path = copy.folder / "schemas" / SCHEMA
    status = path.stat()
    first = copy.build()
    # Same size and time: only a start that reads the file would fail.
    path.write_bytes(b"x" * status.st_size)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert copy.build() == first
    assert copy.build(TJGEN_BYTECODE="off")[0] == 3


def test_a_json_file_of_another_size_or_time_is_read_and_stored(copy: Copy) -> None:
    path = copy.folder / "schemas" / "index.json"
    status = path.stat()
    first = copy.build()
    before = copy.file.read_bytes()
    path.write_bytes(
        path.read_bytes().replace(b"trainer.kubeflow.org/v1alpha1/TrainJob", b"trainer.kubeflow.org/v1alpha1/TrainRob")
    )
    assert path.stat().st_size == status.st_size
    changed = copy.build()
    assert changed == copy.build() == copy.build(TJGEN_BYTECODE="off") != first
    assert copy.file.read_bytes() != before
    os.unlink(path)
    assert copy.build() == copy.build(TJGEN_BYTECODE="off")


def test_a_missing_schema_is_missing_also_if_it_is_stored(copy: Copy) -> None:
    first = copy.build()
    os.unlink(copy.folder / "schemas" / SCHEMA)
    assert copy.build()[0] == copy.build(TJGEN_BYTECODE="off")[0] != first[0]


def test_a_stored_answer_is_not_written_after_a_change_of_a_stored_schema(copy: Copy, tmp_path: Path) -> None:
    manifest = tmp_path / "a.yaml"
    manifest.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", encoding="utf-8")
    words = ("-m", "tjgen", "check", str(manifest))
    copy.start(*words)
    first = copy.start(*words, TERM="dumb")
    assert first == copy.start(*words, TERM="dumb") == copy.start(*words, TJGEN_CACHE="off")
    path = copy.folder / "schemas" / "index.json"
    path.write_bytes(path.read_bytes().replace(b'"v1/ConfigMap"', b'"v1/ConfigSap"'))
    assert copy.start(*words, TERM="dumb") == copy.start(*words, TJGEN_CACHE="off") != first
