"""Structural schemas of the experiment language, and its short forms and alternatives.

Generated from tjgen/language/spec/models by `python -m tjgen.language.spec.generate`; not edited by hand.
"""

from __future__ import annotations

from tjgen.language.spec.forms import SECONDS, VERBATIM, Form
from tjgen.trees.typing import Any

Schema = dict[str, Any]

# fmt: off

QUANTITY: Schema = {
    "type": ["string", "number"],
    "maxLength": 100,
    "maximum": 9223372036854775807,
    "minimum": 0,
    "pattern": r"^([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]{1,3})?$",
    "x-tjgen-expects": "write a quantity such as 8, 500m or 64Gi",
}

LABEL: Schema = {
    "type": "string",
    "maxLength": 63,
    "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    "x-tjgen-expects": "use at most 63 lowercase letters, digits and '-'",
}

ACCESS_MODE: Schema = {
    "type": "string",
    "enum": ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"],
}

TREE: Schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}

TEXTS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}

METADATA: Schema = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {
            "type": "string",
            "maxLength": 63,
            "pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$",
            "x-tjgen-expects": "use at most 63 lowercase letters, digits and '-', and start with a letter",
        },
        "namespace": LABEL,
        "labels": TEXTS,
        "annotations": TEXTS,
    },
}

ENV_VAR: Schema = {
    "type": "object",
    "properties": {
        "value": {"type": ["string", "boolean", "number"]},
        "secret": {"type": "string", "minLength": 1},
        "configMap": {"type": "string", "minLength": 1},
        "key": {"type": "string", "minLength": 1},
        "optional": {"type": "boolean"},
        "field": {"type": "string", "minLength": 1},
        "resource": {"type": "string", "minLength": 1},
        "container": {"type": "string", "minLength": 1},
        "divisor": QUANTITY,
    },
}
ENV_VAR_FORM = Form(
    short=(("value", "text"),),
    alternatives=(
        ("value",),
        ("secret", "key", "optional"),
        ("configMap", "key", "optional"),
        ("field",),
        ("resource", "container", "divisor"),
    ),
    choices={"value": 0, "secret": 1, "configMap": 2, "field": 3, "resource": 4, "container": 4, "divisor": 4},
    needed=True,
)

ENV_SOURCE: Schema = {
    "type": "object",
    "properties": {
        "secret": {
            "type": "string",
            "maxLength": 253,
            "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
            "x-tjgen-expects": "use lowercase letters, digits, '-' and '.'",
        },
        "configMap": {
            "type": "string",
            "maxLength": 253,
            "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
            "x-tjgen-expects": "use lowercase letters, digits, '-' and '.'",
        },
        "prefix": {"type": "string"},
        "optional": {"type": "boolean"},
    },
}
ENV_SOURCE_FORM = Form(
    alternatives=(("secret",), ("configMap",)),
    choices={"secret": 0, "configMap": 1},
    needed=True,
)

RESOURCE_AMOUNT: Schema = {"type": "object", "properties": {"request": QUANTITY, "limit": QUANTITY}}
RESOURCE_AMOUNT_FORM = Form(short=(("request", "amount"), ("limit", "amount")))

PORT: Schema = {
    "type": "object",
    "required": ["port"],
    "properties": {
        "port": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
        "hostPort": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
        "protocol": {"type": "string", "enum": ["TCP", "UDP", "SCTP"]},
    },
}
PORT_FORM = Form(short=(("port", "integer"),))

PROBES: Schema = {"type": "object", "properties": {"liveness": TREE, "readiness": TREE, "startup": TREE}}

PROGRAM: Schema = {
    "type": "object",
    "properties": {
        "image": {"type": "string", "minLength": 1},
        "imagePullPolicy": {"type": "string", "enum": ["Always", "IfNotPresent", "Never"]},
        "command": {"type": "array", "items": {"type": "string"}},
        "args": {"type": "array", "items": {"type": "string"}},
        "workingDir": {"type": "string", "minLength": 1},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "envFrom": {"type": "object", "additionalProperties": ENV_SOURCE},
        "cpu": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "memory": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "ephemeralStorage": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "resources": {"type": "object", "additionalProperties": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY}},
        "ports": {
            "type": "object",
            "additionalProperties": {
                **PORT,
                "x-tjgen-short": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
            },
        },
        "probes": PROBES,
    },
}
PROGRAM_FORM = Form(
    fields={
        "env": Form(each=ENV_VAR_FORM),
        "envFrom": Form(each=ENV_SOURCE_FORM),
        "cpu": RESOURCE_AMOUNT_FORM,
        "memory": RESOURCE_AMOUNT_FORM,
        "ephemeralStorage": RESOURCE_AMOUNT_FORM,
        "resources": Form(each=RESOURCE_AMOUNT_FORM),
        "ports": Form(each=PORT_FORM),
    },
)

SHARE: Schema = {
    "type": "object",
    "properties": {
        "memory": QUANTITY,
        "cores": {"type": "integer", "maximum": 100, "minimum": 1, "x-tjgen-exact": True},
    },
}

DEVICE_REQUEST: Schema = {
    "type": "object",
    "properties": {
        "deviceClass": {"type": "string", "minLength": 1},
        "selectors": {"type": "array", "items": {"type": "string", "minLength": 1}},
    },
}

GPU: Schema = {
    "type": "object",
    "properties": {
        "class": {"type": "string", "pattern": "^([a-z][-.a-z0-9]*/)?[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$"},
        "count": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "requests": {"type": "boolean"},
        "minMemory": QUANTITY,
        "mig": {"type": "string", "minLength": 1},
        "share": SHARE,
        "dra": DEVICE_REQUEST,
        "topology": {
            "type": "string",
            "pattern": "^[1-9][0-9]{0,3}(x[1-9][0-9]{0,3}){1,2}$",
            "x-tjgen-expects": "write it like 2x4 or 4x4x8",
        },
    },
}
GPU_FORM = Form(
    short=(("class", "string"), ("count", "integer")),
    alternatives=(("mig", "dra"), ("share",)),
    choices={"mig": 0, "dra": 0, "share": 1},
)

EXTRA_MOUNT: Schema = {
    "type": "object",
    "required": ["mountPath"],
    "properties": {
        "mountPath": {"type": "string", "minLength": 1},
        "readOnly": {"type": "boolean"},
        "subPath": {"type": "string", "minLength": 1},
    },
}
EXTRA_MOUNT_FORM = Form(short=(("mountPath", "string"),))

EXTRA_CONTAINER: Schema = {
    "type": "object",
    "properties": {
        "image": {"type": "string", "minLength": 1},
        "imagePullPolicy": {"type": "string", "enum": ["Always", "IfNotPresent", "Never"]},
        "command": {"type": "array", "items": {"type": "string"}},
        "args": {"type": "array", "items": {"type": "string"}},
        "workingDir": {"type": "string", "minLength": 1},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "envFrom": {"type": "object", "additionalProperties": ENV_SOURCE},
        "cpu": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "memory": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "ephemeralStorage": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "resources": {"type": "object", "additionalProperties": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY}},
        "ports": {
            "type": "object",
            "additionalProperties": {
                **PORT,
                "x-tjgen-short": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
            },
        },
        "probes": PROBES,
        "mounts": {
            "type": "object",
            "additionalProperties": {**EXTRA_MOUNT, "x-tjgen-short": {"type": "string", "minLength": 1}},
        },
        "securityContext": TREE,
    },
}
EXTRA_CONTAINER_FORM = Form(
    fields={
        "env": Form(each=ENV_VAR_FORM),
        "envFrom": Form(each=ENV_SOURCE_FORM),
        "cpu": RESOURCE_AMOUNT_FORM,
        "memory": RESOURCE_AMOUNT_FORM,
        "ephemeralStorage": RESOURCE_AMOUNT_FORM,
        "resources": Form(each=RESOURCE_AMOUNT_FORM),
        "ports": Form(each=PORT_FORM),
        "mounts": Form(each=EXTRA_MOUNT_FORM),
    },
)

INIT_CONTAINER: Schema = {
    "type": "object",
    "properties": {
        "image": {"type": "string", "minLength": 1},
        "imagePullPolicy": {"type": "string", "enum": ["Always", "IfNotPresent", "Never"]},
        "command": {"type": "array", "items": {"type": "string"}},
        "args": {"type": "array", "items": {"type": "string"}},
        "workingDir": {"type": "string", "minLength": 1},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "envFrom": {"type": "object", "additionalProperties": ENV_SOURCE},
        "cpu": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "memory": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "ephemeralStorage": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "resources": {"type": "object", "additionalProperties": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY}},
        "ports": {
            "type": "object",
            "additionalProperties": {
                **PORT,
                "x-tjgen-short": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
            },
        },
        "probes": PROBES,
        "mounts": {
            "type": "object",
            "additionalProperties": {**EXTRA_MOUNT, "x-tjgen-short": {"type": "string", "minLength": 1}},
        },
        "securityContext": TREE,
        "after": {"type": "array", "items": {"type": "string", "minLength": 1}},
    },
}
INIT_CONTAINER_FORM = Form(
    fields={
        "env": Form(each=ENV_VAR_FORM),
        "envFrom": Form(each=ENV_SOURCE_FORM),
        "cpu": RESOURCE_AMOUNT_FORM,
        "memory": RESOURCE_AMOUNT_FORM,
        "ephemeralStorage": RESOURCE_AMOUNT_FORM,
        "resources": Form(each=RESOURCE_AMOUNT_FORM),
        "ports": Form(each=PORT_FORM),
        "mounts": Form(each=EXTRA_MOUNT_FORM),
    },
)

SIDECAR: Schema = {
    "type": "object",
    "properties": {
        "image": {"type": "string", "minLength": 1},
        "imagePullPolicy": {"type": "string", "enum": ["Always", "IfNotPresent", "Never"]},
        "command": {"type": "array", "items": {"type": "string"}},
        "args": {"type": "array", "items": {"type": "string"}},
        "workingDir": {"type": "string", "minLength": 1},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "envFrom": {"type": "object", "additionalProperties": ENV_SOURCE},
        "cpu": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "memory": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "ephemeralStorage": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "resources": {"type": "object", "additionalProperties": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY}},
        "ports": {
            "type": "object",
            "additionalProperties": {
                **PORT,
                "x-tjgen-short": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
            },
        },
        "probes": PROBES,
        "mounts": {
            "type": "object",
            "additionalProperties": {**EXTRA_MOUNT, "x-tjgen-short": {"type": "string", "minLength": 1}},
        },
        "securityContext": TREE,
        "native": {"type": "boolean"},
    },
}
SIDECAR_FORM = Form(
    fields={
        "env": Form(each=ENV_VAR_FORM),
        "envFrom": Form(each=ENV_SOURCE_FORM),
        "cpu": RESOURCE_AMOUNT_FORM,
        "memory": RESOURCE_AMOUNT_FORM,
        "ephemeralStorage": RESOURCE_AMOUNT_FORM,
        "resources": Form(each=RESOURCE_AMOUNT_FORM),
        "ports": Form(each=PORT_FORM),
        "mounts": Form(each=EXTRA_MOUNT_FORM),
    },
)

POD: Schema = {
    "type": "object",
    "properties": {
        "labels": TEXTS,
        "annotations": TEXTS,
        "nodeSelector": TEXTS,
        "tolerations": {"type": "array", "items": TREE},
        "affinity": TREE,
        "securityContext": TREE,
        "containerSecurityContext": TREE,
        "terminationGracePeriodSeconds": {
            "type": "integer",
            "maximum": 2147483647,
            "minimum": 0,
            "x-tjgen-exact": True,
        },
        "hostNetwork": {"type": "boolean"},
        "hostIPC": {"type": "boolean"},
        "dnsPolicy": {"type": "string", "enum": ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]},
        "schedulerName": {"type": "string", "minLength": 1},
        "runtimeClassName": {"type": "string", "minLength": 1},
        "topologySpreadConstraints": {"type": "array", "items": TREE},
        "restartPolicy": {"type": "string", "enum": ["Never", "OnFailure"]},
    },
}

