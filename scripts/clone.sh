# Fetches COMMIT of REPOSITORY, with DEPTH commits of history, into the folder TARGET, which is emptied first.
# SUBMODULES=true fetches submodules too; FOLDER has to be there then; CREDENTIALS is the folder of a Secret
# of type kubernetes.io/ssh-auth or kubernetes.io/basic-auth, which is shown to ORIGIN alone.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME="$scratch" GIT_TERMINAL_PROMPT=0
git config --global --add safe.directory '*'
git config --global advice.detachedHead false

if [ -n "${CREDENTIALS:-}" ]; then
  if [ -f "$CREDENTIALS/ssh-privatekey" ]; then
    if [ ! -s "$CREDENTIALS/known_hosts" ]; then
      echo "the Secret has no known_hosts, so the server could be anybody: add the line that ssh-keyscan prints" >&2
      exit 1
    fi
    # ssh refuses a key that others may read, and what a volume shows may be readable to a group.
    (umask 077 && cat "$CREDENTIALS/ssh-privatekey" >"$scratch/key" && echo >>"$scratch/key")
    export GIT_SSH_COMMAND="ssh -i $scratch/key -o IdentitiesOnly=yes -o BatchMode=yes \
-o StrictHostKeyChecking=yes -o UserKnownHostsFile=$CREDENTIALS/known_hosts"
  elif [ -f "$CREDENTIALS/password" ]; then
    git config --global "credential.$ORIGIN.helper" '!answer() {
      [ "$1" = get ] || return 0
      if [ -f "$CREDENTIALS/username" ]; then printf "username=%s\n" "$(cat "$CREDENTIALS/username")"; else echo username=git; fi
      printf "password=%s\n" "$(cat "$CREDENTIALS/password")"
    }; answer'
  else
    echo "the Secret has neither ssh-privatekey nor password" >&2
    exit 1
  fi
fi

find "$TARGET" -mindepth 1 -maxdepth 1 -exec rm -rf {} +
cd "$TARGET"
git init -q .
git remote add origin "$REPOSITORY"
# A server may refuse to give a commit by its name alone: then all branches and tags are fetched.
git fetch -q --no-tags --depth "$DEPTH" origin "$COMMIT" ||
  git fetch -q origin '+refs/heads/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*'
git checkout -q --detach "$COMMIT"
if [ "$(git rev-parse HEAD)" != "$COMMIT" ]; then
  echo "HEAD is not $COMMIT" >&2
  exit 1
fi
if [ "${SUBMODULES:-}" = true ]; then
  git submodule --quiet update --init --recursive --depth 1
fi
if [ -n "${FOLDER:-}" ] && [ ! -d "$FOLDER" ]; then
  echo "commit $COMMIT has no folder $FOLDER" >&2
  exit 1
fi
