"""Looking up runtimes by name in the project's catalogs and the bundled ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tjgen.language.catalog.find import Catalog
from tjgen.language.catalog.runtime import BUNDLED, CLUSTER, PROJECT
from tjgen.trees.diagnostics.model import Diagnostic


@pytest.fixture(autouse=True)
def _inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def runtime(name: str, *, kind: str = "ClusterTrainingRuntime", annotations: str = "", namespace: str = "") -> str:
    return f"""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: {kind}
metadata: {{name: {name}, annotations: {{{annotations}}}{f", namespace: {namespace}" if namespace else ""}}}
spec:
  mlPolicy: {{numNodes: 1, torch: {{}}}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
            spec: {{template: {{spec: {{containers: [{{name: node, image: "train:1"}}]}}}}}}
"""


def catalog(root: Path, files: dict[str, str]) -> Catalog:
    for file, text in files.items():
        (root / "catalog" / file).parent.mkdir(parents=True, exist_ok=True)
        (root / "catalog" / file).write_text(text)
    return Catalog(["catalog"])


def codes(diagnostics: list[Diagnostic]) -> list[str]:
    return [diagnostic.code for diagnostic in diagnostics]


def test_a_bundled_runtime_needs_no_project() -> None:
    found, diagnostics = Catalog().find("tjgen-torch")
    assert found is not None
    assert (found.origin, found.file, diagnostics) == (BUNDLED, "tjgen:runtimes/tjgen-torch.yaml", [])


def test_a_file_called_as_the_runtime_is_read_alone(tmp_path: Path) -> None:
    ours = catalog(tmp_path, {"acme.yaml": runtime("acme"), "other.yaml": "{unfinished"})
    found, diagnostics = ours.find("acme")
    assert found is not None
    assert (found.origin, found.file, diagnostics) == (PROJECT, "catalog/acme.yaml", [])


def test_any_file_may_hold_any_runtime(tmp_path: Path) -> None:
    ours = catalog(tmp_path, {"team/all.yml": runtime("one") + "---\n" + runtime("two"), "notes.txt": "no runtime"})
    found, diagnostics = ours.find("two")
    assert found is not None
    assert (found.file, found.document and found.document.index, diagnostics) == ("catalog/team/all.yml", 1, [])


def test_a_catalog_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "ours.yaml").write_text(runtime("acme"))
    found, _ = Catalog(["ours.yaml"]).find("acme")
    assert found is not None
    assert found.file == "ours.yaml"


def test_the_project_goes_before_the_bundled_runtimes(tmp_path: Path) -> None:
    found, _ = catalog(tmp_path, {"ours.yaml": runtime("tjgen-torch")}).find("tjgen-torch")
    assert found is not None
    assert found.origin == PROJECT


def test_an_annotation_says_that_the_cluster_owns_it(tmp_path: Path) -> None:
    text = runtime("acme", annotations="tjgen.dev/origin: cluster, tjgen.dev/launcher: accelerate launch")
    found, _ = catalog(tmp_path, {"acme.yaml": text}).find("acme")
    assert found is not None
    assert (found.origin, found.launcher) == (CLUSTER, ["accelerate", "launch"])


@pytest.mark.parametrize(
    ("policy", "launcher"),
    [("torch: {}", ["torchrun"]), ("mpi: {}", ["mpirun", "python"]), ("jax: {}", ["python"]), ("", ["python"])],
)
def test_a_runtime_without_a_launcher_takes_that_of_its_policy(tmp_path: Path, policy: str, launcher: list[str]) -> None:
    found, _ = catalog(tmp_path, {"acme.yaml": runtime("acme").replace("torch: {}", policy)}).find("acme")
    assert found is not None
    assert found.launcher == launcher


def test_the_digest_follows_the_spec_alone(tmp_path: Path) -> None:
    one = runtime("one", annotations="tjgen.dev/description: one")
    ours = catalog(tmp_path, {"one.yaml": one, "two.yaml": runtime("two"), "three.yaml": runtime("three").replace(":1", ":2")})
    digests = [found.digest for name in ("one", "two", "three") if (found := ours.find(name)[0])]
    assert digests[0] == digests[1] != digests[2]


def test_an_unknown_name_gets_the_nearest_of_all(tmp_path: Path) -> None:
    ours = catalog(tmp_path, {"x.yaml": runtime("acme-torch")})
    for asked, near in (("acme-troch", "acme-torch"), ("tjgen-jaxx", "tjgen-jax")):
        found, [diagnostic] = ours.find(asked)
        assert found is None
        assert (diagnostic.code, diagnostic.hint) == ("TJ251", f'did you mean "{near}"?')
        assert diagnostic.path == ("spec", "runtime")


@pytest.mark.parametrize(
    ("namespace", "kind", "known"),
    [
        pytest.param("vision", None, True, id="its own namespace"),
        pytest.param("speech", None, False, id="another namespace"),
        pytest.param("vision", "TrainingRuntime", True, id="its own kind"),
        pytest.param("vision", "ClusterTrainingRuntime", False, id="another kind"),
    ],
)
def test_namespace_and_kind_must_fit(tmp_path: Path, namespace: str, kind: str | None, known: bool) -> None:
    text = runtime("acme", kind="TrainingRuntime", namespace="vision")
    found, diagnostics = catalog(tmp_path, {"vision/acme.yaml": text}).find("acme", namespace=namespace, kind=kind)
    assert (found is not None) == known
    if not known:
        assert [(one.code, one.hint) for one in diagnostics] == [
            ("TJ251", "the catalog has TrainingRuntime acme in namespace vision")
        ]


def test_a_namespaced_runtime_without_a_namespace_fits_everywhere(tmp_path: Path) -> None:
    assert catalog(tmp_path, {"acme.yaml": runtime("acme", kind="TrainingRuntime")}).find("acme", namespace="any")[0]


def test_two_kinds_of_one_name_need_a_word(tmp_path: Path) -> None:
    ours = catalog(tmp_path, {"a.yaml": runtime("acme"), "b.yaml": runtime("acme", kind="TrainingRuntime")})
    found, [diagnostic] = ours.find("acme")
    assert found is None
    assert (diagnostic.code, len(diagnostic.related)) == ("TJ252", 2)
    chosen, _ = ours.find("acme", kind="TrainingRuntime")
    assert chosen is not None
    assert chosen.kind == "TrainingRuntime"


def test_versions_are_chosen_by_word(tmp_path: Path) -> None:
    files = {f"{version}.yaml": runtime("acme", annotations=f'tjgen.dev/version: "{version}"') for version in ("1", "2")}
    ours = catalog(tmp_path, files)
    _, [diagnostic] = ours.find("acme")
    assert (diagnostic.code, diagnostic.hint) == ("TJ252", "write runtime: {name: acme, version: ...} with one of 1, 2")
    found, _ = ours.find("acme", version="2")
    assert found is not None
    assert found.version == "2"


def test_two_runtimes_of_one_name_are_shown_both(tmp_path: Path) -> None:
    ours = catalog(tmp_path, {"a.yaml": runtime("acme"), "b.yaml": runtime("acme")})
    found, [diagnostic] = ours.find("acme")
    assert found is None
    assert (diagnostic.code, diagnostic.hint) == ("TJ253", "remove one of them")
    assert [str(note.span) for note in diagnostic.related] == ["catalog/a.yaml:3:18", "catalog/b.yaml:3:18"]
    assert codes(ours.all()[1]) == ["TJ253"]


def test_another_file_with_the_runtime_is_reported(tmp_path: Path) -> None:
    files = {"acme.yaml": runtime("acme"), "aa.yaml": runtime("acme"), "other.yaml": runtime("other").replace("node", "acme")}
    catalog(tmp_path, files)
    (tmp_path / "own.json").write_text('{"metadata": {"name": "acme"}, "unfinished"')
    (tmp_path / "team.yaml").write_text(runtime("acme") + "---\n" + runtime("acme", namespace="team", kind="TrainingRuntime"))
    found, diagnostics = Catalog(["team.yaml", "catalog", "own.json", "catalog/acme.yaml"]).find("acme")
    assert found is not None
    assert found.file == "catalog/acme.yaml"
    places = [(one.code, one.severity, one.span.file if one.span else "") for one in diagnostics]
    assert places == [("TJ253", "warning", "team.yaml"), ("TJ253", "warning", "catalog/aa.yaml")]
    assert diagnostics[0].message == "ClusterTrainingRuntime acme occurs twice in the catalog, and catalog/acme.yaml is used"


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        pytest.param(runtime("acme").replace("numNodes: 1", "numNodes: one"), "5:24", "numNodes", id="a wrong type"),
        pytest.param(runtime("acme").replace("numNodes", "nodes"), "5:14", "nodes", id="an unknown field"),
        pytest.param(runtime("acme").split("spec:")[0], "", "no spec", id="no spec"),
        pytest.param(runtime("acme").replace("image: ", "[]: "), "", "", id="not even YAML"),
    ],
)
def test_a_runtime_of_the_wrong_shape_is_not_built_on(tmp_path: Path, text: str, place: str, word: str) -> None:
    found, diagnostics = catalog(tmp_path, {"acme.yaml": text}).find("acme")
    assert found is None
    assert diagnostics[0].severity == "error"
    assert word in diagnostics[0].message
    assert str(diagnostics[0].span).startswith(f"catalog/acme.yaml:{place}")


def test_a_newer_cluster_may_have_fields_that_are_not_known(tmp_path: Path) -> None:
    text = runtime("acme", annotations="tjgen.dev/origin: cluster").replace("numNodes: 1", "numNodes: 1, newer: 1")
    found, diagnostics = catalog(tmp_path, {"acme.yaml": text}).find("acme")
    assert found is not None
    assert [(one.code, one.severity) for one in diagnostics] == [("TJ255", "warning")]


@pytest.mark.parametrize(
    "text", ["spec: 1", "metadata: []", "metadata: {name: []}\nspec: {}", "metadata: {name: ../up}\nspec: {}"]
)
def test_a_runtime_without_a_usable_name_is_reported(tmp_path: Path, text: str) -> None:
    head = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\n"
    found, diagnostics = catalog(tmp_path, {"acme.yaml": head + text}).all()
    assert [one for one in found if one.origin == PROJECT] == []
    assert codes(diagnostics)[0] == "TJ255"


def test_a_catalog_that_is_not_there_is_reported(tmp_path: Path) -> None:
    ours = Catalog(["nowhere"])
    assert codes(ours.all()[1]) == ["TJ256"]
    assert codes(ours.find("acme")[1]) == ["TJ256"]


def test_what_is_no_runtime_is_said(tmp_path: Path) -> None:
    ours = catalog(tmp_path, {"a.yaml": runtime("acme") + "---\nkind: Queue\n---\n- 1\n"})
    found, diagnostics = ours.all()
    assert "acme" in [one.name for one in found]
    assert [(one.code, one.severity) for one in diagnostics] == [("TJ254", "warning")] * 2


def test_a_name_never_leads_out_of_the_catalog(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text(runtime("acme"))
    ours = catalog(tmp_path, {"a.yaml": runtime("acme")})
    found, _ = ours.find("../secret")
    assert found is None


def test_a_catalog_of_a_project_in_a_folder_is_named_from_here(tmp_path: Path) -> None:
    text = runtime("acme").replace("replicatedJobs", "replicatedJob")
    catalog(tmp_path / "teams/vision", {"acme.yaml": text})
    _, diagnostics = Catalog(["catalog/"], "teams/vision").find("acme")
    fault = next(one for one in diagnostics if "replicatedJob" in one.message)
    assert (fault.code, str(fault.span), fault.hint) == (
        "TJ255",
        "teams/vision/catalog/acme.yaml:8:7",
        'did you mean "replicatedJobs"?',
    )


def test_a_misspelled_kind_is_named(tmp_path: Path) -> None:
    ours = catalog(tmp_path, {"acme.yaml": runtime("acme", kind="ClusterTrainingRuntim"), "list.yaml": "- 1\n"})
    found, (fault,) = ours.find("acme")
    assert found is None
    assert (fault.code, str(fault.span)) == ("TJ251", "catalog/acme.yaml:2:7")
    assert (fault.message, fault.hint) == (
        '"acme" is not a runtime: its kind is "ClusterTrainingRuntim"',
        "write kind: ClusterTrainingRuntime",
    )
