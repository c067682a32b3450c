#!/bin/sh
# Builds the program of the folder SOURCE with a released Go module and all versions that it requires: build.sh SOURCE MODULE VERSION
# FOLDER PROGRAM. The result is FOLDER/PROGRAM.
set -eu
source=$(cd "$1" && pwd)
module=$2 version=$3 program=$5
mkdir -p "$4"
cd "$4"
cp "$source/main.go" .
export GOFLAGS=-mod=mod
printf 'module oracle\n' > go.mod
released=$(go mod download -json "$module@$version" | sed -n 's/.*"Dir": "\(.*\)",/\1/p')
{
    printf 'module oracle\n\n'
    sed -e '/^module /d' "$released/go.mod"
    printf '\nrequire %s %s\n' "$module" "$version"
} > go.mod
cp "$released/go.sum" go.sum
chmod u+w go.sum
go build -o "$program" .