CONTAINER: Schema = {
    "type": "object",
    "properties": {
        "image": {"type": "string", "minLength": 1},
        "imagePullPolicy": {"type": "string", "enum": ["Always", "IfNotPresent", "Never"]},
        "command": {"type": "array", "items": {"type": "string"}},
        "args": {"type": "array", "items": {"type": "string"}},
        "workingDir": {"type": "string", "minLength": 1},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "envFrom": {"type": "object", "additionalProperties": ENV_SOURCE},
        "cpu": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "memory": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "ephemeralStorage": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "resources": {"type": "object", "additionalProperties": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY}},
        "ports": {
            "type": "object",
            "additionalProperties": {
                **PORT,
                "x-tjgen-short": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
            },
        },
        "probes": PROBES,
        "gpu": {
            **GPU,
            "x-tjgen-short": {
                "type": ["string", "integer"],
                "maximum": 2147483647,
                "minimum": 1,
                "pattern": "^([a-z][-.a-z0-9]*/)?[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?(:[1-9][0-9]{0,5})?$",
                "x-tjgen-exact": True,
                "x-tjgen-expects": "write class:count, such as h100:8",
            },
        },
        "containerName": LABEL,
        "initContainers": {"type": "object", "additionalProperties": INIT_CONTAINER},
        "sidecars": {"type": "object", "additionalProperties": SIDECAR},
        "pod": POD,
    },
}
CONTAINER_FORM = Form(
    fields={
        "env": Form(each=ENV_VAR_FORM),
        "envFrom": Form(each=ENV_SOURCE_FORM),
        "cpu": RESOURCE_AMOUNT_FORM,
        "memory": RESOURCE_AMOUNT_FORM,
        "ephemeralStorage": RESOURCE_AMOUNT_FORM,
        "resources": Form(each=RESOURCE_AMOUNT_FORM),
        "ports": Form(each=PORT_FORM),
        "gpu": GPU_FORM,
        "initContainers": Form(each=INIT_CONTAINER_FORM),
        "sidecars": Form(each=SIDECAR_FORM),
    },
)

RUNTIME_REF: Schema = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "kind": {"type": "string", "enum": ["ClusterTrainingRuntime", "TrainingRuntime"]},
        "version": {"type": "string", "minLength": 1},
    },
}
RUNTIME_REF_FORM = Form(short=(("name", "string"),))

ROLE: Schema = {
    "type": "object",
    "properties": {
        "image": {"type": "string", "minLength": 1},
        "imagePullPolicy": {"type": "string", "enum": ["Always", "IfNotPresent", "Never"]},
        "command": {"type": "array", "items": {"type": "string"}},
        "args": {"type": "array", "items": {"type": "string"}},
        "workingDir": {"type": "string", "minLength": 1},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "envFrom": {"type": "object", "additionalProperties": ENV_SOURCE},
        "cpu": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "memory": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "ephemeralStorage": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "resources": {"type": "object", "additionalProperties": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY}},
        "ports": {
            "type": "object",
            "additionalProperties": {
                **PORT,
                "x-tjgen-short": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
            },
        },
        "probes": PROBES,
        "gpu": {
            **GPU,
            "x-tjgen-short": {
                "type": ["string", "integer"],
                "maximum": 2147483647,
                "minimum": 1,
                "pattern": "^([a-z][-.a-z0-9]*/)?[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?(:[1-9][0-9]{0,5})?$",
                "x-tjgen-exact": True,
                "x-tjgen-expects": "write class:count, such as h100:8",
            },
        },
        "containerName": LABEL,
        "initContainers": {"type": "object", "additionalProperties": INIT_CONTAINER},
        "sidecars": {"type": "object", "additionalProperties": SIDECAR},
        "pod": POD,
        "replicas": {"type": "integer", "maximum": 2147483647, "minimum": 0, "x-tjgen-exact": True},
    },
}
ROLE_FORM = Form(
    fields={
        "env": Form(each=ENV_VAR_FORM),
        "envFrom": Form(each=ENV_SOURCE_FORM),
        "cpu": RESOURCE_AMOUNT_FORM,
        "memory": RESOURCE_AMOUNT_FORM,
        "ephemeralStorage": RESOURCE_AMOUNT_FORM,
        "resources": Form(each=RESOURCE_AMOUNT_FORM),
        "ports": Form(each=PORT_FORM),
        "gpu": GPU_FORM,
        "initContainers": Form(each=INIT_CONTAINER_FORM),
        "sidecars": Form(each=SIDECAR_FORM),
    },
)

POPULATOR: Schema = {
    "type": "object",
    "required": ["apiGroup", "kind", "name"],
    "properties": {
        "apiGroup": {"type": "string", "minLength": 1},
        "kind": {"type": "string", "minLength": 1},
        "name": {"type": "string", "minLength": 1},
    },
}

CLAIM_CONTENT: Schema = {
    "type": "object",
    "properties": {
        "snapshot": {"type": "string", "minLength": 1},
        "claim": {"type": "string", "minLength": 1},
        "populator": POPULATOR,
    },
}
CLAIM_CONTENT_FORM = Form(
    alternatives=(("snapshot",), ("claim",), ("populator",)),
    choices={"snapshot": 0, "claim": 1, "populator": 2},
    needed=True,
)

NEW_CLAIM: Schema = {
    "type": "object",
    "properties": {
        "size": QUANTITY,
        "storageClassName": {"type": "string"},
        "profile": {"type": "string", "minLength": 1},
        "accessModes": {"type": "array", "items": ACCESS_MODE},
        "volumeMode": {"type": "string", "enum": ["Filesystem", "Block"]},
        "scope": {"type": "string", "enum": ["family", "run", "project"]},
        "name": {"type": "string", "minLength": 1},
        "from": CLAIM_CONTENT,
        "keep": {"type": "boolean"},
        "labels": TEXTS,
        "annotations": TEXTS,
    },
}
NEW_CLAIM_FORM = Form(fields={"from": CLAIM_CONTENT_FORM})

BACKUP: Schema = {
    "type": "object",
    "required": ["schedule"],
    "properties": {
        "schedule": {"type": "string", "minLength": 1},
        "keep": {"type": "integer", "maximum": 1000, "minimum": 1, "x-tjgen-exact": True},
        "snapshotClassName": {"type": "string", "minLength": 1},
        "deadline": {
            "type": "string",
            "pattern": "^[1-9][0-9]{0,4}[smhd]$",
            "x-tjgen-expects": "write a number and s, m, h or d, such as 12h",
        },
    },
}

CLAIM: Schema = {
    "type": "object",
    "properties": {
        "claimName": {
            "type": "string",
            "maxLength": 253,
            "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
            "x-tjgen-expects": "use lowercase letters, digits, '-' and '.'",
        },
        "create": NEW_CLAIM,
        "backup": BACKUP,
    },
}
CLAIM_FORM = Form(
    short=(("claimName", "string"),),
    alternatives=(("claimName",), ("create",)),
    choices={"claimName": 0, "create": 1},
    needed=True,
    fields={"create": NEW_CLAIM_FORM},
)

HOST_PATH: Schema = {
    "type": "object",
    "required": ["path"],
    "properties": {
        "path": {"type": "string", "minLength": 1},
        "type": {
            "type": "string",
            "enum": [
                "",
                "DirectoryOrCreate",
                "Directory",
                "FileOrCreate",
                "File",
                "Socket",
                "CharDevice",
                "BlockDevice",
            ],
        },
        "nodeSelector": TEXTS,
    },
}
HOST_PATH_FORM = Form(short=(("path", "string"),))

IMAGE_VOLUME: Schema = {
    "type": "object",
    "required": ["reference"],
    "properties": {
        "reference": {"type": "string", "minLength": 1},
        "digest": {
            "type": "string",
            "pattern": "^sha256:[0-9a-f]{64}$",
            "x-tjgen-expects": "write sha256: and 64 hexadecimal digits",
        },
        "pullPolicy": {"type": "string", "enum": ["Always", "IfNotPresent", "Never"]},
    },
}
IMAGE_VOLUME_FORM = Form(short=(("reference", "string"),))

EPHEMERAL: Schema = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": QUANTITY,
        "storageClassName": {"type": "string"},
        "accessModes": {"type": "array", "items": ACCESS_MODE},
    },
}

EMPTY_DIR: Schema = {
    "type": "object",
    "properties": {
        "medium": {"type": "string", "pattern": "^(Memory|HugePages(-.+)?)?$", "x-tjgen-expects": "write Memory"},
        "sizeLimit": QUANTITY,
    },
}

FILES: Schema = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {
            "type": "string",
            "maxLength": 253,
            "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
            "x-tjgen-expects": "use lowercase letters, digits, '-' and '.'",
        },
        "items": {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}},
        "defaultMode": {"type": "integer", "maximum": 511, "minimum": 0, "x-tjgen-exact": True},
        "optional": {"type": "boolean"},
    },
}
FILES_FORM = Form(short=(("name", "string"),))

NFS: Schema = {
    "type": "object",
    "required": ["server", "path"],
    "properties": {"server": {"type": "string", "minLength": 1}, "path": {"type": "string", "minLength": 1}},
}

CSI: Schema = {
    "type": "object",
    "required": ["driver"],
    "properties": {
        "driver": {"type": "string", "minLength": 1},
        "fsType": {"type": "string", "minLength": 1},
        "attributes": TEXTS,
        "secret": {"type": "string", "minLength": 1},
    },
}

SECRET_KEY: Schema = {
    "type": "object",
    "required": ["secret", "key"],
    "properties": {"secret": {"type": "string", "minLength": 1}, "key": {"type": "string", "minLength": 1}},
}

DATASET_MOUNT: Schema = {
    "type": "object",
    "required": ["mountPoint"],
    "properties": {
        "mountPoint": {"type": "string", "minLength": 1},
        "path": {"type": "string", "minLength": 1},
        "options": TEXTS,
        "secrets": {"type": "object", "additionalProperties": SECRET_KEY},
    },
}
DATASET_MOUNT_FORM = Form(short=(("mountPoint", "string"),))

CACHE_LEVEL: Schema = {
    "type": "object",
    "required": ["quota"],
    "properties": {
        "quota": QUANTITY,
        "medium": {"type": "string", "enum": ["MEM", "SSD", "HDD"]},
        "path": {"type": "string", "minLength": 1},
    },
}

NEW_DATASET: Schema = {
    "type": "object",
    "required": ["mounts"],
    "properties": {
        "mounts": {
            "type": "object",
            "additionalProperties": {**DATASET_MOUNT, "x-tjgen-short": {"type": "string", "minLength": 1}},
        },
        "quota": QUANTITY,
        "medium": {"type": "string", "enum": ["MEM", "SSD", "HDD"]},
        "path": {"type": "string", "minLength": 1},
        "levels": {"type": "array", "items": CACHE_LEVEL},
        "replicas": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "scope": {"type": "string", "enum": ["family", "project"]},
    },
}
NEW_DATASET_FORM = Form(
    alternatives=(("quota", "medium", "path"), ("levels",)),
    choices={"quota": 0, "medium": 0, "path": 0, "levels": 1},
    fields={"mounts": Form(each=DATASET_MOUNT_FORM)},
)

DATASET: Schema = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 1}, "create": NEW_DATASET},
}
DATASET_FORM = Form(
    short=(("name", "string"),),
    alternatives=(("name",), ("create",)),
    choices={"name": 0, "create": 1},
    needed=True,
    fields={"create": NEW_DATASET_FORM},
)

MOUNT: Schema = {
    "type": "object",
    "properties": {
        "readOnly": {"type": "boolean"},
        "subPath": {"type": "string", "minLength": 1},
        "subPathExpr": {"type": "string", "minLength": 1},
        "roles": {"type": "array", "items": {"type": "string", "minLength": 1}},
    },
}
MOUNT_FORM = Form(short=(("subPath", "string"),))

