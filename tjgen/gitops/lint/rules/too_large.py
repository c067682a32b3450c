"""An object that is too large for how it is applied, or for the server."""

from __future__ import annotations

import json
from collections.abc import Iterator

from tjgen.cluster.trainer.runtimes import text_size
from tjgen.gitops.lint import sources
from tjgen.gitops.lint.applied import is_client_side, server_side
from tjgen.gitops.lint.kinds import CONFIGMAP, SECRET
from tjgen.gitops.lint.rule import ARGOCD, ERROR, FLUX, SEEN, Finding, Rule
from tjgen.gitops.lint.scene import AppliedObject, Scene

RULE = Rule(
    code="TJ657",
    name="too-large",
    severity=ERROR,
    evidence=SEEN,
    source=sources.CORE_VALIDATION,
    since="0.1.0",
    title="An object is too large to be applied.",
    why="Client-side apply stores the whole manifest in an annotation, and all annotations of an object can have at "
    "most 262144 bytes in total. Data of a ConfigMap or Secret can have 1 MiB, and etcd accepts requests of about 1.5 MiB.",
    remedy="Apply on the server side; above 1 MiB, split the object or store the data elsewhere.",
    effects={
        ARGOCD: "With client-side apply: `metadata.annotations: Too long`.",
        FLUX: "Rejected only above 1 MiB (ConfigMap, Secret) and about 1.5 MiB (other kinds), because Flux applies on "
        "the server side.",
    },
    upstream="Kubernetes `pkg/apis/core/validation` (`TotalAnnotationSizeLimitB`, `MaxSecretSize`); etcd `--max-request-bytes`.",
)
_ANNOTATIONS = 1 << 18
_DATA = 1 << 20
_REQUEST = 3 << 19


def check(scene: Scene) -> Iterator[Finding]:
    """A finding for each object; what is far from the limits is measured roughly."""
    for item in scene.items:
        if text_size(item.tree) < _ANNOTATIONS // 2:
            continue
        size = len(json.dumps(item.tree, separators=(",", ":")).encode())
        path = ("metadata", "name")
        if item.kind in (CONFIGMAP, SECRET) and (data := _data(item)) > _DATA:
            message = f"its data has {data} bytes, but the server accepts {_DATA}"
            yield Finding(item, path, message, hint="split it, or store the data elsewhere")
        elif size > _REQUEST:
            message = f"it has {size} bytes, but the server accepts about {_REQUEST}"
            yield Finding(item, path, message, hint="split it, or store the data elsewhere")
        elif size > _ANNOTATIONS and any(tool.applies_client_side for tool in scene.synctools) and is_client_side(scene, item):
            message = f"it has {size} bytes, but client-side apply stores it in an annotation of at most {_ANNOTATIONS}"
            yield Finding(item, path, message, hint="apply it with ServerSideApply=true", changes=server_side(item))


def _data(item: AppliedObject) -> int:
    return sum(text_size(item.tree.get(field)) for field in ("data", "binaryData", "stringData") if item.tree.get(field))
