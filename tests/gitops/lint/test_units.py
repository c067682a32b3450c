"""Which Application or Kustomization syncs a file."""

from __future__ import annotations

from collections.abc import Mapping

from tjgen.gitops.lint.order import options_of
from tjgen.gitops.lint.reading import read_items
from tjgen.gitops.lint.scene import AppliedObject, Scene
from tjgen.gitops.lint.units import assigned

CONFIGURATION = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: rest}
spec: {source: {path: deploy}, syncPolicy: {syncOptions: [Replace=true]}}
"""
SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: runs}
spec:
  generators:
  - matrix:
      generators:
      - git: {directories: [{path: deploy/runs/*}, {path: deploy/runs/old, exclude: true}]}
      - list: {elements: []}
  template: {spec: {syncPolicy: {syncOptions: [ServerSideApply=true]}}}
"""
KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: runs}
spec: {path: ./deploy/runs}
"""
FILES = {
    "flux/runs.yaml": KUSTOMIZATION,
    "apps/all.yaml": f"{APPLICATION}---\n{SET}",
    "deploy/queue.yaml": CONFIGURATION,
    "deploy/runs/bert/x.yaml": CONFIGURATION,
    "deploy/runs/mnist/deeper/x.yaml": CONFIGURATION,
    "elsewhere/x.yaml": CONFIGURATION,
}


def items(files: Mapping[str, str] = FILES) -> list[AppliedObject]:
    found = [item for file, text in files.items() for item in read_items(text, file, {"argocd": "none", "flux": "none"}).items]
    return assigned(found)


def test_the_longest_path_that_fits_counts() -> None:
    units = {item.file: (item.unit("argocd"), item.unit("flux")) for item in items() if item.kind[1] == "ConfigMap"}
    assert units == {
        "deploy/queue.yaml": ("rest", "none"),
        "deploy/runs/bert/x.yaml": ("runs:deploy/runs/bert", "runs"),
        "deploy/runs/mnist/deeper/x.yaml": ("runs:deploy/runs/mnist", "runs"),
        "elsewhere/x.yaml": ("none", "none"),
    }


def test_a_file_that_the_application_leaves_out_is_not_in_its_unit() -> None:
    excluding = APPLICATION.replace("path: deploy", "path: deploy/dev, directory: {exclude: 'gitops/*'}")
    including = APPLICATION.replace("rest", "sync").replace("path: deploy", "path: deploy, directory: {include: '{*/gitops/a*}'}")
    files = {
        "apps.yaml": f"{excluding}---\n{including}",
        "deploy/dev/runs/x.yaml": CONFIGURATION,
        "deploy/dev/gitops/application.yaml": CONFIGURATION,
        "deploy/dev/gitops/roles/sync.yaml": CONFIGURATION,
    }
    units = {item.file: item.unit("argocd") for item in items(files) if item.kind[1] == "ConfigMap"}
    assert units == {
        "deploy/dev/runs/x.yaml": "rest",
        "deploy/dev/gitops/application.yaml": "sync",
        "deploy/dev/gitops/roles/sync.yaml": "none",
    }


def test_options_are_those_of_the_application_or_of_what_makes_it() -> None:
    scene = Scene(items(), tools=("argocd",))
    options = {item.file: options_of(scene, item) for item in scene.items if item.kind[1] == "ConfigMap"}
    assert options == {
        "deploy/queue.yaml": ["Replace=true"],
        "deploy/runs/bert/x.yaml": ["ServerSideApply=true"],
        "deploy/runs/mnist/deeper/x.yaml": ["ServerSideApply=true"],
        "elsewhere/x.yaml": [],
    }