VOLUME: Schema = {
    "type": "object",
    "properties": {
        "pvc": {
            **CLAIM,
            "x-tjgen-short": {
                "type": "string",
                "maxLength": 253,
                "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
                "x-tjgen-expects": "use lowercase letters, digits, '-' and '.'",
            },
        },
        "hostPath": {**HOST_PATH, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "image": {**IMAGE_VOLUME, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "ephemeral": EPHEMERAL,
        "emptyDir": EMPTY_DIR,
        "configMap": {
            **FILES,
            "x-tjgen-short": {
                "type": "string",
                "maxLength": 253,
                "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
                "x-tjgen-expects": "use lowercase letters, digits, '-' and '.'",
            },
        },
        "secret": {
            **FILES,
            "x-tjgen-short": {
                "type": "string",
                "maxLength": 253,
                "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
                "x-tjgen-expects": "use lowercase letters, digits, '-' and '.'",
            },
        },
        "nfs": NFS,
        "csi": CSI,
        "dataset": {**DATASET, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "mountPath": {"type": "string", "minLength": 1},
        "mounts": {
            "type": "object",
            "additionalProperties": {**MOUNT, "x-tjgen-short": {"type": "string", "minLength": 1}},
        },
        "readOnly": {"type": "boolean"},
        "subPath": {"type": "string", "minLength": 1},
        "subPathExpr": {"type": "string", "minLength": 1},
        "shared": {"type": "boolean"},
        "roles": {"type": "array", "items": {"type": "string", "minLength": 1}},
    },
}
VOLUME_FORM = Form(
    alternatives=(
        ("pvc",),
        ("hostPath",),
        ("image",),
        ("ephemeral",),
        ("emptyDir",),
        ("configMap",),
        ("secret",),
        ("nfs",),
        ("csi",),
        ("dataset",),
    ),
    choices={
        "pvc": 0,
        "hostPath": 1,
        "image": 2,
        "ephemeral": 3,
        "emptyDir": 4,
        "configMap": 5,
        "secret": 6,
        "nfs": 7,
        "csi": 8,
        "dataset": 9,
    },
    needed=True,
    fields={
        "pvc": CLAIM_FORM,
        "hostPath": HOST_PATH_FORM,
        "image": IMAGE_VOLUME_FORM,
        "configMap": FILES_FORM,
        "secret": FILES_FORM,
        "dataset": DATASET_FORM,
        "mounts": Form(each=MOUNT_FORM),
    },
)

ITEM: Schema = {
    "type": "object",
    "required": ["path"],
    "properties": {"path": {"type": "string", "minLength": 1}, "size": QUANTITY},
}
ITEM_FORM = Form(short=(("path", "string"),))

ITEMS: Schema = {
    "type": "object",
    "properties": {
        "list": {"type": "array", "items": {**ITEM, "x-tjgen-short": {"type": "string", "minLength": 1}}},
        "glob": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "x-tjgen-short": {"type": "string", "minLength": 1},
        },
        "directory": {"type": "string", "minLength": 1},
        "manifest": {"type": "string", "minLength": 1},
        "pattern": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "x-tjgen-short": {"type": "string", "minLength": 1},
        },
        "count": {"type": "integer", "maximum": 9007199254740992, "minimum": 1, "x-tjgen-exact": True},
    },
}
ITEMS_FORM = Form(
    alternatives=(("list",), ("glob", "directory"), ("manifest",), ("pattern",), ("count",)),
    choices={"list": 0, "glob": 1, "directory": 1, "manifest": 2, "pattern": 3, "count": 4},
    needed=True,
    fields={"list": Form(item=ITEM_FORM), "glob": Form(listed=True), "pattern": Form(listed=True)},
)

SLICES: Schema = {
    "type": "object",
    "properties": {
        "by": {"type": "string", "minLength": 1},
        "weights": {
            "type": "array",
            "items": {"type": "integer", "maximum": 2147483647, "minimum": 0, "x-tjgen-exact": True},
        },
        "lists": {"type": "array", "items": {"type": "array", "items": {"type": "string", "minLength": 1}}},
        "options": TREE,
        "remainder": {"type": "string", "enum": ["keep", "pad", "drop"]},
        "over": {"type": "string", "enum": ["nodes", "processes", "tasks"]},
        "within": {"type": "string", "enum": ["nodes", "processes"]},
        "workers": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "count": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "virtual": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "balance": {"type": "number", "minimum": 1},
        "covering": {"type": "boolean"},
        "deliver": {"type": "string", "enum": ["env", "configMap", "range", "init", "subPath", "volume"]},
        "mountPath": {"type": "string", "minLength": 1},
        "scratch": {"type": "string", "minLength": 1},
        "image": {"type": "string", "minLength": 1},
        "folder": {"type": "string", "minLength": 1},
        "sources": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "nodes": {"type": "array", "items": {"type": "string", "minLength": 1}},
    },
}
SLICES_FORM = Form(fields={"options": VERBATIM})

DATA_SET: Schema = {
    "type": "object",
    "properties": {
        "volume": {"type": "string", "minLength": 1},
        "path": {"type": "string", "minLength": 1},
        "items": ITEMS,
        "slices": SLICES,
        "shared": {"type": "boolean"},
        "isolate": {"type": "boolean"},
    },
}
DATA_SET_FORM = Form(fields={"items": ITEMS_FORM, "slices": SLICES_FORM})

DATA: Schema = {
    "type": "object",
    "properties": {
        "volume": {"type": "string", "minLength": 1},
        "path": {"type": "string", "minLength": 1},
        "items": ITEMS,
        "slices": SLICES,
        "shared": {"type": "boolean"},
        "isolate": {"type": "boolean"},
        "sets": {"type": "object", "additionalProperties": DATA_SET},
        "reader": {"type": "string", "enum": ["v1"]},
    },
}
DATA_FORM = Form(
    alternatives=(("volume", "path", "items", "shared", "isolate"), ("sets",)),
    choices={"volume": 0, "path": 0, "items": 0, "shared": 0, "isolate": 0, "sets": 1},
    fields={"items": ITEMS_FORM, "slices": SLICES_FORM, "sets": Form(each=DATA_SET_FORM)},
)

WORKSPACE: Schema = {
    "type": "object",
    "properties": {
        "pvc": {"type": "string", "minLength": 1},
        "volume": {"type": "string", "minLength": 1},
        "path": {"type": "string", "minLength": 1},
        "directory": {"type": "string", "minLength": 1},
    },
}
WORKSPACE_FORM = Form(
    short=(("pvc", "string"),),
    alternatives=(("pvc",), ("volume",)),
    choices={"pvc": 0, "volume": 1},
    needed=True,
)

PACKED_CODE: Schema = {
    "type": "object",
    "properties": {
        "directory": {"type": "string", "minLength": 1},
        "include": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "exclude": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "files": TEXTS,
    },
}
PACKED_CODE_FORM = Form(
    short=(("directory", "string"),),
    alternatives=(("directory", "include", "exclude"), ("files",)),
    choices={"directory": 0, "include": 0, "exclude": 0, "files": 1},
    needed=True,
)

GIT_CODE: Schema = {
    "type": "object",
    "required": ["repository", "commit"],
    "properties": {
        "repository": {"type": "string", "minLength": 1},
        "commit": {"type": "string", "minLength": 1},
        "path": {"type": "string", "minLength": 1},
        "depth": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "submodules": {"type": "boolean"},
        "lfs": {"type": "boolean"},
        "secret": {"type": "string", "minLength": 1},
    },
}

BUILD: Schema = {
    "type": "object",
    "required": ["image"],
    "properties": {
        "image": {"type": "string", "minLength": 1},
        "base": {"type": "string", "minLength": 1},
        "directory": {"type": "string", "minLength": 1},
        "include": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "exclude": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "requirements": {"type": "string", "minLength": 1},
        "packages": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "provided": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "system": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "dockerfile": {"type": "string", "minLength": 1},
        "context": {"type": "string", "enum": ["configMap", "git"]},
        "builder": {"type": "string", "enum": ["buildkit", "kaniko"]},
        "cache": {"type": "string", "minLength": 1},
        "secret": {"type": "string", "minLength": 1},
        "deadline": {
            "type": "string",
            "pattern": "^[1-9][0-9]{0,4}[smhd]$",
            "x-tjgen-expects": "write a number and s, m, h or d, such as 12h",
        },
        "cpu": QUANTITY,
        "memory": QUANTITY,
    },
}

CODE: Schema = {
    "type": "object",
    "properties": {
        "use": {
            "type": "array",
            "items": {"type": "string", "enum": ["image", "workspace", "configMap", "git", "build"]},
            "x-tjgen-short": {"type": "string", "enum": ["image", "workspace", "configMap", "git", "build"]},
        },
        "mountPath": {"type": "string", "minLength": 1},
        "pythonPath": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "workspace": {**WORKSPACE, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "configMap": {**PACKED_CODE, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "git": GIT_CODE,
        "build": BUILD,
    },
}
CODE_FORM = Form(
    fields={"use": Form(listed=True), "workspace": WORKSPACE_FORM, "configMap": PACKED_CODE_FORM},
)

MOVE_TO: Schema = {
    "type": "object",
    "required": ["pvc"],
    "properties": {
        "pvc": {"type": "string", "minLength": 1},
        "path": {"type": "string", "minLength": 1},
        "deleteAfter": {
            "type": "string",
            "pattern": "^[1-9][0-9]{0,4}[smhd]$",
            "x-tjgen-expects": "write a number and s, m, h or d, such as 12h",
        },
    },
}
MOVE_TO_FORM = Form(short=(("pvc", "string"),))

KEEP: Schema = {
    "type": "object",
    "properties": {
        "last": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "reason": {"type": "string", "minLength": 1},
        "best": {"type": "integer", "maximum": 2147483647, "minimum": 0, "x-tjgen-exact": True},
        "everyNth": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "metric": {
            "type": "string",
            "pattern": "^[A-Za-z0-9._=+-]+$",
            "x-tjgen-expects": "use letters, digits and . _ = + -",
        },
        "metricKey": {"type": "string", "minLength": 1},
        "mode": {"type": "string", "enum": ["min", "max"]},
        "schedule": {"type": "string", "minLength": 1},
        "graceSeconds": {"type": "integer", "maximum": 2147483647, "minimum": 0, "x-tjgen-exact": True},
        "maxPerPass": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "olderThan": {
            "type": "string",
            "pattern": "^[1-9][0-9]{0,4}[smhd]$",
            "x-tjgen-expects": "write a number and s, m, h or d, such as 12h",
        },
        "moveTo": {**MOVE_TO, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "dryRun": {"type": "boolean"},
    },
}
KEEP_FORM = Form(fields={"moveTo": MOVE_TO_FORM})

CHECKPOINT_INDEX: Schema = {
    "type": "object",
    "properties": {
        "metrics": {
            "type": "string",
            "pattern": "^[A-Za-z0-9._=+-]+$",
            "x-tjgen-expects": "use letters, digits and . _ = + -",
        },
        "schedule": {"type": "string", "minLength": 1},
    },
}
CHECKPOINT_INDEX_FORM = Form(short=(("metrics", "string"),))

RESUME: Schema = {
    "type": "object",
    "properties": {
        "run": {"type": "string", "minLength": 1},
        "path": {"type": "string", "minLength": 1},
        "best": {
            "type": "string",
            "pattern": r"^[ !#-\[\]-~]{1,100}$",
            "x-tjgen-expects": "use at most 100 printable ASCII characters without quotes and backslashes",
        },
        "mode": {"type": "string", "enum": ["min", "max"]},
    },
}
RESUME_FORM = Form(
    short=(("run", "string"),),
    alternatives=(("run",), ("path",)),
    choices={"run": 0, "path": 1},
    needed=True,
)

CHECKPOINTS: Schema = {
    "type": "object",
    "required": ["volume"],
    "properties": {
        "volume": {"type": "string", "minLength": 1},
        "path": {"type": "string", "minLength": 1},
        "scope": {"type": "string", "enum": ["run", "family"]},
        "every": {
            "type": "integer",
            "maximum": 2147483647,
            "minimum": 1,
            "x-tjgen-exact": True,
            "x-tjgen-expects": "write the number of steps, such as 1000",
        },
        "name": {
            "type": "string",
            "pattern": "^[A-Za-z0-9._=+-]+$",
            "x-tjgen-expects": "use letters, digits and . _ = + -",
        },
        "marker": {
            "type": "string",
            "pattern": "^[A-Za-z0-9._=+-]+$",
            "x-tjgen-expects": "use letters, digits and . _ = + -",
        },
        "files": {
            "type": "array",
            "items": {
                "type": "string",
                "pattern": "^[A-Za-z0-9._=+-]+$",
                "x-tjgen-expects": "use letters, digits and . _ = + -",
            },
        },
        "mark": {"type": "string", "enum": ["program", "init"]},
        "keep": KEEP,
        "keepRuns": {"type": "integer", "maximum": 2147483647, "minimum": 0, "x-tjgen-exact": True},
        "index": {**CHECKPOINT_INDEX, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "resumeFrom": {**RESUME, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "expectedSize": QUANTITY,
        "backup": BACKUP,
    },
}
CHECKPOINTS_FORM = Form(
    fields={"keep": KEEP_FORM, "index": CHECKPOINT_INDEX_FORM, "resumeFrom": RESUME_FORM},
)

PREFETCH_SOURCE: Schema = {
    "type": "object",
    "properties": {
        "uri": {"type": "string", "minLength": 1},
        "volume": {"type": "string", "minLength": 1},
        "path": {"type": "string", "minLength": 1},
        "paths": {"type": "array", "items": {"type": "string", "minLength": 1}},
    },
}
PREFETCH_SOURCE_FORM = Form(
    short=(("uri", "string"),),
    alternatives=(("uri",), ("volume",)),
    choices={"uri": 0, "volume": 1},
    needed=True,
)

PREFETCH_SET: Schema = {
    "type": "object",
    "properties": {
        "volume": {"type": "string", "minLength": 1},
        "path": {"type": "string", "minLength": 1},
        "source": {**PREFETCH_SOURCE, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "image": {"type": "string", "minLength": 1},
        "command": {"type": "array", "items": {"type": "string"}},
        "args": {"type": "array", "items": {"type": "string"}},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "secret": {"type": "string", "minLength": 1},
        "workers": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "deadline": {
            "type": "string",
            "pattern": "^[1-9][0-9]{0,4}[smhd]$",
            "x-tjgen-expects": "write a number and s, m, h or d, such as 12h",
        },
        "nodes": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "wait": {"type": "boolean"},
        "waitTimeout": {
            "type": "string",
            "pattern": "^[1-9][0-9]{0,4}[smhd]$",
            "x-tjgen-expects": "write a number and s, m, h or d, such as 12h",
        },
        "priority": {"type": "integer", "maximum": 2147483647, "minimum": 0, "x-tjgen-exact": True},
    },
}
PREFETCH_SET_FORM = Form(fields={"source": PREFETCH_SOURCE_FORM, "env": Form(each=ENV_VAR_FORM)})

MEMORY_CACHE: Schema = {
    "type": "object",
    "properties": {
        "size": QUANTITY,
        "ttl": {"type": "string", "pattern": "^[0-9]+[smhd]$", "x-tjgen-expects": "write a number and s, m, h or d"},
        "path": {"type": "string", "minLength": 1},
    },
}

SSD_CACHE: Schema = {
    "type": "object",
    "properties": {
        "size": QUANTITY,
        "path": {"type": "string", "minLength": 1},
        "storageClassName": {"type": "string", "minLength": 1},
        "hostPath": {"type": "string", "minLength": 1},
    },
}

CACHE: Schema = {"type": "object", "properties": {"memory": MEMORY_CACHE, "ssd": SSD_CACHE}}

PREFETCH: Schema = {
    "type": "object",
    "properties": {
        "volume": {"type": "string", "minLength": 1},
        "path": {"type": "string", "minLength": 1},
        "source": {**PREFETCH_SOURCE, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "image": {"type": "string", "minLength": 1},
        "command": {"type": "array", "items": {"type": "string"}},
        "args": {"type": "array", "items": {"type": "string"}},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "secret": {"type": "string", "minLength": 1},
        "workers": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "deadline": {
            "type": "string",
            "pattern": "^[1-9][0-9]{0,4}[smhd]$",
            "x-tjgen-expects": "write a number and s, m, h or d, such as 12h",
        },
        "nodes": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "wait": {"type": "boolean"},
        "waitTimeout": {
            "type": "string",
            "pattern": "^[1-9][0-9]{0,4}[smhd]$",
            "x-tjgen-expects": "write a number and s, m, h or d, such as 12h",
        },
        "priority": {"type": "integer", "maximum": 2147483647, "minimum": 0, "x-tjgen-exact": True},
        "sets": {"type": "object", "additionalProperties": PREFETCH_SET},
        "cache": CACHE,
    },
}
PREFETCH_FORM = Form(
    alternatives=(
        (
            "volume",
            "path",
            "source",
            "image",
            "command",
            "args",
            "secret",
            "workers",
            "nodes",
            "deadline",
            "wait",
            "wait_timeout",
            "priority",
        ),
        ("sets",),
    ),
    choices={
        "volume": 0,
        "path": 0,
        "source": 0,
        "image": 0,
        "command": 0,
        "args": 0,
        "secret": 0,
        "workers": 0,
        "nodes": 0,
        "deadline": 0,
        "wait": 0,
        "wait_timeout": 0,
        "priority": 0,
        "sets": 1,
    },
    fields={"source": PREFETCH_SOURCE_FORM, "env": Form(each=ENV_VAR_FORM), "sets": Form(each=PREFETCH_SET_FORM)},
)

THRESHOLD: Schema = {
    "type": "object",
    "properties": {
        "warning": {"type": "number", "maximum": 2147483647, "minimum": 0},
        "critical": {"type": "number", "maximum": 2147483647, "minimum": 0},
    },
}

THRESHOLDS: Schema = {
    "type": "object",
    "properties": {
        "readThroughput": THRESHOLD,
        "readLatency": THRESHOLD,
        "prefetchHits": THRESHOLD,
        "checkpointSave": THRESHOLD,
        "checkpointRestore": THRESHOLD,
        "checkpointFailures": THRESHOLD,
        "cacheHits": THRESHOLD,
        "evictions": THRESHOLD,
        "checkpointAge": THRESHOLD,
        "slowRank": THRESHOLD,
        "volumeUsage": THRESHOLD,
        "backupAge": THRESHOLD,
        "gpuUtilization": THRESHOLD,
        "cpuUtilization": THRESHOLD,
        "pendingRuns": THRESHOLD,
    },
}

MONITOR: Schema = {
    "type": "object",
    "properties": {
        "port": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
        "path": {"type": "string", "pattern": "^/"},
        "measures": {
            "type": "array",
            "items": {
                "type": "string",
                "enum": [
                    "readThroughput",
                    "readLatency",
                    "prefetchHits",
                    "checkpointSave",
                    "checkpointRestore",
                    "checkpointFailures",
                    "cacheHits",
                    "evictions",
                    "checkpointAge",
                    "slowRank",
                    "volumeUsage",
                    "backupAge",
                    "gpuUtilization",
                    "gpuThrottling",
                    "failedJobs",
                    "cpuUtilization",
                    "pendingRuns",
                    "failedRuns",
                    "stuckRuns",
                ],
            },
        },
        "thresholds": THRESHOLDS,
        "labels": TEXTS,
        "dashboard": {"type": "boolean"},
        "diagnose": {"type": "boolean"},
    },
}

SECRET_REF: Schema = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string", "minLength": 1}},
}
SECRET_REF_FORM = Form(short=(("name", "string"),))

FETCH: Schema = {
    "type": "object",
    "properties": {
        "storageUri": {"type": "string", "minLength": 1},
        "secretRef": {**SECRET_REF, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "image": {"type": "string", "minLength": 1},
        "command": {"type": "array", "items": {"type": "string"}},
        "args": {"type": "array", "items": {"type": "string"}},
        "cpu": QUANTITY,
        "memory": QUANTITY,
    },
}
FETCH_FORM = Form(fields={"secretRef": SECRET_REF_FORM, "env": Form(each=ENV_VAR_FORM)})

INITIALIZER: Schema = {
    "type": "object",
    "properties": {"dataset": FETCH, "model": FETCH, "volume": {"type": "string", "minLength": 1}},
}
INITIALIZER_FORM = Form(fields={"dataset": FETCH_FORM, "model": FETCH_FORM})

NETWORK_TOPOLOGY: Schema = {
    "type": "object",
    "properties": {
        "mode": {"type": "string", "enum": ["hard", "soft"]},
        "highestTierAllowed": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
    },
}

TOPOLOGY_SLICE: Schema = {
    "type": "object",
    "required": ["level", "size"],
    "properties": {
        "level": {
            "type": "string",
            "pattern": "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$",
            "x-tjgen-expects": "name a node label, such as topology.kubernetes.io/zone",
        },
        "size": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
    },
}

TOPOLOGY: Schema = {
    "type": "object",
    "properties": {
        "exclusive": {
            "type": "string",
            "pattern": "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$",
            "x-tjgen-expects": "name a node label, such as topology.kubernetes.io/zone",
        },
        "required": {
            "type": "string",
            "pattern": "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$",
            "x-tjgen-expects": "name a node label, such as topology.kubernetes.io/zone",
        },
        "slice": TOPOLOGY_SLICE,
        "preferred": {
            "type": "string",
            "pattern": "^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$",
            "x-tjgen-expects": "name a node label, such as topology.kubernetes.io/zone",
        },
        "unconstrained": {"type": "boolean", "enum": [True]},
    },
}
TOPOLOGY_FORM = Form(
    alternatives=(("exclusive",), ("required", "slice"), ("preferred",), ("unconstrained",)),
    choices={"exclusive": 0, "required": 1, "slice": 1, "preferred": 2, "unconstrained": 3},
    needed=True,
)

SCHEDULE: Schema = {
    "type": "object",
    "properties": {
        "system": {"type": "string", "enum": ["volcano", "coscheduling", "kueue", "none"]},
        "queue": {"type": "string", "minLength": 1},
        "minAvailable": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "minResources": {"type": "object", "additionalProperties": QUANTITY},
        "priorityClassName": {"type": "string", "minLength": 1},
        "workloadPriority": {"type": "string", "minLength": 1},
        "multiKueue": {"type": "boolean"},
        "timeoutSeconds": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "networkTopology": NETWORK_TOPOLOGY,
        "topology": TOPOLOGY,
    },
}
SCHEDULE_FORM = Form(fields={"topology": TOPOLOGY_FORM})

FAILURE_RULE: Schema = {
    "type": "object",
    "required": ["action"],
    "properties": {
        "exitCodes": {
            "type": "array",
            "items": {
                "type": "integer",
                "maximum": 255,
                "minimum": 1,
                "x-tjgen-exact": True,
                "x-tjgen-expects": "write an exit code between 1 and 255",
            },
        },
        "disruption": {"type": "boolean", "enum": [True]},
        "action": {"type": "string", "enum": ["fail", "count", "ignore"]},
    },
}
FAILURE_RULE_FORM = Form(
    alternatives=(("exitCodes",), ("disruption",)),
    choices={"exitCodes": 0, "disruption": 1},
    needed=True,
)

RESTART: Schema = {
    "type": "object",
    "properties": {
        "policy": {"type": "string", "enum": ["Never", "OnFailure", "Always", "ExitCode"]},
        "limit": {"type": "integer", "maximum": 2147483647, "minimum": 0, "x-tjgen-exact": True},
        "rules": {"type": "object", "additionalProperties": FAILURE_RULE},
    },
}
RESTART_FORM = Form(fields={"rules": Form(each=FAILURE_RULE_FORM)})

ELASTIC: Schema = {
    "type": "object",
    "required": ["min", "max"],
    "properties": {
        "min": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "max": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "restarts": {"type": "integer", "maximum": 2147483647, "minimum": 0, "x-tjgen-exact": True},
        "metrics": {"type": "array", "items": TREE},
    },
}

SUCCESS: Schema = {
    "type": "object",
    "properties": {
        "roles": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "operator": {"type": "string", "enum": ["All", "Any"]},
    },
}

CLEANUP: Schema = {
    "type": "object",
    "properties": {
        "pods": {"type": "string", "enum": ["All", "Running", "None"]},
        "ttlSeconds": {"type": "integer", "maximum": 2147483647, "minimum": 0, "x-tjgen-exact": True},
    },
}

VOLCANO_POLICY: Schema = {
    "type": "object",
    "required": ["action"],
    "properties": {
        "action": {
            "type": "string",
            "enum": [
                "AbortJob",
                "CompleteJob",
                "RestartJob",
                "RestartPartition",
                "RestartPod",
                "RestartTask",
                "ResumeJob",
                "TerminateJob",
            ],
        },
        "timeout": {"type": "string", "minLength": 1},
    },
}
VOLCANO_POLICY_FORM = Form(short=(("action", "string"),))

VOLCANO_TASK: Schema = {
    "type": "object",
    "properties": {
        "minAvailable": {"type": "integer", "maximum": 2147483647, "minimum": 0, "x-tjgen-exact": True},
        "maxRetry": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "topologyPolicy": {"type": "string", "enum": ["none", "best-effort", "restricted", "single-numa-node"]},
        "policies": {
            "type": "object",
            "additionalProperties": {
                **VOLCANO_POLICY,
                "x-tjgen-short": {
                    "type": "string",
                    "enum": [
                        "AbortJob",
                        "CompleteJob",
                        "RestartJob",
                        "RestartPartition",
                        "RestartPod",
                        "RestartTask",
                        "ResumeJob",
                        "TerminateJob",
                    ],
                },
            },
        },
        "exitCodes": {
            "type": "object",
            "additionalProperties": {
                **VOLCANO_POLICY,
                "x-tjgen-short": {
                    "type": "string",
                    "enum": [
                        "AbortJob",
                        "CompleteJob",
                        "RestartJob",
                        "RestartPartition",
                        "RestartPod",
                        "RestartTask",
                        "ResumeJob",
                        "TerminateJob",
                    ],
                },
            },
        },
    },
}
VOLCANO_TASK_FORM = Form(
    fields={"policies": Form(each=VOLCANO_POLICY_FORM), "exitCodes": Form(each=VOLCANO_POLICY_FORM)},
)

VOLCANO: Schema = {
    "type": "object",
    "properties": {
        "plugins": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "string", "minLength": 1}},
        },
        "policies": {
            "type": "object",
            "additionalProperties": {
                **VOLCANO_POLICY,
                "x-tjgen-short": {
                    "type": "string",
                    "enum": [
                        "AbortJob",
                        "CompleteJob",
                        "RestartJob",
                        "RestartPartition",
                        "RestartPod",
                        "RestartTask",
                        "ResumeJob",
                        "TerminateJob",
                    ],
                },
            },
        },
        "exitCodes": {
            "type": "object",
            "additionalProperties": {
                **VOLCANO_POLICY,
                "x-tjgen-short": {
                    "type": "string",
                    "enum": [
                        "AbortJob",
                        "CompleteJob",
                        "RestartJob",
                        "RestartPartition",
                        "RestartPod",
                        "RestartTask",
                        "ResumeJob",
                        "TerminateJob",
                    ],
                },
            },
        },
        "maxRetry": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "minSuccess": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "ttlSecondsAfterFinished": {"type": "integer", "maximum": 2147483647, "minimum": 0, "x-tjgen-exact": True},
        "runningEstimate": {"type": "string", "minLength": 1},
        "tasks": {"type": "object", "additionalProperties": VOLCANO_TASK},
    },
}
VOLCANO_FORM = Form(
    fields={
        "policies": Form(each=VOLCANO_POLICY_FORM),
        "exitCodes": Form(each=VOLCANO_POLICY_FORM),
        "tasks": Form(each=VOLCANO_TASK_FORM),
    },
)

PATCH_TARGET: Schema = {
    "type": "object",
    "required": ["kind"],
    "properties": {
        "kind": {"type": "string", "minLength": 1},
        "name": {"type": "string", "minLength": 1},
        "namespace": {"type": "string", "minLength": 1},
    },
}
PATCH_TARGET_FORM = Form(short=(("kind", "string"),))

OPERATION: Schema = {
    "type": "object",
    "required": ["op", "path"],
    "properties": {
        "op": {"type": "string", "enum": ["add", "remove", "replace", "move", "copy", "test"]},
        "path": {"type": "string"},
        "value": {"x-kubernetes-preserve-unknown-fields": True},
        "from": {"type": "string"},
    },
}

PATCH: Schema = {
    "type": "object",
    "required": ["target"],
    "properties": {
        "target": {**PATCH_TARGET, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "merge": TREE,
        "force": {"type": "boolean"},
        "json": {"type": "array", "items": OPERATION},
    },
}
PATCH_FORM = Form(
    alternatives=(("merge",), ("json",)),
    choices={"merge": 0, "json": 1},
    needed=True,
    fields={"target": PATCH_TARGET_FORM, "merge": VERBATIM, "json": VERBATIM},
)

RUN_SPEC: Schema = {
    "type": "object",
    "properties": {
        "image": {"type": "string", "minLength": 1},
        "imagePullPolicy": {"type": "string", "enum": ["Always", "IfNotPresent", "Never"]},
        "command": {"type": "array", "items": {"type": "string"}},
        "args": {"type": "array", "items": {"type": "string"}},
        "workingDir": {"type": "string", "minLength": 1},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "envFrom": {"type": "object", "additionalProperties": ENV_SOURCE},
        "cpu": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "memory": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "ephemeralStorage": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "resources": {"type": "object", "additionalProperties": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY}},
        "ports": {
            "type": "object",
            "additionalProperties": {
                **PORT,
                "x-tjgen-short": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
            },
        },
        "probes": PROBES,
        "gpu": {
            **GPU,
            "x-tjgen-short": {
                "type": ["string", "integer"],
                "maximum": 2147483647,
                "minimum": 1,
                "pattern": "^([a-z][-.a-z0-9]*/)?[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?(:[1-9][0-9]{0,5})?$",
                "x-tjgen-exact": True,
                "x-tjgen-expects": "write class:count, such as h100:8",
            },
        },
        "containerName": LABEL,
        "initContainers": {"type": "object", "additionalProperties": INIT_CONTAINER},
        "sidecars": {"type": "object", "additionalProperties": SIDECAR},
        "pod": POD,
        "runtime": {**RUNTIME_REF, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "script": {"type": "string", "minLength": 1},
        "launcher": {"type": "string", "minLength": 1},
        "imagePullSecrets": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "serviceAccountName": {"type": "string", "minLength": 1},
        "nodes": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "procsPerNode": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "sharedMemory": QUANTITY,
        "rdma": {"type": "boolean"},
        "roles": {"type": "object", "additionalProperties": ROLE},
        "volumes": {"type": "object", "additionalProperties": VOLUME},
        "data": DATA,
        "code": CODE,
        "checkpoints": CHECKPOINTS,
        "prefetch": PREFETCH,
        "monitor": MONITOR,
        "initializer": INITIALIZER,
        "schedule": SCHEDULE,
        "attempt": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "deadline": {
            "type": ["integer", "string"],
            "maximum": 2147483647,
            "minimum": 1,
            "pattern": "^[1-9][0-9]{0,4}[smhd]$",
            "x-tjgen-exact": True,
            "x-tjgen-expects": "write a number and s, m, h or d, such as 12h",
            "x-tjgen-seconds": True,
        },
        "target": {
            "type": "string",
            "enum": [
                "trainjob",
                "jobset",
                "volcanojob",
                "pytorchjob",
                "tfjob",
                "mpijob",
                "xgboostjob",
                "jaxjob",
                "paddlejob",
                "rayjob",
            ],
        },
        "restart": RESTART,
        "elastic": ELASTIC,
        "success": SUCCESS,
        "cleanup": CLEANUP,
        "volcano": VOLCANO,
        "patches": {"type": "object", "additionalProperties": PATCH},
    },
}
RUN_SPEC_FORM = Form(
    alternatives=(("script",), ("command", "args")),
    choices={"script": 0, "command": 1, "args": 1},
    fields={
        "env": Form(each=ENV_VAR_FORM),
        "envFrom": Form(each=ENV_SOURCE_FORM),
        "cpu": RESOURCE_AMOUNT_FORM,
        "memory": RESOURCE_AMOUNT_FORM,
        "ephemeralStorage": RESOURCE_AMOUNT_FORM,
        "resources": Form(each=RESOURCE_AMOUNT_FORM),
        "ports": Form(each=PORT_FORM),
        "gpu": GPU_FORM,
        "initContainers": Form(each=INIT_CONTAINER_FORM),
        "sidecars": Form(each=SIDECAR_FORM),
        "runtime": RUNTIME_REF_FORM,
        "roles": Form(each=ROLE_FORM),
        "volumes": Form(each=VOLUME_FORM),
        "data": DATA_FORM,
        "code": CODE_FORM,
        "checkpoints": CHECKPOINTS_FORM,
        "prefetch": PREFETCH_FORM,
        "initializer": INITIALIZER_FORM,
        "schedule": SCHEDULE_FORM,
        "deadline": SECONDS,
        "restart": RESTART_FORM,
        "volcano": VOLCANO_FORM,
        "patches": Form(each=PATCH_FORM),
    },
)

TASK: Schema = {
    "type": "object",
    "x-tjgen-partial": True,
    "properties": {
        "image": {"type": "string", "minLength": 1},
        "imagePullPolicy": {"type": "string", "enum": ["Always", "IfNotPresent", "Never"]},
        "command": {"type": "array", "items": {"type": "string"}},
        "args": {"type": "array", "items": {"type": "string"}},
        "workingDir": {"type": "string", "minLength": 1},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "envFrom": {"type": "object", "additionalProperties": ENV_SOURCE},
        "cpu": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "memory": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "ephemeralStorage": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "resources": {"type": "object", "additionalProperties": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY}},
        "ports": {
            "type": "object",
            "additionalProperties": {
                **PORT,
                "x-tjgen-short": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
            },
        },
        "probes": PROBES,
        "gpu": {
            **GPU,
            "x-tjgen-short": {
                "type": ["string", "integer"],
                "maximum": 2147483647,
                "minimum": 1,
                "pattern": "^([a-z][-.a-z0-9]*/)?[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?(:[1-9][0-9]{0,5})?$",
                "x-tjgen-exact": True,
                "x-tjgen-expects": "write class:count, such as h100:8",
            },
        },
        "containerName": LABEL,
        "initContainers": {"type": "object", "additionalProperties": INIT_CONTAINER},
        "sidecars": {"type": "object", "additionalProperties": SIDECAR},
        "pod": POD,
        "runtime": {**RUNTIME_REF, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "script": {"type": "string", "minLength": 1},
        "launcher": {"type": "string", "minLength": 1},
        "imagePullSecrets": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "serviceAccountName": {"type": "string", "minLength": 1},
        "nodes": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "procsPerNode": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "sharedMemory": QUANTITY,
        "rdma": {"type": "boolean"},
        "roles": {"type": "object", "additionalProperties": ROLE},
        "volumes": {"type": "object", "additionalProperties": VOLUME},
        "data": DATA,
        "code": CODE,
        "checkpoints": CHECKPOINTS,
        "prefetch": PREFETCH,
        "monitor": MONITOR,
        "initializer": INITIALIZER,
        "schedule": SCHEDULE,
        "attempt": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "deadline": {
            "type": ["integer", "string"],
            "maximum": 2147483647,
            "minimum": 1,
            "pattern": "^[1-9][0-9]{0,4}[smhd]$",
            "x-tjgen-exact": True,
            "x-tjgen-expects": "write a number and s, m, h or d, such as 12h",
            "x-tjgen-seconds": True,
        },
        "target": {
            "type": "string",
            "enum": [
                "trainjob",
                "jobset",
                "volcanojob",
                "pytorchjob",
                "tfjob",
                "mpijob",
                "xgboostjob",
                "jaxjob",
                "paddlejob",
                "rayjob",
            ],
        },
        "restart": RESTART,
        "elastic": ELASTIC,
        "success": SUCCESS,
        "cleanup": CLEANUP,
        "volcano": VOLCANO,
        "patches": {"type": "object", "additionalProperties": PATCH},
    },
}
TASK_FORM = Form(
    alternatives=(("script",), ("command", "args")),
    choices={"script": 0, "command": 1, "args": 1},
    fields={
        "env": Form(each=ENV_VAR_FORM),
        "envFrom": Form(each=ENV_SOURCE_FORM),
        "cpu": RESOURCE_AMOUNT_FORM,
        "memory": RESOURCE_AMOUNT_FORM,
        "ephemeralStorage": RESOURCE_AMOUNT_FORM,
        "resources": Form(each=RESOURCE_AMOUNT_FORM),
        "ports": Form(each=PORT_FORM),
        "gpu": GPU_FORM,
        "initContainers": Form(each=INIT_CONTAINER_FORM),
        "sidecars": Form(each=SIDECAR_FORM),
        "runtime": RUNTIME_REF_FORM,
        "roles": Form(each=ROLE_FORM),
        "volumes": Form(each=VOLUME_FORM),
        "data": DATA_FORM,
        "code": CODE_FORM,
        "checkpoints": CHECKPOINTS_FORM,
        "prefetch": PREFETCH_FORM,
        "initializer": INITIALIZER_FORM,
        "schedule": SCHEDULE_FORM,
        "deadline": SECONDS,
        "restart": RESTART_FORM,
        "volcano": VOLCANO_FORM,
        "patches": Form(each=PATCH_FORM),
    },
)

SWEEP: Schema = {
    "type": "object",
    "properties": {
        "matrix": {
            "type": "object",
            "additionalProperties": {
                "type": "array",
                "minItems": 1,
                "items": {"x-kubernetes-preserve-unknown-fields": True},
            },
        },
        "zip": {
            "type": "object",
            "additionalProperties": {
                "type": "array",
                "minItems": 1,
                "items": {"x-kubernetes-preserve-unknown-fields": True},
            },
        },
        "include": {
            "type": "array",
            "items": {"type": "object", "additionalProperties": {"x-kubernetes-preserve-unknown-fields": True}},
        },
        "exclude": {
            "type": "array",
            "items": {"type": "object", "additionalProperties": {"x-kubernetes-preserve-unknown-fields": True}},
        },
        "max": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "maxParallel": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
    },
}
SWEEP_FORM = Form(fields={"include": VERBATIM, "exclude": VERBATIM})

EXPERIMENT_SPEC: Schema = {
    "type": "object",
    "properties": {
        "image": {"type": "string", "minLength": 1},
        "imagePullPolicy": {"type": "string", "enum": ["Always", "IfNotPresent", "Never"]},
        "command": {"type": "array", "items": {"type": "string"}},
        "args": {"type": "array", "items": {"type": "string"}},
        "workingDir": {"type": "string", "minLength": 1},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "envFrom": {"type": "object", "additionalProperties": ENV_SOURCE},
        "cpu": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "memory": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "ephemeralStorage": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "resources": {"type": "object", "additionalProperties": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY}},
        "ports": {
            "type": "object",
            "additionalProperties": {
                **PORT,
                "x-tjgen-short": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
            },
        },
        "probes": PROBES,
        "gpu": {
            **GPU,
            "x-tjgen-short": {
                "type": ["string", "integer"],
                "maximum": 2147483647,
                "minimum": 1,
                "pattern": "^([a-z][-.a-z0-9]*/)?[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?(:[1-9][0-9]{0,5})?$",
                "x-tjgen-exact": True,
                "x-tjgen-expects": "write class:count, such as h100:8",
            },
        },
        "containerName": LABEL,
        "initContainers": {"type": "object", "additionalProperties": INIT_CONTAINER},
        "sidecars": {"type": "object", "additionalProperties": SIDECAR},
        "pod": POD,
        "runtime": {**RUNTIME_REF, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "script": {"type": "string", "minLength": 1},
        "launcher": {"type": "string", "minLength": 1},
        "imagePullSecrets": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "serviceAccountName": {"type": "string", "minLength": 1},
        "nodes": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "procsPerNode": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "sharedMemory": QUANTITY,
        "rdma": {"type": "boolean"},
        "roles": {"type": "object", "additionalProperties": ROLE},
        "volumes": {"type": "object", "additionalProperties": VOLUME},
        "data": DATA,
        "code": CODE,
        "checkpoints": CHECKPOINTS,
        "prefetch": PREFETCH,
        "monitor": MONITOR,
        "initializer": INITIALIZER,
        "schedule": SCHEDULE,
        "attempt": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "deadline": {
            "type": ["integer", "string"],
            "maximum": 2147483647,
            "minimum": 1,
            "pattern": "^[1-9][0-9]{0,4}[smhd]$",
            "x-tjgen-exact": True,
            "x-tjgen-expects": "write a number and s, m, h or d, such as 12h",
            "x-tjgen-seconds": True,
        },
        "target": {
            "type": "string",
            "enum": [
                "trainjob",
                "jobset",
                "volcanojob",
                "pytorchjob",
                "tfjob",
                "mpijob",
                "xgboostjob",
                "jaxjob",
                "paddlejob",
                "rayjob",
            ],
        },
        "restart": RESTART,
        "elastic": ELASTIC,
        "success": SUCCESS,
        "cleanup": CLEANUP,
        "volcano": VOLCANO,
        "patches": {"type": "object", "additionalProperties": PATCH},
        "environments": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
        "tasks": {"type": "object", "additionalProperties": TASK},
        "sweep": SWEEP,
        "naming": {"type": "string", "enum": ["hash", "fixed"]},
        "state": {"type": "string", "enum": ["active", "suspended", "archived"]},
        "onSupersede": {"type": "string", "enum": ["keep", "stop"]},
    },
}
EXPERIMENT_SPEC_FORM = Form(
    alternatives=(("script",), ("command", "args")),
    choices={"script": 0, "command": 1, "args": 1},
    fields={
        "env": Form(each=ENV_VAR_FORM),
        "envFrom": Form(each=ENV_SOURCE_FORM),
        "cpu": RESOURCE_AMOUNT_FORM,
        "memory": RESOURCE_AMOUNT_FORM,
        "ephemeralStorage": RESOURCE_AMOUNT_FORM,
        "resources": Form(each=RESOURCE_AMOUNT_FORM),
        "ports": Form(each=PORT_FORM),
        "gpu": GPU_FORM,
        "initContainers": Form(each=INIT_CONTAINER_FORM),
        "sidecars": Form(each=SIDECAR_FORM),
        "runtime": RUNTIME_REF_FORM,
        "roles": Form(each=ROLE_FORM),
        "volumes": Form(each=VOLUME_FORM),
        "data": DATA_FORM,
        "code": CODE_FORM,
        "checkpoints": CHECKPOINTS_FORM,
        "prefetch": PREFETCH_FORM,
        "initializer": INITIALIZER_FORM,
        "schedule": SCHEDULE_FORM,
        "deadline": SECONDS,
        "restart": RESTART_FORM,
        "volcano": VOLCANO_FORM,
        "patches": Form(each=PATCH_FORM),
        "tasks": Form(each=TASK_FORM),
        "sweep": SWEEP_FORM,
    },
)

EXPERIMENT: Schema = {
    "type": "object",
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "properties": {
        "apiVersion": {"type": "string", "enum": ["tjgen.dev/v1alpha1"]},
        "kind": {"type": "string", "enum": ["Experiment"]},
        "metadata": METADATA,
        "spec": EXPERIMENT_SPEC,
    },
}
EXPERIMENT_FORM = Form(fields={"spec": EXPERIMENT_SPEC_FORM})

NAMED: Schema = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string", "minLength": 1}, "labels": TEXTS, "annotations": TEXTS},
}

MATCH: Schema = {
    "type": "object",
    "properties": {
        "environments": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
        "clusters": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
        "labels": TEXTS,
        "names": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
        "runtimes": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
    },
}

OVERLAID_METADATA: Schema = {
    "type": "object",
    "properties": {"namespace": LABEL, "labels": TEXTS, "annotations": TEXTS},
}

PARTIAL_EXPERIMENT: Schema = {
    "type": "object",
    "x-tjgen-partial": True,
    "properties": {
        "image": {"type": "string", "minLength": 1},
        "imagePullPolicy": {"type": "string", "enum": ["Always", "IfNotPresent", "Never"]},
        "command": {"type": "array", "items": {"type": "string"}},
        "args": {"type": "array", "items": {"type": "string"}},
        "workingDir": {"type": "string", "minLength": 1},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "envFrom": {"type": "object", "additionalProperties": ENV_SOURCE},
        "cpu": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "memory": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "ephemeralStorage": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY},
        "resources": {"type": "object", "additionalProperties": {**RESOURCE_AMOUNT, "x-tjgen-short": QUANTITY}},
        "ports": {
            "type": "object",
            "additionalProperties": {
                **PORT,
                "x-tjgen-short": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
            },
        },
        "probes": PROBES,
        "gpu": {
            **GPU,
            "x-tjgen-short": {
                "type": ["string", "integer"],
                "maximum": 2147483647,
                "minimum": 1,
                "pattern": "^([a-z][-.a-z0-9]*/)?[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?(:[1-9][0-9]{0,5})?$",
                "x-tjgen-exact": True,
                "x-tjgen-expects": "write class:count, such as h100:8",
            },
        },
        "containerName": LABEL,
        "initContainers": {"type": "object", "additionalProperties": INIT_CONTAINER},
        "sidecars": {"type": "object", "additionalProperties": SIDECAR},
        "pod": POD,
        "runtime": {**RUNTIME_REF, "x-tjgen-short": {"type": "string", "minLength": 1}},
        "script": {"type": "string", "minLength": 1},
        "launcher": {"type": "string", "minLength": 1},
        "imagePullSecrets": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "serviceAccountName": {"type": "string", "minLength": 1},
        "nodes": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "procsPerNode": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "sharedMemory": QUANTITY,
        "rdma": {"type": "boolean"},
        "roles": {"type": "object", "additionalProperties": ROLE},
        "volumes": {"type": "object", "additionalProperties": VOLUME},
        "data": DATA,
        "code": CODE,
        "checkpoints": CHECKPOINTS,
        "prefetch": PREFETCH,
        "monitor": MONITOR,
        "initializer": INITIALIZER,
        "schedule": SCHEDULE,
        "attempt": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "deadline": {
            "type": ["integer", "string"],
            "maximum": 2147483647,
            "minimum": 1,
            "pattern": "^[1-9][0-9]{0,4}[smhd]$",
            "x-tjgen-exact": True,
            "x-tjgen-expects": "write a number and s, m, h or d, such as 12h",
            "x-tjgen-seconds": True,
        },
        "target": {
            "type": "string",
            "enum": [
                "trainjob",
                "jobset",
                "volcanojob",
                "pytorchjob",
                "tfjob",
                "mpijob",
                "xgboostjob",
                "jaxjob",
                "paddlejob",
                "rayjob",
            ],
        },
        "restart": RESTART,
        "elastic": ELASTIC,
        "success": SUCCESS,
        "cleanup": CLEANUP,
        "volcano": VOLCANO,
        "patches": {"type": "object", "additionalProperties": PATCH},
        "environments": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
        "tasks": {"type": "object", "additionalProperties": TASK},
        "sweep": SWEEP,
        "naming": {"type": "string", "enum": ["hash", "fixed"]},
        "state": {"type": "string", "enum": ["active", "suspended", "archived"]},
        "onSupersede": {"type": "string", "enum": ["keep", "stop"]},
        "metadata": OVERLAID_METADATA,
    },
}
PARTIAL_EXPERIMENT_FORM = Form(
    alternatives=(("script",), ("command", "args")),
    choices={"script": 0, "command": 1, "args": 1},
    fields={
        "env": Form(each=ENV_VAR_FORM),
        "envFrom": Form(each=ENV_SOURCE_FORM),
        "cpu": RESOURCE_AMOUNT_FORM,
        "memory": RESOURCE_AMOUNT_FORM,
        "ephemeralStorage": RESOURCE_AMOUNT_FORM,
        "resources": Form(each=RESOURCE_AMOUNT_FORM),
        "ports": Form(each=PORT_FORM),
        "gpu": GPU_FORM,
        "initContainers": Form(each=INIT_CONTAINER_FORM),
        "sidecars": Form(each=SIDECAR_FORM),
        "runtime": RUNTIME_REF_FORM,
        "roles": Form(each=ROLE_FORM),
        "volumes": Form(each=VOLUME_FORM),
        "data": DATA_FORM,
        "code": CODE_FORM,
        "checkpoints": CHECKPOINTS_FORM,
        "prefetch": PREFETCH_FORM,
        "initializer": INITIALIZER_FORM,
        "schedule": SCHEDULE_FORM,
        "deadline": SECONDS,
        "restart": RESTART_FORM,
        "volcano": VOLCANO_FORM,
        "patches": Form(each=PATCH_FORM),
        "tasks": Form(each=TASK_FORM),
        "sweep": SWEEP_FORM,
    },
)

OVERLAY_SPEC: Schema = {
    "type": "object",
    "required": ["experiment"],
    "properties": {
        "layer": {"type": "string", "enum": ["default", "environment"]},
        "match": MATCH,
        "experiment": PARTIAL_EXPERIMENT,
    },
}
OVERLAY_SPEC_FORM = Form(fields={"experiment": PARTIAL_EXPERIMENT_FORM})

OVERLAY: Schema = {
    "type": "object",
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "properties": {
        "apiVersion": {"type": "string", "enum": ["tjgen.dev/v1alpha1"]},
        "kind": {"type": "string", "enum": ["Overlay"]},
        "metadata": NAMED,
        "spec": OVERLAY_SPEC,
    },
}
OVERLAY_FORM = Form(fields={"spec": OVERLAY_SPEC_FORM})

CLAIMED_DEVICES: Schema = {
    "type": "object",
    "required": ["deviceClassName"],
    "properties": {
        "deviceClassName": {"type": "string", "minLength": 1},
        "selectors": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "memoryCapacity": {
            "type": "string",
            "pattern": "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z_][A-Za-z0-9_]*$",
            "x-tjgen-expects": "write it like gpu.nvidia.com/memory",
        },
        "config": {"type": "array", "items": TREE},
    },
}

DEVICE_NETWORK: Schema = {
    "type": "object",
    "required": ["resource"],
    "properties": {
        "resource": {"type": "string", "minLength": 1},
        "perPod": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "perDevice": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "resources": {"type": "object", "additionalProperties": QUANTITY},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "annotations": TEXTS,
        "capabilities": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "hostNetwork": {"type": "boolean"},
    },
}
DEVICE_NETWORK_FORM = Form(fields={"env": Form(each=ENV_VAR_FORM)})

PARTITION: Schema = {
    "type": "object",
    "properties": {
        "resource": {"type": "string", "minLength": 1},
        "dra": CLAIMED_DEVICES,
        "memory": QUANTITY,
        "nodeSelector": TEXTS,
    },
}
PARTITION_FORM = Form(
    alternatives=(("resource",), ("dra",)),
    choices={"resource": 0, "dra": 1},
    needed=True,
)

SHARING: Schema = {
    "type": "object",
    "properties": {
        "resource": {"type": "string", "minLength": 1},
        "memory": {"type": "string", "minLength": 1},
        "cores": {"type": "string", "minLength": 1},
        "annotations": TEXTS,
        "nodeSelector": TEXTS,
        "schedulerName": {"type": "string", "minLength": 1},
        "most": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
    },
}

DEVICE_CLASS: Schema = {
    "type": "object",
    "properties": {
        "resource": {"type": "string", "minLength": 1},
        "dra": CLAIMED_DEVICES,
        "nodeSelector": TEXTS,
        "tolerations": {"type": "array", "items": TREE},
        "memory": QUANTITY,
        "processes": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "cpuPerDevice": QUANTITY,
        "memoryPerDevice": QUANTITY,
        "exclusiveCpus": {"type": "boolean"},
        "most": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "counts": {
            "type": "array",
            "items": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        },
        "topologyLabel": {"type": "string", "minLength": 1},
        "resources": {"type": "object", "additionalProperties": QUANTITY},
        "annotations": TEXTS,
        "runtimeClassName": {"type": "string", "minLength": 1},
        "env": {
            "type": "object",
            "additionalProperties": {**ENV_VAR, "x-tjgen-short": {"type": ["string", "boolean", "number"]}},
        },
        "network": DEVICE_NETWORK,
        "partitions": {"type": "object", "additionalProperties": PARTITION},
        "sharing": SHARING,
    },
}
DEVICE_CLASS_FORM = Form(
    alternatives=(("resource",), ("dra",)),
    choices={"resource": 0, "dra": 1},
    needed=True,
    fields={
        "env": Form(each=ENV_VAR_FORM),
        "network": DEVICE_NETWORK_FORM,
        "partitions": Form(each=PARTITION_FORM),
    },
)

NEW_STORAGE_CLASS: Schema = {
    "type": "object",
    "required": ["provisioner"],
    "properties": {
        "provisioner": {"type": "string", "minLength": 1},
        "parameters": {"type": "object", "additionalProperties": {"type": ["string", "boolean", "number"]}},
        "reclaimPolicy": {"type": "string", "enum": ["Delete", "Retain"]},
        "mountOptions": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "allowVolumeExpansion": {"type": "boolean"},
        "volumeBindingMode": {"type": "string", "enum": ["Immediate", "WaitForFirstConsumer"]},
        "allowedTopologies": {"type": "array", "items": TREE},
        "default": {"type": "boolean"},
    },
}

STORAGE_CLASS: Schema = {
    "type": "object",
    "properties": {
        "accessModes": {"type": "array", "items": ACCESS_MODE},
        "bandwidth": QUANTITY,
        "allowVolumeExpansion": {"type": "boolean"},
        "create": NEW_STORAGE_CLASS,
    },
}
STORAGE_CLASS_FORM = Form(
    alternatives=(("allowVolumeExpansion",), ("create",)),
    choices={"allowVolumeExpansion": 0, "create": 1},
)

STORAGE_PROFILE: Schema = {
    "type": "object",
    "properties": {
        "size": QUANTITY,
        "storageClassName": {"type": "string", "minLength": 1},
        "labels": TEXTS,
        "readPattern": {"type": "string", "enum": ["sequential", "random", "mixed"]},
        "throughput": QUANTITY,
        "latency": {"type": "number", "maximum": 2147483647, "minimum": 0},
        "cache": CACHE,
    },
}

CLAIM_DEFAULTS: Schema = {
    "type": "object",
    "properties": {"size": QUANTITY, "storageClassName": {"type": "string", "minLength": 1}, "labels": TEXTS},
}

EXTEND_CLUSTER: Schema = {
    "type": "object",
    "properties": {
        "weight": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
        "capacity": {"type": "object", "additionalProperties": QUANTITY},
    },
}

VOLCANO_QUEUE: Schema = {
    "type": "object",
    "properties": {
        "weight": {"type": "integer", "maximum": 65535, "minimum": 1, "x-tjgen-exact": True},
        "reclaimable": {"type": "boolean"},
        "deserved": {"type": "object", "additionalProperties": QUANTITY},
        "guarantee": {"type": "object", "additionalProperties": QUANTITY},
        "parent": {"type": "string", "minLength": 1},
        "priority": {"type": "integer", "maximum": 2147483647, "minimum": 0, "x-tjgen-exact": True},
        "extendClusters": {"type": "object", "additionalProperties": EXTEND_CLUSTER},
    },
}

FLAVOR_SHARE: Schema = {
    "type": "object",
    "required": ["name", "quota"],
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "quota": {"type": "object", "additionalProperties": QUANTITY},
    },
}

KUEUE_QUEUE: Schema = {
    "type": "object",
    "required": ["namespaces"],
    "properties": {
        "namespaces": {"type": "array", "items": LABEL},
        "flavors": {"type": "array", "items": FLAVOR_SHARE},
        "cohort": {"type": "string", "minLength": 1},
        "strategy": {"type": "string", "enum": ["BestEffortFIFO", "StrictFIFO"]},
        "preemption": TREE,
    },
}

NEW_QUEUE: Schema = {"type": "object", "properties": {"volcano": VOLCANO_QUEUE, "kueue": KUEUE_QUEUE}}
NEW_QUEUE_FORM = Form(
    alternatives=(("volcano",), ("kueue",)),
    choices={"volcano": 0, "kueue": 1},
    needed=True,
)

QUEUE: Schema = {
    "type": "object",
    "properties": {"capability": {"type": "object", "additionalProperties": QUANTITY}, "create": NEW_QUEUE},
}
QUEUE_FORM = Form(fields={"create": NEW_QUEUE_FORM})

FLAVOR: Schema = {
    "type": "object",
    "properties": {
        "nodeLabels": TEXTS,
        "nodeTaints": {"type": "array", "items": TREE},
        "tolerations": {"type": "array", "items": TREE},
        "topology": {"type": "string", "minLength": 1},
        "exists": {"type": "boolean"},
    },
}

KUEUE_TOPOLOGY: Schema = {
    "type": "object",
    "required": ["levels"],
    "properties": {
        "levels": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
        "exists": {"type": "boolean"},
    },
}

NEW_PRIORITY: Schema = {
    "type": "object",
    "required": ["value"],
    "properties": {
        "value": {"type": "integer", "maximum": 1000000000, "minimum": -2147483648, "x-tjgen-exact": True},
        "globalDefault": {"type": "boolean"},
        "preemptionPolicy": {"type": "string", "enum": ["PreemptLowerPriority", "Never"]},
        "description": {"type": "string", "minLength": 1},
        "exists": {"type": "boolean"},
    },
}

BOUNDS: Schema = {
    "type": "object",
    "properties": {
        "default": {"type": "object", "additionalProperties": QUANTITY},
        "defaultRequest": {"type": "object", "additionalProperties": QUANTITY},
        "min": {"type": "object", "additionalProperties": QUANTITY},
        "max": {"type": "object", "additionalProperties": QUANTITY},
    },
}

LIMITS: Schema = {"type": "object", "properties": {"container": BOUNDS, "pod": BOUNDS, "claim": BOUNDS}}

SUBJECT: Schema = {
    "type": "object",
    "properties": {
        "group": {"type": "string", "minLength": 1},
        "user": {"type": "string", "minLength": 1},
        "serviceAccount": {"type": "string", "minLength": 1},
    },
}
SUBJECT_FORM = Form(
    alternatives=(("group",), ("user",), ("serviceAccount",)),
    choices={"group": 0, "user": 1, "serviceAccount": 2},
    needed=True,
)

NAMESPACE: Schema = {
    "type": "object",
    "properties": {
        "exists": {"type": "boolean"},
        "labels": TEXTS,
        "annotations": TEXTS,
        "limits": LIMITS,
        "trainers": {"type": "array", "items": SUBJECT},
        "viewers": {"type": "array", "items": SUBJECT},
    },
}
NAMESPACE_FORM = Form(fields={"trainers": Form(item=SUBJECT_FORM), "viewers": Form(item=SUBJECT_FORM)})

HELPERS: Schema = {
    "type": "object",
    "properties": {
        "buildkit": {"type": "string", "minLength": 1},
        "copy": {"type": "string", "minLength": 1},
        "dataset": {"type": "string", "minLength": 1},
        "diagnose": {"type": "string", "minLength": 1},
        "git": {"type": "string", "minLength": 1},
        "kaniko": {"type": "string", "minLength": 1},
        "kubectl": {"type": "string", "minLength": 1},
        "model": {"type": "string", "minLength": 1},
        "python": {"type": "string", "minLength": 1},
        "shell": {"type": "string", "minLength": 1},
    },
}

IMAGES: Schema = {"type": "object", "properties": {"rewrite": TEXTS, "helpers": HELPERS}}

PROGRAM_NETWORK: Schema = {
    "type": "object",
    "properties": {
        "apiServer": {
            "type": "array",
            "items": {
                "type": "string",
                "pattern": "^[0-9a-f:.]+/[0-9]{1,3}$",
                "x-tjgen-expects": "write a range of addresses such as 10.0.0.0/8",
            },
        },
        "stores": {
            "type": "array",
            "items": {
                "type": "string",
                "pattern": "^[0-9a-f:.]+/[0-9]{1,3}$",
                "x-tjgen-expects": "write a range of addresses such as 10.0.0.0/8",
            },
        },
    },
}

PROGRAMS: Schema = {"type": "object", "properties": {"networkPolicies": PROGRAM_NETWORK}}

CLUSTER: Schema = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "kubernetes": {"type": "string", "pattern": r"^1\.[0-9]+$"},
        "imageVolumes": {"type": "boolean"},
        "jobset": {"type": "string", "pattern": r"^[0-9]+\.[0-9]+(\.[0-9]+)?$"},
        "kueue": {"type": "string", "pattern": r"^[0-9]+\.[0-9]+(\.[0-9]+)?$"},
        "networkTopologyAware": {"type": "boolean"},
    },
}

PRICES: Schema = {
    "type": "object",
    "required": ["currency"],
    "properties": {
        "currency": {
            "type": "string",
            "pattern": "^[A-Z]{3}$",
            "x-tjgen-expects": "write the three letters of ISO 4217, such as EUR",
        },
        "devices": {"type": "object", "additionalProperties": QUANTITY},
        "storage": {"type": "object", "additionalProperties": QUANTITY},
    },
}

FLUID: Schema = {
    "type": "object",
    "properties": {
        "runtime": {
            "type": "string",
            "pattern": "^[A-Z][A-Za-z]*Runtime$",
            "x-tjgen-expects": "name a kind such as AlluxioRuntime",
        },
        "high": {"type": "string", "minLength": 1},
        "low": {"type": "string", "minLength": 1},
    },
}

METRIC_NAMES: Schema = {
    "type": "object",
    "properties": {
        "readBytes": {
            "type": "string",
            "pattern": "^[a-zA-Z_:][a-zA-Z0-9_:]*$",
            "x-tjgen-expects": "name a metric of Prometheus, such as training_read_bytes_total",
        },
        "readDuration": {
            "type": "string",
            "pattern": "^[a-zA-Z_:][a-zA-Z0-9_:]*$",
            "x-tjgen-expects": "name a metric of Prometheus, such as training_read_bytes_total",
        },
        "prefetchHits": {
            "type": "string",
            "pattern": "^[a-zA-Z_:][a-zA-Z0-9_:]*$",
            "x-tjgen-expects": "name a metric of Prometheus, such as training_read_bytes_total",
        },
        "prefetchMisses": {
            "type": "string",
            "pattern": "^[a-zA-Z_:][a-zA-Z0-9_:]*$",
            "x-tjgen-expects": "name a metric of Prometheus, such as training_read_bytes_total",
        },
        "checkpointSaveDuration": {
            "type": "string",
            "pattern": "^[a-zA-Z_:][a-zA-Z0-9_:]*$",
            "x-tjgen-expects": "name a metric of Prometheus, such as training_read_bytes_total",
        },
        "checkpointRestoreDuration": {
            "type": "string",
            "pattern": "^[a-zA-Z_:][a-zA-Z0-9_:]*$",
            "x-tjgen-expects": "name a metric of Prometheus, such as training_read_bytes_total",
        },
        "checkpointAttempts": {
            "type": "string",
            "pattern": "^[a-zA-Z_:][a-zA-Z0-9_:]*$",
            "x-tjgen-expects": "name a metric of Prometheus, such as training_read_bytes_total",
        },
        "checkpointFailures": {
            "type": "string",
            "pattern": "^[a-zA-Z_:][a-zA-Z0-9_:]*$",
            "x-tjgen-expects": "name a metric of Prometheus, such as training_read_bytes_total",
        },
        "cacheHits": {
            "type": "string",
            "pattern": "^[a-zA-Z_:][a-zA-Z0-9_:]*$",
            "x-tjgen-expects": "name a metric of Prometheus, such as training_read_bytes_total",
        },
        "cacheMisses": {
            "type": "string",
            "pattern": "^[a-zA-Z_:][a-zA-Z0-9_:]*$",
            "x-tjgen-expects": "name a metric of Prometheus, such as training_read_bytes_total",
        },
        "cacheEvictions": {
            "type": "string",
            "pattern": "^[a-zA-Z_:][a-zA-Z0-9_:]*$",
            "x-tjgen-expects": "name a metric of Prometheus, such as training_read_bytes_total",
        },
        "checkpointTime": {
            "type": "string",
            "pattern": "^[a-zA-Z_:][a-zA-Z0-9_:]*$",
            "x-tjgen-expects": "name a metric of Prometheus, such as training_read_bytes_total",
        },
        "stepDuration": {
            "type": "string",
            "pattern": "^[a-zA-Z_:][a-zA-Z0-9_:]*$",
            "x-tjgen-expects": "name a metric of Prometheus, such as training_read_bytes_total",
        },
    },
}

MONITORING: Schema = {
    "type": "object",
    "properties": {
        "labels": TEXTS,
        "dashboardLabels": TEXTS,
        "interval": {
            "type": "string",
            "pattern": "^[1-9][0-9]*(ms|s|m|h)$",
            "x-tjgen-expects": "write a number and ms, s, m or h",
        },
        "thresholds": THRESHOLDS,
        "metrics": METRIC_NAMES,
        "cacheStatistics": {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}},
    },
}

