"""kustomization.yaml files: each folder lists what is in it."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.gitops.emit.folders import output
from tjgen.gitops.emit.kustomization import kustomizations
from tjgen.gitops.emit.plan import OutputFile
from tjgen.gitops.emit.tree import OutputTree
from tjgen.trees.source.reader import KUBERNETES, read


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


def test_a_tree_that_is_built_in_parts_lists_all_of_it(tmp_path: Path) -> None:
    def build(experiment: str, runs: list[str]) -> None:
        with OutputTree(str(tmp_path)) as tree:
            for run in runs:
                tree.put(output(f"prod/runs/{experiment}/{run}.yaml"))
            tree.claim(f"prod/runs/{experiment}")
            tree.keep("prod/runs/kept")
            for path, body in kustomizations(tree.present()):
                tree.put(OutputFile(path, body, "tjgen.yaml"))
            tree.commit()

    def listed(folder: str) -> list[str]:
        text = (tmp_path / folder / "kustomization.yaml").read_text()
        return [line[2:] for line in text.splitlines() if line.startswith("- ")]

    build("kept", ["x"])
    build("a", ["one", "two"])
    build("b", ["three"])
    (tmp_path / "prod/runs/mine.yaml").write_text("mine\n")
    assert listed("prod/runs") == ["a", "b", "kept"]
    assert listed("prod/runs/a") == ["one.yaml", "two.yaml"]
    build("a", ["two"])
    assert listed("prod/runs/a") == ["two.yaml"]
    build("b", [])
    assert listed("prod/runs") == ["a", "kept"]
    assert not (tmp_path / "prod/runs/b").exists()
