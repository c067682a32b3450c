# Makes a VolumeSnapshot of the claim CLAIM, of the class CLASS if set, waits for at most WAIT seconds until it is
# ready, and then removes those of BACKUP that are older than the KEEP newest ready ones. It works on the names in
# SLOTS alone; a snapshot with such a name that is not labeled BACKUP or not of CLAIM stays as it is. A snapshot that
# does not become ready fails the program, and then nothing is removed.
set -eu
list=/tmp/tjgen-snapshots
say() { echo "$BACKUP: $*" >&2; }

# Writes "name created ready" of each snapshot of our own to the list, oldest first, and all names in use to the list's
# .names. Ready is "true", "false" or "deleted". Fails, and leaves the list as it is, if the API server does not answer.
look() {
  # SLOTS holds names without blanks.
  # shellcheck disable=SC2086
  kubectl get volumesnapshots $SLOTS --ignore-not-found -o "jsonpath={range .items[*]}{.metadata.name}|\
{.metadata.creationTimestamp}|{.status.readyToUse}|{.metadata.deletionTimestamp}|{.metadata.labels.tjgen\.dev/backup}|\
{.spec.source.persistentVolumeClaimName}{\"\n\"}{end}" >"$list.all" || return 1
  awk -F '|' 'NF { print $1 }' "$list.all" >"$list.names"
  awk -F '|' -v backup="$BACKUP" -v claim="$CLAIM" '
    $5 == backup && $6 == claim { print $1, $2, $4 != "" ? "deleted" : $3 == "true" ? "true" : "false" }
  ' "$list.all" | sort -k 2,2 -k 1,1 >"$list"
}
remove() {
  say "removes snapshot $1"
  kubectl delete volumesnapshot "$1" --wait=false
}
free() {
  for slot in $SLOTS; do
    grep -qxF "$slot" "$list.names" || { echo "$slot"; return 0; }
  done
}
state() { awk -v name="$1" '$1 == name { print $3 }' "$list"; }

begin=$(date +%s)
is_late() { [ $(($(date +%s) - begin)) -ge "$WAIT" ]; }

look
name=$(free)
if [ -z "$name" ]; then
  old=$(awk '$3 == "false" { print $1; exit }' "$list")
  [ -z "$old" ] || remove "$old"
  while look || true; name=$(free); [ -z "$name" ]; do
    if [ -z "$old" ] || is_late; then
      say "no name is free for a new snapshot: all of $SLOTS exist"
      exit 1
    fi
    sleep "$PAUSE"
  done
fi
{
  cat <<YAML
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshot
metadata:
  name: $name
  labels:
    app.kubernetes.io/managed-by: tjgen
    tjgen.dev/backup: $BACKUP
spec:
  source:
    persistentVolumeClaimName: $CLAIM
YAML
  [ -z "${CLASS:-}" ] || echo "  volumeSnapshotClassName: $CLASS"
} >"$list.yaml"
kubectl create --validate=false -f "$list.yaml"

while :; do
  if look; then
    case $(state "$name") in
      true) break ;;
      false) ;;
      *)
        say "snapshot $name was deleted before it was ready. No snapshot was removed."
        exit 1
        ;;
    esac
  fi
  if is_late; then
    reason=$(kubectl get volumesnapshot "$name" --ignore-not-found -o 'jsonpath={.status.error.message}' || true)
    say "snapshot $name is not ready after $WAIT seconds: ${reason:-the driver reports no error}. No snapshot was removed."
    exit 1
  fi
  sleep "$PAUSE"
done
say "snapshot $name is ready"

# From the newest to the oldest: KEEP ready ones stay; of the others, those older than the new one go.
sed '1!G;h;$!d' "$list" | awk -v keep="$KEEP" -v new="$name" '
  $1 == new { is_older = 1; next }
  $3 == "deleted" { next }
  $3 == "true" && ++count < keep { next }
  is_older { print $1 }
' >"$list.old"
while read -r old; do
  remove "$old"
done <"$list.old"
