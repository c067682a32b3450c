# Measures the volume at ROOT by fio, and writes one report to standard output: JSON with the keys that docs/how-to/diagnose.md lists.
# Reads VOLUME, CLAIM, DRIVER and NODE for the report; READ_ONLY, CHECKPOINTS (true or false); FOLDER, the folder of the volume that this
# may write to; CACHE, a command; SIZE bytes of what it writes, TIME seconds of each measurement; DEMANDS, words such as
# sequentialRead:500000000:20 for a measurement with its least bytes per second and its longest mean in milliseconds. Exit code: 0
# when all that applies was measured and meets the demands, 4 when a demand is not met, 3 when a measurement is missing. The report
# and the termination message have the reason.
set -u
export LC_ALL=C
tmp=$(mktemp -d) || exit 3
own="$ROOT/$FOLDER"
mine=false
clean() {
  rm -rf "$tmp"
  if [ "$mine" = true ]; then rm -rf "$own"; fi
}
trap clean EXIT
trap 'exit 143' INT TERM
complete=true
started=$(date -u +%Y-%m-%dT%H:%M:%SZ)

text() { # standard input as a string of JSON
  # What awks make of backslashes in replacements differs.
  sed 's/\\/\\\\/g; s/"/\\"/g' | awk 'BEGIN { ORS = ""; print "\"" }
    { gsub(/\t/, "\\t"); gsub(/[\001-\037\177]/, " "); gsub(/[\200-\377]/, "?") }
    NR > 1 { print "\\n" }
    { print }
    END { print "\"" }'
}

null='"bytesPerSecond": null, "operationsPerSecond": null, "meanMilliseconds": null, "p99Milliseconds": null, "direct": null, "files": null'

without() { # status, reason
  printf '{"status": "%s", "reason": %s, %s}' "$1" "$(printf '%s' "$2" | text)" "$null"
}

numbers() { # side: what fio measured, as fields of JSON; nothing where it measured nothing
  tr '{},' '\n\n\n' <"$tmp/out" | awk -v side="$1" '
    function number(line) { sub(/^[^:]*:[ \t]*/, "", line); return line + 0 }
    /^[ \t]*"(read|write|trim|sync)"[ \t]*:[ \t]*$/ { split($0, word, "\""); section = word[2]; part = ""; next }
    /^[ \t]*"(slat_ns|clat_ns|lat_ns)"[ \t]*:[ \t]*$/ { split($0, word, "\""); part = word[2]; next }
    /^[ \t]*"error"[ \t]*:/ { if (number($0) != 0) failed = 1 }
    section != side { next }
    /^[ \t]*"bw_bytes"[ \t]*:/ && part == "" { bytes = number($0) }
    /^[ \t]*"iops"[ \t]*:/ && part == "" { operations = number($0) }
    /^[ \t]*"mean"[ \t]*:/ && part == "lat_ns" { mean = number($0) }
    /^[ \t]*"99\.000000"[ \t]*:/ && part == "clat_ns" { worst = number($0) }
    END {
      if (failed || bytes <= 0) exit
      printf "\"bytesPerSecond\": %.0f, \"operationsPerSecond\": %.3f, ", bytes, operations
      printf "\"meanMilliseconds\": %.6f, \"p99Milliseconds\": %.6f", mean / 1000000, worst / 1000000
    }'
}

measure() { # side, files it works on, arguments of fio: an object of JSON in $result
  side=$1 files=$2
  shift 2
  if ! command -v fio >/dev/null 2>&1; then
    complete=false
    result=$(without failed "fio is not in the image")
    return
  fi
  # Past the page cache where the file system can.
  for direct in 1 0; do
    rm -f "$tmp/out" "$tmp/err"
    if (cd "$tmp" && fio --ioengine=psync --direct="$direct" --group_reporting --output-format=json --output="$tmp/out" "$@") >"$tmp/err" 2>&1; then
      found=$(numbers "$side")
      if [ -n "$found" ]; then
        said=$([ "$direct" = 1 ] && echo true || echo false)
        result="{\"status\": \"measured\", \"reason\": null, $found, \"direct\": $said, \"files\": \"$files\"}"
        return
      fi
    fi
  done
  complete=false
  reason=$(cat "$tmp/err" "$tmp/out" 2>/dev/null | awk 'NF { print; exit }')
  result=$(without failed "${reason:-fio measured nothing}")
}

