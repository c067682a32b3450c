# Functions for the marks of a prefetch in the folder STATE, before the text of the scripts that need them.
# A mark is STATE/marks/JOB/WORKERS-PART, one line: tjgen-prefetch/1 part PART of WORKERS list DIGEST
set -eu
export LC_ALL=C

stated() { # folder of the marks of a Job, number of parts, part: prints the digest of the mark; fails if it is not valid
  file=$1/$2-$3
  [ -f "$file" ] && [ -r "$file" ] || return 1
  IFS= read -r line <"$file" || return 1
  # A shell drops NULs, and reads one line of several: the number of bytes shows both.
  [ "$(wc -c <"$file")" -eq $((${#line} + 1)) ] || return 1
  expected="tjgen-prefetch/1 part $3 of $2 list "
  list=${line#"$expected"}
  [ "$line" = "$expected$list" ] && [ ${#list} -eq 64 ] || return 1
  case $list in *[!0-9a-f]*) return 1 ;; esac
  echo "$list"
}

complete() { # whether a Job has brought all parts, by one list; else $missing is the first part without a valid mark
  missing="no part is marked as complete"
  for first in "$STATE"/marks/*/*-0; do
    folder=${first%/*}
    parts=${first##*/}
    parts=${parts%-0}
    case $parts in '' | 0* | *[!0-9]*) continue ;; esac
    part=0
    while [ "$part" -lt "$parts" ]; do
      digest_of_part=$(stated "$folder" "$parts" "$part") || break
      [ "$part" -gt 0 ] || digest_of_first=$digest_of_part
      [ "$digest_of_part" = "$digest_of_first" ] || break
      part=$((part + 1))
    done
    [ "$part" -lt "$parts" ] || return 0
    missing="part $part of $parts has no valid mark"
  done
  return 1
}

mark() { # part, digest
  mkdir -p "$STATE/marks/$JOB"
  echo "tjgen-prefetch/1 part $1 of $WORKERS list $2" >"$STATE/marks/$JOB/$WORKERS-$1.$POD"
  mv -f "$STATE/marks/$JOB/$WORKERS-$1.$POD" "$STATE/marks/$JOB/$WORKERS-$1"
  echo "part $1 of $WORKERS is complete"
}

begin() { # forget failures of Jobs of this name that were deleted, and make the folders
  for file in "$STATE/failures/$JOB_NAME"/*; do
    case $file in */"$JOB".*) ;; *) rm -f "$file" ;; esac
  done
  [ -z "${MOUNT_POINT:-}" ] || mkdir -p "$MOUNT_POINT"
  mkdir -p "$TARGET"
}
