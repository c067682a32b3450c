#!/bin/sh
# Builds the engine of Kyverno v1.19.1 in a folder of its own: build.sh FOLDER; then FOLDER/kyverno-oracle < cases.jsonl.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
cp "$here/main.go" .
export GOFLAGS=-mod=mod
printf 'module kyvernooracle\n' > go.mod
kyverno=$(go mod download -json github.com/kyverno/kyverno@v1.19.1 | sed -n 's/.*"Dir": "\(.*\)",/\1/p')
{
    printf 'module kyvernooracle\n\n'
    sed -e '/^module /d' "$kyverno/go.mod"
    printf '\nrequire github.com/kyverno/kyverno v1.19.1\n'
} > go.mod
cp "$kyverno/go.sum" go.sum
chmod u+w go.sum
go build -o kyverno-oracle .
