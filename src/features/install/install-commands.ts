// The commands that make a machine a device, ready to paste into a POSIX shell.

/** Shown instead of a key that is not known any more. */
export const KEY_PLACEHOLDER = '<device key>';

/** A word of a shell command: bare where it is harmless, else in single quotes. */
export const shellWord = (text: string): string =>
  /^[\w.+/=:@%-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

export function installCommands(origin: string, key: string) {
  const script = shellWord(`${origin}/install.sh`);
  const word = shellWord(key);
  const options = isInsecure(origin) ? ' -s -- --insecure' : '';
  return {
    /** For a real device: downloads the agent and installs it. */
    curl: `curl -fsSL ${script} | DEVICE_KEY=${word} sh${options}`,
    wget: `wget -qO- ${script} | DEVICE_KEY=${word} sh${options}`,
    /** For the machine that holds a clone of the project. */
    clone: `npm run agent -- --server ${shellWord(origin)} --key ${word}`,
  };
}

/** Renews every agent that is installed on a machine; each has its own key already. */
export const updateCommand = (origin: string): string =>
  `curl -fsSL ${shellWord(`${origin}/install.sh`)} | sudo sh -s -- --update${isInsecure(origin) ? ' --insecure' : ''}`;

/** Whether somebody in between could read and change what a device fetches from there; install.sh asks for a word. */
export const isInsecure = (origin: string): boolean => origin.startsWith('http:') && !isLoopback(origin);

/** Whether the address only means "this machine", so that a command with it works nowhere else. */
export function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return (
    hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || hostname.startsWith('127.')
  );
}
