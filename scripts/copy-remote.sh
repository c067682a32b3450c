# Copies the part INDEX of WORKERS of what REMOTE holds into the folder TARGET, by rclone; what is there stays.
# With ONE=true REMOTE is the URL of one file, which the first worker copies.
set -eu
mkdir -p "$TARGET"
if [ "${ONE:-}" = true ]; then
  [ "$INDEX" != 0 ] || rclone copyurl --auto-filename "$REMOTE" "$TARGET"
  exit 0
fi
list=$(mktemp)
rclone lsf --recursive --files-only "$REMOTE" >"$list"
if [ ! -s "$list" ]; then
  echo "$REMOTE holds no files" >&2
  exit 1
fi
LC_ALL=C sort "$list" | awk -v workers="$WORKERS" -v own="$INDEX" '(NR - 1) % workers == own' >"$list.own"
echo "$(wc -l <"$list.own") of $(wc -l <"$list") files"
[ ! -s "$list.own" ] || rclone copy --files-from-raw "$list.own" --no-traverse "$REMOTE" "$TARGET"
