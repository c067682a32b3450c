"""Name of an object that tjgen makes for an experiment -> its metadata."""

from __future__ import annotations

from tjgen.language.setting import Setting
from tjgen.trees.fields.path import Tree
from tjgen.trees.k8s.labels import EXPERIMENT_LABEL, MANAGED_BY


def metadata(name: str, setting: Setting, **more: Tree) -> Tree:
    """Name, namespace and labels of an object of the experiment; `more` as it is."""
    labels = {MANAGED_BY: "tjgen", EXPERIMENT_LABEL: setting.family, **setting.labels}
    return {"name": name, "namespace": setting.namespace, "labels": labels, **more}