NODE_POOL: Schema = {
    "type": "object",
    "required": ["count"],
    "properties": {
        "count": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "like": {"type": "string", "minLength": 1},
        "devices": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "resources": {"type": "object", "additionalProperties": QUANTITY},
        "labels": TEXTS,
        "taints": {"type": "array", "items": TREE},
        "zones": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "topology": {
            "type": "object",
            "additionalProperties": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        },
    },
}

PLATFORM_SPEC: Schema = {
    "type": "object",
    "properties": {
        "deviceClasses": {"type": "object", "additionalProperties": DEVICE_CLASS},
        "storageClasses": {"type": "object", "additionalProperties": STORAGE_CLASS},
        "profiles": {"type": "object", "additionalProperties": STORAGE_PROFILE},
        "newClaims": CLAIM_DEFAULTS,
        "claims": {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": QUANTITY}},
        "queues": {"type": "object", "additionalProperties": QUEUE},
        "flavors": {"type": "object", "additionalProperties": FLAVOR},
        "topologies": {"type": "object", "additionalProperties": KUEUE_TOPOLOGY},
        "priorityClasses": {"type": "object", "additionalProperties": NEW_PRIORITY},
        "namespaces": {"type": "object", "additionalProperties": NAMESPACE},
        "runtimes": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "images": IMAGES,
        "programs": PROGRAMS,
        "cluster": CLUSTER,
        "prices": PRICES,
        "fluid": FLUID,
        "monitoring": MONITORING,
        "podSecurity": {
            "type": "object",
            "additionalProperties": {"type": "string", "enum": ["privileged", "baseline", "restricted"]},
        },
        "quotas": {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": QUANTITY}},
        "nodePools": {"type": "object", "additionalProperties": NODE_POOL},
        "nodes": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "policies": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "manifests": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "patches": {"type": "object", "additionalProperties": PATCH},
        "defaults": PARTIAL_EXPERIMENT,
    },
}
PLATFORM_SPEC_FORM = Form(
    fields={
        "deviceClasses": Form(each=DEVICE_CLASS_FORM),
        "storageClasses": Form(each=STORAGE_CLASS_FORM),
        "queues": Form(each=QUEUE_FORM),
        "namespaces": Form(each=NAMESPACE_FORM),
        "patches": Form(each=PATCH_FORM),
        "defaults": PARTIAL_EXPERIMENT_FORM,
    },
)

PLATFORM: Schema = {
    "type": "object",
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "properties": {
        "apiVersion": {"type": "string", "enum": ["tjgen.dev/v1alpha1"]},
        "kind": {"type": "string", "enum": ["Platform"]},
        "metadata": NAMED,
        "spec": PLATFORM_SPEC,
    },
}
PLATFORM_FORM = Form(fields={"spec": PLATFORM_SPEC_FORM})

CODEOWNERS: Schema = {
    "type": "object",
    "required": ["owners"],
    "properties": {
        "format": {"type": "string", "enum": ["github", "gitlab"]},
        "owners": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "string", "minLength": 1}},
        },
    },
}

