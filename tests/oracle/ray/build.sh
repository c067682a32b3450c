#!/bin/sh
# Builds the reconcilers of KubeRay v1.5.1 in a new folder: build.sh FOLDER; then FOLDER/ray-operator < cases.jsonl.
set -eu
here=$(dirname "$0")
"$here/../build.sh" "$here" github.com/ray-project/kuberay/ray-operator v1.5.1 "$1" ray-operator
