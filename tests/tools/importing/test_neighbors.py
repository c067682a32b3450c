"""Objects next to imported jobs: they become claims, fields of a Platform or manifests, and an edit of each takes effect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.program import tjgen
from tests.tools.importing.test_jobs import kubeflow, replicas, template, volcano
from tjgen.tools.importing.folder import Import, read_folder
from tjgen.tools.importing.neighbors import with_neighbors
from tjgen.tools.importing.remaining import ObjectIdentity

OURS = {"app.kubernetes.io/managed-by", "tjgen.dev/experiment"}


def tree(api_version: str, kind: str, name: str, namespace: str | None = "nlp", **rest: Any) -> dict[str, Any]:
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **place}, **rest}


def claim(name: str, **spec: Any) -> dict[str, Any]:
    whole = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Ti"}}, **spec}
    return tree("v1", "PersistentVolumeClaim", name, spec=whole)


def mounting(job: dict[str, Any], volume: str, claim_name: str, **mount: Any) -> dict[str, Any]:
    """A job of one role whose container mounts a claim."""
    types = next(iter(job["spec"].values())) if job["kind"] != "Job" else job["spec"]["tasks"][0]
    pod = (types if job["kind"] == "Job" else next(iter(types.values())))["template"]["spec"]
    pod["containers"][0]["volumeMounts"] = [{"name": volume, "mountPath": "/data", **mount}]
    pod["volumes"] = [{"name": volume, "persistentVolumeClaim": {"claimName": claim_name, **mount}}]
    return job


def torch(volume: str = "data", claim_name: str = "corpus", **mount: Any) -> dict[str, Any]:
    return mounting(kubeflow("PyTorchJob", "pytorchReplicaSpecs", Master=replicas("pytorch", 1)), volume, claim_name, **mount)


def evaluation() -> dict[str, Any]:
    job = volcano(tasks=[{"name": "worker", "replicas": 2, "template": template("main", {"restartPolicy": "Never"})}])
    job["metadata"]["name"] = "eval-7"
    return mounting(job, "corpus", "corpus", readOnly=True)


QUEUE = tree("scheduling.volcano.sh/v1beta1", "Queue", "ai", None, spec={"weight": 2, "capability": {"cpu": 100}})
KUEUE = "kueue.x-k8s.io/v1beta2"
FLAVOR = tree(KUEUE, "ResourceFlavor", "a100", None, spec={"nodeLabels": {"gpu": "a100"}})
CHOSEN = {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["nlp"]}]}
GROUPS = [{"coveredResources": ["cpu"], "flavors": [{"name": "a100", "resources": [{"name": "cpu", "nominalQuota": 100}]}]}]
CLUSTER_QUEUE = tree(KUEUE, "ClusterQueue", "team", None, spec={"namespaceSelector": CHOSEN, "resourceGroups": GROUPS})
LOCAL_QUEUE = tree(KUEUE, "LocalQueue", "team", spec={"clusterQueue": "team"})
SETTINGS = tree("v1", "ConfigMap", "settings", data={"train.ini": "a=1\n"})
SERVICE = tree("v1", "Service", "peers", spec={"clusterIP": "None", "selector": {"app": "x"}})
SECRET = tree("v1", "Secret", "hf", stringData={"token": "x"})


def read(*trees: Any) -> Import:
    return with_neighbors(read_folder("a.yaml", [("a.yaml", yaml.safe_dump_all(trees, sort_keys=False).encode())]))


def volumes(found: Import, file: str) -> Any:
    return yaml.safe_load(found.experiments[file])["spec"]["volumes"]


def platform(found: Import) -> Any:
    return yaml.safe_load(found.platform["platform.yaml"])["spec"]


def codes(found: Import) -> set[str]:
    return {one.code for one in found.diagnostics} - {"TJ950"}


def test_one_experiment_creates_a_claim_that_several_jobs_mount() -> None:
    found = read(torch(), evaluation(), claim("corpus"))
    assert codes(found) == {"TJ799"}
    create = {"size": "1Ti", "accessModes": ["ReadWriteMany"], "scope": "project", "name": "corpus"}
    assert volumes(found, "nlp/bert-7.yaml")["data"] == {"pvc": {"create": create}, "mountPath": "/data", "shared": True}
    assert volumes(found, "nlp/eval-7.yaml")["corpus"] == {"pvc": "corpus", "mountPath": "/data", "readOnly": True}
    assert found.platform == {}


@pytest.mark.parametrize(
    "spec",
    [{"volumeName": "pv-1"}, {"selector": {"matchLabels": {"a": "b"}}}],
    ids=["bound to a volume", "with a selector"],
)
def test_a_claim_that_no_field_covers_is_a_manifest(spec: Any) -> None:
    found = read(torch(), claim("corpus", **spec))
    assert volumes(found, "nlp/bert-7.yaml")["data"] == {"pvc": "corpus", "mountPath": "/data"}
    (text,) = [text for name, text in found.platform.items() if name != "platform.yaml"]
    assert yaml.safe_load(text)["spec"].items() >= spec.items()


@pytest.mark.parametrize(
    ("source", "field"),
    [
        ({"kind": "VolumeSnapshot", "apiGroup": "snapshot.storage.k8s.io", "name": "v2"}, {"snapshot": "v2"}),
        ({"kind": "PersistentVolumeClaim", "name": "old"}, {"claim": "old"}),
    ],
    ids=["a snapshot", "a claim"],
)
def test_the_source_of_a_claim_stays(source: Any, field: Any) -> None:
    found = read(torch(), claim("corpus", dataSourceRef=source))
    assert volumes(found, "nlp/bert-7.yaml")["data"]["pvc"]["create"]["from"] == field


def test_queues_and_flavors_become_fields_of_the_platform() -> None:
    assert platform(read(torch(), QUEUE, FLAVOR, LOCAL_QUEUE, CLUSTER_QUEUE)) == {
        "queues": {
            "ai": {"capability": {"cpu": 100}, "create": {"volcano": {"weight": 2}}},
            "team": {"create": {"kueue": {"namespaces": ["nlp"], "flavors": [{"name": "a100", "quota": {"cpu": 100}}]}}},
        },
        "flavors": {"a100": {"nodeLabels": {"gpu": "a100"}}},
    }


def test_a_queue_that_no_field_covers_is_a_manifest() -> None:
    other = {**CLUSTER_QUEUE, "spec": {**CLUSTER_QUEUE["spec"], "namespaceSelector": {}}}
    found = read(torch(), FLAVOR, other, LOCAL_QUEUE)
    assert platform(found) == {"flavors": {"a100": {"nodeLabels": {"gpu": "a100"}}}, "manifests": ["manifests"]}
    assert set(found.platform) == {"platform.yaml", "manifests/clusterqueue-team.yaml", "manifests/nlp/localqueue-team.yaml"}


def test_queues_of_jobs_that_are_not_among_the_files_stay_known() -> None:
    job = volcano(queue="other")
    assert platform(read(job, QUEUE))["queues"] == {
        "ai": {"capability": {"cpu": 100}, "create": {"volcano": {"weight": 2}}},
        "other": {},
    }


def test_a_queue_whose_field_would_refuse_a_job_is_a_manifest() -> None:
    job = volcano()
    job["spec"]["tasks"][0]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": 90}, "limits": {"cpu": 90}}
    found = read(job, {**QUEUE, "spec": {"capability": {"cpu": 100}}})
    assert platform(found) == {"manifests": ["manifests"]}
    assert len(found.experiments) == 1


def test_what_is_taken_and_what_is_not_is_in_one_note_each() -> None:
    found = read(torch(), SETTINGS, SERVICE, SECRET, tree("apps/v1", "Deployment", "web"))
    taken, left = [one for one in found.diagnostics if one.code in ("TJ799", "TJ772")]
    assert taken.message == (
        "imported with the jobs: ConfigMap nlp/settings as manifests/nlp/configmap-settings.yaml, "
        "Service nlp/peers as manifests/nlp/service-peers.yaml"
    )
    assert left.message == "not imported: Secret nlp/hf, Deployment nlp/web"


def test_fields_of_the_cluster_are_removed() -> None:
    dumped = claim("corpus")
    annotations = {"pv.kubernetes.io/bind-completed": "yes", "kubectl.kubernetes.io/last-applied-configuration": "{}"}
    dumped["metadata"] |= {"uid": "1", "resourceVersion": "2", "annotations": {**annotations, "owner": "nlp"}}
    dumped["metadata"]["labels"] = {"kustomize.toolkit.fluxcd.io/name": "nlp"}
    dumped["status"] = {"phase": "Bound"}
    (text,) = [text for name, text in read(torch("x", "other"), dumped).platform.items() if name != "platform.yaml"]
    assert yaml.safe_load(text) == {
        **claim("corpus"),
        "metadata": {"name": "corpus", "namespace": "nlp", "annotations": {"owner": "nlp"}},
    }


def test_an_object_of_a_controller_or_of_the_cluster_stays_where_it_is() -> None:
    owned = {**SERVICE, "metadata": {**SERVICE["metadata"], "ownerReferences": [{"kind": "JobSet", "name": "a", "uid": "1"}]}}
    found = read(torch(), owned, tree("v1", "ConfigMap", "kube-root-ca.crt", data={"ca.crt": "x"}))
    (left,) = [one for one in found.diagnostics if one.code in ("TJ772", "TJ799")]
    assert left.message == "not imported: Service nlp/peers, ConfigMap nlp/kube-root-ca.crt"
    assert found.platform == {}


def test_an_object_that_the_server_refuses_or_that_occurs_twice_is_left_out() -> None:
    refused = read(torch(), claim("corpus", accessModes=["Everybody"]))
    assert codes(refused) == {"TJ775"}
    assert codes(read(torch(), SETTINGS, SETTINGS)) == {"TJ775", "TJ799"}


def _project(folder: Path) -> None:
    objects = [
        torch(),
        evaluation(),
        claim("corpus"),
        claim("lonely"),
        QUEUE,
        FLAVOR,
        CLUSTER_QUEUE,
        LOCAL_QUEUE,
        SETTINGS,
        SERVICE,
    ]
    (folder / "jobs.yaml").write_text(yaml.safe_dump_all(objects, sort_keys=False), encoding="utf-8")
    answer = tjgen(folder, "init", "made", "--from", "jobs.yaml")
    assert answer.code == 0, answer.err


def _built(folder: Path) -> dict[ObjectIdentity, Any]:
    answer = tjgen(folder / "made", "build")
    assert answer.code == 0, answer.err
    files = [yaml.safe_load(one.read_text(encoding="utf-8")) for one in (folder / "made" / "deploy").rglob("*.yaml")]
    return {ObjectIdentity.of(one): one for one in files}


def test_a_build_of_the_project_results_in_the_same_objects(tmp_path: Path) -> None:
    _project(tmp_path)
    built = _built(tmp_path)
    originals = list(yaml.safe_load_all((tmp_path / "jobs.yaml").read_text(encoding="utf-8")))
    assert set(built) == {ObjectIdentity.of(one) for one in originals}
    for one in originals:
        result = built[ObjectIdentity.of(one)]
        labels = {key: value for key, value in result["metadata"].get("labels", {}).items() if key not in OURS}
        assert labels == one["metadata"].get("labels", {})
        if one["kind"] in ("ConfigMap", "Service"):
            assert {key: value for key, value in result.items() if key != "metadata"} == {
                key: value for key, value in one.items() if key != "metadata"
            }
    assert built[ObjectIdentity.of(claim("corpus"))]["spec"] == {**claim("corpus")["spec"], "volumeMode": "Filesystem"}


@pytest.mark.parametrize(
    ("file", "before", "after", "changed"),
    [
        ("experiments/nlp/bert-7.yaml", "size: 1Ti", "size: 3Ti", claim("corpus")),
        ("platform/platform.yaml", "weight: 2", "weight: 7", QUEUE),
        ("platform/platform.yaml", "quota: {cpu: 100}", "quota: {cpu: 200}", CLUSTER_QUEUE),
        ("platform/manifests/nlp/configmap-settings.yaml", "a=1", "a=2", SETTINGS),
        ("platform/manifests/nlp/persistentvolumeclaim-lonely.yaml", "1Ti", "2Ti", claim("lonely")),
    ],
    ids=["the size of a claim", "the weight of a queue", "a quota", "the content of a ConfigMap", "the size of another claim"],
)
def test_an_edit_takes_effect(file: str, before: str, after: str, changed: Any, tmp_path: Path) -> None:
    _project(tmp_path)
    earlier = _built(tmp_path)
    path = tmp_path / "made" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, after), encoding="utf-8")
    later = _built(tmp_path)
    assert {identity for identity in earlier if earlier[identity] != later[identity]} == {ObjectIdentity.of(changed)}


def test_an_edit_that_the_server_would_refuse_is_rejected(tmp_path: Path) -> None:
    _project(tmp_path)
    path = tmp_path / "made" / "platform" / "manifests" / "nlp" / "persistentvolumeclaim-lonely.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("1Ti", "much"), encoding="utf-8")
    answer = tjgen(tmp_path / "made", "build")
    assert answer.code == 1
    assert "platform/manifests/nlp/persistentvolumeclaim-lonely.yaml:11:16" in answer.err


def test_the_command_writes_the_platform_next_to_the_experiments(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(yaml.safe_dump_all([torch(), QUEUE, SETTINGS]), encoding="utf-8")
    shown = tjgen(tmp_path, "import", "a.yaml")
    assert (
        "not written: platform.yaml, manifests/nlp/configmap-settings.yaml; with -o DIR, DIR/platform contains them" in shown.err
    )
    assert tjgen(tmp_path, "import", "a.yaml", "-o", "out").code == 0
    names = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.yaml"))
    assert names == ["nlp/bert-7.yaml", "platform/manifests/nlp/configmap-settings.yaml", "platform/platform.yaml"]


def test_a_conversion_takes_no_neighbors(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(yaml.safe_dump_all([torch(), claim("corpus"), SETTINGS]), encoding="utf-8")
    answer = tjgen(tmp_path, "convert", "--target", "jobset", "a.yaml")
    assert "not imported: PersistentVolumeClaim nlp/corpus, ConfigMap nlp/settings" in answer.err
    assert [one["kind"] for one in yaml.safe_load_all(answer.out)] == ["JobSet"]
