"""kustomization.yaml files: each folder lists what is in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tjgen.emit.kustomization import kustomizations
from tjgen.source.reader import KUBERNETES, read


def resources(paths: list[str]) -> dict[str, list[str]]:
    found = {}
    for path, body in kustomizations(paths):
        documents, problems = read(body, path, KUBERNETES)
        assert problems == []
        assert documents[0].value["kind"] == "Kustomization"
        found[path] = documents[0].value["resources"]
    return found


def test_each_folder_lists_its_manifests_and_folders() -> None:
    assert resources(
        ["prod/runs/b/x/trainjob.yaml", "prod/runs/a/y.yaml", "prod/data/pvc.yaml", "README.md", "prod/runs/notes.txt"]
    ) == {
        "kustomization.yaml": ["prod"],
        "prod/kustomization.yaml": ["data", "runs"],
        "prod/data/kustomization.yaml": ["pvc.yaml"],
        "prod/runs/kustomization.yaml": ["a", "b"],
        "prod/runs/a/kustomization.yaml": ["y.yaml"],
        "prod/runs/b/kustomization.yaml": ["x"],
        "prod/runs/b/x/kustomization.yaml": ["trainjob.yaml"],
    }


def test_they_do_not_list_themselves() -> None:
    paths = ["a/b.yaml", "a/kustomization.yaml", "kustomization.yaml"]
    assert resources(paths) == {"kustomization.yaml": ["a"], "a/kustomization.yaml": ["b.yaml"]}


def test_nothing_is_made_for_nothing() -> None:
    assert resources([]) == {}


@given(st.lists(st.lists(st.sampled_from(["a", "b", "1e3", "no", "x.yaml"]), min_size=1, max_size=4)))
def test_every_manifest_is_reached_from_the_top_and_nothing_else(parts: list[list[str]]) -> None:
    paths = {"/".join([*folders, "m.yaml"]) for folders in parts}
    listed = resources(sorted(paths))

    def reached(folder: str) -> set[str]:
        found = set()
        for name in listed.get(f"{folder}kustomization.yaml", []):
            found |= reached(f"{folder}{name}/") if f"{folder}{name}/kustomization.yaml" in listed else {f"{folder}{name}"}
        return found

    assert reached("") == paths
