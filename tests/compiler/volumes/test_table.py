"""Every source of volumes against its module, the language, the schema of a pod, and the packages that read the table."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
import yaml

from tests.architecture.test_tables import checked
from tests.program import Answer, tjgen
from tjgen.compiler import volumes as package
from tjgen.compiler.targets import fetching
from tjgen.compiler.volumes import protocol
from tjgen.compiler.volumes.protocol import Source
from tjgen.compiler.volumes.table import source_of, sources, with_pod_field
from tjgen.language.spec.models import volumes as models
from tjgen.language.spec.objects import Volume
from tjgen.tools.importing import pods as importing
from tjgen.tools.report.storage import volumes as reported

EXAMPLES: dict[str, Any] = {
    "pvc": "data",
    "hostPath": {"path": "/mnt/data", "type": "Directory", "nodeSelector": {"disk": "fast"}},
    "image": {"reference": "registry.example/data:1", "digest": f"sha256:{'0' * 64}"},
    "ephemeral": {"size": "10Gi"},
    "emptyDir": {"sizeLimit": "10Gi"},
    "configMap": {"name": "data", "items": {"a": "b"}},
    "secret": {"name": "data", "optional": True},
    "nfs": {"server": "nas.example", "path": "/export"},
    "csi": {"driver": "csi.juicefs.com", "attributes": {"share": "data"}},
    "dataset": "data",
}
"""Field of the language -> a source of that kind."""
REPORTED = {
    "pvc": "claim data",
    "hostPath": "/mnt/data of the node",
    "image": f"image registry.example/data:1@sha256:{'0' * 64}",
    "ephemeral": "claim of each pod",
    "emptyDir": "disk of the node",
    "configMap": "ConfigMap data",
    "secret": "Secret data",
    "nfs": "nas.example:/export",
    "csi": "driver csi.juicefs.com",
    "dataset": "claim data",
}
"""The words of a report for each example."""
EXPERIMENT = {
    "runtime": "tjgen-torch",
    "image": f"registry.example/train@sha256:{'0' * 64}",
    "script": "train.py",
    "nodes": 2,
}
EVERY = pytest.mark.parametrize("source", sources(), ids=lambda source: source.field)


def build(folder: Path, source: Source, *words: str, volume: Any = None, **spec: Any) -> Answer:
    """The answer of a build with one volume `data` of this source."""
    data = {source.field: EXAMPLES[source.field], "mountPath": "/data", **(volume or {})}
    tree = {
        "apiVersion": "tjgen.dev/v1alpha1",
        "kind": "Experiment",
        "metadata": {"name": "a", "namespace": "team"},
        "spec": {**EXPERIMENT, **spec, "volumes": {"data": data, **spec.get("volumes", {})}},
    }
    (folder / "a.yaml").write_text(yaml.safe_dump(tree), encoding="utf-8")
    return tjgen(folder, *(words or ("build", "--expanded")), "a.yaml")


def pod(answer: Answer) -> Any:
    """The pod spec of the nodes."""
    assert answer.code == 0, answer.err
    jobset = next(one for one in yaml.safe_load_all(answer.out) if one["kind"] == "JobSet")
    return jobset["spec"]["replicatedJobs"][-1]["template"]["spec"]["template"]["spec"]


def codes(answer: Answer) -> set[str]:
    """The codes of the diagnostics."""
    return {line.partition("[")[2].partition("]")[0] for line in answer.err.splitlines() if "[TJ" in line}


def test_the_table_has_every_source_of_the_package_and_of_the_language() -> None:
    described = {
        module.name: value
        for module in iter_modules(package.__path__)
        for value in vars(import_module(f"tjgen.compiler.volumes.{module.name}")).values()
        if isinstance(value, Source)
    }
    assert {source.field: source for source in sources()} == {source.field: source for source in described.values()}
    assert [source.field for source in sources()] == [field for (field,) in models.Volume.alternatives] == list(EXAMPLES)
    attributes = {str(info.alias or name): name for name, info in models.Volume.model_fields.items()}
    assert {attributes[source.field]: source for source in sources()} == described


def test_the_type_checker_sees_every_source() -> None:
    names = [module.removesuffix(".SOURCE") for module in checked("tjgen/compiler/volumes/table.py", "SOURCES")]
    assert [import_module(f"tjgen.compiler.volumes.{name}").SOURCE for name in names] == list(sources())


def test_a_volume_without_a_source_is_refused() -> None:
    with pytest.raises(AssertionError, match="exactly one source"):
        source_of(Volume({"mountPath": "/data"}))


@EVERY
def test_the_words_of_each_fact_are_those_of_the_protocol(source: Source) -> None:
    assert source.reach in (protocol.EVERY_POD, protocol.BY_DRIVER, protocol.OF_NODE, protocol.OF_POD)
    assert source.read_only in (protocol.AS_WRITTEN, protocol.ALSO_IN_SOURCE, protocol.IN_EVERY_MOUNT, protocol.BY_KUBELET)
    assert source.filled_by in (protocol.JOB, protocol.JOB_OF_NODE, protocol.DATA_LOAD, protocol.NOTHING)


@EVERY
def test_the_pod_has_the_source_and_the_server_accepts_it(source: Source, tmp_path: Path) -> None:
    for read_only in (False, True):
        spec = pod(build(tmp_path, source, volume={"readOnly": read_only}))
        [volume] = [one for one in spec["volumes"] if one["name"] == "data"]
        [mount] = [one for one in spec["containers"][0]["volumeMounts"] if one["name"] == "data"]
        assert set(volume) == {"name", source.pod_field}
        assert mount.get("readOnly", False) == (read_only or source.read_only == protocol.IN_EVERY_MOUNT)
        in_source = source.read_only == protocol.ALSO_IN_SOURCE and read_only
        assert volume[source.pod_field].get("readOnly", False) == (in_source or source.field == "dataset")
    assert spec.get("nodeSelector") == (EXAMPLES[source.field]["nodeSelector"] if source.reach == protocol.OF_NODE else None)


@EVERY
def test_checkpoints_go_only_where_they_stay(source: Source, tmp_path: Path) -> None:
    keep = {"volume": "data", "keep": {"last": 2}}
    found = codes(build(tmp_path, source, checkpoints=keep))
    assert ("TJ461" in found) == source.is_read_only
    assert ("TJ462" in found) == (not source.survives_pod)
    cleaned = source.reach in (protocol.EVERY_POD, protocol.BY_DRIVER)
    assert ("TJ469" in found) == (not source.is_read_only and not cleaned)


@EVERY
def test_only_a_source_with_a_driver_is_measured(source: Source, tmp_path: Path) -> None:
    (tmp_path / "tjgen.yaml").write_text("apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {platforms: [platform.yaml]}\n")
    head = "apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: lab}\n"
    (tmp_path / "platform.yaml").write_text(f"{head}spec: {{images: {{helpers: {{diagnose: registry.example/fio:3.39}}}}}}\n")
    answer = build(tmp_path, source, "diagnose")
    assert (answer.code, "TJ940" in codes(answer)) == ((0, False) if source.driver is not None else (1, True))
    if source.driver is not None:
        environment = yaml.safe_load(answer.out)["spec"]["template"]["spec"]["containers"][0]["env"]
        [driver] = [one["value"] for one in environment if one["name"] == "DRIVER"]
        assert bool(driver) == (source.field not in ("pvc", "hostPath")), "an existing claim may have any, and a folder has none"


@EVERY
def test_data_is_brought_only_where_something_fills_it(source: Source, tmp_path: Path) -> None:
    nodes = {"nodes": ["node-1"]} if source.filled_by == protocol.JOB_OF_NODE else {}
    answer = build(tmp_path, source, "build", prefetch={"volume": "data", "source": {"uri": "s3://bucket/data"}, **nodes})
    if source.filled_by == protocol.NOTHING:
        assert "TJ486" in codes(answer)
        return
    if source.filled_by == protocol.DATA_LOAD:
        answer = build(tmp_path, source, "build", prefetch={"volume": "data"})
    kinds = {one["kind"] for one in yaml.safe_load_all(answer.out)}
    assert ("Job" in kinds, "DataLoad" in kinds) == (
        source.filled_by in (protocol.JOB, protocol.JOB_OF_NODE),
        source.filled_by == protocol.DATA_LOAD,
    )


@EVERY
def test_tasks_overlap_on_storage_that_they_share(source: Source, tmp_path: Path) -> None:
    tasks = {"data": {"volume": "data"}, "tasks": {"one": {}, "other": {}}}
    found = codes(build(tmp_path, source, volume={"readOnly": True}, **tasks))
    assert ("TJ363" in found) == (source.storage is not protocol.no_storage)


@EVERY
def test_copies_go_to_a_volume_of_one_pod(source: Source, tmp_path: Path) -> None:
    slices = {"over": "nodes", "by": "round-robin", "deliver": "init", "scratch": "data"}
    (tmp_path / "list.txt").write_text("a\nb\nc\nd\n", encoding="utf-8")
    data = {"volume": "source", "items": {"manifest": "list.txt"}, "slices": slices}
    origin = {"source": {"pvc": "origin", "mountPath": "/origin", "readOnly": True}}
    found = codes(build(tmp_path, source, data=data, volumes=origin))
    assert ("TJ362" in found) == source.survives_pod


@EVERY
def test_a_report_describes_the_source(source: Source, tmp_path: Path) -> None:
    spec = pod(build(tmp_path, source))
    [volume] = [one for one in reported([("node", spec)], []) if one.name == "data"]
    assert volume.source == REPORTED[source.field]
    assert volume.storage == ("10Gi" if source.reach == protocol.OF_POD else "")


@EVERY
def test_what_is_imported_builds_the_same_volume(source: Source, tmp_path: Path) -> None:
    [volume] = [one for one in pod(build(tmp_path, source))["volumes"] if one["name"] == "data"]
    known = with_pod_field(source.pod_field)
    assert known is not None
    words = importing._source(volume)
    assert (words is not None) == (known.imported is not None)
    if words is not None:
        again = pod(build(tmp_path, known, volume=words))
        read_only = {"readOnly": True} if source.field == "dataset" else {}
        [built] = [one for one in again["volumes"] if one["name"] == "data"]
        assert {**built[known.pod_field], **read_only} == volume[source.pod_field]


def test_initializers_of_direct_targets_know_the_volumes_of_one_pod() -> None:
    # Targets may not import what knows the language, so they list the fields themselves.
    assert set(fetching._OWN) == {source.pod_field for source in sources() if not source.survives_pod}
