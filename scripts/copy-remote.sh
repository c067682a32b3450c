# Copies the part INDEX of WORKERS of what REMOTE holds to the folder TARGET by rclone, verifies it, and marks it as complete.
# With ONE=true REMOTE is the URL of one file. PATHS are the files and folders of REMOTE to copy, one in each line, or all
# of it. All workers divide one list of REMOTE, which the first of them writes. If REMOTE has changed since, the worker
# removes the list and fails, and the next attempts use a new one. Two pods may have one INDEX, if the node of one is cut off:
# each copies to a folder of its own, and files appear in TARGET by rename, some at a time. marks.sh goes before.
tmp=$(mktemp -d)
own=$STATE/lists/$JOB.$INDEX.$POD
stage=$STATE/tmp/$JOB-$INDEX.$POD
reason=
ended() {
  code=$?
  rm -rf "$tmp" "$own" "$stage"
  [ "$code" -ne 0 ] || exit 0
  reason=${reason:-a command ended with exit code $code}
  printf 'prefetch failed: %s\n' "$reason" >&2
  mkdir -p "$STATE/failures/$JOB_NAME" && printf '%s\n' "$reason" >"$STATE/failures/$JOB_NAME/$JOB.$POD"
  exit 1
}
trap ended EXIT
trap 'trap - EXIT; rm -rf "$tmp" "$own" "$stage"; exit 143' TERM INT

fail() {
  reason=$1
  exit 1
}

is_complete() { # as `complete`, and fails if that cannot be read: runs may be reading the data
  complete && return 0
  [ $? -ne 2 ] || fail "$missing"
  return 1
}

listing() { # prints time;size;path of every object, sorted
  rclone lsf --recursive --files-only --use-server-modtime --format tsp --separator ';' \
    --filter-from "$tmp/filters" "$REMOTE" >"$tmp/raw" 2>"$tmp/errors" ||
    fail "$REMOTE cannot be listed: $(tail -n 1 "$tmp/errors")"
  sort "$tmp/raw"
}

check_current() { # fails if the data must not change, or not by this list
  ! is_complete || fail "another Job has completed this data, which runs may be reading: it is not changed"
  [ ! -e "$tmp/list" ] || cmp -s "$tmp/list" "$STATE/lists/$JOB" ||
    fail "another worker has replaced the list: the next attempt uses the new one"
}

publish() { # renames the files of the folder of this pod to TARGET, all of one folder together
  check_current
  (cd "$stage" && find . -type d) >"$tmp/folders" || fail "$stage cannot be read"
  while IFS= read -r folder; do
    mkdir -p "$TARGET/$folder" || fail "$TARGET/$folder cannot be made"
    # shellcheck disable=SC2016
    find "$stage/$folder" -maxdepth 1 ! -type d -exec sh -c 'mv -f "$@" "$0"' "$TARGET/$folder" {} + ||
      fail "files cannot be moved to $TARGET/$folder"
  done <"$tmp/folders"
}

fetch() { # file with lines of the list: copies what TARGET does not have yet
  cut -d ';' -f 3- "$1" >"$tmp/fetched"
  rm -rf "$stage"
  mkdir -p "$stage"
  rclone copy --files-from-raw "$tmp/fetched" --no-traverse --use-server-modtime --transfers 16 --checkers 16 \
    --stats 10s --stats-one-line --stats-log-level NOTICE --compare-dest "$TARGET" "$REMOTE" "$stage" || failed=true
  cut -d ';' -f 2- "$1" | sort >"$tmp/wanted"
  rclone lsf --recursive --files-only --format sp --separator ';' "$stage" | sort | comm -13 "$tmp/wanted" - >"$tmp/others"
  # Objects that changed since, and what a transfer left.
  while IFS= read -r name; do rm -f "$stage/${name#*;}"; done <"$tmp/others"
  publish
}

