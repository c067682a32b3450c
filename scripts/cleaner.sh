# Removes the checkpoints below BEFORE that nobody wants to keep: with EACH=true in the folder AFTER of every folder
# of it, else in BEFORE itself. A checkpoint is called NAME and a number, with or without an extension. A folder is
# complete once it holds the file MARKER, a file at once, since it is renamed to its name.
#
# Kept are the LAST newest complete ones; the BEST ones by the number in their file METRIC (MODE min or max); those
# whose number is a multiple of NTH. The newest complete one always stays. What is not complete is left alone, unless
# it is older than the newest complete one and nothing in it changed for ABANDONED minutes. What cannot be removed is
# reported, and the rest goes on.
set -u
failed=0

entries() { # folder: a line "time number metric name" for each complete checkpoint
  for entry in "$1/$NAME"*; do
    name=${entry##*/}
    number=${name#"$NAME"}
    number=${number%%.*}
    case $number in '' | *[!0-9]*) continue ;; esac
    case $name in *[!A-Za-z0-9._=+-]*) continue ;; esac
    [ ! -L "$entry" ] || continue
    if [ -d "$entry" ]; then proof=$entry/$MARKER; else proof=$entry; fi
    time=$(stat -c %Y "$proof" 2>/dev/null) || continue
    metric=-
    if [ -n "${METRIC:-}" ] && [ -f "$entry/$METRIC" ]; then
      read -r metric rest <"$entry/$METRIC" || true
      case $metric in '' | *[!0-9.eE+-]* | *[!0-9.]) metric=- ;; esac
    fi
    echo "$time $number $metric $name"
  done
}

unwanted() { # stdin: entries, newest first; stdout: names of those that go
  awk -v last="$LAST" -v best="${BEST:-0}" -v mode="${MODE:-min}" -v nth="${NTH:-0}" '
    { name[NR] = $4; metric[NR] = $3; keep[NR] = NR <= last || NR == 1 || (nth > 0 && $2 % nth == 0) }
    END {
      for (round = 1; round <= best; round++) {
        chosen = 0
        for (one = 1; one <= NR; one++)
          if (!taken[one] && metric[one] != "-" && (!chosen || (mode == "max" ? metric[one] + 0 > metric[chosen] + 0 : metric[one] + 0 < metric[chosen] + 0)))
            chosen = one
        if (chosen) { taken[chosen] = 1; keep[chosen] = 1 }
      }
      for (one = 1; one <= NR; one++) if (!keep[one]) print name[one]
    }'
}

remove() { # folder, name: renamed first, so that what is half removed is no checkpoint
  if mv "$1/$2" "$1/.removing-$2" && rm -rf "$1/.removing-$2"; then
    echo "removed $1/$2"
  else
    echo "cannot remove $1/$2" >&2
    failed=1
  fi
}

abandoned() { # folder, time of the newest complete one: names of incomplete ones that nobody writes to
  for entry in "$1/$NAME"*; do
    name=${entry##*/}
    number=${name#"$NAME"}
    number=${number%%.*}
    case $number in '' | *[!0-9]*) continue ;; esac
    case $name in *[!A-Za-z0-9._=+-]*) continue ;; esac
    if [ -L "$entry" ] || [ ! -d "$entry" ] || [ -e "$entry/$MARKER" ]; then continue; fi
    time=$(stat -c %Y "$entry" 2>/dev/null) || continue
    [ "$time" -lt "$2" ] || continue
    [ -n "$(find "$entry" -mmin "-$ABANDONED" 2>/dev/null | head -n 1)" ] || echo "$name"
  done
}

clean() { # folder
  [ -d "$1" ] || return 0
  for entry in "$1/.removing-$NAME"*; do
    [ ! -e "$entry" ] || rm -rf "$entry" || failed=1
  done
  found=$(entries "$1" | sort -k1,1nr -k2,2nr)
  [ -n "$found" ] || return 0
  newest=${found%% *}
  for name in $(echo "$found" | unwanted) $(abandoned "$1" "$newest"); do
    remove "$1" "$name"
  done
}

if [ "${EACH:-}" = true ]; then
  for run in "$BEFORE"/*/; do
    run=${run%/}
    [ -L "$run" ] || clean "$run${AFTER:+/$AFTER}"
  done
else
  clean "$BEFORE"
fi
exit $failed
