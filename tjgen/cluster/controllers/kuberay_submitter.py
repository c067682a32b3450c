"""A RayJob -> the pod template of the Job that submits its program, or the head pod with a container that does.

Upstream: KubeRay v1.5.1 `controllers/ray/common/job.go:BuildJobSubmitCommand`, `GetSubmitterTemplate`, and
`rayjob_controller.go:configureSubmitterContainer`. The loop in which a container next to the head waits is a placeholder.
"""

from __future__ import annotations

import json

from tjgen.cluster.controllers.kuberay_names import with_random
from tjgen.cluster.controllers.kuberay_objects import dashboard_port
from tjgen.cluster.controllers.kuberay_start import has_token, with_env, with_token
from tjgen.cluster.kinds.ray import default_submitter
from tjgen.trees.fields.path import Tree, get
from tjgen.trees.k8s.placeholders import SCRIPT

_PORT = 8265


def template(job: Tree, cluster: str) -> Tree:
    """The pod template of the submitter; `cluster` is the name of the RayCluster."""
    spec = job["spec"].get("rayClusterSpec") or {}
    given = job["spec"].get("submitterPodTemplate") or default_submitter(spec)
    main, *others = given["spec"]["containers"]
    address = (
        f"{_service(spec, cluster)}.{job['metadata'].get('namespace', '')}.svc.cluster.local:{dashboard_port(spec) or _PORT}"
    )
    if not main.get("command"):
        main = {**main, "command": ["/bin/bash", "-ce", "--"], "args": [_command(job, f"http://{address}")]}
    main = _with_variables(job, main, address)
    if has_token({"spec": spec}):
        main = with_token({"metadata": {"name": cluster}}, main)
    return {**given, "spec": {**given["spec"], "containers": [main, *others]}}


def with_sidecar(job: Tree, spec: Tree) -> Tree:
    """The RayCluster's spec with a submitter in the head pod, which then never restarts."""
    head = spec["headGroupSpec"]
    pod = head["template"]["spec"]
    ports = (get(pod, ("containers", 0), None) or {}).get("ports") or ()
    port = next((one["containerPort"] for one in ports if one.get("name") == "dashboard"), _PORT)
    [container] = default_submitter(spec)["spec"]["containers"]
    words = f"{SCRIPT} {_submit(job, f'http://127.0.0.1:{port}', options='')}"
    container = _with_variables(job, {**container, "command": ["/bin/bash", "-ce", "--"], "args": [words]}, "")
    if has_token({"spec": spec}):
        container = with_token({"metadata": {"name": with_random(job["metadata"]["name"])}}, container)
    pod = {**pod, "containers": [*pod["containers"], container], "restartPolicy": "Never"}
    return {**spec, "headGroupSpec": {**head, "template": {**head["template"], "spec": pod}}}


def _service(spec: Tree, cluster: str) -> str:
    return str(get(spec, ("headGroupSpec", "headService", "metadata", "name"), None) or f"{cluster}-head-svc")


def _job_id(job: Tree) -> str:
    return str(job["spec"].get("jobId") or with_random(job["metadata"]["name"]))


def _command(job: Tree, address: str) -> str:
    """Submit the program unless an earlier attempt has, then follow its output."""
    name = _job_id(job)
    status = f"ray job status --address {address} {name} >/dev/null 2>&1"
    return f"if ! {status} ; then {_submit(job, address, ' --no-wait')} fi ; ray job logs --address {address} --follow {name}"


def _submit(job: Tree, address: str, options: str) -> str:
    spec = job["spec"]
    words = f"ray job submit --address {address}{options}"
    environment = _runtime_environment(spec.get("runtimeEnvYAML") or "")
    if environment:
        words += f" --runtime-env-json {_quoted(environment)}"
    if spec.get("metadata") and spec.get("rayClusterSpec") is not None:
        words += f" --metadata-json {_quoted(_as_json(spec['metadata']))}"
    words += f" --submission-id {_job_id(job)}"
    for field, option in (("entrypointNumCpus", "cpus"), ("entrypointNumGpus", "gpus")):
        if (spec.get(field) or 0) > 0:
            words += f" --entrypoint-num-{option} {float(spec[field]):f}"
    if spec.get("entrypointResources"):
        words += f" --entrypoint-resources {_quoted(spec['entrypointResources'])}"
    return f"{words} -- {(spec.get('entrypoint') or '').strip()} ;"


def _with_variables(job: Tree, container: Tree, address: str) -> dict[str, Tree]:
    values = {"PYTHONUNBUFFERED": "1", "RAY_DASHBOARD_ADDRESS": address, "RAY_JOB_SUBMISSION_ID": _job_id(job)}
    return with_env(container, *({"name": name, **({"value": value} if value else {})} for name, value in values.items()))


def _runtime_environment(text: str) -> str:
    from tjgen.trees.source.reader import KUBERNETES, read  # few jobs have an environment

    documents, _ = read(text, "runtimeEnvYAML", KUBERNETES)
    return _as_json(documents[0].value) if documents else ""


def _as_json(value: Tree) -> str:
    """As Go writes it: the keys of objects in order."""
    text = json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _quoted(text: str) -> str:
    """As `strconv.Quote` of Go writes a text."""
    return json.dumps(text, ensure_ascii=False)