KUBE_CONFIG_SECRET: Schema = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": LABEL, "key": {"type": "string", "minLength": 1}},
}
KUBE_CONFIG_SECRET_FORM = Form(short=(("name", "string"),))

KUBE_CONFIG: Schema = {
    "type": "object",
    "properties": {"secretRef": {**KUBE_CONFIG_SECRET, "x-tjgen-short": LABEL}, "configMapRef": LABEL},
}
KUBE_CONFIG_FORM = Form(
    alternatives=(("secretRef",), ("configMapRef",)),
    choices={"secretRef": 0, "configMapRef": 1},
    needed=True,
    fields={"secretRef": KUBE_CONFIG_SECRET_FORM},
)

SOURCE_REF: Schema = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "kind": {"type": "string", "enum": ["GitRepository", "OCIRepository", "Bucket"]},
        "name": LABEL,
        "namespace": LABEL,
    },
}
SOURCE_REF_FORM = Form(short=(("name", "string"),))

SYNC_ACCESS: Schema = {
    "type": "object",
    "properties": {
        "namespace": LABEL,
        "project": {"type": "string", "minLength": 1},
        "serviceAccountName": {
            "type": "string",
            "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
            "x-tjgen-expects": "write NAME or NAMESPACE/NAME",
        },
        "platformServiceAccountName": {
            "type": "string",
            "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
            "x-tjgen-expects": "write NAME or NAMESPACE/NAME",
        },
        "kubeConfig": KUBE_CONFIG,
        "sourceRef": {**SOURCE_REF, "x-tjgen-short": LABEL},
        "secretRef": LABEL,
        "provider": {"type": "string", "enum": ["generic", "aws", "azure", "github"]},
    },
}
SYNC_ACCESS_FORM = Form(fields={"kubeConfig": KUBE_CONFIG_FORM, "sourceRef": SOURCE_REF_FORM})

