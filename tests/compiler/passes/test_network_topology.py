"""`networkTopology: {mode: hard}` needs a plugin of Volcano's scheduler, which the Platform declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import tjgen

HEADER = "apiVersion: tjgen.dev/v1alpha1\nkind: {}\nmetadata: {{name: {}}}\n"


def diagnostics(folder: Path, *, mode: str, target: str, cluster: str) -> str:
    (folder / "tjgen.yaml").write_text(HEADER.format("Project", "p") + "spec: {experiments: [e.yaml], platforms: [c.yaml]}\n")
    (folder / "c.yaml").write_text(HEADER.format("Platform", "c") + f"spec: {{cluster: {cluster}}}\n")
    (folder / "e.yaml").write_text(
        HEADER.format("Experiment", "e")
        + f"spec:\n  runtime: tjgen-plain\n  target: {target}\n  image: a:1\n  command: [python, t.py]\n"
        + f"  schedule: {{system: volcano, queue: q, networkTopology: {{mode: {mode}, highestTierAllowed: 1}}}}\n"
    )
    answer = tjgen(folder, "build", "e.yaml")
    assert answer.code == 0, answer.err
    return answer.err


@pytest.mark.parametrize("target", ["trainjob", "volcanojob"])
@pytest.mark.parametrize(
    ("mode", "cluster", "warns"),
    [
        pytest.param("hard", "{}", True, id="the Platform does not declare the plugin"),
        pytest.param("hard", "{networkTopologyAware: false}", True, id="the Platform declares that there is none"),
        pytest.param("hard", "{networkTopologyAware: true}", False, id="the Platform declares the plugin"),
        pytest.param("soft", "{}", False, id="a preference"),
    ],
)
def test_a_required_topology_needs_the_plugin(tmp_path: Path, target: str, mode: str, cluster: str, warns: bool) -> None:
    found = diagnostics(tmp_path, mode=mode, target=target, cluster=cluster)
    assert ("warning[TJ399] e.yaml:9:58" in found) is warns
    assert ("TJ399" in found) is warns