room() { # makes the folder that this may write to; false where that cannot be, with the reason in $reason
  [ "$mine" = true ] && return 0
  if [ -e "$own" ]; then
    if [ ! -f "$own/.tjgen-diagnose" ]; then
      reason="$FOLDER exists on the volume and was not made for this"
      return 1
    fi
    rm -rf "$own"
  fi
  if ! reason=$( (mkdir "$own" && : >"$own/.tjgen-diagnose") 2>&1); then return 1; fi
  mine=true
}

newline='
'
# Files of the volume that are large enough, whose names fio does not take apart, largest first: size and name. A file with holes
# is left out: its holes are read without the volume. The first files are enough.
find "$ROOT" -type f -size +2047 ! -path "*:*" ! -path "*$newline*" ! -path "$own/*" -exec stat -c '%s %b %B %n' {} + 2>/dev/null |
  awk '{ size = $1; stored = $2 * $3; sub(/^[0-9]+ [0-9]+ [0-9]+ /, "") }
    stored < size { holes = 1; next }
    { print size, $0; if (++found == 64) exit }
    END { if (holes && !found) print "holes" }' | sort -rn >"$tmp/files"
has_holes=false
if [ "$(cat "$tmp/files")" = holes ]; then
  has_holes=true
  : >"$tmp/files"
fi

regions() { # bytes and name of files, largest first -> offset, bytes and names for each of 4 jobs: no two jobs read the same
  awk -v block=1048576 '{ size[NR] = $1; sub(/^[0-9]+ /, ""); name[NR] = $0 }
    END {
      if (NR >= 4) {
        for (i = 1; i <= NR; i++) names[i % 4] = names[i % 4] (i > 4 ? ":" : "") name[i]
        for (job = 0; job < 4; job++) print 0, 0, names[(job + 1) % 4]
        exit
      }
      for (i = 1; i <= NR; i++) {
        parts = int(4 / NR) + (i <= 4 % NR)
        length_of = int(size[i] / parts / block) * block
        if (length_of == 0) { parts = 1; length_of = size[i] }
        for (part = 0; part < parts; part++) printf "%.0f %.0f %s\n", part * length_of, length_of, name[i]
      }
    }'
}

reads() { # name of fio's pattern: measures the files in $tmp/files, else files of its own
  if [ -s "$tmp/files" ]; then
    on=data
    cp "$tmp/files" "$tmp/read"
    set -- "$1" --readonly --allow_file_create=0
  elif [ "$READ_ONLY" = true ]; then
    complete=false
    reason="no file of 1 MiB or more is on the volume, and nothing may be written"
    [ "$has_holes" = false ] || reason="all files of 1 MiB or more have holes, and nothing may be written"
    result=$(without failed "$reason")
    return
  elif room; then
    on=own
    : >"$tmp/read"
    for number in 0 1 2 3; do echo "$((SIZE / 4)) $own/data.$number" >>"$tmp/read"; done
    set -- "$1"
  else
    complete=false
    result=$(without failed "$reason")
    return
  fi
  pattern=$1
  shift
  set -- "$@" --rw="$pattern" --runtime="$TIME" --time_based
  if [ "$pattern" = read ]; then
    set -- "$@" --bs=1M
    regions <"$tmp/read" >"$tmp/regions"
    while read -r offset length names; do
      set -- "$@" --name=read --filename="$names"
      [ "$length" = 0 ] || set -- "$@" --offset="$offset" --size="$length"
      [ "$on" = data ] || set -- "$@" --size="$((SIZE / 4))"
    done <"$tmp/regions"
  else
    names=$(awk '{ sub(/^[0-9]+ /, ""); printf "%s%s", (NR > 1 ? ":" : ""), $0 }' "$tmp/read")
    set -- "$@" --bs=4k --numjobs=16 --name=read --filename="$names"
    [ "$on" = data ] || set -- "$@" --size="$SIZE"
  fi
  measure read "$on" "$@"
}

reads read
sequential=$result
reads randread
random=$result

if [ "$CHECKPOINTS" != true ]; then
  write=$(without skipped "no checkpoints are on the volume")
  restore=$write
elif [ "$READ_ONLY" = true ]; then
  write=$(without skipped "the volume is read only")
  restore=$write
elif room; then
  measure write own --name=write --rw=write --bs=1M --size="$SIZE" --end_fsync=1 --filename="$own/checkpoint"
  write=$result
  if [ -f "$own/checkpoint" ]; then
    measure read own --name=read --readonly --allow_file_create=0 --rw=read --bs=1M --filename="$own/checkpoint"
    restore=$result
  else
    restore=$(without failed "no checkpoint could be written")
  fi
else
  complete=false
  write=$(without failed "$reason")
  restore=$write
