#!/bin/sh
# Builds the Job controller of Volcano v1.15.1 in a folder of its own: build.sh FOLDER; then KUBECONFIG=... FOLDER/volcano-controller.
# With a second folder, builds the program in it: tests/cluster/queueing/volcano/recorder becomes FOLDER/recorder.
# The module proxy has no types of 1.15, so those of 1.14 are used with the one constant that they lack. The cluster needs the CRDs of
# Volcano, also bus.volcano.sh_commands.yaml (config/crd/volcano/bases of the module).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "${2:-$here}" && pwd)
program=volcano-controller
[ $# -eq 1 ] || program=$(basename "$source")
mkdir -p "$1"
cd "$1"
cp "$source/main.go" .
export GOFLAGS=-mod=mod
printf 'module volcanocontroller\n' > go.mod
volcano=$(go mod download -json volcano.sh/volcano@v1.15.1 | sed -n 's/.*"Dir": "\(.*\)",/\1/p')
types=$(go mod download -json volcano.sh/apis@v1.14.0 | sed -n 's/.*"Dir": "\(.*\)",/\1/p')
cp -r "$types" apis
chmod -R u+w apis
cat > apis/pkg/apis/scheduling/v1beta1/released.go <<'EOF'
package v1beta1

const QueueAllocationGateKey = "scheduling.volcano.sh/queue-allocation-gate"
EOF
{
    printf 'module volcanocontroller\n\n'
    sed -e '/^module /d' -e 's#volcano.sh/apis => .*#volcano.sh/apis => ./apis#' "$volcano/go.mod"
    printf '\nrequire volcano.sh/volcano v1.15.1\n'
} > go.mod
cp "$volcano/go.sum" go.sum
chmod u+w go.sum
go build -o "$program" .
