# Functions for the marks of a prefetch in the folder STATE, before the text of the scripts that need them.
# A mark is STATE/marks/JOB/WORKERS-PART, one line: tjgen-prefetch/1 part PART of WORKERS list DIGEST
# Both numbers have at most 9 digits. A pod writes a mark under the name WORKERS-PART.POD first. Another name is an error.
set -eu
export LC_ALL=C

fail() {
  printf '%s\n' "$1" >&2
  exit 1
}

is_absent() { # whether nothing has this path; false if that cannot be read
  if problem=$(ls -d "$1" 2>&1 >/dev/null); then return 1; fi
  case $problem in *'No such file or directory' | *'Not a directory') ;; *) return 1 ;; esac
}

is_count() {
  case $1 in 0) ;; '' | 0* | *[!0-9]*) return 1 ;; esac
  [ "${#1}" -le 9 ]
}

stated() { # folder of the marks of a Job, number of parts, part: prints the digest of the mark. 1: it is not valid, 2: unreadable
  file=$1/$2-$3
  if [ ! -f "$file" ]; then
    [ -d "$file" ] || is_absent "$file" || return 2
    return 1
  fi
  expected="tjgen-prefetch/1 part $3 of $2 list "
  line=
  # A shell drops NULs, and reads one line of several: the number of bytes shows both.
  if IFS= read -r line <"$file" && [ "$(wc -c <"$file")" -eq $((${#line} + 1)) ]; then
    list=${line#"$expected"}
    case $list in *[!0-9a-f]*) list= ;; esac
    if [ "$line" = "$expected$list" ] && [ ${#list} -eq 64 ]; then
      echo "$list"
      return 0
    fi
  fi
  cat "$file" >/dev/null 2>&1 || return 2
  return 1
}

is_name() { # whether a mark can have this name
  count=${1%%-*}
  number=${1#*-}
  number=${number%%.*}
  case $1 in "$count-$number" | "$count-$number".*) ;; *) return 1 ;; esac
  is_count "$count" && is_count "$number" && [ "$number" -lt "$count" ]
}

check_names() { # folder of the marks of a Job: fails if a name in it is not that of a mark
  for file in "$1"/*; do
    ! is_name "${file##*/}" || continue
    [ "${file##*/}" != '*' ] || ! is_absent "$file" || continue
    fail "$file is not a mark: marks have names WORKERS-PART, with numbers of at most 9 digits. Remove what no Job wrote"
  done
}

complete() { # whether a Job has brought all parts, by one list; else the reason is in $missing, and 2 means unreadable
  missing="no part is marked as complete"
  for folder in "$STATE/marks" "$STATE"/marks/*; do
    if ! ls "$folder" >/dev/null 2>&1; then
      ! is_absent "$folder" || continue
      missing="$folder cannot be read"
      return 2
    fi
    [ "$folder" != "$STATE/marks" ] || continue
    [ -d "$folder" ] || fail "$folder is not a folder of the marks of a Job. Remove what no Job wrote"
    check_names "$folder"
    for first in "$folder"/*-0; do
      parts=${first##*/}
      parts=${parts%-0}
      is_count "$parts" || continue
      part=0
      while [ "$part" -lt "$parts" ]; do
        digest_of_part=$(stated "$folder" "$parts" "$part") || {
          [ $? -ne 2 ] || digest_of_part=unreadable
          break
        }
        [ "$part" -gt 0 ] || digest_of_first=$digest_of_part
        [ "$digest_of_part" = "$digest_of_first" ] || break
        part=$((part + 1))
      done
      [ "$part" -lt "$parts" ] || return 0
      missing="part $part of $parts has no valid mark"
      [ ! -e "$folder/$parts-$part" ] || missing="$missing: $folder/$parts-$part has another form or list"
      [ "$digest_of_part" != unreadable ] || {
        missing="$folder/$parts-$part cannot be read"
        return 2
      }
    done
  done
  return 1
}

mark() { # part, digest
  sync # before the mark: a node that fails may lose what is not on disk
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
