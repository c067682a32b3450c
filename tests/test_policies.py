"""Policies of the caller and of the Platform refuse and allow what teams build and check, at the line of the author."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.admission import binding, policy
from tests.checkout import ROOT, list_entries
from tests.program import tjgen
from tjgen.cluster.policies.documents import policies_of, read
from tjgen.cluster.policies.judgment import judged

POLICIES = ROOT / "templates" / "policies"
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {{name: llm, namespace: {namespace}, labels: {{team: vision}}}}
spec:
  runtime: tjgen-torch
  image: {image}
  script: train.py
  nodes: 2
  gpu: a100:8
  cpu: 8
  memory: 64Gi
  sharedMemory: 16Gi
{more}"""
DIGEST = f"registry.example.com/train@sha256:{'a' * 64}"
LENGTH = """\
  patches:
    length:
      target: {kind: JobSet}
      merge: {spec: {replicatedJobs: [{name: node, template: {spec: {activeDeadlineSeconds: %d}}}]}}
"""
QUEUE = "  target: jobset\n  schedule: {system: kueue, queue: other}\n"
HOST_PATH = "  target: jobset\n  volumes: {data: {hostPath: /data, mountPath: /data}}\n"
PRIVILEGED = "  target: jobset\n  pod: {containerSecurityContext: {privileged: true}}\n"
HOST_NETWORK = "  target: jobset\n  pod: {hostNetwork: true}\n"
SIDECAR = f"  target: jobset\n  sidecars: {{monitor: {{image: {DIGEST}, command: [monitor], native: false}}}}\n"
CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: vision}
data:
  a: '1'
