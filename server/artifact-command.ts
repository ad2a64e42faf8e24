// The Command of an artifact: one line of plain POSIX sh that any device can run, whatever its current folder, with curl
// or wget as its only need. Names and paths come from people and archives, so each value is single-quoted: there is no
// other quoting in which nothing has a meaning (Teleport's CVE-2022-36633 is what the opposite leads to).

/** What a Command needs to know of its artifact. */
export interface CommandSource {
  name: string;
  sha256: string;
  isScript: boolean;
  /** Of a script: where it goes. */
  destination: string;
  /** Of a script: what runs it. */
  runCommand: string;
  /** Of a tar.gz: the folder inside it where update.sh lies, '' for its root. */
  folder: string;
}

/** A value as one word of a POSIX shell, with nothing in it that the shell would act on. */
export const shellQuote = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`;

/** A folder as one word: relative ones marked as such (a leading "-" is no option), "~" being the home folder. */
function shellFolder(folder: string): string {
  // A system service may have no HOME, and is then the superuser's.
  if (folder === '~' || folder.startsWith('~/')) return `"\${HOME:-/root}"${shellQuote(folder.slice(1) || '/')}`;
  return shellQuote(folder.startsWith('/') ? folder : `./${folder}`);
}

const have = (tool: string) => `command -v ${tool} >/dev/null 2>&1`;

/** Fetches the artifact to "$work/artifact" and makes sure that it is the one that was uploaded. */
function fetchSteps({ name, sha256 }: CommandSource, url: string): string[] {
  // curl and wget report in their own ways; what went wrong with which file is said once, here.
  const trouble = shellQuote(`Cannot download ${name} from ${new URL(url).origin}.`);
  const tampered = shellQuote(`${name} arrived changed: its SHA-256 is not the one of the upload. Nothing was run.`);
  const file = '"$work/artifact"';
  return [
    `url=${shellQuote(url)}`,
    [
      `if ${have('curl')}; then curl -fsSL --connect-timeout 60 --speed-time 60 --speed-limit 1 -o ${file} "$url"`,
      `elif ${have('wget')}; then wget -q -T 60 -O ${file} "$url"`,
      // An agent on a device that has neither may offer a program of its own.
      `elif [ -n "\${MUSTER_FETCH-}" ]; then "$MUSTER_FETCH" "$url" ${file}`,
      `else fail 'This device has neither curl nor wget.'`,
      `fi || fail ${trouble}`,
    ].join('; '),
    [
      `if ${have('sha256sum')}; then sum=$(sha256sum <${file})`,
      `elif ${have('shasum')}; then sum=$(shasum -a 256 <${file})`,
      `elif ${have('openssl')}; then sum=$(openssl dgst -sha256 -r <${file})`,
      `else sum=${shellQuote(sha256)}`,
      'fi',
    ].join('; '),
    `case $sum in ${shellQuote(sha256)}*) ;; *) fail ${tampered} ;; esac`,
  ];
}

// An archive may hold folders that not even their owner may write to.
const CLEAN_UP = `rm -rf "$work" 2>/dev/null || { chmod -R u+rwx "$work"; rm -rf "$work"; }`;
const TRAPS = [`trap '${CLEAN_UP}' EXIT`, `trap 'exit 129' HUP`, `trap 'exit 130' INT`, `trap 'exit 143' TERM`];

function tarballSteps(artifact: CommandSource, url: string): string[] {
  const folder = artifact.folder === '' ? '' : shellQuote(`/${artifact.folder}`);
  return [
    `work=$(mktemp -d) || fail 'Cannot make a temporary folder.'`,
    ...TRAPS,
    ...fetchSteps(artifact, url),
    // -o: the files belong to who runs this, not to whichever user had that number where they were packed.
    `mkdir "$work/unpacked" && tar -x -z -o -f "$work/artifact" -C "$work/unpacked" || fail ${shellQuote(`Cannot unpack ${artifact.name}.`)}`,
    `cd "$work/unpacked"${folder} || exit 1`,
    'chmod +x update.sh',
    // Not executable even now: the temporary folder is mounted noexec.
    'if [ -x update.sh ]; then ./update.sh; else sh ./update.sh; fi',
  ];
}

function scriptSteps(artifact: CommandSource, url: string): string[] {
  const to = shellFolder(artifact.destination);
  const file = shellQuote(`./${artifact.name}`);
  // "sh -c -x" would be taken for an option.
  const run = /^[-+]/.test(artifact.runCommand) ? ` ${artifact.runCommand}` : artifact.runCommand;
  const inTheWay = shellQuote(
    `${artifact.name} is a folder in ${artifact.destination}: the script cannot take its place.`,
  );
  return [
    `mkdir -p ${to} && cd ${to} || fail ${shellQuote(`Cannot use the folder ${artifact.destination}.`)}`,
    // Next to where the script goes, so that it appears there at once and whole.
    `work=$(mktemp -d ./.muster.XXXXXX) || fail ${shellQuote(`Cannot write to the folder ${artifact.destination}.`)}`,
    ...TRAPS,
    ...fetchSteps(artifact, url),
    `[ ! -d ${file} ] || fail ${inTheWay}`,
    `chmod +x "$work/artifact" && mv -f "$work/artifact" ${file} || fail ${shellQuote(`Cannot put ${artifact.name} in place.`)}`,
    'rm -rf "$work"',
    `sh -c ${shellQuote(run)}`,
  ];
}

/**
 * The line that fetches the artifact from `url` and runs it. Its exit code is that of update.sh, or of the script's
 * command; what it unpacked is removed whichever way it ends. The parentheses keep all of it from the shell around it.
 */
export function artifactCommand(artifact: CommandSource, url: string): string {
  const steps = artifact.isScript ? scriptSteps(artifact, url) : tarballSteps(artifact, url);
  return `(fail() { printf '%s\\n' "$1" >&2; exit 1; }; ${steps.join('; ')}; exit "$?")`;
}
