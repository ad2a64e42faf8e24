// The commands that make a machine a device, ready to paste into a POSIX shell.

/** Shown instead of a key that is no longer known. */
export const KEY_PLACEHOLDER = '<device key>';

/** A word of a shell command, in single quotes if it needs them. */
export const shellWord = (text: string): string =>
  /^[\w.+/=:@%-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** How a device joins: by its own key, by an enrolment key, or by a code that it shows. */
export type JoinBy = 'key' | 'enrolment' | 'pairing';

/** `allowTunnels`: the agent lets the service open tunnels to the device's own ports. */
export function installCommands(
  origin: string,
  key: string,
  { allowTunnels = false, by = 'key' }: { allowTunnels?: boolean; by?: JoinBy } = {},
) {
  const script = shellWord(`${origin}/install.sh`);
  const word = shellWord(key);
  const allowed = allowTunnels ? ' --allow-tunnels loopback' : '';
  const given = `${isInsecure(origin) ? ' --insecure' : ''}${by === 'pairing' ? ' --pair' : ''}${allowed}`;
  const options = given && ` -s --${given}`;
  const variable = { key: `DEVICE_KEY=${word} `, enrolment: `ENROL_KEY=${word} `, pairing: '' }[by];
  return {
    /** For a real device: downloads the agent and installs it. */
    curl: `curl -fsSL ${script} | ${variable}sh${options}`,
    wget: `wget -qO- ${script} | ${variable}sh${options}`,
    /** For the machine that holds a clone of the project, by the device's own key. */
    clone: `npm run agent -- --server ${shellWord(origin)} --key ${word}${allowed}`,
  };
}

/** What has to be on a device before, where the service brings Node.js along for these platforms (`linux-x64`). */
export function nodeNeeded(runtimes: readonly string[] = []): string {
  const kinds = runtimes.map((platform) => platform.replace(/^linux-/, '')).toSorted((a, b) => b.localeCompare(a));
  const otherwise = 'or use the shell agent (--sh at the end; no tunnels).';
  return kinds.length === 0
    ? `Devices need Node.js 20, ${otherwise}`
    : `On most Linux devices (${kinds.join(' and ')}) nothing needs to be installed first. Others need Node.js 20, ${otherwise}`;
}

/** Updates every agent installed on a machine; each has its key already. */
export const updateCommand = (origin: string): string =>
  `curl -fsSL ${shellWord(`${origin}/install.sh`)} | sudo sh -s -- --update${isInsecure(origin) ? ' --insecure' : ''}`;

/** Whether someone in between could read and change what a device fetches; install.sh then requires `--insecure`. */
export const isInsecure = (origin: string): boolean => origin.startsWith('http:') && !isLoopback(origin);

/** Whether the address means "this machine", so that a command with it works nowhere else. */
export function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return (
    hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || hostname.startsWith('127.')
  );
}
