"""A Job, by itself or as a template of a CronJob -> what the API server has against it.

Mirrors kubernetes 1.36 `pkg/apis/batch/validation` (ValidateJob), after the defaults of `pkg/apis/batch/v1` and the
selector that `pkg/registry/batch/job` generates.
"""

from __future__ import annotations

from collections.abc import Iterator

from tjgen.cluster.controllers.job import NAME_LABELS, UID_LABEL, UID_LABELS, labeled_template
from tjgen.cluster.validate.builtin.job_policies import NEEDS_INDEXES, NOT_NEGATIVE, failure_policy, success_policy
from tjgen.cluster.validate.builtin.pods import template_faults
from tjgen.cluster.validate.builtin.selectors import label_selector, matches, shown_selector
from tjgen.cluster.validate.fault import Fault
from tjgen.cluster.validate.metadata import labels
from tjgen.cluster.validate.place import Place
from tjgen.trees.k8s import syntax
from tjgen.trees.manifests.generated_names import generated
from tjgen.trees.typing import Any

UID = "00000000-0000-4000-8000-000000000000"
"""Placeholder for the UID that the server gives the Job."""

_MODES = ("NonIndexed", "Indexed")
_RESTART_POLICIES = ("OnFailure", "Never")
_REPLACEMENT = ("Failed", "TerminatingOrFailed")
_MOST_INDEXES = 100_000
_MOST_WITH_MANY_COMPLETIONS = 10_000
_LONGEST_MANAGER = 63
_COUNTS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_OWN_WORDS = "the server fills in this label itself, with the Job's name or identity: leave it out"
_IN_PATH = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-._~%!$&'()*+,;=:")
_PATH_WORDS = r"Invalid path (regex used for validation is '[A-Za-z0-9/\-._~%!$&'()*+,;=:]+')"


