"""The scenarios that are recorded: policies with their bindings and parameters, and the requests that they judge.

Each scenario has its own namespace, and its policies select that namespace, so that all are in the API server at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

Tree = dict[str, Any]
API = "admissionregistration.k8s.io/v1"
IMAGE = "registry.example.com/ml/train:1.4"
DIGEST = f"registry.example.com/ml/train@sha256:{'a' * 64}"


class Request(NamedTuple):
    """An object to create, or to put in the place of `old`."""

    new: Tree
    old: Tree | None = None


class Scenario(NamedTuple):
    """Policies, bindings, parameters and namespaces, and requests that they judge."""

    name: str
    objects: tuple[Tree, ...]
    requests: tuple[Request, ...]
    labels: dict[str, str]
    """Labels of the namespace."""


# Objects to judge.


def config_map(name: str = "settings", **fields: Any) -> Tree:
    metadata: Tree = {"name": name, **fields.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **fields}


def pod(name: str = "train", metadata: Tree | None = None, container: Tree | None = None, **spec: Any) -> Tree:
    main = {"name": "node", "image": IMAGE, **(container or {})}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **(metadata or {})},
        "spec": {"containers": [main], "restartPolicy": "Never", **spec},
    }


def job(name: str = "train", metadata: Tree | None = None, container: Tree | None = None, **spec: Any) -> Tree:
    template = {"spec": pod(container=container)["spec"]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, **(metadata or {})},
        "spec": {"template": template, **spec},
    }


def claim(name: str = "data", size: str = "10Gi", **spec: Any) -> Tree:
    own = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": size}}, **spec}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": own}


def train_job(name: str = "run", metadata: Tree | None = None, trainer: Tree | None = None, **spec: Any) -> Tree:
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": name, **(metadata or {})},
        "spec": {"runtimeRef": {"name": "torch"}, "trainer": {"image": IMAGE, "numNodes": 2, **(trainer or {})}, **spec},
    }


def job_set(name: str = "set", metadata: Tree | None = None, container: Tree | None = None, replicas: int = 1) -> Tree:
    template = {"spec": {"parallelism": 2, "completions": 2, "template": {"spec": pod(container=container)["spec"]}}}
    return {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name, **(metadata or {})},
        "spec": {"replicatedJobs": [{"name": "node", "replicas": replicas, "template": template}]},
    }


def limits(name: str, metadata: Tree | None = None, **spec: Any) -> Tree:
    return {"apiVersion": "example.com/v1", "kind": "Limits", "metadata": {"name": name, **(metadata or {})}, "spec": spec}


# Policies and bindings.

EVERY = ("", ["pods", "configmaps", "persistentvolumeclaims"])
JOBS = ("batch", ["jobs"])
TRAINING = ("trainer.kubeflow.org", ["trainjobs"])
SETS = ("jobset.x-k8s.io", ["jobsets"])


def rule(group: str, resources: Sequence[str], **fields: Any) -> Tree:
    return {
        "apiGroups": [group],
        "apiVersions": ["*"],
        "operations": ["CREATE", "UPDATE"],
        "resources": list(resources),
        **fields,
    }


RULES = [rule(*EVERY), rule(*JOBS), rule(*TRAINING), rule(*SETS)]


def policy(scenario: str, validations: Sequence[Tree], *, suffix: str = "", match: Tree | None = None, **spec: Any) -> Tree:
    own = {"namespaceSelector": {"matchLabels": {"scenario": scenario}}, "resourceRules": RULES, **(match or {})}
    own = {key: value for key, value in own.items() if value is not None}
    return {
        "apiVersion": API,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": f"{scenario}{suffix}"},
        "spec": {"matchConstraints": own, "validations": list(validations), **spec},
    }


def binding(scenario: str, *, suffix: str = "", of: str | None = None, actions: Sequence[str] = ("Deny",), **spec: Any) -> Tree:
    return {
        "apiVersion": API,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": f"{scenario}{suffix}"},
        "spec": {"policyName": f"{scenario}{suffix}" if of is None else of, "validationActions": list(actions), **spec},
    }


# Objects that expressions are evaluated on.

LABELED = {"labels": {"team": "vision", "cost": "12"}, "annotations": {"owner": "a@example.com"}}
LIMITED = {"resources": {"limits": {"cpu": "2", "memory": "4Gi", "nvidia.com/gpu": "8"}, "requests": {"cpu": "500m"}}}
SECURED = {"securityContext": {"allowPrivilegeEscalation": False, "runAsNonRoot": True, "capabilities": {"drop": ["ALL"]}}}
TWO: Tree = {"initContainers": [{"name": "copy", "image": "docker.io/library/busybox"}]}
TEXTS = {"a": "1", "b": "two", "list": "x,y,z", "url": "https://example.com:8443/a/b?q=1", "ip": "10.1.2.3", "day": "2026-01-02"}
OBJECTS: tuple[Tree, ...] = (
    pod(),
    pod(metadata=LABELED, container=LIMITED),
    pod(metadata=LABELED, container={**LIMITED, **SECURED, "image": DIGEST}, **TWO),
    pod(volumes=[{"name": "host", "hostPath": {"path": "/data"}}], hostNetwork=True),
    job(metadata=LABELED, container=LIMITED, activeDeadlineSeconds=3600, backoffLimit=2),
    config_map(data=TEXTS, metadata=LABELED),
    config_map(),
    claim(storageClassName="fast"),
    train_job(metadata=LABELED, trainer={"resourcesPerNode": LIMITED["resources"]}),
    job_set(metadata=LABELED, container=LIMITED, replicas=3),
)
# Five expressions of one policy are judged at a time. A warning names each that fails.
EXPRESSIONS: tuple[str, ...] = (
    # fields that may be absent
    "has(object.metadata.labels)",
    "'team' in object.metadata.labels",
    "object.metadata.labels.team == 'vision'",
    "has(object.metadata.labels) && 'team' in object.metadata.labels",
    "object.metadata.?labels.?team.orValue('') == 'vision'",
    "object.metadata.labels['cost'] == '12'",
    "object.?spec.?containers.hasValue()",
    "!has(object.spec) || size(object.spec) > 2",
    "has(object.spec.containers)",
    "object.spec.containers[0].name == 'node'",
    "object.spec.containers[1].name == 'node'",
    "object.spec.containers.all(c, has(c.resources.limits))",
    "object.spec.containers.all(c, c.image.startsWith('registry.example.com/'))",
    "object.spec.containers.exists(c, c.image.contains('@sha256:'))",
    "object.spec.containers.exists_one(c, c.name == 'node')",
    "object.spec.containers.filter(c, has(c.securityContext)).size() == 1",
    "object.spec.containers.map(c, c.name) == ['node']",
    "object.spec.containers.map(c, has(c.image), c.image)[0].matches('^[a-z.]+/')",
    "(object.spec.containers + object.spec.?initContainers.orValue([])).all(c, !c.image.startsWith('docker.io'))",
    "!has(object.spec.volumes) || object.spec.volumes.all(v, !has(v.hostPath))",
    # defaults of the server
    "object.spec.restartPolicy == 'Never'",
    "object.spec.terminationGracePeriodSeconds == 30",
    "object.spec.containers[0].imagePullPolicy == 'IfNotPresent'",
    "has(object.spec.containers[0].resources)",
    "object.spec.suspend == false",
    "object.spec.template.spec.schedulerName == 'default-scheduler'",
    "object.spec.completions == 1 && object.spec.parallelism == 1",
    "object.spec.volumeMode == 'Filesystem'",
    "object.spec.replicatedJobs[0].replicas == 3",
    "object.spec.replicatedJobs[0].groupName == 'default'",
    "object.spec.runtimeRef.kind == 'ClusterTrainingRuntime'",
    "object.spec.trainer.numNodes < 2",
    "object.spec.trainer.numNodes * 8 <= 16",
    "has(object.status)",
    "has(object.metadata.uid) && has(object.metadata.creationTimestamp)",
    "object.metadata.namespace.startsWith('expressions-')",
    "object.apiVersion == 'v1'",
    "object.kind in ['Pod', 'Job']",
    "oldObject == null",
    # quantities
    "quantity(object.spec.containers[0].resources.limits['memory']).isLessThan(quantity('8Gi'))",
    "object.spec.containers.all(c, quantity(c.resources.limits['nvidia.com/gpu']).asInteger() <= 4)",
    "quantity(object.spec.resources.requests.storage).compareTo(quantity('5Gi')) <= 0",
    "isQuantity(object.spec.containers[0].resources.requests.cpu)",
    "quantity(object.spec.containers[0].resources.requests.cpu).asInteger() == 1",
    "quantity('1Gi').add(quantity('1Gi')).isGreaterThan(quantity('2G'))",
    "quantity('500m').sub(1) == quantity('-500m')",
    "quantity('x') == quantity('1')",
    "object.spec.containers[0].resources.limits.cpu > 4",
    "int(object.spec.containers[0].resources.limits.cpu) > 4",
    # texts
    "object.data.list.split(',').size() == 2",
    "object.data.list.split(',').join('-') == 'x-y-z'",
    "object.data.b.upperAscii() == 'TWO' && object.data.b.charAt(1) == 'w'",
    "object.data.b.substring(1) == 'wo' && object.data.b.substring(0, 9) == 'two'",
    "object.data.b.replace('t', 'T') == 'Two'",
    "object.data.b.indexOf('o') == 2 && object.data.b.lastIndexOf('z') == -1",
    "'  x '.trim() == 'x' && 'ab'.reverse() == 'ba'",
    "object.data.url.find('[0-9]+') == '8443'",
    "object.data.url.findAll('[a-z]+', 2) == ['https', 'example']",
    "url(object.data.url).getHostname() == 'example.com' && url(object.data.url).getPort() == '8443'",
    "url(object.data.url).getQuery() == {'q': ['1']}",
    "isURL(object.data.b)",
    "ip(object.data.ip).family() == 4 && cidr('10.0.0.0/8').containsIP(object.data.ip)",
    "ip(object.data.b).family() == 4",
    "isIP(object.data.ip) && !isCIDR(object.data.ip)",
    "string(1.5) + string(true) + string(7) == '1.5true7'",
    "'%s has %d of %s'.format([object.kind, 3, ['a', 'b']]) == 'Pod has 3 of [\"a\", \"b\"]'",
    "'%s %s'.format([{'b': 1, 'a': 'x'}, null]) == '{\"a\": \"x\", \"b\": 1} null'",
    "'%.1f'.format([1234567.0]) == '1,234,567.0' && '%d'.format([1234567]) == '1234567'",
    "'%.2f|%x|%o|%b'.format([3.14159, 255, 8, 5]) == '3.14|ff|10|101'",
    "'%s'.format([1, 2]) == '1'",
    "'%d'.format(['a']) == '1'",
    # numbers, times and durations
    "int(object.data.a) + 1 == 3",
    "int(object.data.b) == 2",
    "double(object.data.a) / 2.0 == 0.5 && 7 / 2 == 3 && -7 % 3 == -1",
    "1 / int(object.data.a) == 1 && 1 / (int(object.data.a) - 1) == 1",
    "9223372036854775807 + int(object.data.a) > 0",
    "uint(object.data.a) == 1u && 3u - 2u == 1u",
    "1u - 2u == 0u",
    "1 == 1.0 && 1u == 1 && [1, 2.0] == [1.0, 2]",
    "duration('90m') > duration('1h') && duration('1h30m') == duration('90m')",
    "duration(string(object.spec.activeDeadlineSeconds) + 's') <= duration('30m')",
    "duration(object.data.a) == duration('1s')",
    "timestamp(object.data.day + 'T00:00:00Z').getFullYear() == 2026",
    "timestamp('2026-01-02T03:04:05Z') - timestamp('2026-01-01T03:04:05Z') == duration('24h')",
    "timestamp(object.data.day) == timestamp('2026-01-02T00:00:00Z')",
    "duration('90m').getHours() == 1 && duration('90m').getMinutes() == 90",
    # lists, maps and sets
    "object.data.map(k, k).size() == 6",
    "object.data.all(k, object.data[k] != '')",
    "object.data.exists(k, k == 'missing')",
    "object.data.transformMap(k, v, k + v)['a'] == 'a1'",
    "object.data.transformList(k, v, v.size()).sum() > 100",
    "[1, 2, 3].all(i, v, v == i + 1)",
    "[1, 2, 2].distinct() == [1, 2] && [3, 1].sort() == [1, 3]",
    "[[1], [2]].flatten() == [1, 2] && lists.range(3) == [0, 1, 2]",
    "[1, 2, 3].slice(1, 2) == [2] && [1, 2].reverse() == [2, 1]",
    "[1, 2].first().value() == 1 && [1, 2].last().value() == 2",
    "['b', 'a'].isSorted() || [1, 2].sum() == 3 && [1, 2].max() == 2 && [4, 5].min() == 4",
    "sets.contains(['a', 'b'], ['a']) && sets.intersects([1], [2])",
    "sets.equivalent(['a', 'a'], ['a'])",
    "[1, 2].indexOf(2) == 1 && {'a': 1}.size() == 1",
    "object.metadata.labels.size() <= 1",
    # errors that another operand decides
    "object.spec.missing == 1 || true",
    "object.spec.missing == 1 || false",
    "object.spec.missing == 1 && false",
    "false || object.spec.missing == 1",
    "object.metadata.name == 'train' ? object.spec.missing : true",
    "[1, 0].exists(i, 1 / i > 5)",
    "object.metadata.name + 1 == 'x'",
    "object.metadata.name < 1",
    "object.metadata.name",
    "object.metadata.name.startsWith(1)",
    "dyn(1) == dyn('1')",
    "object.metadata.name.first == 'x'",
    "has(object.metadata.name.first)",
    "object.spec.containers.name == 'x'",
    "oldObject.metadata.name == 'x'",
    "has(oldObject.metadata)",
    "object.spec[0] == 1",
    "object.metadata.name.contains('x') || object.metadata.labels.team.contains('x')",
    "[object.metadata.name][1] == ''",
    "{'a': 1}['b'] == 1",
    "type(object.metadata.name) == string && type(1) == int",
    "object.metadata.annotations['owner'].matches(r'^[^@]+@example\\.com$')",
    "object.metadata.name.matches('(')",
    # the request
    "request.operation == 'CREATE'",
    "request.kind.kind == 'Pod' && request.kind.group == ''",
    "request.resource.resource == 'configmaps' && request.resource.version == 'v1'",
    "request.name == 'train' && request.namespace == object.metadata.namespace",
    "request.dryRun == true",
    "has(request.subResource) && request.subResource == ''",
    "request.requestKind.kind == request.kind.kind",
    "namespaceObject.metadata.name == object.metadata.namespace",
    "namespaceObject.metadata.labels['tier'] == 'gold'",
    "'missing' in namespaceObject.metadata.labels",
    "namespaceObject.metadata.labels.missing == 'x'",
    "has(namespaceObject.metadata.annotations)",
    "namespaceObject.metadata.annotations['cost-center'] == '7'",
    "namespaceObject.status.phase == 'Active'",
    "namespaceObject.spec.finalizers.exists(f, f == 'kubernetes')",
    "object.metadata.labels == namespaceObject.metadata.labels",
    "semver('1.2.3').isLessThan(semver('1.10.0')) && isSemver('1.0')",
    "semver(object.data.a).major() == 1",
    "optional.of(1).value() == 1 && optional.none().orValue(2) == 2",
    "optional.none().value() == 1",
    "object.metadata.?labels.optMap(l, l.size()).orValue(0) == 2",
    "object.?metadata.labels.team.orValue('x') == 'vision'",
    "{?'a': object.metadata.?labels}.size() == 1",
    "[?object.metadata.?labels].size() == 1",
    "cel.bind(x, object.metadata.name, x + x) == 'traintrain'",
    "b'abc' == bytes('abc') && size(b'abc') == 3",
    "'\\u00e9'.size() == 1 && 'a' < 'b' && false < true",
)
GROUP = 5


def _expressions(valid: Sequence[str]) -> Iterator[Scenario]:
    for start in range(0, len(valid), GROUP):
        name = f"expressions-{start // GROUP:02}"
        validations = [{"expression": text} for text in valid[start : start + GROUP]]
        made = policy(name, validations)
        objects = OBJECTS if start % 2 else OBJECTS[1::2] + OBJECTS[:2]
        yield _scenario(name, (made, binding(name, actions=("Deny",))), objects[:6])
        other = f"{name}-w"
        made = policy(other, validations)
        yield _scenario(other, (made, binding(other, actions=("Warn", "Audit"))), OBJECTS)


def _scenario(name: str, objects: Sequence[Tree], requests: Sequence[Tree | Request], **labels: str) -> Scenario:
    made = tuple(one if isinstance(one, Request) else Request(one) for one in requests)
    return Scenario(name, tuple(objects), made, {"scenario": name, "tier": "gold", **labels})


NEVER = {"expression": "false"}
DATA = (config_map(data={"a": "1"}), config_map("other", data={"a": "2"}), config_map("third", metadata={"labels": {"a": "b"}}))
A = "object.data.a"


def _messages() -> Iterator[Scenario]:
    for number, own in enumerate(
        (
            {"message": "  use another value  "},
            {"message": "first", "messageExpression": "'the value is ' + object.data.a"},
            {"message": "first", "messageExpression": "'two\\nlines'"},
            {"message": "first", "messageExpression": "'   '"},
            {"message": "first", "messageExpression": "string(object.missing.field)"},
            {"messageExpression": "object.missing.field + ''"},
            {"messageExpression": "string(object.data)"},
            {"messageExpression": "'long' + string(object.data.size()) + ' ' + object.metadata.name"},
            {"messageExpression": "string(object.metadata.name.size()) + ' of ' + request.operation"},
            {"reason": "Forbidden"},
            {"reason": "RequestEntityTooLarge", "message": "too large"},
            {"reason": "Invalid", "message": "not valid"},
        )
    ):
        name = f"message-{number:02}"
        made = policy(name, [{"expression": "has(object.data) && object.data.a == '2'", **own}])
        yield _scenario(name, (made, binding(name)), DATA)
    name = "multiline-expression"
    made = policy(name, [{"expression": "\n  has(object.data)\n  && object.data.a == '2'\n"}, {"expression": "object.x\n== 1\n"}])
    yield _scenario(name, (made, binding(name, actions=["Deny", "Audit"])), DATA)


def _failures() -> Iterator[Scenario]:
    for failure in ("Fail", "Ignore"):
        name = f"failure-{failure.lower()}"
        made = policy(
            name, [{"expression": f"{A} == '1'"}, {"expression": "!has(object.metadata.labels)"}], failurePolicy=failure
        )
        yield _scenario(name, (made, binding(name)), DATA)
        name = f"condition-error-{failure.lower()}"
        conditions = [{"name": "has-a", "expression": f"{A} == '1'"}, {"name": "other", "expression": "object.x.y == 1"}]
        made = policy(name, [NEVER], failurePolicy=failure, matchConditions=conditions)
        yield _scenario(name, (made, binding(name)), DATA)
        name = f"unknown-param-kind-{failure.lower()}"
        kind = {"apiVersion": "example.com/v1", "kind": "Nothing"}
        made = policy(name, [NEVER], failurePolicy=failure, paramKind=kind)
        yield _scenario(name, (made, binding(name, paramRef={"name": "x", "parameterNotFoundAction": "Deny"})), DATA[:1])
        name = f"audit-annotation-{failure.lower()}"
        annotations = [{"key": "a", "valueExpression": f"'value ' + string({A})"}]
        made = policy(name, [{"expression": "true"}], failurePolicy=failure, auditAnnotations=annotations)
        yield _scenario(name, (made, binding(name)), DATA)
        name = f"variable-error-{failure.lower()}"
        variables = [{"name": "a", "expression": A}, {"name": "unused", "expression": "object.x.y.z"}]
        made = policy(name, [{"expression": "variables.a == '1'"}], failurePolicy=failure, variables=variables)
        yield _scenario(name, (made, binding(name)), DATA)
    name = "conditions"
    conditions = [
        {"name": "create", "expression": "request.operation == 'CREATE'"},
        {"name": "has-data", "expression": "has(object.data)"},
    ]
    made = policy(name, [{"expression": f"{A} == '1'", "message": "a must be 1"}], matchConditions=conditions)
    changed = Request(config_map("kept", data={"a": "2"}), config_map("kept", data={"a": "1"}))
    yield _scenario(name, (made, binding(name)), (*DATA, changed))


def _variables() -> Iterator[Scenario]:
    name = "variables"
    variables = [
        {"name": "containers", "expression": "object.spec.?containers.orValue([]) + object.spec.?initContainers.orValue([])"},
        {"name": "images", "expression": "variables.containers.map(c, c.image)"},
        {"name": "count", "expression": "variables.images.size()"},
    ]
    validations = [
        {"expression": "variables.images.all(i, i.startsWith('registry.example.com/'))", "message": "use our registry"},
        {"expression": "variables.count < 2", "messageExpression": "string(variables.count) + ' containers'"},
    ]
    made = policy(name, validations, variables=variables, match={"resourceRules": [rule("", ["pods"])]})
    images = [{"image": IMAGE}, {"image": DIGEST}, {"image": "busybox"}, {"image": "registry.example.com"}]
    pods = [pod(container=one) for one in images] + [pod(**TWO), pod(container=images[1], **TWO)]
    yield _scenario(name, (made, binding(name)), pods)
    name = "variables-warn"
    made = policy(name, validations, variables=variables, match={"resourceRules": [rule("", ["pods"])]})
    yield _scenario(name, (made, binding(name, actions=("Warn",))), pods)


def _bindings() -> Iterator[Scenario]:
    fails = [{"expression": f"has(object.data) && {A} == '1'", "message": "a must be 1"}]
    for actions in (("Warn",), ("Audit",), ("Deny", "Audit"), ("Warn", "Audit"), ("Deny",)):
        name = f"actions-{'-'.join(actions).lower()}"
        yield _scenario(name, (policy(name, fails), binding(name, actions=actions)), DATA)
    name = "no-binding"
    yield _scenario(name, (policy(name, fails),), DATA[:2])
    name = "two-bindings"
    bindings = (binding(name, suffix="-a", of=name, actions=("Warn",)), binding(name, suffix="-b", of=name, actions=("Warn",)))
    yield _scenario(name, (policy(name, fails), *bindings), DATA)
    name = "two-policies"
    made = (policy(name, fails), policy(name, [NEVER], suffix="-b"))
    yield _scenario(name, (*made, binding(name, actions=("Warn",)), binding(name, suffix="-b", actions=("Warn",))), DATA)
    name = "missing-policy"
    yield _scenario(name, (binding(name),), DATA[:1])
    name = "binding-object-selector"
    match: Tree = {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}
    yield _scenario(name, (policy(name, [NEVER]), binding(name, matchResources=match)), DATA)
    name = "binding-resource-rules"
    match = {"resourceRules": [rule("", ["configmaps"], resourceNames=["other"])], "matchPolicy": "Exact"}
    yield _scenario(name, (policy(name, [NEVER]), binding(name, matchResources=match)), (*DATA, pod()))
    name = "binding-namespace-selector"
    match = {"namespaceSelector": {"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["gold"]}]}}
    yield _scenario(name, (policy(name, [NEVER]), binding(name, matchResources=match)), DATA[:1])
    yield Scenario(f"{name}-2", (), (Request(DATA[0]),), {"scenario": name, "tier": "iron"})
    yield Scenario(f"{name}-3", (), (Request(DATA[0]),), {"scenario": name})


def _matches() -> Iterator[Scenario]:
    some = (*DATA[:2], pod(), job(), claim(), train_job(), job_set(), pod("other", metadata=LABELED))
    matches: tuple[Tree, ...] = (
        {"resourceRules": [rule("*", ["*"])]},
        {"resourceRules": [rule("", ["*"])]},
        {"resourceRules": [rule("", ["pods", "configmaps"], operations=["CREATE"])]},
        {"resourceRules": [rule("", ["configmaps"], operations=["UPDATE"])]},
        {"resourceRules": [rule("", ["configmaps"], operations=["*"])]},
        {"resourceRules": [rule("", ["configmaps"], apiVersions=["v2"])]},
        {"resourceRules": [rule("", ["configmaps"], apiVersions=["v1"], scope="Namespaced")]},
        {"resourceRules": [rule("", ["configmaps"], scope="Cluster")]},
        {"resourceRules": [rule("", ["configmaps/status", "pods/*"])]},
        {"resourceRules": [rule("", ["*/*"])]},
        {"resourceRules": [rule("", ["pods"], resourceNames=["other"])]},
        {"resourceRules": RULES, "excludeResourceRules": [rule("", ["*"])]},
        {"resourceRules": RULES, "excludeResourceRules": [rule("", ["pods"], resourceNames=["train"])]},
        {"resourceRules": [rule("trainer.kubeflow.org", ["trainjobs"], apiVersions=["v1alpha1"])]},
        {"resourceRules": [rule("trainer.kubeflow.org", ["trainjobs"], apiVersions=["v1"])], "matchPolicy": "Equivalent"},
        {"objectSelector": {"matchLabels": {"team": "vision"}}},
        {"objectSelector": {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}},
        {"objectSelector": {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["vision", "speech"]}]}},
        {"objectSelector": {"matchExpressions": [{"key": "team", "operator": "In", "values": ["vision"]}]}},
    )
    for number, match in enumerate(matches):
        name = f"match-{number:02}"
        yield _scenario(name, (policy(name, [NEVER], match=match), binding(name)), some)


def _params() -> Iterator[Scenario]:
    of_maps = {"apiVersion": "v1", "kind": "ConfigMap"}
    of_limits = {"apiVersion": "example.com/v1", "kind": "Limits"}
    uses = [{"expression": f"has(object.data) && {A} == params.data.a", "messageExpression": "'a must be ' + params.data.a"}]
    for missing in ("Allow", "Deny"):
        references: tuple[Tree, ...] = (
            {"name": "params"},
            {"name": "nothing"},
            {"name": "elsewhere", "namespace": "params-shared"},
            {"selector": {"matchLabels": {"params": "yes"}}},
            {"selector": {"matchLabels": {"params": "no"}}},
            {"selector": {"matchExpressions": [{"key": "params", "operator": "Exists"}]}, "namespace": "params-shared"},
        )
        for number, own in enumerate(references):
            name = f"params-{missing.lower()}-{number}"
            held = config_map("params", data={"a": "1"}, metadata={"labels": {"params": "yes"}})
            reference: Tree = {**own, "parameterNotFoundAction": missing}
            made = policy(name, uses, paramKind=of_maps)
            yield _scenario(name, (made, binding(name, paramRef=reference), held), DATA)
    name = "params-none"
    yield _scenario(name, (policy(name, [{"expression": "params == null"}], paramKind=of_maps), binding(name)), DATA[:1])
    name = "params-none-read"
    yield _scenario(name, (policy(name, uses, paramKind=of_maps), binding(name)), DATA[:1])
    name = "params-custom"
    validations = [{"expression": "object.spec.trainer.numNodes <= params.spec.maxNodes", "messageExpression": MANY}]
    made = policy(name, validations, paramKind=of_limits, match={"resourceRules": [rule(*TRAINING)]})
    reference = {"name": "team", "parameterNotFoundAction": "Deny"}
    runs = [train_job(trainer={"numNodes": nodes}) for nodes in (1, 4, 5)]
    yield _scenario(name, (made, binding(name, paramRef=reference), limits("team", maxNodes=4)), runs)
    name = "params-two"
    made = policy(name, validations, paramKind=of_limits, match={"resourceRules": [rule(*TRAINING)]})
    reference = {"selector": {"matchLabels": {"use": "yes"}}, "parameterNotFoundAction": "Deny"}
    teams = [limits(f"team-{count}", {"labels": {"use": "yes"}}, maxNodes=count) for count in (4, 2)]
    yield _scenario(name, (made, binding(name, paramRef=reference, actions=("Warn",)), *teams), runs)


MANY = "'at most ' + string(params.spec.maxNodes) + ' nodes, not ' + string(object.spec.trainer.numNodes)"


def _updates() -> Iterator[Scenario]:
    name = "updates"
    validations = [
        {"expression": "oldObject == null || object.data.a == oldObject.data.a", "message": "a cannot change"},
        {"expression": "oldObject == null || !has(oldObject.metadata.labels) || has(object.metadata.labels)"},
        {"expression": "request.operation == 'CREATE' || oldObject.metadata.uid == object.metadata.uid"},
        {"expression": "oldObject.data.size() <= object.data.size()"},
    ]
    before = config_map("kept", data={"a": "1", "b": "1"}, metadata=LABELED)
    after = (
        before,
        config_map("kept", data={"a": "2", "b": "1"}, metadata=LABELED),
        config_map("kept", data={"a": "1"}, metadata=LABELED),
        config_map("kept", data={"a": "1", "b": "1"}),
        config_map("kept", metadata=LABELED),
    )
    requests = [Request(one, before) for one in after]
    yield _scenario(name, (policy(name, validations), binding(name)), [*requests, DATA[0]])
    name = "updates-warn"
    made = policy(name, validations), binding(name, actions=("Warn", "Audit"))
    yield _scenario(name, made, [*requests, DATA[0]])
    name = "updates-selector"
    match = {
        "objectSelector": {"matchLabels": {"team": "vision"}},
        "resourceRules": [rule("", ["configmaps"], operations=["UPDATE"])],
    }
    made = policy(name, [{"expression": "has(object.metadata.labels)"}], match=match), binding(name)
    yield _scenario(name, made, [*requests, DATA[0]])
    name = "updates-custom"
    validations = [
        {"expression": "object.spec.suspend == oldObject.spec.suspend"},
        {"expression": "object.metadata.generation == 1"},
    ]
    made = policy(name, validations, match={"resourceRules": [rule(*TRAINING)]}), binding(name, actions=("Warn",))
    before = train_job("kept", suspend=True)
    yield _scenario(name, made, [Request(one, before) for one in (before, train_job("kept", suspend=False))])


ANNOTATIONS = {"cost-center": "7"}
"""Annotations of every namespace."""
SHARED = (
    config_map("elsewhere", data={"a": "1"}, metadata={"labels": {"params": "shared"}}),
    config_map("second", data={"a": "1"}),
)
"""Objects of the namespace `params-shared`."""


def scenarios(valid: Sequence[str] = EXPRESSIONS) -> tuple[Scenario, ...]:
    """All of them, in order. `valid`: the expressions that the server accepts in a policy."""
    return (
        *_expressions(valid),
        *_messages(),
        *_failures(),
        *_variables(),
        *_bindings(),
        *_matches(),
        *_params(),
        *_updates(),
    )
