# Copies what the folder PACKED shows to the folder CONTEXT. A volume shows the keys of a ConfigMap as links, which COPY
# in a Dockerfile would copy as links; those of the volume itself begin with "..".
set -eu
cd "$PACKED"
for one in *; do
  [ ! -e "$one" ] || cp -rL "$one" "$CONTEXT/"
done
