# Puts links to the files of one complete checkpoint of RESUME into LINKS: the one with the best value of the metric BEST in the
# index that cleaner.py writes. MODE is min or max. It does nothing if OWN, the folder of the run, has a complete checkpoint. The
# first pod that chooses writes the name to OWN/.tjgen-resume, and all pods use it. It waits for the index for WAIT seconds. It
# begins with checkpoints.sh.
index=$RESUME/.tjgen-checkpoints.jsonl
decision=$OWN/.tjgen-resume
if has_checkpoint "$OWN"; then exit 0; fi
tmp=$(mktemp -d) || exit 1

entries() { # number: the files or the folder of the checkpoint
  if [ -z "$FILES" ]; then
    printf '%s\n' "$NAME$1"
  else
    for ending in $FILES; do printf '%s\n' "$NAME$1$ending"; done
  fi
}

completed() { # number: the time of the marker, or of the newest file, as in the index
  last=0
  for entry in $(entries "$1"); do
    [ -n "$FILES" ] || entry=$entry/$MARKER
    seconds=$(stat -c %Y "$RESUME/$entry")
    [ "$seconds" -le "$last" ] || last=$seconds
  done
  date -u -d "@$last" +%Y-%m-%dT%H:%M:%SZ
}

complete() { # number and time of each complete checkpoint
  numbers=$(numbers "$RESUME") || exit 1
  for number in $numbers; do
    if is_whole "$RESUME" "$number"; then printf '%s %s\n' "$number" "$(completed "$number")"; fi
  done
}

choose() { # the number of the best checkpoint; "missing NUMBER" if the index lacks one, and nothing if none has the metric
  awk -F'"' -v name="$NAME" -v metric="$BEST" -v mode="$MODE" '
    part == "index" {
      # Half a line, which a killed pass left, does not have this form.
      if ($0 !~ /^[{]"name": "[^"]*", "step": [0-9]+, "bytes": [0-9]+, "time": "[^"]*", "metrics": [{].*[}][}]$/) next
      time[$4] = $12
      delete value[$4]
      for (i = 16; i < NF; i += 2) if ($i == metric) value[$4] = substr($(i + 1), 3) + 0
      next
    }
    {
      split($0, word, " ")
      key = name word[1]
      if (time[key] != word[2]) { missing = "missing " word[1]; exit }
      if (!(key in value)) next
      gain = mode == "max" ? value[key] : -value[key]
      if (best == "" || gain > most || (gain == most && word[1] + 0 > best + 0)) { best = word[1]; most = gain }
    }
    END { if (missing != "") print missing; else if (best != "") print best }
  ' part=index "$1" part=complete "$tmp/complete"
}

found() { # sets `number` to that of the best checkpoint, once the index has all
  waited=0
  while :; do
    complete >"$tmp/complete"
    [ -s "$tmp/complete" ] || fail "it has no complete checkpoint"
    if [ -f "$index" ]; then number=$(choose "$index"); else number=$(choose /dev/null); fi
    case $number in
      '') fail "the index has no metric \"$BEST\" of a complete checkpoint" ;;
      missing*) ;;
      *) return ;;
    esac
    what="the index $index lacks $NAME${number#missing }: does its experiment have index, and does the CronJob run?"
    [ "$waited" -lt "$WAIT" ] || fail "$what"
    [ "$((waited % 60))" -ne 0 ] || printf '%s\n' "waiting: $what"
    sleep 5
    waited=$((waited + 5))
  done
}

if [ ! -e "$decision" ]; then
  found
  mkdir -p "$OWN"
  # A link is created by one pod only, and never shows half of a file.
  if new=$(mktemp "$OWN/.tjgen-resume.XXXXXX") && printf '%s\n' "$number" >"$new" && chmod 644 "$new"; then
    ln "$new" "$decision" 2>"$tmp/error"
    rm -f "$new"
  fi
  [ -e "$decision" ] || fail "cannot write $decision: $(cat "$tmp/error")"
fi
number=$(head -n 1 "$decision")
again="Delete $decision to choose again."
is_number "$number" || fail "$decision does not contain a number. $again"
is_whole "$RESUME" "$number" || fail "$NAME$number, which $decision names, is not complete. $again"
# A pod that starts again may have chosen another one before.
rm -f "$LINKS/$NAME"*
for entry in $(entries "$number"); do
  ln -sfn "$RESUME/$entry" "$LINKS/$entry" || exit 1
done
printf '%s\n' "resumes from $NAME$number of $SOURCE, as $decision decides"
