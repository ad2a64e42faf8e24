// The Command of an artifact: one line of POSIX sh that runs on any device, in any current folder, and needs only curl
// or wget. Names and paths come from people and archives, so each value is single-quoted, the only quoting in which no
// character is special (Teleport's CVE-2022-36633 shows what happens otherwise).

/** What a Command needs to know about its artifact. */
export interface CommandSource {
  name: string;
  sha256: string;
  sizeBytes: number;
  /** tar.gz only: what it takes once it is unpacked; 0: unknown. */
  unpackedBytes: number;
  isScript: boolean;
  /** Scripts only: the folder that it is installed in. */
  destination: string;
  /** Scripts only: the command that runs it. */
  runCommand: string;
  /** tar.gz only: the folder inside it that has update.sh, '' for its root. */
  folder: string;
}

/** A value as one word of a POSIX shell, in which nothing is special. */
export const shellQuote = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`;

/**
 * A folder as one word. Relative ones get a leading "./", so that a "-" is not taken for an option; "~" is the home
 * folder.
 */
function shellFolder(folder: string): string {
  // A system service may have no HOME, in which case it runs as root.
  if (folder === '~' || folder.startsWith('~/')) return `"\${HOME:-/root}"${shellQuote(folder.slice(1) || '/')}`;
  return shellQuote(folder.startsWith('/') ? folder : `./${folder}`);
}

const have = (tool: string) => `command -v ${tool} >/dev/null 2>&1`;

/**
 * Whether one whole number is larger than another, in shells that count to 2^31 (mksh), too: by the number of digits first, and of
 * long ones without the last four.
 */
const MORE =
  'more() { [ ${#1} -gt ${#2} ] || { [ ${#1} -eq ${#2} ] && case $1 in ??????????*) [ "${1%????}" -gt "${2%????}" ] ;; *) [ "$1" -gt "$2" ] ;; esac; }; }';

/** A download fails after this many attempts in a row without a byte, or this many attempts in total. */
const MAX_IDLE_TRIES = 12;
const MAX_TRIES = 100;
const LONGEST_PAUSE_SECONDS = 30;

/**
 * Downloads "artifact" into the current folder with curl or wget. The shell does the retries, because few builds have
 * options that retry after every kind of fault. An attempt resumes where the previous one was cut off.
 */
function downloadSteps({ name, sizeBytes }: CommandSource, url: string): string[] {
  const cannot = (why: string) => shellQuote(`Cannot download ${name} from ${new URL(url).origin}: ${why}`);
  const get = [
    // A 200 to a request for the rest of a file may have been appended to what was there.
    'part=; [ ! -s artifact ] || part=yes',
    `if ${have('curl')}; then output=$(curl -fsSL -C - --connect-timeout 30 --speed-time 60 --speed-limit 1 --max-time 3600 -w ' http=%{http_code} ' -o artifact "$url" 2>&1)`,
    'got=$?',
    'code=${output#* http=}',
    'code=${code%% *}',
    'output="${output%% http=*}${output#* http=??? }"',
    // wget has no limit for a whole response, and "timeout" is not everywhere: after an hour this ends it.
    'else (i=0; while [ "$i" -lt 400 ] && sleep 9 && [ -f pid ]; do i=$((i + 1)); done; kill "$(cat pid)") >/dev/null 2>&1 & watch=$!',
    `output=$(LC_ALL=C sh -c 'echo $$ >pid; exec wget "$@"' wget $quiet $limit -c -O artifact "$url" 2>&1)`,
    'got=$?',
    'kill "$watch"; rm -f pid',
    // Some builds of BusyBox crash when given a time limit.
    'if [ "$got" -ge 128 ] && [ "$got" -ne 143 ] && [ -n "$limit" ]; then limit=; get; return; fi',
    // wget cannot print only the status of a response: it is the word after one of these.
    'code= before=',
    'for word in $output; do case $before in ERROR | error | response | HTTP/*) code=${word%:} ;; esac; before=$word; done',
    // wget2 ends with 0 after most errors, and after a response that was cut off; of a 401, GNU wget tells only by its exit code.
    `case $got:$code:$output in 0:[45]??:* | 0:*'Just got '*) got=8 ;; 6::*) code=401 ;; esac`,
    'fi; return "$got"',
  ];
  const loop = [
    "limit='-T 60' tries=0 idle=0 had=0 pause=1",
    `case $(wget --version 2>/dev/null) in *[Ww]get2*) quiet='--progress=none -t 1' ;; *GNU*) quiet='-nv -t 1' ;; *) quiet=-q; ${have('uclient-fetch')} && quiet= ;; esac`,
    'size() { set -- $(wc -c 2>/dev/null <artifact) 0; size=$1; }',
    `until get 2>/dev/null && { size; [ -z "$part" ] || [ "$size" = ${sizeBytes} ]; }; do case $code in 403) fail ${cannot("it answered 403. The link in this Command has expired, or its job has ended: take the artifact's Command anew, or deploy again.")} ;;` +
      ` 404) fail ${cannot('it answered 404. The artifact was deleted: upload it again.')} ;;` +
      ' 408 | 416 | 425 | 429) ;;' +
      ` 4??) fail ${cannot('it answered')} "$code. Check that this address leads to the service itself." ;; esac`,
    `case $got:$output in 23:* | *'o space left'* | *'uota exceeded'*) fail ${shellQuote(`Disk full on the device: no space for ${name} in`)} "$PWD." ;; esac`,
    'size; tries=$((tries + 1))',
    'if more "$size" "$had"; then had=$size idle=0 pause=1; else idle=$((idle + 1)); fi',
    // The server cannot resume, or has nothing left to send: start over.
    'case $got:$code in 0:* | 33:* | *:416) rm -f artifact ;; esac',
    `if [ "$idle" -ge ${MAX_IDLE_TRIES} ] || [ "$tries" -ge ${MAX_TRIES} ]; then` +
      // The output of wget may contain the URL with its token.
      ` printf '%s\\n' "$output" | while IFS= read -r line; do case $line in '' | *"$url"*) ;; *) printf '%s\\n' "$line" >&2 ;; esac; done` +
      `; fail ${cannot('it did not answer in')} "$tries tries. Check that this device reaches that address, then deploy again."; fi`,
    // Process ids differ between devices, so that not all of them retry in the same second.
    'sleep $((pause + ($$ + tries) % (pause + 1)))',
    `pause=$((pause * 2)); [ "$pause" -le ${LONGEST_PAUSE_SECONDS} ] || pause=${LONGEST_PAUSE_SECONDS}`,
    'done',
  ];
  return [
    `url=${shellQuote(url)}`,
    `get() { ${get.join('; ')}; }`,
    [
      `if ${have('curl')} || ${have('wget')}; then ${loop.join('; ')}`,
      // On a device that has neither, the agent offers its own program, which does its own retries.
      `elif [ -n "\${MUSTER_FETCH-}" ]; then "$MUSTER_FETCH" "$url" artifact || fail ${cannot('see above.')}`,
      `else fail 'This device has neither curl nor wget.'`,
      'fi',
    ].join('; '),
  ];
}

/**
 * Fails before a byte is downloaded if the current folder has no room for the artifact and what is unpacked from it. Without df,
 * or where it prints something else, a full disk is noticed when it is full.
 */
function roomSteps({ name, sizeBytes, unpackedBytes }: CommandSource): string[] {
  const neededKb = Math.ceil((sizeBytes + unpackedBytes) / 1024);
  const full = shellQuote(`Disk full on the device: no space for ${name} in`);
  return [
    'free=$(df -Pk . 2>/dev/null | { read -r head; read -r device size used free rest; printf %s "$free"; })',
    `case $free in '' | *[!0-9]*) ;; *) ! more ${neededKb} "$free" || fail ${full} "$PWD. It needs ${neededKb} kB, and $free kB are free." ;; esac`,
  ];
}

/** Checks that "artifact" is what was uploaded; anything else is not run. */
function checkSteps({ name, sha256, isScript }: CommandSource): string[] {
  const tampered = shellQuote(`${name} arrived changed: its SHA-256 is not the one of the upload. Nothing was run.`);
  const unchecked = shellQuote(
    `This device has no program that computes a SHA-256 (sha256sum, shasum, openssl or busybox), so ${name} cannot be checked. Nothing was run.`,
  );
  const sums = ['sha256sum', 'shasum -a 256', 'openssl dgst -sha256 -r', 'busybox sha256sum'];
  return [
    [
      // The agent's check also examines the archive.
      `if [ -n "\${MUSTER_CHECK-}" ]; then sh "$MUSTER_CHECK" ${sha256} ${isScript ? 'script' : 'tar.gz'} artifact ${shellQuote(name)} || fail 'Nothing was run.'`,
      `else { ${sums.map((sum) => `sum=$(${sum} <artifact)`).join(' || ')}; } 2>/dev/null || fail ${unchecked}`,
      `case $sum in ${shellQuote(sha256)}*) ;; *) fail ${tampered} ;; esac`,
      'fi',
    ].join('; '),
  ];
}

// An archive may contain folders that not even their owner may write to.
const CLEAN_UP = `rm -rf "$work" \${near:+"$near"} 2>/dev/null || { chmod -R u+rwx "$work"; rm -rf "$work"; }`;
const TRAPS = [`trap '${CLEAN_UP}' EXIT`, `trap 'exit 129' HUP`, `trap 'exit 130' INT`, `trap 'exit 143' TERM`];

/**
 * Downloads and checks the artifact in a temporary folder. That stays the current folder, so that the checked file is
 * used even if somebody replaces the folder's path. In a job it is inside a folder that the agent removes at the end.
 */
const artifactSteps = (artifact: CommandSource, url: string): string[] => [
  'near=',
  `work=$(mktemp -d "\${MUSTER_TEMP:-\${TMPDIR:-/tmp}}/muster.XXXXXX") && cd "$work" && work=$PWD || fail 'Cannot make a temporary folder in' "\${TMPDIR:-/tmp}."`,
  ...TRAPS,
  MORE,
  ...roomSteps(artifact),
  ...downloadSteps(artifact, url),
  ...checkSteps(artifact),
];

function tarballSteps(artifact: CommandSource, url: string): string[] {
  const folder = artifact.folder === '' ? '' : shellQuote(`/${artifact.folder}`);
  const full = shellQuote(`Disk full on the device: no space to unpack ${artifact.name} in`);
  return [
    ...artifactSteps(artifact, url),
    // -o: the files belong to the user who runs this, not to the user id that they were packed with.
    `mkdir unpacked && tar -x -z -o -f artifact -C unpacked || { cat artifact >again 2>/dev/null || fail ${full} "$work."; fail ${shellQuote(`Cannot unpack ${artifact.name}.`)}; }`,
    `cd ./unpacked${folder} || exit 1`,
    'chmod +x update.sh',
    // If it is still not executable, the temporary folder is mounted noexec.
    'if [ -x update.sh ]; then ./update.sh; else sh ./update.sh; fi',
  ];
}

function scriptSteps(artifact: CommandSource, url: string): string[] {
  const to = shellFolder(artifact.destination);
  const file = shellQuote(`./${artifact.name}`);
  const inTheWay = shellQuote(
    `${artifact.name} is a folder in ${artifact.destination}: the script cannot take its place.`,
  );
  const full = shellQuote(`Disk full on the device: no space for ${artifact.name} in ${artifact.destination}.`);
  return [
    `mkdir -p ${to} && cd ${to} && to=$PWD || fail ${shellQuote(`Cannot use the folder ${artifact.destination}.`)}`,
    ...artifactSteps(artifact, url),
    // Next to the destination, so that one rename puts the complete script there.
    `cd "$to" && near=$(mktemp -d "$to/.muster.XXXXXX") || fail ${shellQuote(`Cannot write to the folder ${artifact.destination}.`)}`,
    `cat "$work/artifact" >"$near/artifact" || fail ${full}`,
    `[ ! -d ${file} ] || fail ${inTheWay}`,
    `chmod +x "$near/artifact" && mv -f "$near/artifact" ${file} || fail ${shellQuote(`Cannot put ${artifact.name} in place.`)}`,
    'rm -rf "$work" "$near"',
    // Without "--", one that begins with "-" would be taken for an option.
    `sh -c -- ${shellQuote(artifact.runCommand)}`,
  ];
}

/**
 * The line that downloads the artifact from `url` and runs it. Its exit code is that of update.sh, or of the script's
 * command; what it unpacked is removed however it ends. The parentheses isolate it from the surrounding shell.
 */
export function artifactCommand(artifact: CommandSource, url: string): string {
  const steps = artifact.isScript ? scriptSteps(artifact, url) : tarballSteps(artifact, url);
  return `(fail() { printf '%s\\n' "$*" >&2; exit 1; }; ${steps.join('; ')}; exit "$?")`;
}
