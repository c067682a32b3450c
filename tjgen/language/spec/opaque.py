"""Which texts of an experiment are opaque, so that runs that differ only in them are compiled once.

Generated from tjgen/language/spec/models by `python -m tjgen.language.spec.generate`; not edited by hand. A field that is not
listed is not opaque; `*` is every entry of a map or list.
"""

from __future__ import annotations

from tjgen.trees.typing import Any

# fmt: off

TEXT = "text"
LABEL = "label"
IMAGE = "image"
WORDS = "words"
SIZE = "size"

OPAQUE: dict[str, Any] = {
    "metadata": {"labels": {"*": "label"}, "annotations": {"*": "text"}},
    "spec": {
        "image": "image",
        "args": {"*": "words"},
        "env": {"*": {"value": "text"}},
        "initContainers": {"*": {"image": "image", "args": {"*": "words"}, "env": {"*": {"value": "text"}}}},
        "sidecars": {"*": {"image": "image", "args": {"*": "words"}, "env": {"*": {"value": "text"}}}},
        "script": "words",
        "roles": {
            "*": {
                "image": "image",
                "args": {"*": "words"},
                "env": {"*": {"value": "text"}},
                "initContainers": {"*": {"image": "image", "args": {"*": "words"}, "env": {"*": {"value": "text"}}}},
                "sidecars": {"*": {"image": "image", "args": {"*": "words"}, "env": {"*": {"value": "text"}}}},
            },
        },
        "volumes": {"*": {"pvc": {"create": {"size": "size"}}}},
        "prefetch": {"env": {"*": {"value": "text"}}, "sets": {"*": {"env": {"*": {"value": "text"}}}}},
        "initializer": {"dataset": {"env": {"*": {"value": "text"}}}, "model": {"env": {"*": {"value": "text"}}}},
    },
}
