# Functions that find complete checkpoints, as layouts.toml defines them. A folder is a checkpoint if its name is NAME and a
# number of at most 9 digits, and it contains MARKER. With FILES, a checkpoint is one file for each of these endings. What cannot
# be read ends the program, since it may be the newest checkpoint. What goes while it is read is not complete.
export LC_ALL=C
# Generated from layouts.toml: files that contain nothing by design, and empty files/the file that must be next to them.
export FLAGS='_SUCCESS .keep'
export SHARDS='*.distcp/.metadata'
# End of what is generated.

fail() {
  printf '%s\n' "cannot resume from $SOURCE: $1" >&2
  exit 1
}
check() { # command: fails with what it cannot read
  problem=$("$@" 2>&1 >/dev/null | grep -v ': No such file or directory$')
  [ -z "$problem" ] || fail "$problem"
}
is_file() {
  if [ -f "$1" ] && [ ! -L "$1" ]; then
    [ -r "$1" ] || fail "$1 cannot be read"
    return 0
  fi
  check ls -d "$1"
  return 1
}
# Prints "content" or "damaged", and "unreadable" with a path, for some of the files of a folder.
# shellcheck disable=SC2016
judge='set -f
proven= # a folder and a pattern: the shards of the folder have content, and the proof next to them
is_shard() { # path of an empty file
  place=${1%/*}
  for shard in $SHARDS; do
    proof=$place/${shard#*/}
    case ${1##*/} in ${shard%/*}) ;; *) continue ;; esac
    if [ "$proven" != "$place/$shard" ]; then
      [ -f "$proof" ] && [ ! -L "$proof" ] && [ -s "$proof" ] || return 1
      [ -n "$(find "$place/." -maxdepth 1 -type f -name "${shard%/*}" -size +0c)" ] || return 1
      proven=$place/$shard
    fi
    [ "$1" -nt "$proof" ] || return 0
    # Clocks may differ by a minute.
    [ "$(stat -c %Y "$1")" -le "$(($(stat -c %Y "$proof") + 60))" ]
    return
  done
  return 1
}
for path; do
  [ ! -L "$path" ] || continue
  if [ ! -f "$path" ] || [ ! -r "$path" ]; then
    if [ ! -f "$path" ] && [ -e "$path" ]; then echo damaged; else echo "unreadable $path"; fi
    continue
  fi
  for flag in $FLAGS; do [ "${path##*/}" != "$flag" ] || continue 2; done
  if [ -s "$path" ]; then echo content; elif ! is_shard "$path"; then echo damaged; fi
done
exit 0'
whole() {
  if [ ! -d "$1" ] || [ -L "$1" ]; then
    check ls -d "$1"
    return 1
  fi
  is_file "$1/$MARKER" || return 1
  check find "$1"
  found=$(find "$1" ! -type d -exec sh -c "$judge" sh {} + 2>/dev/null) || return 1
  case $found in
    *unreadable*) fail "${found##*unreadable } cannot be read" ;;
    *damaged*) return 1 ;;
    *content*) return 0 ;;
  esac
  return 1
}
is_number() {
  case $1 in '' | *[!0-9]*) return 1 ;; esac
  [ "${#1}" -le 9 ] || fail "$1 has more than 9 digits: rename what has this number"
}
is_whole() { # folder, number: whether the checkpoint is complete
  if [ -z "$FILES" ]; then
    whole "$1/$NAME$2"
    return
  fi
  for ending in $FILES; do
    is_file "$1/$NAME$2$ending" && [ -s "$1/$NAME$2$ending" ] || return 1
  done
}
numbers() { # folder: prints the numbers of its checkpoints, complete or not
  check ls "$1"
  for ending in ${FILES:-:}; do
    ending=${ending#:}
    for place in "$1/$NAME"*"$ending"; do
      number=${place##*/}
      number=${number#"$NAME"}
      number=${number%"$ending"}
      if is_number "$number" && [ "$ending" = "${FILES%% *}" ]; then printf '%s\n' "$number"; fi
    done
  done
}
has_checkpoint() { # folder
  numbers=$(numbers "$1") || exit 1
  for number in $numbers; do
    if is_whole "$1" "$number"; then return 0; fi
  done
  [ -z "$FILES" ] || return 1
  # Names that a killed process left: examples/checkpoint.py resumes from them too.
  for start in .half- .old-; do
    for place in "$1/$start"*; do
      number=${place##*/}
      if is_number "${number#"$start"}" && whole "$place"; then return 0; fi
    done
  done
  return 1
}