ENVIRONMENT: Schema = {
    "type": "object",
    "properties": {
        "namespace": LABEL,
        "cluster": {"type": "string", "minLength": 1},
        "platform": {"type": "string", "minLength": 1},
        "overlays": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "labels": TEXTS,
        "trainer": {"type": "string", "pattern": r"^[0-9]+\.[0-9]+(\.[0-9]+)?$"},
        "runs": {"type": "string", "enum": ["all", "promoted"]},
        "onSupersede": {"type": "string", "enum": ["keep", "stop"]},
        "gitops": SYNC_ACCESS,
    },
}
ENVIRONMENT_FORM = Form(fields={"gitops": SYNC_ACCESS_FORM})

PROJECT_SCHEDULE: Schema = {
    "type": "object",
    "properties": {"system": {"type": "string", "enum": ["volcano", "coscheduling", "kueue", "none"]}},
}

OUTPUT: Schema = {
    "type": "object",
    "properties": {"directory": {"type": "string", "minLength": 1}, "expanded": {"type": "string", "minLength": 1}},
}

APP_PROJECT_ROLE: Schema = {
    "type": "object",
    "required": ["groups"],
    "properties": {
        "groups": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "actions": {
            "type": "array",
            "items": {"type": "string", "enum": ["get", "sync", "update", "delete", "override", "action/*"]},
        },
    },
}