def stored_faults(job: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateJob` of an existing Job, whose selector and labels are not filled in again."""
    at, spec, metadata = Place("spec", ("spec",)), job.get("spec", {}), job.get("metadata", {})
    name = metadata.get("name", "")
    if not spec.get("manualSelector") and spec.get("selector") is not None:
        yield from _generated_selector(spec, name, at, uid=metadata.get("uid", UID))
    yield from job_spec(spec, at)
    yield from _selector(spec, at)
    yield from _host_name(spec, name)


def faults(job: dict[str, Any]) -> Iterator[Fault]:
    """`ValidateJob` without metadata except the labels that it takes over from the template."""
    at, name = Place("spec", ("spec",)), generated(job.get("metadata", {}))
    spec = dict(job.get("spec", {}))
    if "parallelism" not in spec:
        spec.setdefault("completions", 1)
    given = spec.get("template", {}).get("metadata", {}).get("labels")
    is_generated = not spec.get("manualSelector")
    if is_generated:
        spec = with_selector(spec, name)
    stored = spec.get("template", {}).get("metadata", {}).get("labels")
    if given is not None and not job.get("metadata", {}).get("labels"):
        for fault in labels(stored, Place("metadata.labels", (*at.path, "template", "metadata", "labels"))):
            yield _of_filled_in(fault, given)._replace(echo=True)
    if is_generated:
        yield from _generated_selector(spec, name, at)
    for fault in job_spec(spec, at):
        yield _of_filled_in(fault, given or {})
    yield from _selector(spec, at)
    yield from _host_name(spec, name)


def _host_name(spec: dict[str, Any], name: str) -> Iterator[Fault]:
    """The pods of an Indexed Job are called after it."""
    if spec.get("completionMode") == "Indexed" and spec.get("completions", 0) > 0:
        host = f"{name}-{spec['completions'] - 1}"
        if syntax.dns1123_label(host):
            message = f"will not able to create pod with invalid DNS label: {host}"
            yield Place("metadata.name", ("metadata", "name")).invalid(name, message)


def with_selector(spec: dict[str, Any], name: str) -> dict[str, Any]:
    """The spec with the labels and the selector that the server generates (`generateSelector`)."""
    selector = spec.get("selector", {})
    return {
        **spec,
        "template": labeled_template(spec, name, UID),
        "selector": {**selector, "matchLabels": {UID_LABEL: UID, **selector.get("matchLabels", {})}},
    }


def _of_filled_in(fault: Fault, given: dict[str, str]) -> Fault:
    """What is wrong with a label that was filled in is wrong with the name that it holds."""
    key = fault.path[-1]
    if key not in NAME_LABELS or key in given or fault.path[-4:-1] != ("template", "metadata", "labels"):
        return fault
    return fault._replace(path=("metadata", "name"))


def _generated_selector(spec: dict[str, Any], name: str, at: Place, uid: str = UID) -> Iterator[Fault]:
    """`validateGeneratedSelector`."""
    stored = spec.get("template", {}).get("metadata", {}).get("labels", {})
    expected = dict.fromkeys(NAME_LABELS, name) | dict.fromkeys(UID_LABELS, uid)
    for key, value in expected.items():
        field = at.child("template", "metadata", "labels").key(key)
        if key not in stored:
            yield field.required(f"must be '{value}'")
        elif stored[key] != value:
            yield field.invalid(stored, f"must be '{value}'")._replace(summary=_OWN_WORDS)
    selector = spec["selector"]
    if not any(label_selector(selector, at)) and not matches(selector, expected):
        message = "the server generates the selector of a Job: leave it out"
        yield at.child("selector").invalid(shown_selector(selector), "`selector` not auto-generated")._replace(summary=message)


def _selector(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """Yield the errors of ValidateJobSpec about the selector."""
    selector, field = spec.get("selector"), at.child("selector")
    wrong = [*label_selector(selector, field)]
    yield from wrong
    if selector is None:
        yield field.required()
    stored = spec.get("template", {}).get("metadata", {}).get("labels")
    if not wrong and not matches(selector, stored or {}):
        field = at.child("template", "metadata", "labels")
        yield field.invalid(stored, "`selector` does not match template `labels`")


def job_spec(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    """`validateJobSpec`: everything but the selector."""
    for name in _COUNTS:
        if spec.get(name, 0) < 0:
            yield at.child(name).invalid(spec[name], NOT_NEGATIVE)
    if "maxFailedIndexes" in spec and "backoffLimitPerIndex" not in spec:
        yield at.child("backoffLimitPerIndex").required("when maxFailedIndexes is specified")
    if "managedBy" in spec:
        yield from _managed_by(spec["managedBy"], at.child("managedBy"))
    mode = spec.get("completionMode", "NonIndexed")
    if mode not in _MODES:
        yield at.child("completionMode").not_supported(mode, _MODES)
    elif mode == "Indexed":
        yield from _indexed(spec, at)
    else:
        for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if name in spec:
                yield at.child(name).invalid(spec[name], NEEDS_INDEXES)
    if "podFailurePolicy" in spec:
        yield from failure_policy(spec, at.child("podFailurePolicy"))
    if "successPolicy" in spec:
        yield from success_policy(spec, mode, at.child("successPolicy"))
    if "podReplacementPolicy" in spec:
        supported = _REPLACEMENT[:1] if "podFailurePolicy" in spec else _REPLACEMENT
        if spec["podReplacementPolicy"] not in supported:
            yield at.child("podReplacementPolicy").not_supported(spec["podReplacementPolicy"], supported)
    yield from template_faults(spec.get("template", {}), at.child("template"))
    yield from _restart_policy(spec, at.child("template", "spec", "restartPolicy"))


def _restart_policy(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    policy = spec.get("template", {}).get("spec", {}).get("restartPolicy") or "Always"
    if policy == "Always":
        yield at.required('valid values: "OnFailure", "Never"')
    elif policy not in _RESTART_POLICIES:
        yield at.not_supported(policy, _RESTART_POLICIES)
    elif "podFailurePolicy" in spec and policy != "Never":
        yield at.invalid(policy, 'only "Never" is supported when podFailurePolicy is specified')


def _managed_by(manager: str, at: Place) -> Iterator[Fault]:
    """`IsDomainPrefixedPath`, and its length."""
    host, _, path = manager.partition("/")
    if not manager:
        yield at.required()
    elif not host or not path:
        yield at.invalid(manager, 'must be a domain-prefixed path (such as "acme.io/foo")')
    else:
        for message in syntax.dns1123_subdomain(host):
            yield at.invalid(host, message)
        if not _IN_PATH.issuperset(path):
            yield at.invalid(path, _PATH_WORDS)
    if len(manager.encode()) > _LONGEST_MANAGER:
        yield at.too_long(_LONGEST_MANAGER)


def _indexed(spec: dict[str, Any], at: Place) -> Iterator[Fault]:
    completions, parallelism = spec.get("completions"), spec.get("parallelism", 0)
    failed = spec.get("maxFailedIndexes")
    if completions is None:
        yield at.child("completions").required("when completion mode is Indexed")
    if parallelism > _MOST_INDEXES:
        message = f"must be less than or equal to {_MOST_INDEXES} when completion mode is Indexed"
        yield at.child("parallelism").invalid(parallelism, message)
    if failed is not None:
        if completions is not None and failed > completions:
            yield at.child("maxFailedIndexes").invalid(failed, "must be less than or equal to completions")
        if failed > _MOST_INDEXES:
            yield at.child("maxFailedIndexes").invalid(failed, f"must be less than or equal to {_MOST_INDEXES}")
    if completions is None or completions <= _MOST_INDEXES or "backoffLimitPerIndex" not in spec:
        return
    if failed is None:
        yield at.child("maxFailedIndexes").required(f"must be specified when completions is above {_MOST_INDEXES}")
    for name in ("parallelism", "maxFailedIndexes"):
        if spec.get(name, 0) > _MOST_WITH_MANY_COMPLETIONS:
            yield at.child(name).invalid(
                spec[name],
                f"must be less than or equal to {_MOST_WITH_MANY_COMPLETIONS} "
                f"when completions are above {_MOST_INDEXES} and used with backoff limit per index",
            )
