"""Go types of k8s.io/api in each minor -> `schemas/kubernetes/minors.json`: the fields and kinds in which minors differ.

    python schemas/minors.py [--check]

The schemas of the built-in kinds are those of one minor (sets.yaml). This file has what other minors have otherwise: a kind
or field -> the first and the last minor that have it, null where they go on beyond the minors of VERSIONS. Fields of pods
are listed once, for all kinds that contain a pod. Needs Go and its module proxy.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
OUT = HERE / "kubernetes" / "minors.json"
VERSIONS = {31: "v0.31.14", 32: "v0.32.13", 33: "v0.33.13", 34: "v0.34.4", 35: "v0.35.4", 36: "v0.36.3", 37: "v0.37.2"}
"""Minor -> the release of k8s.io/api that stands for it."""
BASE = 36
PODS = {
    "core_v1_pod.json": "spec",
    "core_v1_podtemplate.json": "template.spec",
    "core_v1_replicationcontroller.json": "spec.template.spec",
    "apps_v1_daemonset.json": "spec.template.spec",
    "apps_v1_deployment.json": "spec.template.spec",
    "apps_v1_replicaset.json": "spec.template.spec",
    "apps_v1_statefulset.json": "spec.template.spec",
    "batch_v1_job.json": "spec.template.spec",
    "batch_v1_cronjob.json": "spec.jobTemplate.spec.template.spec",
}
"""Schema file -> where the spec of a pod is in it."""
PROGRAM = """\
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
%s)

var add = []func(*runtime.Scheme) error{%s}

func main() {
	scheme := runtime.NewScheme()
	for _, one := range add {
		if err := one(scheme); err != nil {
			panic(err)
		}
	}
	found := map[string][]string{}
	for kind, t := range scheme.AllKnownTypes() {
		if !strings.HasPrefix(t.PkgPath(), "k8s.io/api/") {
			continue
		}
		paths := map[string]bool{}
		walk(t, "", nil, paths)
		var sorted []string
		for path := range paths {
			sorted = append(sorted, path)
		}
		sort.Strings(sorted)
		group := kind.Group
		if group == "" {
			group = "core"
		}
		found[group+"_"+kind.Version+"_"+strings.ToLower(kind.Kind)+".json"] = sorted
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		panic(err)
	}
}

func walk(t reflect.Type, path string, above []reflect.Type, paths map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer:
		walk(t.Elem(), path, above, paths)
	case reflect.Slice:
		walk(t.Elem(), path+"[]", above, paths)
	case reflect.Map:
		walk(t.Elem(), path+"{}", above, paths)
	case reflect.Struct:
		if !strings.HasPrefix(t.PkgPath(), "k8s.io/api/") {
			return
		}
		for _, one := range above {
			if one == t {
				return
			}
		}
		above = append(append([]reflect.Type{}, above...), t)
		for i := 0; i < t.NumField(); i++ {
			field := t.Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" && field.Anonymous {
				walk(field.Type, path, above, paths)
			} else if name != "-" && name != "" && !(path == "" && name == "status") {
				below := strings.TrimPrefix(path+"."+name, ".")
				paths[below] = true
				walk(field.Type, below, above, paths)
			}
		}
	}
}
"""


def main(arguments: list[str]) -> None:
    files = sorted(file.name for file in (HERE / "kubernetes" / VERSIONS[BASE].replace("v0.", "v1.")).glob("*_*_*.json"))
    packages = sorted({package(name) for name in files if not name.startswith("meta_")})
    found = {minor: fields(version, packages) for minor, version in VERSIONS.items()}
    text = json.dumps(differences(found, files), indent=1, sort_keys=True) + "\n"
    if "--check" not in arguments:
        OUT.write_text(text)
    elif OUT.read_text() != text:
        raise SystemExit(f"not what the pipeline makes: {OUT}")


def package(name: str) -> str:
    """The Go package of a schema file such as batch_v1_job.json."""
    group, version, _ = name.split("_")
    return f"k8s.io/api/{group.removesuffix('.k8s.io').partition('.')[0]}/{version}"


def fields(version: str, packages: list[str]) -> dict[str, list[str]]:
    """Schema file -> the paths of all fields of its kind in a release of k8s.io/api."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "go.mod").write_text(f"module tjgen.dev/minors\n\ngo 1.24\n\nrequire k8s.io/api {version}\n")
        source = Path(json.loads(go(folder, "mod", "download", "-json", f"k8s.io/api@{version}"))["Dir"])
        known = [one for one in packages if (source / one.removeprefix("k8s.io/api/")).is_dir()]
        imports = "".join(f'\tp{number} "{one}"\n' for number, one in enumerate(known))
        calls = ", ".join(f"p{number}.AddToScheme" for number in range(len(known)))
        (folder / "main.go").write_text(PROGRAM % (imports, calls))
        result: dict[str, list[str]] = json.loads(go(folder, "run", "."))
        return result


def differences(found: dict[int, dict[str, list[str]]], files: list[str]) -> dict[str, Any]:
    """What the minors have otherwise than BASE, in the form of the file."""
    kinds: dict[str, Any] = {}
    differing: dict[str, dict[str, Any]] = {"pod": {}}
    for name in files:
        minors = [minor for minor in found if name in found[minor]]
        if name.startswith("meta_"):
            continue
        if span(minors) != [None, None]:
            kinds[name] = span(minors)
        for path in sorted({path for minor in minors for path in found[minor][name]}):
            having = [minor for minor in minors if path in found[minor][name]]
            above = path.rpartition(".")[0].rstrip("[]{}")
            if having == minors or (above and having == [minor for minor in minors if above in found[minor][name]]):
                continue  # It comes and goes with its kind, or with the field that contains it.
            pod = PODS.get(name)
            if pod is not None and path.startswith(f"{pod}."):
                differing["pod"][path.removeprefix(f"{pod}.")] = span(having)
            else:
                differing.setdefault(name, {})[path] = span(having)
    return {"fields": differing, "kinds": kinds, "pods": PODS, "versions": {f"1.{key}": value for key, value in VERSIONS.items()}}


def span(minors: list[int]) -> list[int | None]:
    """The first and the last minor; None where VERSIONS begins or ends."""
    return [None if minors[0] == min(VERSIONS) else minors[0], None if minors[-1] == max(VERSIONS) else minors[-1]]


def go(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOWORK": "off"}
    return subprocess.run(["go", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main(sys.argv[1:])