APP_PROJECT: Schema = {
    "type": "object",
    "properties": {"namespace": LABEL, "roles": {"type": "object", "additionalProperties": APP_PROJECT_ROLE}},
}

DEPENDENCY: Schema = {"type": "object", "required": ["name"], "properties": {"name": LABEL, "namespace": LABEL}}
DEPENDENCY_FORM = Form(short=(("name", "string"),))

APPLICATION_SET: Schema = {
    "type": "object",
    "required": ["of"],
    "properties": {
        "of": {"type": "string", "enum": ["experiments", "environments"]},
        "onDeletion": {"type": "string", "enum": ["keep", "delete"]},
    },
}
APPLICATION_SET_FORM = Form(short=(("of", "string"),))

GIT_OPS: Schema = {
    "type": "object",
    "properties": {
        "namespace": LABEL,
        "project": {"type": "string", "minLength": 1},
        "serviceAccountName": {
            "type": "string",
            "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
            "x-tjgen-expects": "write NAME or NAMESPACE/NAME",
        },
        "platformServiceAccountName": {
            "type": "string",
            "pattern": "^([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
            "x-tjgen-expects": "write NAME or NAMESPACE/NAME",
        },
        "kubeConfig": KUBE_CONFIG,
        "sourceRef": {**SOURCE_REF, "x-tjgen-short": LABEL},
        "secretRef": LABEL,
        "provider": {"type": "string", "enum": ["generic", "aws", "azure", "github"]},
        "tool": {"type": "string", "enum": ["argocd", "flux", "none"]},
        "removal": {"type": "string", "enum": ["confirm", "sync"]},
        "repository": {"type": "string", "minLength": 1},
        "revision": {"type": "string", "minLength": 1},
        "path": {"type": "string", "minLength": 1},
        "appProject": APP_PROJECT,
        "dependsOn": {"type": "array", "items": {**DEPENDENCY, "x-tjgen-short": LABEL}},
        "applicationSet": {
            **APPLICATION_SET,
            "x-tjgen-short": {"type": "string", "enum": ["experiments", "environments"]},
        },
        "bootstrap": {"type": "boolean"},
        "health": {"type": "string", "enum": ["none", "failures", "completion"]},
    },
}
GIT_OPS_FORM = Form(
    short=(("tool", "string"),),
    fields={
        "kubeConfig": KUBE_CONFIG_FORM,
        "sourceRef": SOURCE_REF_FORM,
        "dependsOn": Form(item=DEPENDENCY_FORM),
        "applicationSet": APPLICATION_SET_FORM,
    },
)

