"""An object -> the errors of policies and Pod Security about it, and about the Jobs and pods that controllers create from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tjgen.cluster.controllers.creation import create
from tjgen.cluster.kinds.table import kind_of
from tjgen.cluster.policies import pod_security
from tjgen.cluster.policies.engines import RESULTED_IN_ERROR
from tjgen.cluster.policies.evaluation import DENY, ExpensivePolicy, FailedValidation, Policies, decide
from tjgen.cluster.policies.matching import AdmissionRequest
from tjgen.cluster.policies.pod_view import Violation
from tjgen.cluster.policies.stored import Stored, replacing, stored
from tjgen.cluster.validate.report import subject_of
from tjgen.cluster.validate.templates import templates
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, Tree, get
from tjgen.trees.manifests.generated_names import named
from tjgen.trees.typing import NamedTuple, Protocol

_COSTS = "an expression can cost 1,000,000, and the expressions of a binding 10,000,000 together: iterate over fewer elements"
_MISSING = object()
_SECURED = (
    "set securityContext of the container (pod.containerSecurityContext of an experiment) to {allowPrivilegeEscalation: false, "
    "capabilities: {drop: [ALL]}, runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}"
)
_MODES = (("enforce", "TJ558"), ("warn", "TJ559"))


class Judge(Protocol):
    """A function that returns what policies report about an object that is created, or replaces `old`."""

    def __call__(self, tree: Tree, old: Tree = None) -> Iterator[Diagnostic]: ...


def judge_of(policies: Policies, versions: Mapping[str, str] | None) -> Judge:
    """A function that judges an object by these policies."""

    def judge(tree: Tree, old: Tree = None) -> Iterator[Diagnostic]:
        return judged(tree, policies, old=old, versions=versions)

    return judge


def judged(
    tree: Tree, policies: Policies, *, old: Tree = None, versions: Mapping[str, str] | None = None
) -> Iterator[Diagnostic]:
    """TJ550 to TJ559 on an object that the server accepts otherwise, with paths in `tree`.

    `old` is the manifest of the object that `tree` replaces. A finding that several created objects share is reported once.
    """
    stored_object = stored(tree, versions=versions)
    if stored_object is None:
        return
    before = stored(old, versions=versions) if old is not None else None
    request = AdmissionRequest(replacing(stored_object, before) if before is not None else stored_object, before)
    reported: set[tuple[str, FieldPath | None]] = set()
    for violation in _of_request(tree, request, policies):
        reported.add((violation.message, violation.path))
        yield violation
    for one in created(tree, versions=versions) if creates_pods(tree) else ():
        inner, below = one.tree, stored(one.tree, versions=versions)
        for violation in _of_request(inner, AdmissionRequest(below), policies) if below is not None else ():
            path = _placed(tree, one.placed(violation.path or ()))
            message = f"the {inner['kind']} that is created from {_name(tree)} is refused: {violation.message}"
            if violation.code not in ("TJ550", "TJ558"):
                message = f"the {inner['kind']} that is created from {_name(tree)}: {violation.message}"
            if (violation.message, path) not in reported:
                reported.add((violation.message, path))
                yield violation._replace(message=message, path=path, subject=subject_of(tree))


def creates_pods(tree: Tree) -> bool:
    """Return whether the Jobs and pods of an object come from its own templates. Those of a TrainJob come from its JobSet."""
    return tree.get("kind") not in ("TrainJob", "TrainingRuntime", "ClusterTrainingRuntime")


def _placed(tree: Tree, path: FieldPath) -> FieldPath:
    """The longest part of the path that the manifest has: defaults are not in it."""
    for position, step in enumerate(path):
        tree = get(tree, (step,), _MISSING)
        if tree is _MISSING:
            return path[:position]
    return path


def _name(tree: Tree) -> str:
    return f"{tree['kind']} {tree['metadata'].get('name') or tree['metadata'].get('generateName', '')}"


def _of_request(tree: Tree, request: AdmissionRequest, policies: Policies) -> Iterator[Diagnostic]:
    subject = subject_of(tree)
    decisions, gaps = decide(policies, request)
    for one in decisions:
        code = "TJ550" if DENY in one.actions else "TJ551" if "Warn" in one.actions else "TJ552"
        yield Diagnostic(code, _words(one, code), subject, _placed(tree, one.path), hint=_hint(code, one.message))
    for gap in gaps:
        binding = f", binding {gap.binding}," if gap.binding else ""
        if isinstance(gap, ExpensivePolicy):
            message = f"policy {gap.policy}{binding} costs {gap.cost:,} of at most {gap.most:,} for this object"
            yield Diagnostic("TJ586", message, subject, (), hint=_COSTS)
            continue
        message = f"policy {gap.policy}{binding} was not evaluated: {gap.words}"
        hint = "add the file to the policies, or check the policy on a cluster: kubectl apply --dry-run=server"
        yield Diagnostic("TJ554", message, subject, (), hint=hint)
    if (request.new.group, request.new.plural) == ("", "pods"):
        yield from _pod_security(tree, request.new, policies)


def _words(one: FailedValidation, code: str) -> str:
    rule = f", validation {one.validation + 1}" if one.validation is not None else ""
    verb = {"TJ550": "denies", "TJ551": "warns of", "TJ552": "records"}[code]
    binding = f" with binding {one.binding}" if one.binding else ""
    return f"policy {one.policy}{binding}{rule} {verb} this: {one.message}"


def _hint(code: str, message: str) -> str:
    if RESULTED_IN_ERROR in message:
        return "correct the policy or its parameters: the expression cannot be evaluated"
    if code == "TJ550":
        return "change the field, or request an exception in the policy from the platform team"
    return "the API server accepts the object; change the field before the policy denies it"


def _pod_security(tree: Tree, pod: Stored, policies: Policies) -> Iterator[Diagnostic]:
    namespace = str(pod.tree["metadata"].get("namespace") or "")
    labels = policies.namespace(namespace).labels
    for mode, code in _MODES:
        standard = pod_security.of_labels(labels, mode)
        violations = pod_security.violations(pod.tree, standard)
        verb = "enforces" if mode == "enforce" else "warns of"
        for words, field, path in _joined(tree, violations):
            message = f'namespace {namespace} {verb} Pod Security "{standard}": {words}'
            yield Diagnostic(code, message, subject_of(tree), path, hint=_pod_hint(field, path))
        if violations:
            return


def _joined(tree: Tree, violations: Sequence[Violation]) -> Iterator[tuple[str, FieldPath, FieldPath]]:
    """The words, the field and its place in the manifest: one violation for all fields that a container or pod leaves out."""
    missing: list[tuple[str, FieldPath, FieldPath]] = []
    for one in violations:
        place = _placed(tree, one.path)
        if place == one.path or "securityContext" not in one.path:
            yield str(one), one.path, place
        else:
            missing.append((str(one), one.path, place))
    if missing:
        yield ", ".join(words for words, _, _ in missing), *max((each[1:] for each in missing), key=lambda each: len(each[1]))


def _pod_hint(path: FieldPath, present: FieldPath) -> str:
    """The hint for a field that a level refuses; `present` is the part of the path that the manifest has."""
    if path[1] == "volumes":
        return "use a claim, a csi volume or an image, or a namespace that allows it"
    if "securityContext" in path and path != present:
        return _SECURED
    return "change or remove the field, or use a namespace that allows it"


# An object -> the objects that controllers create from it, as policies see them: of equal ones the first.


class InnerObject(NamedTuple):
    """One of these objects."""

    tree: Tree
    source: FieldPath
    """Path of its template in the object that the author wrote."""

    def placed(self, path: FieldPath) -> FieldPath:
        """A path in the object as a path in what the author wrote."""
        return path if path == ("metadata", "name") else self.source + path


def created(tree: Tree, *, versions: Mapping[str, str] | None = None) -> Iterator[InnerObject]:
    """Yield the Jobs, pods and other objects that follow from an object, through all controllers.

    Kinds whose controller tjgen does not repeat have the pods of their templates, without the changes of the controller.
    """
    source = stored(tree, versions=versions)
    if source is None:
        return
    kind = kind_of(tree)
    if kind is None or not kind.controller:
        namespace = source.tree["metadata"].get("namespace")
        for template in templates(tree, versions=versions):
            metadata = {**template.tree["metadata"], **({"namespace": namespace} if namespace else {})}
            yield InnerObject({**template.tree, "metadata": metadata}, template.path)
        return
    for series in create(source.tree):
        inner = named(series.build(0))
        yield InnerObject(inner, series.source or ())
        for below in created(inner, versions=versions):
            yield below._replace(source=(*(series.source or ()), *below.source))
