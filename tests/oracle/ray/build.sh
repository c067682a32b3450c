#!/bin/sh
# Builds the reconcilers of KubeRay v1.5.1 in a folder of its own: build.sh FOLDER; then FOLDER/ray-operator < cases.jsonl.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
cp "$here/main.go" .
export GOFLAGS=-mod=mod
printf 'module rayoperator\n' > go.mod
kuberay=$(go mod download -json github.com/ray-project/kuberay/ray-operator@v1.5.1 | sed -n 's/.*"Dir": "\(.*\)",/\1/p')
{
    printf 'module rayoperator\n\n'
    sed -e '/^module /d' "$kuberay/go.mod"
    printf '\nrequire github.com/ray-project/kuberay/ray-operator v1.5.1\n'
} > go.mod
cp "$kuberay/go.sum" go.sum
chmod u+w go.sum
go build -o ray-operator .
