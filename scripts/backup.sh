# Makes a VolumeSnapshot of the claim CLAIM, of the class CLASS where there is one, and removes those of the label
# BACKUP that are older than the KEEP newest usable ones. The last usable one never goes.
set -eu
{
  cat <<YAML
apiVersion: snapshot.storage.k8s.io/v1
kind: VolumeSnapshot
metadata:
  generateName: $BACKUP-
  labels:
    app.kubernetes.io/managed-by: tjgen
    tjgen.dev/backup: $BACKUP
spec:
  source:
    persistentVolumeClaimName: $CLAIM
YAML
  [ -z "${CLASS:-}" ] || echo "  volumeSnapshotClassName: $CLASS"
} | kubectl create -f -
kubectl get volumesnapshots -l "tjgen.dev/backup=$BACKUP" --sort-by=.metadata.creationTimestamp \
  -o 'jsonpath={range .items[*]}{.metadata.name}{" "}{.status.readyToUse}{"\n"}{end}' >/tmp/snapshots
awk -v keep="$KEEP" '{ name[NR] = $1; usable[NR] = $2 == "true" }
  END { for (one = NR; one > 0; one--) { if (count >= keep) print name[one]; else if (usable[one]) count++ } }' /tmp/snapshots |
  while read -r name; do
    kubectl delete volumesnapshot "$name"
  done
