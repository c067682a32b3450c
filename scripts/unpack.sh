# Copies what the folder PACKED shows to the folder CONTEXT. A volume shows the keys of a ConfigMap as links, which COPY
# in a Dockerfile would copy as links; those of the volume itself begin with "..".
set -eu
cd "$PACKED"
copied=
for one in * .[!.]*; do
  # A pattern stays as it is if it matches nothing.
  case $one in '*' | '.[!.]*') [ -e "$one" ] || continue ;; esac
  cp -rL "$one" "$CONTEXT/"
  copied=true
done
if [ -z "$copied" ]; then
  echo "$PACKED has no files, so the context of the build would be empty" >&2
  exit 1
fi
