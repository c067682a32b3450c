# Copies the part INDEX of WORKERS of the files below SOURCE into the folder TARGET. A file that is there with the same
# size and time stays; one that is being copied has another name until it is whole.
set -eu
mkdir -p "$TARGET"
cd "$SOURCE"
list=$(mktemp)
if [ -n "$(find . -name '*
*' | head -n 1)" ]; then
  echo "$SOURCE has files with line ends in their names" >&2
  exit 1
fi
find . -type f | LC_ALL=C sort >"$list"
if [ ! -s "$list" ]; then
  echo "$SOURCE holds no files" >&2
  exit 1
fi
awk -v workers="$WORKERS" -v own="$INDEX" '(NR - 1) % workers == own' "$list" >"$list.own"
echo "$(wc -l <"$list.own") of $(wc -l <"$list") files"
while IFS= read -r file; do
  there=$(stat -c '%s %Y' "$TARGET/$file" 2>/dev/null || true)
  if [ "$there" != "$(stat -c '%s %Y' "$file")" ]; then
    mkdir -p "$TARGET/${file%/*}"
    cp -p "$file" "$TARGET/$file.tjgen-part"
    mv -f "$TARGET/$file.tjgen-part" "$TARGET/$file"
  fi
done <"$list.own"
