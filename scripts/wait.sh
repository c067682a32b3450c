# Waits until every part is there, as mark.sh says in the folder MARKS; every PAUSE seconds it looks again.
set -eu
missing() {
  [ -s "$MARKS/workers" ] || { echo "the first"; return 0; }
  workers=$(cat "$MARKS/workers")
  own=0
  while [ "$own" -lt "$workers" ]; do
    [ -e "$MARKS/done-$own" ] || { echo "$own of $workers"; return 0; }
    own=$((own + 1))
  done
}
said=
while found=$(missing) && [ -n "$found" ]; do
  [ "$found" = "$said" ] || echo "data is not there yet: part $found is missing"
  said=$found
  sleep "$PAUSE"
done