HISTORY: Schema = {
    "type": "object",
    "properties": {
        "keep": {"type": "integer", "maximum": 2147483647, "minimum": 0, "x-tjgen-exact": True},
        "onSupersede": {"type": "string", "enum": ["keep", "stop"]},
    },
}

POLICY: Schema = {
    "type": "object",
    "properties": {
        "strict": {"type": "boolean"},
        "demand": {"type": "array", "items": {"type": "string", "enum": ["commits", "digests"]}},
        "allow": {"type": "array", "items": {"type": "string", "enum": ["identity-patches"]}},
        "harmless": {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}},
        "severity": {
            "type": "object",
            "additionalProperties": {"type": "string", "enum": ["error", "warning", "info", "ignore"]},
        },
    },
}

LINT: Schema = {
    "type": "object",
    "properties": {"ignore": {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}}},
}

BUDGETS: Schema = {
    "type": "object",
    "properties": {
        "points": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "tasks": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "runs": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "documents": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "values": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "fileSize": QUANTITY,
        "totalSize": QUANTITY,
        "listSize": QUANTITY,
        "files": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "entries": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "folderDepth": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
        "seconds": {"type": "integer", "maximum": 2147483647, "minimum": 1, "x-tjgen-exact": True},
    },
}

PROJECT_SPEC: Schema = {
    "type": "object",
    "properties": {
        "projects": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "codeowners": CODEOWNERS,
        "labels": TEXTS,
        "experiments": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "overlays": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "platforms": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "catalogs": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "slicers": {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}},
        "schemas": {"type": "string", "minLength": 1},
        "readable": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "environments": {"type": "object", "additionalProperties": ENVIRONMENT},
        "schedule": PROJECT_SCHEDULE,
        "trainer": {"type": "string", "pattern": r"^[0-9]+\.[0-9]+(\.[0-9]+)?$"},
        "output": OUTPUT,
        "gitops": {**GIT_OPS, "x-tjgen-short": {"type": "string", "enum": ["argocd", "flux", "none"]}},
        "history": HISTORY,
        "policy": POLICY,
        "lint": LINT,
        "budgets": BUDGETS,
        "requires": {"type": "string", "minLength": 1},
    },
}
PROJECT_SPEC_FORM = Form(fields={"environments": Form(each=ENVIRONMENT_FORM), "gitops": GIT_OPS_FORM})

PROJECT: Schema = {
    "type": "object",
    "required": ["apiVersion", "kind", "spec"],
    "properties": {
        "apiVersion": {"type": "string", "enum": ["tjgen.dev/v1alpha1"]},
        "kind": {"type": "string", "enum": ["Project"]},
        "metadata": NAMED,
        "spec": PROJECT_SPEC,
    },
}
PROJECT_FORM = Form(fields={"spec": PROJECT_SPEC_FORM})

SETTINGS_SPEC: Schema = {
    "type": "object",
    "properties": {
        "trusted": {"type": "boolean"},
        "strict": {"type": "boolean"},
        "policies": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "readable": {"type": "array", "items": {"type": "string", "minLength": 1}},
        "allow": {"type": "array", "items": {"type": "string", "enum": ["identity-patches"]}},
        "budgets": BUDGETS,
    },
}

SETTINGS: Schema = {
    "type": "object",
    "required": ["apiVersion", "kind", "spec"],
    "properties": {
        "apiVersion": {"type": "string", "enum": ["tjgen.dev/v1alpha1"]},
        "kind": {"type": "string", "enum": ["Settings"]},
        "spec": SETTINGS_SPEC,
    },
}
