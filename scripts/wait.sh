# Waits until a Job has brought all parts, and fails if the Job JOB_NAME has failed more than ATTEMPTS times or TIMEOUT seconds
# have passed. Every PAUSE seconds it looks again. marks.sh goes before.
trap 'exit 143' TERM
waited=0
said=
while ! complete; do
  failed=0
  reason=
  for file in "$STATE/failures/$JOB_NAME"/*; do
    [ -f "$file" ] || continue
    failed=$((failed + 1))
    reason=$(head -c 1000 "$file" | tr -c ' -~' ' ') || reason="its reason cannot be read"
  done
  if [ "$failed" -gt "$ATTEMPTS" ]; then
    printf '%s\n' "Job $JOB_NAME has failed, so the data is not complete: $reason" >&2
    exit 1
  fi
  found=$missing
  [ -r "$STATE/marks" ] || found="there are no marks that can be read"
  [ "$failed" -eq 0 ] || found="$found; $failed attempts failed, the last because: $reason"
  [ "$found" = "$said" ] || printf '%s\n' "waiting for Job $JOB_NAME: $found"
  said=$found
  if [ "$waited" -ge "$TIMEOUT" ]; then
    printf '%s\n' "the data is not complete after $TIMEOUT seconds: $found. See the pods and the log of Job $JOB_NAME" >&2
    exit 1
  fi
  sleep "$PAUSE"
  waited=$((waited + PAUSE))
done
