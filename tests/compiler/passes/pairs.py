"""Pairs of an input of a pass and what it yields: `pairs/<pass>.yaml`, one document for each pair.

`given` holds the spec of an experiment, and what else differs from a small default: the `runtime`, its `template` and
`jobs`, the spec of the Platform, fields of the setting, and files. The pass gets the runtime with the fields of the experiment
that have a direct place, and with what the passes `after` contribute.

`python -m tests.compiler.passes.pairs` writes what the passes yield today into the files. Read the diff before you commit it.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.checkout import list_entries
from tjgen.compiler import lower
from tjgen.compiler.building.environment import _cluster, _helpers
from tjgen.compiler.passes.table import PASSES
from tjgen.compiler.targets.direct import RequestedSize
from tjgen.compiler.targets.table import direct
from tjgen.language.platform.devices import classes
from tjgen.language.setting import Setting
from tjgen.language.spec.check import check_experiment
from tjgen.language.spec.compact import EXPERIMENT_FORM, PLATFORM_FORM
from tjgen.language.spec.forms import long_form
from tjgen.language.spec.objects import Experiment, PlatformSpec
from tjgen.trees.diagnostics.model import Diagnostic
from tjgen.trees.fields.path import FieldPath, render
from tjgen.trees.files.sandbox import Sandbox
from tjgen.trees.session import Session
from tjgen.trees.workload.contribution import EXPERIMENT, Contribution, contribute
from tjgen.trees.workload.workload import ANCESTOR, Workload, over

FOLDER = Path(__file__).parent / "pairs"
LONGEST_TEXT = 300
GIVEN = {"experiment", "jobs", "runtime", "template", "platform", "setting", "files", "after"}


class Pair(NamedTuple):
    """One input of a pass, and what the pass yields."""

    of: str
    name: str
    given: dict[str, Any]
    yields: list[dict[str, Any]]


def pairs() -> Iterator[Pair]:
    """The pairs of all files, in the order of their names."""
    for path in list_entries(FOLDER, "*.yaml"):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            assert set(document) <= {"pair", "given", "yields"}, f"{path.name}: {set(document)}"
            yield Pair(path.stem, document["pair"], document["given"], document.get("yields", []))


def result(pair: Pair) -> list[dict[str, Any]]:
    """What the pass yields, as plain values."""
    given = pair.given
    assert set(given) <= GIVEN, set(given)
    tree = long_form(
        {
            "apiVersion": "tjgen.dev/v1alpha1",
            "kind": "Experiment",
            "metadata": {"name": "llm", "namespace": "team"},
            "spec": {"runtime": "ours", **given["experiment"]},
        },
        EXPERIMENT_FORM,
    )
    wrong = check_experiment(tree)
    assert not wrong, wrong
    experiment = Experiment(tree)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in given.get("files", {}).items():
            Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, name).write_text(text, encoding="utf-8")
        setting = setting_of(given, folder)
        workload = workload_of(given, experiment)
        workload, found = contribute(workload, EXPERIMENT, lower.contribute(workload, experiment, setting))
        passes = dict(PASSES)
        for name in given.get("after", ()):
            workload, more = contribute(workload, f"pass:{name}", passes[name](workload, experiment, setting))
            found += more
        return [plain(one, folder) for one in passes[pair.of](workload, experiment, setting)]


def workload_of(given: dict[str, Any], experiment: Experiment) -> Workload:
    """The runtime as a Workload, for a direct target with its roles."""
    jobs = [_job(name, said or {}) for name, said in given.get("jobs", {"node": {}}).items()]
    template = {"spec": {**given.get("template", {}), "replicatedJobs": jobs}}
    spec = {"mlPolicy": {"numNodes": 1, "torch": {}}, **given.get("runtime", {}), "template": template}
    workload = over(spec, name="llm-1", namespace="team")
    target = direct(experiment.spec.target)
    if target is None:
        return workload
    replicas = {name: role.replicas for name, role in experiment.spec.roles.items()}
    asked = RequestedSize(experiment.spec.nodes, replicas, experiment.spec.elastic is not None)
    return target.arranged(workload, asked)[0]


def setting_of(given: dict[str, Any], folder: str) -> Setting:
    """The setting of the run `llm-1` of the experiment `llm`, with the Platform."""
    platform = PlatformSpec(long_form({"spec": given.get("platform", {})}, PLATFORM_FORM)["spec"])
    default = Setting(
        run="llm-1",
        task="",
        family="llm",
        storage="llm",
        namespace="team",
        directory=folder,
        sandbox=Sandbox([folder]),
        slicers={},
        refused_slicers={},
        classes=classes(platform.device_classes),
        rewrite=dict(platform.images.rewrite),
        digest=None,
        cluster=_cluster(platform),
        system=None,
        launcher=["torchrun"],
        labels={},
        versions={},
        environment=None,
        helpers=_helpers(platform),
        policies=None,
        demands=(),
        allows=(),
        harmless=(),
        session=Session(),
    )
    said = dict(given.get("setting", {}))
    if "digest" in said:
        said["digest"] = said["digest"].get
    return default._replace(**said)


def plain(one: Contribution | Diagnostic, folder: str) -> dict[str, Any]:
    """A contribution or diagnostic, without the fields that have their default, and without the path of the temporary folder."""
    if isinstance(one, Diagnostic):
        words = {"message": one.message.replace(f"{folder}/", ""), **({"hint": one.hint} if one.hint else {})}
        return {one.severity: one.code, "at": render(one.path or ()), **words}
    default = Contribution((), None, ())
    more = {field: getattr(one, field) for field in ("manager", "source", "mirrors")}
    changed = {field: value for field, value in more.items() if value != getattr(default, field)}
    return {"put": _place(one.path), "value": _short(one.value), "because": render(one.because), **changed}


def _place(path: FieldPath) -> str:
    """The path as text; `job(node)` is a replicated job, `job(node).pod` the spec of its pod template."""
    return re.sub(r"^runtime\.template\.spec\.replicatedJobs\[name=(\w+)\]", r"job(\1)", render(path)).replace(
        ").template.spec.template.spec", ").pod"
    )


def _job(name: str, said: dict[str, Any]) -> dict[str, Any]:
    step = said.get("ancestor", "trainer")
    labels = {"labels": {ANCESTOR: step}} if step else {}
    container = {"name": "node", "image": "registry.example/train:1", **said.get("container", {})}
    pod = {**said.get("pod", {}), "containers": [container]}
    return {"name": name, "template": {"metadata": labels, "spec": {**said.get("job", {}), "template": {"spec": pod}}}}


def _short(value: Any) -> Any:
    """The value with scripts, which have tests of their own, left out; and plain for YAML."""
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_short(item) for item in value]
    if isinstance(value, str) and ("\n" in value or len(value) > LONGEST_TEXT):
        return "(a script)"
    return value


class _Plain(yaml.SafeDumper):
    """Writes no anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def main() -> None:
    """Write what each pass yields into its file."""
    written: dict[str, list[dict[str, Any]]] = {}
    for pair in pairs():
        document = {"pair": pair.name, "given": pair.given, "yields": result(pair)}
        written.setdefault(pair.of, []).append(document)
    for name, documents in written.items():
        text = yaml.dump_all(documents, Dumper=_Plain, sort_keys=False, width=130, allow_unicode=True, default_flow_style=None)
        (FOLDER / f"{name}.yaml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
