"""The pipeline of the page writes the tree of one build."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT
from tests.compiler.building.test_workers import different
from tests.gitops.shards.sharding import files_of
from tests.program import tjgen


def pipeline() -> dict[str, Any]:
    """The jobs of the example."""
    page = (ROOT / "docs" / "how-to" / "ci.md").read_text(encoding="utf-8")
    texts = [text for text in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "--from-shards" in text]
    assert len(texts) == 1
    jobs: dict[str, Any] = yaml.safe_load(texts[0])["jobs"]
    return jobs


def commands(job: dict[str, Any]) -> list[str]:
    """The commands of tjgen in a job."""
    return [step["run"] for step in job["steps"] if step.get("run", "").startswith("tjgen ")]


def action(job: dict[str, Any], name: str) -> dict[str, str]:
    """The inputs of an action in a job."""
    found: dict[str, str] = next(step["with"] for step in job["steps"] if step.get("uses", "").startswith(f"actions/{name}@"))
    return found


def test_the_pipeline_of_the_page_writes_the_same_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TJGEN_CACHE", "off")
    different(tmp_path / "one")
    jobs = pipeline()
    shards = jobs["compile"]["strategy"]["matrix"]["shard"]
    artifacts = {}
    for number in shards:
        runner = tmp_path / f"runner-{number}"
        shutil.copytree(tmp_path / "one", runner)
        for command in commands(jobs["compile"]):
            answer = tjgen(runner, *shlex.split(command.replace("${{ matrix.shard }}", str(number)))[1:])
            assert answer.code == 0, answer.err
        upload = action(jobs["compile"], "upload-artifact")
        artifacts[upload["name"].replace("${{ matrix.shard }}", str(number))] = runner / upload["path"]
    merge = tmp_path / "merge"
    shutil.copytree(tmp_path / "one", merge)
    download = action(jobs["merge"], "download-artifact")
    for name, folder in artifacts.items():
        assert Path(name).match(download["pattern"])
        shutil.copytree(folder, merge / download["path"] / name)
    (command,) = commands(jobs["merge"])
    answer = tjgen(merge, *shlex.split(command)[1:])
    assert tjgen(tmp_path / "one", "build", "-o", "deploy") == answer
    assert files_of(tmp_path / "one") == files_of(merge)
