#!/bin/sh
# Builds the engine of Kyverno v1.19.1 in a new folder: build.sh FOLDER; then FOLDER/kyverno-oracle < cases.jsonl.
set -eu
here=$(dirname "$0")
"$here/../build.sh" "$here" github.com/kyverno/kyverno v1.19.1 "$1" kyverno-oracle