bring() { # part: copy, verify and mark it
  awk -v workers="$WORKERS" -v own="$1" '(NR - 1) % workers == own' "$tmp/list" >"$tmp/part"
  cut -d ';' -f 3- "$tmp/part" >"$tmp/names"
  echo "part $1 of $WORKERS: $(wc -l <"$tmp/part") of $(wc -l <"$tmp/list") files"
  failed=
  check_current
  if [ -s "$tmp/names" ]; then
    # A pod that is killed has at most the last of these pieces to copy again.
    rm -f "$tmp"/piece.*
    awk -F ';' -v file="$tmp/piece." -v files="$PIECE_FILES" -v bytes="$PIECE_BYTES" '
      { if (NR == 1 || count == files || sum + $2 > bytes) { if (NR > 1) close(name); name = file sprintf("%06d", piece++); count = sum = 0 }
        count++; sum += $2; print >name }' "$tmp/part"
    for piece in "$tmp"/piece.*; do fetch "$piece"; done
    rclone lsf --recursive --files-only --files-from-raw "$tmp/names" --format sp --separator ';' "$TARGET" | sort >"$tmp/there"
  else
    : >"$tmp/there"
  fi
  listing >"$tmp/now"
  if ! cmp -s "$tmp/list" "$tmp/now"; then
    ! cmp -s "$tmp/list" "$STATE/lists/$JOB" || rm -f "$STATE/lists/$JOB"
    fail "$REMOTE has changed since it was listed: $(diff "$tmp/list" "$tmp/now" | grep '^[<>+-]' | head -n 5)"
  fi
  [ -z "$failed" ] || fail "rclone could not copy part $1 of $REMOTE"
  check_current
  # What attempts with an earlier list brought.
  cut -d ';' -f 3- "$tmp/list" | sort >"$tmp/known"
  (cd "$TARGET" && find . ! -type d) >"$tmp/found" || fail "$TARGET cannot be read"
  cut -c 3- "$tmp/found" | sort | comm -13 "$tmp/known" - >"$tmp/others"
  while IFS= read -r name; do
    printf '%s is removed from the target: %s does not have it any more\n' "$name" "$REMOTE"
    rm -f "$TARGET/$name"
  done <"$tmp/others"
  cut -d ';' -f 2- "$tmp/part" | sort >"$tmp/wanted"
  cmp -s "$tmp/wanted" "$tmp/there" ||
    fail "files at the target are missing or of another size: $(diff "$tmp/wanted" "$tmp/there" | grep '^[<>+-]' | head -n 5)"
  check_current
  mark "$1" "$digest"
}

begin
if is_complete; then
  echo "all parts are complete: nothing is copied again"
  exit 0
fi
mkdir -p "$STATE/lists" "$STATE/tmp"
# Of earlier pods. One that runs after all fails.
rm -rf "$STATE/tmp/$JOB-$INDEX".*
PIECE_FILES=${PIECE_FILES:-10000}
PIECE_BYTES=${PIECE_BYTES:-34359738368}
printf '%s' "${PATHS:+$PATHS
}" >"$tmp/paths"
sed -n 's/[][*?{}\\]/\\&/g; s|^|+ /|; p; s|$|/**|; p; $s/.*/- */p' "$tmp/paths" >"$tmp/filters"
# The folder of a pod contains no other names, and renames appear in TARGET.
export RCLONE_INPLACE=true
if [ "${ONE:-}" = true ]; then
  mkdir "$stage"
  rclone copyurl --auto-filename "$REMOTE" "$stage" || fail "rclone could not copy $REMOTE"
  publish
  mark 0 "$(find "$TARGET" -type f | sort | sha256sum | cut -c 1-64)"
  exit 0
fi
if [ ! -e "$STATE/lists/$JOB" ]; then
  listing >"$own"
  [ -s "$own" ] || fail "$REMOTE holds no files"
  while IFS= read -r path; do
    cut -d ';' -f 3- "$own" | WANTED=$path awk 'index($0 "/", ENVIRON["WANTED"] "/") == 1 { found = 1 } END { exit !found }' ||
      fail "$REMOTE has no $path"
  done <"$tmp/paths"
  # A line end in a name leaves a line without time and size.
  ! grep -qvE '^[^;]+;-?[0-9]+;.' "$own" || fail "$REMOTE has files with line ends in their names"
  # A hard link is made only if there is no list yet; without hard links the last list is the list, as the marks show.
  ln "$own" "$STATE/lists/$JOB" 2>/dev/null || [ -e "$STATE/lists/$JOB" ] || mv -f "$own" "$STATE/lists/$JOB"
fi
cp "$STATE/lists/$JOB" "$tmp/list"
digest=$(sha256sum <"$tmp/list" | cut -c 1-64)
bring "$INDEX"
# Workers that completed by a list that was replaced since do not run again.
number=0
while [ "$number" -lt "$WORKERS" ]; do
  if [ -e "$STATE/marks/$JOB/$WORKERS-$number" ] && [ "$(stated "$STATE/marks/$JOB" "$WORKERS" "$number" || :)" != "$digest" ]; then bring "$number"; fi
  number=$((number + 1))
done
