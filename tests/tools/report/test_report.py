"""`tjgen report`: what stands on the page, of a project, of experiments, of a tree, with hostile input."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench import project
from tests.checkout import ROOT
from tests.program import tjgen

PROJECT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Project
metadata: {name: lab}
spec:
  experiments: [experiments]
  platforms: [platform.yaml]
  output: {directory: out}
"""
PLATFORM = """\
apiVersion: tjgen.dev/v1alpha1
kind: Platform
metadata: {name: lab}
spec:
  quotas:
    nlp: {requests.nvidia.com/gpu: 24, pods: 100, requests.storage: 1Ti}
  queues:
    nlp: {capability: {nvidia.com/gpu: 64}}
"""
EXPERIMENT = """\
apiVersion: tjgen.dev/v1alpha1
kind: Experiment
metadata: {name: bert, namespace: nlp}
spec:
  runtime: tjgen-torch-volcano
  image: bert:1
  script: train.py
  nodes: 2
  gpu: a100:8
  schedule: {queue: nlp}
  volumes:
    out: {pvc: {create: {size: 20Gi}}, mountPath: /out}
"""
HOSTILE = "<script>alert(1)</script>\"' onload=x &amp; \u202e\u2066 ]]> --> \x7f"


class Page(HTMLParser):
    """A page as a browser reads it: the text, what carries attributes, and the elements that there are."""

    VOID = ("meta", "input", "path", "rect", "circle", "use")
    OPTIONAL = ("p", "li", "dt", "dd", "tr", "th", "td", "thead", "tbody")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.parts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open[-1] != tag and self.open[-1] in self.OPTIONAL:
            self.open.pop()
        assert self.open, f"</{tag}> closes nothing"
        if self.open[-1] == tag:
            self.open.pop()
        else:
            assert tag in self.OPTIONAL, f"</{tag}> closes <{self.open[-1]}>"

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.parts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.parts))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one experiment and quotas, which was built."""
    monkeypatch.setenv("TJGEN_CACHE", "off")
    (tmp_path / "experiments").mkdir()
    for path, text in {"tjgen.yaml": PROJECT, "platform.yaml": PLATFORM, "experiments/bert.yaml": EXPERIMENT}.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert tjgen(tmp_path, "build", "-o", "out").code == 0
    return tmp_path


@pytest.fixture
def gitops(tmp_path: Path) -> Path:
    """The example repository, whose lock and tree have runs in several states."""
    shutil.copytree(ROOT / "examples/gitops", tmp_path / "gitops")
    return tmp_path / "gitops"


def report(folder: Path, *words: str, code: int = 0) -> Page:
    answer = tjgen(folder, "report", *words)
    assert answer.code == code, answer.err
    page = Page(answer.out)
    assert page.open == []
    return page


def states(page: Page) -> dict[str, int]:
    found = [
        value.split() for tag, name, value in page.attributes if (tag, name) == ("details", "class") and "run" in value.split()
    ]
    return {state: [one[1] for one in found].count(state) for _, state in found}


def test_runs_of_the_lock_and_the_tree_stand_beside_those_of_the_sources(gitops: Path) -> None:
    page = report(gitops)
    assert states(page) == {"current": 4, "superseded": 1, "archived": 1}
    assert "6 runs of 4 experiments" in page.text


def test_a_tree_is_shown_as_it_stands(gitops: Path) -> None:
    shutil.rmtree(gitops / "experiments")
    page = report(gitops, "deploy")
    assert states(page) == {"current": 4, "superseded": 1, "archived": 1}
    assert "as they are in deploy" in page.text


def test_a_tree_without_its_lock_says_what_its_manifests_say(gitops: Path) -> None:
    shutil.rmtree(gitops / "tjgen.lock.d")
    shutil.move(gitops / "deploy", gitops.parent / "alone")
    page = report(gitops.parent, "alone")
    assert states(page) == {"current": 5, "archived": 1}


def test_a_value_says_which_line_asked_for_it(folder: Path) -> None:
    page = report(folder)
    assert "numNodes: 2 # line 8spec.nodes " in page.text
    assert "Devices8 nvidia.com/gpu line 9" in page.text


def test_totals_are_held_against_quotas_and_queues(folder: Path) -> None:
    page = report(folder)
    assert "requests.nvidia.com/gpu 16 of 24 67%" in page.text
    assert "pods 2 of 100 2%" in page.text
    assert "requests.storage 20Gi of 1Ti 2%" in page.text
    assert "Queue nlp nvidia.com/gpu 16 of 64 25%" in page.text


def test_what_runs_take_together_may_be_too_much(folder: Path) -> None:
    (folder / "experiments/gpt.yaml").write_text(EXPERIMENT.replace("bert", "gpt"), encoding="utf-8")
    page = report(folder)
    assert "requests.nvidia.com/gpu 32 of 24 133%" in page.text
    assert "Totals 1 over" in page.text
    assert "warning TJ384" in page.text


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        pytest.param(("", ""), ["Queue nlp in dev, prod nvidia.com/gpu 32 of 64 50%"], id="one cluster"),
        pytest.param(
            ("cluster: east, ", "cluster: west, "),
            ["Queue nlp in dev nvidia.com/gpu 16 of 64 25%", "Queue nlp in prod nvidia.com/gpu 16 of 64 25%"],
            id="two clusters",
        ),
    ],
)
def test_environments_of_one_cluster_share_a_queue(folder: Path, clusters: tuple[str, str], expected: list[str]) -> None:
    """The runs of both environments count against the queue of their cluster."""
    dev, prod = clusters
    environments = f"  environments: {{dev: {{{dev}namespace: nlp-dev}}, prod: {{{prod}namespace: nlp}}}}\n"
    (folder / "tjgen.yaml").write_text(PROJECT.replace("directory: out", "directory: new") + environments, encoding="utf-8")
    shutil.rmtree(folder / "tjgen.lock.d")
    (folder / "experiments/bert.yaml").write_text(EXPERIMENT.replace(", namespace: nlp}", "}"), encoding="utf-8")
    text = report(folder).text
    assert [one in text for one in expected] == [True] * len(expected)
    assert text.count("Queue nlp in") == len(expected)


def test_a_suspended_run_takes_no_more_than_its_claims(folder: Path) -> None:
    (folder / "experiments/bert.yaml").write_text(EXPERIMENT + "  state: suspended\n", encoding="utf-8")
    page = report(folder)
    assert states(page) == {"suspended": 1}
    assert "requests.nvidia.com/gpu 0 of 24 0%" in page.text
    assert "requests.storage 20Gi of 1Ti 2%" in page.text


def test_what_becomes_of_a_run_stands_beside_it(folder: Path) -> None:
    shutil.copytree(folder / "out", folder / "before")
    (folder / "experiments/bert.yaml").write_text(EXPERIMENT.replace("bert:1", "bert:2"), encoding="utf-8")
    page = report(folder, "--against", "before")
    assert states(page) == {"current": 1, "superseded": 1}
    assert "What becomes of it: new" in page.text
    assert "image" in page.text.partition("Changes since before")[2]


def test_a_comparison_needs_a_tree(tmp_path: Path) -> None:
    (tmp_path / "bert.yaml").write_text(EXPERIMENT, encoding="utf-8")
    answer = tjgen(tmp_path, "report", "bert.yaml", "--against", "main")
    assert (answer.code, answer.out) == (1, "")
    assert "error[TJ780]" in answer.err


@pytest.mark.parametrize(
    ("words", "code"),
    [(("--tree", "nowhere"), "TJ781"), (("out", "--env", "mars"), "TJ262"), (("--env", "mars"), "TJ262")],
    ids=str,
)
def test_what_is_not_there_is_told(words: tuple[str, ...], code: str, folder: Path) -> None:
    answer = tjgen(folder, "report", *words)
    assert (answer.code, answer.out) == (1, "")
    assert f"error[{code}]" in answer.err


@pytest.mark.parametrize("case", ["volcano-job-of-two-roles", "mpijob-whose-launcher-computes", "jaxjob"])
def test_runs_of_every_target_have_their_pods(case: str) -> None:
    page = report(ROOT / "tests/cases" / case, "experiment.yaml")
    (label,) = [value for tag, name, value in page.attributes if (tag, name) == ("svg", "aria-label")]
    assert re.search(r"worker: \d pods with \d nvidia.com/gpu each", label)
    assert "worker: image" in page.text


def test_a_job_of_wrong_types_in_a_tree_is_no_traceback(tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests/cases/pytorchjob/experiment.yaml", tmp_path)
    assert tjgen(tmp_path, "build", "experiment.yaml", "-o", "out").code == 0
    (file,) = (tmp_path / "out").rglob("pytorchjob-*.yaml")
    file.write_text(file.read_text(encoding="utf-8").replace("replicas: 3", "replicas: [3]"), encoding="utf-8")
    assert tjgen(tmp_path, "report", "out").code in (0, 1)


def test_errors_are_on_the_page_which_is_written_all_the_same(folder: Path) -> None:
    (folder / "experiments/gpt.yaml").write_text(EXPERIMENT.replace("bert", "gpt").replace("a100", "b52"), encoding="utf-8")
    page = report(folder, code=1)
    assert states(page) == {"current": 1, "not-built": 1}
    assert "experiments/gpt.yaml:9:8" in page.text


def test_experiments_that_are_named_are_shown_alone(gitops: Path) -> None:
    page = report(gitops, "experiments/rates.yaml")
    assert "rates" in page.text
    assert "classifier" not in page.text


def test_points_of_a_sweep_show_where_they_differ(gitops: Path) -> None:
    page = report(gitops)
    _, _, family = page.text.partition("rates 2 runs")
    first, _, common = family.partition("Fields that all of them have")
    assert 'rate "0.01"' in first or "0.01" in first
    assert "registry.example.com" in common


def test_hostile_text_stays_text(folder: Path) -> None:
    quoted = HOSTILE.replace('"', '\\"').replace("\u202e", "\\u202e").replace("\u2066", "\\u2066").replace("\x7f", "\\x7f")
    text = (
        EXPERIMENT.replace("namespace: nlp}", f'namespace: nlp, annotations: {{a/b: "{quoted}"}}}}')
        + f'  env: {{A: "{quoted}"}}\n'
    )
    (folder / "experiments/bert.yaml").write_text(text, encoding="utf-8")
    page = report(folder)
    assert page.tags.count("script") == 1
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert "<script>alert(1)</script>" in page.text
    assert "\\u202e\\u2066" in page.text
    assert not set("\u202e\u2066\x7f") & set(page.text)


def test_a_hostile_tree_stays_text(gitops: Path) -> None:
    strange = 'a"><img src=x onerror=alert(1)>'
    folder = gitops / "deploy/dev/runs/vision-dev"
    (folder / "rates").rename(folder / strange)
    for file in (folder / strange).rglob("*.yaml"):
        file.write_text(file.read_text(encoding="utf-8").replace("spec:\n", "spec: [\n", 1), encoding="utf-8")
    page = report(gitops, "deploy", code=1)
    assert "img" not in page.tags
    assert strange in page.text


def test_manifests_of_wrong_types_are_shown_without_a_picture(gitops: Path) -> None:
    for file in (gitops / "deploy").rglob("trainjob-*.yaml"):
        text = file.read_text(encoding="utf-8")
        file.write_text(re.sub(r"numNodes: \d+", "numNodes: {a: [b]}", text).replace("image:", "image: [x] #"), encoding="utf-8")
    page = report(gitops, "deploy", code=1)
    assert sum(states(page).values()) == 6
    assert "TJ50" in page.text


def test_nothing_is_linked_from_elsewhere(gitops: Path) -> None:
    page = report(gitops)
    leading = [value for _, name, value in page.attributes if name in ("href", "src", "action")]
    assert [value for value in leading if not value.startswith("#")] == []
    targets = {value for _, name, value in page.attributes if name == "id"}
    assert [value for value in leading if value[1:] not in targets] == []


def test_names_of_elements_are_there_once(gitops: Path) -> None:
    names = [value for _, name, value in report(gitops, "--previews").attributes if name == "id"]
    assert len(names) == len(set(names))


def test_the_same_sources_give_the_same_page(gitops: Path, tmp_path: Path) -> None:
    shutil.copytree(gitops, tmp_path / "elsewhere" / "other")
    pages = [tjgen(place, "report", "--previews").out for place in (gitops, tmp_path / "elsewhere" / "other")]
    assert pages[0] == pages[1]


def test_an_unchanged_page_is_not_written_again(gitops: Path) -> None:
    tjgen(gitops, "report", "-o", "page.html")
    before = (gitops / "page.html").stat().st_mtime_ns
    tjgen(gitops, "report", "-o", "page.html")
    assert (gitops / "page.html").stat().st_mtime_ns == before


def test_a_page_of_many_runs_can_be_sent_around(tmp_path: Path) -> None:
    sizes = []
    for count in (42, 63):
        project.write(str(tmp_path / f"{count}"), count)
        answer = tjgen(tmp_path / f"{count}", "report")
        assert answer.code == 0
        sizes.append(len(answer.out.encode()))
    assert sizes[1] - sizes[0] < 21 * 10_000, "300 runs in three megabytes"


def test_a_source_is_not_overwritten(folder: Path) -> None:
    answer = tjgen(folder, "report", "-o", "experiments/bert.yaml")
    assert answer.code == 1
    assert (folder / "experiments/bert.yaml").read_text(encoding="utf-8") == EXPERIMENT


def test_pictures_stand_alone(folder: Path) -> None:
    answer = tjgen(folder, "report", "--svg", "pictures")
    assert (answer.code, answer.out) == (0, "")
    files = sorted(path for path in (folder / "pictures").rglob("*") if path.is_file())
    assert [path.parent.name for path in files] == ["nlp", "pictures"]
    for path in files:
        root = ElementTree.parse(path).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.findtext("{http://www.w3.org/2000/svg}title")
        assert root.findtext("{http://www.w3.org/2000/svg}desc")
        assert "prefers-color-scheme: dark" in path.read_text(encoding="utf-8")


def test_pictures_go_into_no_file(folder: Path) -> None:
    (folder / "pictures").write_text("mine", encoding="utf-8")
    answer = tjgen(folder, "report", "--svg", "pictures")
    assert answer.code == 1
    assert "error[TJ05" in answer.err
    assert (folder / "pictures").read_text(encoding="utf-8") == "mine"
