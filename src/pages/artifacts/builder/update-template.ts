// The update.sh of an archive that has none of its own. It installs into a folder, saves what was there before,
// restores that when anything fails, and reports it by its exit code.

export interface UpdatePlan {
  name: string;
  version: string;
  /** Folder on the device. */
  target: string;
  /** File of the archive that is run when it is installed; '' for none. */
  run: string;
}

const quoted = (value: string) => `'${value.replaceAll("'", String.raw`'\''`)}'`;

/** Starts the last line of the log in each case, for outcome rules. */
const RESULT_MARK = 'MUSTER-RESULT:';

export const targetFault = (target: string): string | undefined =>
  /^\/[^/]/.test(target) && !target.split('/').includes('..') && target.replace(/\/+$/, '').length > 1
    ? undefined
    : 'An absolute path, such as /opt/myapp.';

export const updateScript = ({ name, version, target, run }: UpdatePlan): string => `#!/bin/sh
# Stops at the first error. Whatever fails, the previous version is put back, and the exit code is not 0.
set -eu

NAME=${quoted(name)}
VERSION=${quoted(version)}
TARGET=${quoted(target.replace(/\/+$/, ''))}
RUN=${quoted(run)}

PREVIOUS="$TARGET.previous"
NEW="$TARGET.new"
step='starting'
switched=no

# What this version needs to run; called again for the previous version when that is put back.
start() {
  if [ -n "$RUN" ]; then (cd "$TARGET" && "./$RUN"); fi
}

finish() {
  code=$?
  trap - EXIT
  trap '' HUP INT TERM
  set +e
  rm -rf "$NEW"
  [ "$code" -ne 0 ] || exit 0
  echo "$NAME $VERSION: failed while $step (exit code $code)." >&2
  if [ "$switched" = no ]; then
    echo '${RESULT_MARK} update failed, nothing was changed'
  elif [ ! -e "$PREVIOUS" ]; then
    rm -rf "$TARGET"
    echo '${RESULT_MARK} rolled back, nothing was installed before'
  elif rm -rf "$TARGET" && mv "$PREVIOUS" "$TARGET"; then
    if start; then
      echo '${RESULT_MARK} rolled back'
    else
      echo '${RESULT_MARK} rolled back, but the previous version does not start'
    fi
  else
    echo "${RESULT_MARK} update failed, the previous version is in $PREVIOUS"
  fi
  exit "$code"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

step='tidying up'
# An update that was cut off may have moved the previous version away and nothing in its place.
if [ -e "$PREVIOUS" ] && [ ! -e "$TARGET" ]; then mv "$PREVIOUS" "$TARGET"; fi

step='copying files'
rm -rf "$NEW"
mkdir -p "$NEW"
cp -R . "$NEW"
rm -f "$NEW/update.sh"

step='switching versions'
if [ -e "$TARGET" ]; then
  rm -rf "$PREVIOUS"
  mv "$TARGET" "$PREVIOUS"
else
  rm -rf "$PREVIOUS"
fi
switched=yes
mv "$NEW" "$TARGET"

step="running $RUN"
start

echo "$NAME $VERSION is in $TARGET."
echo '${RESULT_MARK} update succeeded'
`;
