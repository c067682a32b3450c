# Fetches COMMIT of REPOSITORY, with DEPTH commits of history, into the folder TARGET, which is emptied first.
# SUBMODULES=true fetches submodules, LFS=true the files of Git LFS; FOLDER must exist in the commit. CREDENTIALS is the
# folder of a Secret of type kubernetes.io/ssh-auth or kubernetes.io/basic-auth, which only ORIGIN receives. A fetch
# that fails is tried TRIES times, with PAUSE seconds before the second try and twice as many before each further one.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME="$scratch" LC_ALL=C GIT_TERMINAL_PROMPT=0 GIT_LFS_SKIP_SMUDGE=1
git config --global --add safe.directory '*'
git config --global advice.detachedHead false
# A server that sends nothing counts as one that fails.
git config --global http.lowSpeedLimit 1000
git config --global http.lowSpeedTime 60

if [ -n "${CREDENTIALS:-}" ]; then
  if [ -f "$CREDENTIALS/ssh-privatekey" ]; then
    if [ ! -s "$CREDENTIALS/known_hosts" ]; then
      echo "the Secret has no known_hosts, so any server could pose as the host: add the line that ssh-keyscan prints" >&2
      exit 1
    fi
    if ! id -un >/dev/null 2>&1; then
      echo "ssh does not run for user $(id -u), which /etc/passwd of the image does not list: run as 65534, or use https" >&2
      exit 1
    fi
    # ssh refuses a key that others can read, and a group can often read what a volume shows.
    (umask 077 && cat "$CREDENTIALS/ssh-privatekey" >"$scratch/key" && echo >>"$scratch/key")
    export GIT_SSH_COMMAND="ssh -i $scratch/key -o IdentitiesOnly=yes -o BatchMode=yes \
-o StrictHostKeyChecking=yes -o UserKnownHostsFile=$CREDENTIALS/known_hosts -o GlobalKnownHostsFile=/dev/null \
-o ConnectTimeout=30 -o ServerAliveInterval=15 -o ServerAliveCountMax=4"
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

# Runs a command until it succeeds, at most TRIES times. It fails at once where a further try gives the same answer.
# Returns 2 if the server does not serve a commit by its ID.
try() {
  count=1
  pause=$PAUSE
  until "$@" 2>"$scratch/errors"; do
    cat "$scratch/errors" >&2
    if grep -qE -e 'not allow request for unadvertised|not our ref|not support shallow' "$scratch/errors"; then
      return 2
    fi
    if grep -qiE -e 'authentication failed|could not read (username|password)|permission denied|host key verification failed' \
      -e 'repository .*not found|does not appear to be a git repository|does not exist' "$scratch/errors"; then
      return 1
    fi
    if [ "$count" -ge "$TRIES" ]; then
      echo "$REPOSITORY: $count tries failed" >&2
      return 1
    fi
    echo "$REPOSITORY: try $count of $TRIES failed; the next one follows in $pause seconds" >&2
    sleep "$pause"
    count=$((count + 1))
    pause=$((pause * 2))
  done
}

find "$TARGET" -mindepth 1 -maxdepth 1 -exec rm -rf {} +
cd "$TARGET"
git init -q .
git remote add origin "$REPOSITORY"
answer=0
try git fetch -q --no-tags --depth "$DEPTH" origin "$COMMIT" || answer=$?
if [ "$answer" = 2 ]; then
  echo "the server does not serve a commit by its ID, so all branches and tags are fetched" >&2
  answer=0
  try git fetch -q origin '+refs/heads/*:refs/remotes/origin/*' '+refs/tags/*:refs/tags/*' || answer=$?
fi
[ "$answer" = 0 ] || exit 1
git checkout -q --detach "$COMMIT"
if [ "$(git rev-parse HEAD)" != "$COMMIT" ]; then
  echo "HEAD is not $COMMIT" >&2
  exit 1
fi
if [ "${SUBMODULES:-}" = true ]; then
  try git submodule --quiet update --init --recursive --depth 1 || exit 1
fi

pointers() { git ls-files -z ':(attr:filter=lfs)' | tr '\0' '\n' | grep -c . || true; }
if [ "${LFS:-}" = true ]; then
  if ! git lfs version >/dev/null 2>&1; then
    echo "the image has no git-lfs, and lfs is true" >&2
    exit 1
  fi
  git lfs install --skip-smudge >/dev/null
  try git lfs pull || exit 1
  git lfs ls-files >"$scratch/files"
  if [ "${SUBMODULES:-}" = true ]; then
    try git submodule --quiet foreach --recursive 'git lfs pull' || exit 1
    git submodule --quiet foreach --recursive 'git lfs ls-files' >>"$scratch/files"
  fi
  if grep -E '^[0-9a-f]+ - ' "$scratch/files" >"$scratch/left"; then
    echo "these files of Git LFS are only pointers, since .lfsconfig of the repository excludes them:" >&2
    cut -d ' ' -f 3- "$scratch/left" >&2
  fi
elif [ "$(pointers)" != 0 ]; then
  echo "$(pointers) files are in Git LFS, and only their pointers are here: set lfs: true to fetch them" >&2
fi
if [ -n "${FOLDER:-}" ] && [ ! -d "$FOLDER" ]; then
  echo "commit $COMMIT has no folder $FOLDER" >&2
  exit 1
fi
