# Reports to the pods that wait for the data of OWN_STATE why this pod of the Job OWN_JOB_NAME fails, if the script that
# follows fails: it waits for the Job JOB_NAME, whose data has a higher priority.
report() {
  code=$?
  # 143 is the end of a pod that is deleted.
  if [ "$code" -ne 0 ] && [ "$code" -ne 143 ]; then
    mkdir -p "$OWN_STATE/failures/$OWN_JOB_NAME"
    printf 'Job %s, whose data has a higher priority, is not complete\n' "$JOB_NAME" >"$OWN_STATE/failures/$OWN_JOB_NAME/$JOB.$POD"
  fi
  exit "$code"
}
trap report EXIT
