# Copies the items of the slice that TJGEN_SLICE_FILE lists from TJGEN_DATA_PATH to TJGEN_SLICE_COPY, 8 at a time. Names and sizes
# of the copies equal those of the source, or it fails.
set -eu
# shellcheck disable=SC2016
copy='
sizes() {
  if [ -d "$1" ]; then (cd "$1" && find -L . -type f -exec stat -L -c "%s %n" {} + | sort); else stat -L -c %s "$1"; fi
}
for item; do
  from=$TJGEN_DATA_PATH/$item
  to=$TJGEN_SLICE_COPY/$item
  mkdir -p "${to%/*}"
  cp -RL "$from" "${to%/*}/" && wanted=$(sizes "$from") && found=$(sizes "$to") || exit 255
  if [ "$wanted" != "$found" ]; then
    echo "$item is not in the copy as it is in the source: the source has changed" >&2
    exit 255
  fi
  echo copied
done'
if [ ! -f "$TJGEN_SLICE_FILE" ]; then
  echo "there is no list $TJGEN_SLICE_FILE, so nothing can be copied" >&2
  exit 1
fi
for list in "$TJGEN_SLICE_FILE" "${TJGEN_SLICE_FILE%.txt}".*.txt; do
  [ -e "$list" ] || continue
  # A start before may have left half of an item, which may be a folder.
  while IFS= read -r item; do rm -rf "${TJGEN_SLICE_COPY:?}/$item"; done <"$list"
  total=$(wc -l <"$list")
  { tr '\n' '\000' <"$list" | xargs -0 -r -n 8 -P 8 sh -euc "$copy" sh && echo ended; } |
    awk -v total="$total" '
      $0 == "ended" { ended = 1; next }
      { copied++ }
      copied * 20 % total < 20 { print copied " of " total + 0 " items"; fflush() }
      END { exit !ended || copied != total }'
done
