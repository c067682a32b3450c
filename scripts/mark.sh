# Says in the folder MARKS that the part INDEX of WORKERS is there.
set -eu
mkdir -p "$MARKS"
echo "$WORKERS" >"$MARKS/.workers-$INDEX"
mv -f "$MARKS/.workers-$INDEX" "$MARKS/workers"
: >"$MARKS/done-$INDEX"
