# Functions that find complete checkpoints. A folder is a checkpoint if its name is NAME and a number, and is complete if it holds
# MARKER and no empty file. With FILES, a checkpoint is one file for each of these endings.
whole() {
  [ -d "$1" ] && [ ! -L "$1" ] && [ -f "$1/$MARKER" ] && [ ! -L "$1/$MARKER" ] || return 1
  keep=./.keep
  [ "$MARKER" != _SUCCESS ] || keep=./_SUCCESS
  [ -n "$(cd "$1" && find . ! -type d -size +0c)" ] &&
    [ -z "$(cd "$1" && find . -type f -size 0c ! -path ./.keep ! -path "$keep")" ]
}
is_number() {
  case $1 in '' | *[!0-9]*) return 1 ;; esac
  [ "${#1}" -le 18 ]
}
has_files() {
  for place in "$1/$NAME"*"${FILES%% *}"; do
    number=${place##*/}
    number=${number#"$NAME"}
    number=${number%"${FILES%% *}"}
    is_number "$number" || continue
    complete=true
    for ending in $FILES; do [ -s "$1/$NAME$number$ending" ] || complete=; done
    [ -z "$complete" ] || return 0
  done
  return 1
}
has_folders() {
  # .half- and .old- are names that a killed process left: examples/checkpoint.py resumes from them too.
  for start in "$NAME" .half- .old-; do
    for place in "$1/$start"*; do
      number=${place##*/}
      if is_number "${number#"$start"}" && whole "$place"; then return 0; fi
    done
  done
  return 1
}