"""


def experiment(folder: Path, *, namespace: str = "vision", image: str = DIGEST, more: str = "") -> None:
    text = EXPERIMENT.format(namespace=namespace, image=image, more=more or "  target: jobset\n" + LENGTH % 3600)
    (folder / "llm.yaml").write_text(text, encoding="utf-8")


def write_policy(folder: Path, expression: str, action: str = "Deny") -> None:
    text = policy(expression, resources=("configmaps", "pods")) + binding("p", action)
    (folder / "p.yaml").write_text(text, encoding="utf-8")


def test_the_bundled_policies_allow_a_run_that_follows_them(tmp_path: Path) -> None:
    experiment(tmp_path)
    answer = tjgen(tmp_path, "build", "llm.yaml", "--policy", str(POLICIES))
    assert (answer.code, answer.err) == (0, "")


def test_the_labels_of_a_trainjob_suffice(tmp_path: Path) -> None:
    own = tmp_path / "policies"
    own.mkdir()
    for file in ("labels.yaml", "parameters.yaml"):
        (own / file).write_bytes((POLICIES / file).read_bytes())
    experiment(tmp_path, more="  target: trainjob\n")
    answer = tjgen(tmp_path, "build", "llm.yaml", "--policy", "policies")
    assert (answer.code, answer.err) == (0, "")
    text = (tmp_path / "llm.yaml").read_text(encoding="utf-8")
    for target in ("trainjob", "jobset"):
        other = text.replace(", labels: {team: vision}", "").replace("target: trainjob", f"target: {target}")
        (tmp_path / "llm.yaml").write_text(other, encoding="utf-8")
        assert "the label team is required" in tjgen(tmp_path, "build", "llm.yaml", "--policy", "policies").err


@pytest.mark.parametrize(
    ("name", "place", "words", "fields"),
    [
        ("registries", "6:10", "is from none of the registries", {"image": f"docker.io/train@sha256:{'a' * 64}"}),
        ("digests", "6:10", "image registry.example.com/train:1 has no digest", {"image": "registry.example.com/train:1"}),
        ("namespaces", "3:", "namespace other is none of vision, speech", {"namespace": "other"}),
        ("queues", "14:36", "queue other is none of default, vision, speech", {"more": QUEUE}),
        ("host-path", "14:19", "a hostPath volume reads and writes files of the node", {"more": HOST_PATH}),
        ("privileged", "14:48", "a privileged container controls its node", {"more": PRIVILEGED}),
        ("privileged", "14:22", "the pod shares a namespace with its node", {"more": HOST_NETWORK}),
        ("resources", "4:1", "container monitor requires requests.cpu and limits.memory", {"more": SIDECAR}),
        ("run-length", "17:93", "job node requires activeDeadlineSeconds", {"more": "  target: jobset\n" + LENGTH % 9_000_000}),
    ],
)
def test_each_bundled_policy_denies_at_the_line_of_the_author(
    name: str, place: str, words: str, fields: dict[str, object], tmp_path: Path
) -> None:
    experiment(tmp_path, **fields)  # type: ignore[arg-type]  # one field of each type
    answer = tjgen(tmp_path, "build", "llm.yaml", "--policy", str(POLICIES))
    (line,) = [line for line in answer.err.splitlines() if f"policy tjgen-{name} " in line]
    assert answer.code == 1
    assert line.startswith(f"error[TJ550] llm.yaml:{place}"), line
    assert words in line


def test_runs_by_hand_are_denied_in_the_namespaces_of_the_cluster(tmp_path: Path) -> None:
    run = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: llm, namespace: kube-system}\n"
    (tmp_path / "run.yaml").write_text(run + "spec: {runtimeRef: {name: torch}}\n", encoding="utf-8")
    answer = tjgen(tmp_path, "check", "run.yaml", "--policy", str(POLICIES))
    assert "policy tjgen-namespaces" in answer.err
    assert "namespace kube-system is none of vision, speech" in answer.err


@pytest.mark.parametrize(
    ("name", "value", "other", "words"),
    [
        ("cost", 'maxCostPerHour: "100"', 'maxCostPerHour: "40"', "the run costs 40.64 an hour, and at most 40 are allowed"),
        ("devices", "nvidia.com/gpu=8", "nvidia.com/gpu=4", "llm.yaml:9:8: the Pod that is created from JobSet"),
    ],
)
def test_the_values_of_the_bundled_policies_can_be_changed(name: str, value: str, other: str, words: str, tmp_path: Path) -> None:
    own = tmp_path / "policies"
    own.mkdir()
    for file in (f"{name}.yaml", "parameters.yaml"):
        text = (POLICIES / file).read_text(encoding="utf-8").replace(value, other)
        (own / file).write_text(text, encoding="utf-8")
    experiment(tmp_path)
    answer = tjgen(tmp_path, "build", "llm.yaml", "--policy", "policies")
    assert answer.code == 1
    assert words in answer.err


def judge_with(folder: Path, name: str, parameters: dict[str, str], manifest: str = "") -> str:
    """What a bundled policy reports with these lines of its parameters, of the experiment or of a manifest."""
    own = folder / "policies"
    own.mkdir()
    text = (POLICIES / "parameters.yaml").read_text(encoding="utf-8")
    for before, after in parameters.items():
        assert before in text
        text = text.replace(before, after)
    (own / "parameters.yaml").write_text(text, encoding="utf-8")
    (own / f"{name}.yaml").write_bytes((POLICIES / f"{name}.yaml").read_bytes())
    if not manifest:
        return tjgen(folder, "build", "llm.yaml", "--policy", "policies").err
    (folder / "manifest.yaml").write_text(manifest, encoding="utf-8")
    return tjgen(folder, "check", "manifest.yaml", "--policy", "policies").err


@pytest.mark.parametrize("value", ["registry.example.com/,", '""', '", ,"', "registry.example.com", "registry.example.com, "])
def test_an_ordinary_edit_of_the_registries_allows_no_other_registry(value: str, tmp_path: Path) -> None:
    experiment(tmp_path, image="registry.example.com.evil.io/train:1")
    answer = judge_with(tmp_path, "registries", {"registries: registry.example.com/": f"registries: {value}"})
    assert "image registry.example.com.evil.io/train:1 is from none of the registries" in answer


@pytest.mark.parametrize("value", ["registry.example.com", "registry.example.com/,", "' , registry.example.com '"])
def test_an_ordinary_edit_of_the_registries_allows_those_that_are_listed(value: str, tmp_path: Path) -> None:
    experiment(tmp_path)
    assert judge_with(tmp_path, "registries", {"registries: registry.example.com/": f"registries: {value}"}) == ""


QUEUES = "default, vision, speech"
DEVICES = "nvidia.com/gpu=8, amd.com/gpu=8, rdma/hca=8"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("labels", "labels: team", "labels: 'team,'"),
        ("queues", QUEUES, f"'{QUEUES},'"),
        ("namespaces", "namespaces: vision, speech", "namespaces: 'vision, , speech,'"),
        ("devices", DEVICES, f"', {DEVICES},'"),
        ("devices", DEVICES, "nvidia.com/gpu = 8"),
        ("cost", "cpu=0.04", "'cpu=0.04,'"),
    ],
)
def test_an_empty_entry_of_the_parameters_denies_nothing_more(name: str, before: str, after: str, tmp_path: Path) -> None:
    experiment(tmp_path)
    # A list in quotes is the whole value.
    line = next(line for line in (POLICIES / "parameters.yaml").read_text(encoding="utf-8").splitlines() if before in line)
    key, _, value = line.strip().partition(": ")
    changed = f"{key}: {value}".replace(before, after)
    if after.startswith("'") and not before.startswith(key):
        changed = f"{key}: '{value.replace(before, after.strip(chr(39)))}'"
    assert judge_with(tmp_path, name, {line.strip(): changed}) == ""


SPEC_OF_POD = f"  containers: [{{name: a, image: {DIGEST}, resources: {{requests: {{cpu: 1}}, limits: {{memory: 1Gi}}}}}}]\n"


@pytest.mark.parametrize("field", ["initContainers", "ephemeralContainers"])
@pytest.mark.parametrize(
    ("name", "container", "words"),
    [
        ("registries", {"image": "docker.io/b:1"}, "image docker.io/b:1 is from none of the registries"),
        ("digests", {"image": "docker.io/b:1"}, "image docker.io/b:1 has no digest"),
        ("privileged", {"image": DIGEST, "securityContext": {"privileged": True}}, "a privileged container controls its node"),
    ],
)
def test_the_bundled_policies_hold_for_all_containers(field: str, name: str, container: dict[str, object], words: str) -> None:
    files = [(file, (POLICIES / file).read_bytes()) for file in (f"{name}.yaml", "parameters.yaml")]
    objects, wrong = read(files)
    policies, unbound = policies_of(objects)
    assert [*wrong, *unbound] == []
    spec = {"containers": [{"name": "a", "image": DIGEST}], field: [{"name": "b", **container}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "vision"}, "spec": spec}
    assert [words in one.message for one in judged(pod, policies)] == [True]
    assert list(judged({**pod, "spec": {"containers": spec["containers"]}}, policies)) == []


@pytest.mark.parametrize("restart", ["", ", restartPolicy: Always"])
def test_init_containers_and_sidecars_need_resources(restart: str, tmp_path: Path) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: vision}\nspec:\n" + SPEC_OF_POD
    pod += f"  initContainers: [{{name: b, image: {DIGEST}{restart}}}]\n"
    assert "container b requires requests.cpu and limits.memory" in judge_with(tmp_path, "resources", {}, pod)


@pytest.mark.parametrize(
    ("inits", "cost"),
    [
        ("", "2.5"),
        ("{name: b, image: b, resources: {limits: {nvidia.com/gpu: 1}}}", "2.5"),
        ("{name: b, image: b, resources: {limits: {nvidia.com/gpu: 3}}}", "7.5"),
        ("{name: b, image: b, restartPolicy: Always, resources: {limits: {nvidia.com/gpu: 3}}}", "10"),
    ],
)
def test_init_containers_and_sidecars_have_a_cost(inits: str, cost: str, tmp_path: Path) -> None:
    main = "{name: a, image: a, resources: {limits: {nvidia.com/gpu: 1}}}"
    spec = f"{{restartPolicy: Never, containers: [{main}], initContainers: [{inits}]}}"
    job = f"{{name: node, template: {{spec: {{template: {{spec: {spec}}}}}}}}}"
    head = "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: a, namespace: vision}\n"
    words = judge_with(tmp_path, "cost", {'"100"': '"1"'}, f"{head}spec: {{replicatedJobs: [{job}]}}\n")
    assert f"the run costs {cost} an hour, and at most 1 are allowed" in words


@pytest.mark.parametrize("target", ["trainjob", "jobset"])
def test_the_deadline_of_an_experiment_is_its_length(target: str, tmp_path: Path) -> None:
    experiment(tmp_path, more=f"  target: {target}\n  restart: {{limit: 0}}\n  deadline: 7d\n")
    assert judge_with(tmp_path, "run-length", {}) == ""
    text = (tmp_path / "llm.yaml").read_text(encoding="utf-8")
    for line, place in (("  deadline: 604801\n", "llm.yaml:15:13"), ("", "llm.yaml:")):
        (tmp_path / "llm.yaml").write_text(text.replace("  deadline: 7d\n", line), encoding="utf-8")
        answer = tjgen(tmp_path, "build", "llm.yaml", "--policy", "policies").err
        assert answer.startswith(f"error[TJ550] {place}")
        assert "requires activeDeadlineSeconds of at most 604800, which deadline of an experiment sets" in answer
        assert answer.count("error[") == 1


def test_policies_of_the_platform_hold_for_its_projects(tmp_path: Path) -> None:
    experiment(tmp_path, image="docker.io/train:1")
    write_policy(tmp_path, "object.spec.?containers.orValue([]).all(c, c.image.startsWith('registry.example.com/'))")
    spec = "spec: {policies: [p.yaml]}"
    head = "apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: lab}\n"
    (tmp_path / "platform.yaml").write_text(head + spec + "\n", encoding="utf-8")
    project = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nmetadata: {name: lab}\nspec:\n  experiments: [llm.yaml]\n"
    policies = "  platforms: [platform.yaml]\n  policy: {severity: {TJ550: ignore, policy-denies: ignore}}\n"
    (tmp_path / "tjgen.yaml").write_text(project + policies, encoding="utf-8")
    answer = tjgen(tmp_path, "build", "llm.yaml")
    assert answer.code == 1
    assert "error[TJ550] llm.yaml:6:10: the Pod that is created from JobSet" in answer.err
    (tmp_path / "platform.yaml").write_text(head + "spec: {policies: [missing]}\n", encoding="utf-8")
    answer = tjgen(tmp_path, "build", "llm.yaml")
    assert answer.code == 1
    assert "error[TJ556] platform.yaml:4:19: missing does not exist, or contains no YAML file" in answer.err


@pytest.mark.parametrize(
    ("action", "code", "severity", "verb"),
    [("Deny", 1, "error[TJ550]", "denies"), ("Warn", 0, "warning[TJ551]", "warns of"), ("Audit", 0, "info[TJ552]", "records")],
)
def test_the_action_of_the_binding_is_the_severity(action: str, code: int, severity: str, verb: str, tmp_path: Path) -> None:
    write_policy(tmp_path, "object.data.a == '2'", action)
    (tmp_path / "map.yaml").write_text(CONFIG_MAP, encoding="utf-8")
    answer = tjgen(tmp_path, "check", "map.yaml", "--policy", "p.yaml")
    words = f"policy p with binding p, validation 1 {verb} this: failed expression: object.data.a == '2'"
    assert answer.code == code
    assert answer.err.startswith(f"{severity} map.yaml:5:6: {words}\n")


def test_lint_reports_what_a_policy_denies(tmp_path: Path) -> None:
    write_policy(tmp_path, "object.data.a == '2'")
    (tmp_path / "map.yaml").write_text(CONFIG_MAP, encoding="utf-8")
    answer = tjgen(tmp_path, "lint", "map.yaml", "--policy", "p.yaml")
    assert answer.code == 1
    assert "error[TJ550] map.yaml:5:6: policy p with binding p" in answer.err + answer.out


def test_policies_among_the_manifests_are_evaluated(tmp_path: Path) -> None:
    write_policy(tmp_path, "object.data.a == '2'")
    text = (tmp_path / "p.yaml").read_text(encoding="utf-8")
    (tmp_path / "p.yaml").write_text(f"{text}---\n{CONFIG_MAP}", encoding="utf-8")
    answer = tjgen(tmp_path, "check", "p.yaml")
    assert "error[TJ550] p.yaml:20:6: policy p with binding p" in answer.err


def test_a_denied_object_of_a_controller_is_named(tmp_path: Path) -> None:
    experiment(tmp_path, more="  target: trainjob\n")
    (tmp_path / "all.yaml").write_text(tjgen(tmp_path, "build", "llm.yaml").out, encoding="utf-8")
    of_jobsets = policy("1 == 2", resources=("jobsets",), groups=("jobset.x-k8s.io",))
    (tmp_path / "p.yaml").write_text(of_jobsets + binding("p"), encoding="utf-8")
    answer = tjgen(tmp_path, "check", "all.yaml", "--policy", "p.yaml")
    assert (answer.code, "(on the JobSet that the controller creates)" in answer.err) == (1, True), answer.err


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("objects.data.a == '2'", "error[TJ553] p.yaml:9:20: the expression does not compile: undeclared: objects"),
        ("params.data.a == '2'", "the expression does not compile: undeclared: params"),
        ("variables.a == '2'", "the expression does not compile: undefined field: a of variables"),
        ("nothing(object)", "the expression does not compile: unknown function: nothing"),
    ],
)
def test_a_policy_that_does_not_compile_is_an_error(expression: str, words: str, tmp_path: Path) -> None:
    write_policy(tmp_path, expression)
    (tmp_path / "map.yaml").write_text(CONFIG_MAP, encoding="utf-8")
    answer = tjgen(tmp_path, "check", "map.yaml", "--policy", "p.yaml")
    assert answer.code == 1
    assert words in answer.err


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("authorizer.group('').resource('pods').check('create').allowed()", "validation 1 reads authorizer"),
        ("request.userInfo.username != 'a'", "validation 1 reads request.userInfo"),
    ],
)
def test_what_only_the_cluster_knows_is_reported_as_not_evaluated(expression: str, words: str, tmp_path: Path) -> None:
    write_policy(tmp_path, expression)
    (tmp_path / "map.yaml").write_text(CONFIG_MAP, encoding="utf-8")
    answer = tjgen(tmp_path, "check", "map.yaml", "--policy", "p.yaml")
    assert answer.code == 0
    assert f"warning[TJ554] map.yaml:1:1: policy p, binding p, was not evaluated: {words}" in answer.err


def test_labels_of_an_unknown_namespace_are_not_evaluated(tmp_path: Path) -> None:
    write_policy(tmp_path, "false")
    text = (tmp_path / "p.yaml").read_text(encoding="utf-8")
    selector = "  matchConstraints:\n    namespaceSelector: {matchLabels: {tier: gold}}\n"
    (tmp_path / "p.yaml").write_text(text.replace("  matchConstraints:\n", selector), encoding="utf-8")
    (tmp_path / "map.yaml").write_text(CONFIG_MAP, encoding="utf-8")
    answer = tjgen(tmp_path, "check", "map.yaml", "--policy", "p.yaml")
    assert "warning[TJ554]" in answer.err
    assert "no file has the labels of namespace vision" in answer.err
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: vision, labels: {tier: iron}}\n"
    (tmp_path / "map.yaml").write_text(f"{namespace}---\n{CONFIG_MAP}", encoding="utf-8")
    answer = tjgen(tmp_path, "check", "map.yaml", "--policy", "p.yaml")
    assert "TJ55" not in answer.err


def test_a_policy_without_a_binding_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(policy("false", resources=("configmaps",)), encoding="utf-8")
    (tmp_path / "map.yaml").write_text(CONFIG_MAP, encoding="utf-8")
    answer = tjgen(tmp_path, "check", "map.yaml", "--policy", "p.yaml")
    assert "warning[TJ555] p.yaml:3:18: no file has a binding of the policy" in answer.err


def test_a_path_without_policies_is_wrong_use(tmp_path: Path) -> None:
    (tmp_path / "map.yaml").write_text(CONFIG_MAP, encoding="utf-8")
    (tmp_path / "empty").mkdir()
    answer = tjgen(tmp_path, "check", "map.yaml", "--policy", "missing.yaml")
    assert (answer.code, answer.err) == (2, "Error: --policy missing.yaml: No such file or directory\n")
    answer = tjgen(tmp_path, "check", "map.yaml", "--policy", "empty")
    assert (answer.code, answer.err) == (2, "Error: --policy empty: the folder has no YAML or JSON file\n")


HOST_PATH = """\
  target: jobset
  patches:
    host:
      target: {kind: JobSet}
      merge:
        spec:
          replicatedJobs:
          - name: node
            template: {spec: {template: {spec: {volumes: [{name: host, hostPath: {path: /data}}]}}}}
