# Exits with 1 unless OWN, the folder of the run, or RESUME holds a complete checkpoint. RESUME may also be one. It begins with
# checkpoints.sh.
for folder in "$OWN" "$RESUME"; do
  if has_checkpoint "$folder"; then exit 0; fi
done
[ -n "$FILES" ] || ! whole "$RESUME" || exit 0
what="folder $NAME<number> with the file $MARKER and without empty files"
[ -z "$FILES" ] || what="checkpoint $NAME<number> with the files $FILES"
printf '%s\n' "cannot resume: $SOURCE has no complete checkpoint (no $what)" >&2
ls -lA "$RESUME" >&2
exit 1
