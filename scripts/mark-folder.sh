# Writes OWNER to the file .tjgen-run in FOLDER, so that the cleaner works there. The run starts even if this fails.
mark=$FOLDER/.tjgen-run
if mkdir -p "$FOLDER" && printf '%s\n' "$OWNER" >"$mark.$HOSTNAME" && mv -f "$mark.$HOSTNAME" "$mark"; then
  exit 0
fi
echo "cannot write $mark: the cleaner removes no checkpoint there" >&2