"""


def test_pod_security_holds_for_what_patches_set(tmp_path: Path) -> None:
    experiment(tmp_path, more=HOST_PATH)
    head = "apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: lab}\nspec: {podSecurity: {vision: baseline}}\n"
    (tmp_path / "platform.yaml").write_text(head, encoding="utf-8")
    project = "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nmetadata: {name: lab}\nspec: {platforms: [platform.yaml]}\n"
    (tmp_path / "tjgen.yaml").write_text(project, encoding="utf-8")
    answer = tjgen(tmp_path, "build", "llm.yaml", "--strict")
    assert answer.code == 1
    assert "error[TJ558] llm.yaml:21:82: the Pod that is created from JobSet llm-" in answer.err
    assert 'namespace vision enforces Pod Security "baseline:latest": hostPath volumes (volume "host")' in answer.err


def test_pod_security_of_a_namespace_holds_for_its_manifests(tmp_path: Path) -> None:
    experiment(tmp_path, more=HOST_PATH)
    built = tjgen(tmp_path, "build", "llm.yaml")
    assert built.code == 0
    labels = "pod-security.kubernetes.io/enforce: baseline, pod-security.kubernetes.io/enforce-version: v1.30"
    namespace = f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: vision, labels: {{{labels}}}}}\n"
    (tmp_path / "all.yaml").write_text(f"{namespace}---\n{built.out}", encoding="utf-8")
    answer = tjgen(tmp_path, "check", "all.yaml", "--strict")
    assert answer.code == 1
    assert 'namespace vision enforces Pod Security "baseline:v1.30": hostPath volumes (volume "host")' in answer.err
    (tmp_path / "all.yaml").write_text(f"{namespace.replace('enforce', 'warn')}---\n{built.out}", encoding="utf-8")
    answer = tjgen(tmp_path, "check", "all.yaml")
    assert answer.code == 0
    assert "warning[TJ559]" in answer.err


def test_init_writes_the_bundled_policies(tmp_path: Path) -> None:
    answer = tjgen(tmp_path, "init", "vision", "--policies")
    assert answer.code == 0, answer.err
    written = {path.name: path.read_bytes() for path in (tmp_path / "vision" / "policies").iterdir()}
    parameters = written.pop("parameters.yaml").decode()
    assert written == {path.name: path.read_bytes() for path in list_entries(POLICIES) if path.name != "parameters.yaml"}
    assert "\n  queues: default, vision\n  namespaces: vision-dev, vision\n" in parameters
    assert "edit policies/parameters.yaml" in answer.err


def test_the_bundled_policies_of_a_workspace_allow_the_namespaces_of_its_teams(tmp_path: Path) -> None:
    words = ("--workspace", "--policies", "--team", "robots", "--team", "speech")
    assert tjgen(tmp_path, "init", "lab", *words).code == 0
    policies = tmp_path / "policies"
    policies.mkdir()
    for name in ("namespaces.yaml", "labels.yaml", "parameters.yaml"):
        (policies / name).write_bytes((tmp_path / "lab/policies" / name).read_bytes())
    answer = tjgen(tmp_path / "lab", "build", "--check", "--policy", "../policies")
    assert (answer.code, "TJ550" in answer.err) == (0, False), answer.err
    assert "  queues: default, robots, speech\n" in (policies / "parameters.yaml").read_text(encoding="utf-8")


def test_init_adds_the_bundled_policies_to_a_project(tmp_path: Path) -> None:
    assert tjgen(tmp_path, "init", ".").code == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    answer = tjgen(tmp_path, "init", "--policies")
    assert answer.code == 0, answer.err
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {path: after[path] for path in before} == before
    assert {path.name for path in after.keys() - before.keys()} == {path.name for path in list_entries(POLICIES)}
    (tmp_path / "policies/queues.yaml").write_text("edited\n", encoding="utf-8")
    assert "info[TJ770]" in tjgen(tmp_path, "init", "--policies").err
    assert (tmp_path / "policies/queues.yaml").read_text(encoding="utf-8") == "edited\n"
    assert "error[TJ771]" in tjgen(tmp_path, "init", "--policies", "--env", "dev").err


def test_a_change_is_evaluated_as_an_update(tmp_path: Path) -> None:
    text = policy("object.data.a == oldObject.data.a", resources=("configmaps",), operation="UPDATE") + binding("p")
    (tmp_path / "p.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "map.yaml").write_text(CONFIG_MAP, encoding="utf-8")
    (tmp_path / "applied").mkdir()
    words = "error[TJ550] map.yaml:5:6: policy p with binding p, validation 1 denies this"
    for applied, code in (("'1'", 0), ("'2'", 1)):
        (tmp_path / "applied" / "map.yaml").write_text(CONFIG_MAP.replace("'1'", applied), encoding="utf-8")
        for command in ("check", "lint"):
            answer = tjgen(tmp_path, command, "map.yaml", "--against", "applied", "--policy", "p.yaml")
            assert (answer.code, words in answer.err) == (code, bool(code)), answer.err
    answer = tjgen(tmp_path, "check", "map.yaml", "--policy", "p.yaml")
    assert (answer.code, "TJ55" in answer.err) == (0, False)


def project_of(folder: Path, resource: str, expression: str, *, gitops: str = "", environments: str = "") -> None:
    """A project with a Platform that creates a namespace, and a policy of that Platform."""
    text = policy(expression, resources=(resource,), groups=("*",), operation="*") + binding("p")
    (folder / "p.yaml").write_text(text, encoding="utf-8")
    (folder / "platform.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: lab}\n"
        "spec:\n  policies: [p.yaml]\n  namespaces:\n    vision: {labels: {team: vision}}\n",
        encoding="utf-8",
    )
    (folder / "tjgen.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nmetadata: {name: lab}\nspec:\n  experiments: [llm.yaml]\n"
        f"  platforms: [platform.yaml]\n  output: {{directory: deploy}}\n{environments}{gitops}",
        encoding="utf-8",
    )
    experiment(folder)


def test_objects_of_a_platform_are_evaluated(tmp_path: Path) -> None:
    project_of(tmp_path, "namespaces", "object.metadata.labels.team == 'speech'")
    answer = tjgen(tmp_path, "build")
    assert answer.code == 1
    assert "error[TJ550] platform.yaml:7:29: policy p with binding p" in answer.err
    assert not (tmp_path / "deploy").exists()
    project_of(tmp_path, "namespaces", "object.metadata.labels.team == 'vision'")
    assert tjgen(tmp_path, "build").code == 0


@pytest.mark.parametrize(
    ("resource", "expression", "tool", "environments", "code"),
    [
        ("kustomizations", "has(object.spec.serviceAccountName)", "flux", "", 1),
        ("kustomizations", "!has(object.spec.serviceAccountName)", "flux", "", 0),
        ("applications", "object.spec.project != 'default'", "argocd", "", 1),
        ("applications", "object.spec.project == 'default'", "argocd", "", 0),
        # Argo CD is in another cluster than the Platform: its policies do not apply there.
        ("applications", "object.spec.project != 'default'", "argocd", "  environments: {prod: {cluster: prod-1}}\n", 0),
        ("roles", "false", "argocd", "  environments: {prod: {cluster: prod-1, gitops: {serviceAccountName: sync}}}\n", 1),
    ],
)
def test_sync_objects_are_evaluated_by_the_policies_of_their_cluster(
    resource: str, expression: str, tool: str, environments: str, code: int, tmp_path: Path
) -> None:
    gitops = f"  gitops: {{tool: {tool}, repository: 'https://git.example.com/lab.git'}}\n"
    project_of(tmp_path, resource, expression, gitops=gitops, environments=environments)
    answer = tjgen(tmp_path, "build")
    assert answer.code == code, answer.err
    assert ("TJ550" in answer.err) is (code == 1)


def test_the_policies_of_the_caller_apply_to_sync_objects_in_every_cluster(tmp_path: Path) -> None:
    gitops = "  gitops: {tool: argocd, repository: 'https://git.example.com/lab.git'}\n"
    project_of(tmp_path, "pods", "true", gitops=gitops, environments="  environments: {prod: {cluster: prod-1}}\n")
    text = policy("object.spec.project != 'default'", resources=("applications",), groups=("*",), operation="*") + binding("p")
    (tmp_path / "caller.yaml").write_text(text, encoding="utf-8")
    answer = tjgen(tmp_path, "build", "--policy", "caller.yaml")
    assert answer.code == 1
    assert "error[TJ550] tjgen.yaml:" in answer.err


def test_fields_that_a_bare_pod_leaves_out_are_one_error(tmp_path: Path) -> None:
    (tmp_path / "manifests.yaml").write_text(
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: team, labels: {pod-security.kubernetes.io/enforce: restricted}}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: team}\nspec:\n  hostNetwork: true\n"
        "  containers:\n  - {name: main, image: a:1}\n",
        encoding="utf-8",
    )
    answer = tjgen(tmp_path, "check", "manifests.yaml")
    assert answer.code == 1
    assert answer.err.count("error[TJ558]") == 2, answer.err
    assert "allowPrivilegeEscalation != false" in answer.err
    assert ", seccompProfile (" in answer.err
    assert "manifests.yaml:9:16" in answer.err


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def project_with_run(folder: Path) -> str:
    """A project whose Platform allows the images of one registry, with a committed run; the name of the run."""
    for name in ("registries", "parameters"):
        path = folder / f"policies/{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((POLICIES / path.name).read_bytes())
    (folder / "platform.yaml").write_text(
        "apiVersion: tjgen.dev/v1alpha1\nkind: Platform\nmetadata: {name: lab}\nspec: {policies: [policies]}\n", encoding="utf-8"
    )
    text = (
        "apiVersion: tjgen.dev/v1alpha1\nkind: Project\nspec: {platforms: [platform.yaml], experiments: [experiments], "
        "environments: {prod: {platform: lab, namespace: vision}}, output: {directory: deploy}}\n"
    )
    (folder / "tjgen.yaml").write_text(text, encoding="utf-8")
    (folder / "experiments").mkdir()
    experiment(folder / "experiments")
    assert tjgen(folder, "build").code == 0
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "run")
    (name,) = [path.name for path in (folder / "deploy/prod/runs/vision/llm").iterdir()]
    return name


def tighten(folder: Path) -> None:
    parameters = folder / "policies/parameters.yaml"
    parameters.write_text(parameters.read_text(encoding="utf-8").replace("registry.example.com/", "other.example.com/"))


def test_a_new_policy_of_a_platform_does_not_stop_a_build_of_runs_of_the_base(tmp_path: Path) -> None:
    name = project_with_run(tmp_path)
    tighten(tmp_path)
    for words in (("build",), ("build",), ("build", "--check")):
        answer = tjgen(tmp_path, *words)
        assert (answer.code, "TJ550" in answer.err) == (0, False), answer.err
        assert f"warning[TJ557] policies would now deny 1 unchanged run: vision/{name}" in answer.err
    git(tmp_path, "commit", "-q", "-am", "policy")
    assert tjgen(tmp_path, "build", "--check").code == 0
    answer = tjgen(tmp_path, "build", "--renew", name)
    assert (answer.code, "error[TJ550]" in answer.err, "TJ557" in answer.err) == (1, True, False)
    experiment(tmp_path / "experiments", more="  target: jobset\n  attempt: 2\n" + LENGTH % 3600)
    answer = tjgen(tmp_path, "build")
    assert (answer.code, "error[TJ550]" in answer.err, "TJ557" in answer.err) == (1, True, False)


def test_policies_of_the_caller_and_runs_that_the_base_lacks_stop_a_build(tmp_path: Path) -> None:
    """Also a run that a branch built while its Platform had other policies."""
    project_with_run(tmp_path)
    git(tmp_path, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(tmp_path, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    added = (tmp_path / "experiments/llm.yaml").read_text(encoding="utf-8").replace("name: llm", "name: llm2")
    (tmp_path / "experiments/second.yaml").write_text(added, encoding="utf-8")
    assert tjgen(tmp_path, "build").code == 0
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "a second run")
    tighten(tmp_path)
    git(tmp_path, "commit", "-q", "-am", "policy")
    answer = tjgen(tmp_path, "build", "--check")
    assert answer.code == 1
    assert "error[TJ550] experiments/second.yaml" in answer.err
    assert "error[TJ550] experiments/llm.yaml" not in answer.err
    assert "team; the run exists, but the default branch does not have it, so the policy applies as to a new run\n" in answer.err
    caller = tjgen(tmp_path, "build", "--check", "--policy", "policies", "experiments/llm.yaml")
    assert (caller.code, "error[TJ550] experiments/llm.yaml" in caller.err) == (1, True), caller.err
    assert "team; the run exists, and tjgen verify accepts it unless the change touches it\n" in caller.err
    assert tjgen(tmp_path, "verify", "--base", "origin/main", "--policy", "policies").err.count("experiments/llm.yaml") == 0


def test_without_a_repository_a_policy_of_a_platform_denies_runs_that_exist(tmp_path: Path) -> None:
    project_with_run(tmp_path)
    shutil.rmtree(tmp_path / ".git")
    tighten(tmp_path)
    answer = tjgen(tmp_path, "build")
    assert (answer.code, "error[TJ550]" in answer.err, "TJ557" in answer.err) == (1, True, False)


def test_policies_of_the_caller_are_read_whatever_the_case_of_their_suffix(tmp_path: Path) -> None:
    """An unread file of a folder that the caller enforces would deny nothing."""
    policies = tmp_path / "policies"
    policies.mkdir()
    (policies / "registries.YAML").write_bytes((POLICIES / "registries.yaml").read_bytes())
    (policies / "parameters.Yml").write_bytes((POLICIES / "parameters.yaml").read_bytes())
    experiment(tmp_path, image="docker.io/llm:1")
    answer = tjgen(tmp_path, "build", "llm.yaml", "--policy", "policies")
    assert (answer.code, "error[TJ550]" in answer.err) == (1, True), answer.err