fi

if [ -z "$CACHE" ]; then
  reason="no command is known for the driver"
  # The caches are in pods of Fluid, and a FUSE mount has no statistics in /proc.
  [ "$DRIVER" != fuse.csi.fluid.io ] || reason="the status of the Dataset shows the cache: kubectl get dataset"
  cache="{\"status\": \"skipped\", \"reason\": $(printf '%s' "$reason" | text), \"output\": null}"
else
  said=$(cd "$ROOT" && VOLUME=$ROOT sh -c "$CACHE" 2>"$tmp/err" | head -c 65536 && :)
  if [ -n "$said" ]; then
    cache="{\"status\": \"measured\", \"reason\": null, \"output\": $(printf '%s\n' "$said" | text)}"
  else
    complete=false
    reason=$(awk 'NF { print; exit }' "$tmp/err")
    cache="{\"status\": \"failed\", \"reason\": $(printf '%s' "${reason:-the command said nothing}" | text), \"output\": null}"
  fi
fi

misses() { # name of a measurement, its object, least bytes per second, most milliseconds: a line for each demand that is not met
  printf '%s\n' "$2" | awk -v name="$1" -v least="$3" -v most="$4" '
    function number(key) { return match($0, "\"" key "\": [0-9.]+") ? substr($0, RSTART + length(key) + 4, RLENGTH) + 0 : "" }
    { bytes = number("bytesPerSecond"); mean = number("meanMilliseconds") }
    bytes == "" { exit 1 }
    least != "" && bytes < least + 0 { printf "%s reaches %.1f MB/s, below the demand of %.1f MB/s\n", name, bytes / 1e6, least / 1e6 }
    most != "" && mean > most + 0 { printf "%s takes %.3f ms on average, above the demand of %s ms\n", name, mean, most }'
}

outcome=null
: >"$tmp/misses"
for demand in ${DEMANDS:-}; do
  name=${demand%%:*}
  limits=${demand#*:}
  case $name in
    sequentialRead) measured=$sequential ;;
    randomRead) measured=$random ;;
    checkpointWrite) measured=$write ;;
    *) measured=$restore ;;
  esac
  [ "$outcome" != null ] || outcome='"PASS"'
  misses "$name" "$measured" "${limits%%:*}" "${limits#*:}" >>"$tmp/misses" || outcome='"UNKNOWN"'
done
[ ! -s "$tmp/misses" ] || outcome='"FAIL"'
if [ "$outcome" = '"FAIL"' ] && [ -w "${TERMINATION:=/dev/termination-log}" ]; then
  sed 's/^/FAIL: /' "$tmp/misses" >"$TERMINATION"
fi

string() { if [ -n "$1" ]; then printf '%s' "$1" | text; else printf null; fi; }
kernel() { cat "/proc/sys/kernel/$1" 2>/dev/null; }
number() { printf '%s' "${1:-null}"; }

# Processors of some architectures have no name.
model=$(awk -F': *' '/^model name/ { print $2; exit }' /proc/cpuinfo 2>/dev/null)
processors=$(awk '/^processor/ { count++ } END { if (count) print count }' /proc/cpuinfo 2>/dev/null)
memory=$(awk '/^MemTotal:/ { printf "%.0f", $2 * 1024; exit }' /proc/meminfo 2>/dev/null)
system=$(printf '{"hostname": %s, "kernel": %s, "cpu": %s, "processors": %s, "memoryBytes": %s}' \
  "$(string "$(kernel hostname)")" "$(string "$(kernel ostype) $(kernel osrelease)")" "$(string "$model")" "$(number "$processors")" "$(number "$memory")")
status=$([ "$complete" = true ] && echo complete || echo incomplete)
printf '{"schema": "tjgen.dev/diagnosis/v1", "status": "%s", "result": %s, "misses": %s, "time": "%s", "node": %s, "system": %s, ' \
  "$status" "$outcome" "$(string "$(cat "$tmp/misses")")" "$started" "$(string "$NODE")" "$system"
printf '"volume": %s, "claim": %s, "driver": %s, ' "$(string "$VOLUME")" "$(string "$CLAIM")" "$(string "$DRIVER")"
printf '"readOnly": %s, "sequentialRead": %s, "randomRead": %s, "checkpointWrite": %s, "checkpointRead": %s, "cache": %s}\n' \
  "$READ_ONLY" "$sequential" "$random" "$write" "$restore" "$cache"
[ "$outcome" != '"FAIL"' ] || exit 4
[ "$complete" = true ] || exit 3
