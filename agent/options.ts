// The agent's command line and stored settings. The key comes from a file, the environment, or the command line, which
// every user of the machine can read. It is stored in the data folder, readable only by its owner.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ALLOWS_NONE, parseAllowance } from '#/contract/tunnel-allowance.ts';
import { writeDurably } from './durable.ts';
import { readTunnels, type TunnelOption } from './tunnel-options.ts';
import { UsageError } from './usage-error.ts';

export const HELP = `Muster's agent: connects this device to a Muster service and runs the jobs it is given.

  --server URL      address of the service, for example https://muster.example.com
  --key-file FILE   file that holds the device key
  --key KEY         the device key itself (shows in the process list; DEVICE_KEY in the environment does not)
  --enrol-key-file FILE
                    file that holds an enrolment key: at the first start the agent changes it for a device key of its
                    own, and deletes the file (ENROL_KEY in the environment holds the enrolment key itself)
  --pair            at the first start, show a code that a person types in the dashboard; it is in the file
                    pairing-code of the data folder, too
  --data DIR        the agent's own folder; by default one for each device below
                    $XDG_STATE_HOME/muster-agent or ~/.local/share/muster-agent
  --tunnel ADDRESS  open a tunnel to a service of this device: http://127.0.0.1:3000 or tcp://127.0.0.1:22; can be
                    given several times, and nothing that is not named can be reached
  --config FILE     tunnels as JSON, with a login for visitors and times after which they close:
                    {"tunnels": ["tcp://127.0.0.1:22",
                      {"to": "http://127.0.0.1:3000", "login": "user:password", "idle": "15m", "expires": "8h"}]}
  --allow-tunnels LIST
                    what the service may open tunnels to by itself: none (the default), loopback (this device's own
                    ports), or addresses like 192.168.1.20:80,*.plant.example:8000-8099; with commas between them
  --version         print the agent's version
  --help            print this text

http_proxy, https_proxy, all_proxy and no_proxy in the environment name a proxy, as for curl.

Server and key are stored in the data folder: a later start with the same --data needs neither, and without --data no
key where only one device has run here.
Exit codes: 0 stopped · 1 cannot start · 2 the service refused the key · 3 another agent took this device over ·
  4 replaced itself, to be started again
`;

/** --allow-tunnels as `muster-agent run` passes it: agents of versions without it ignore a variable. */
export const ALLOW_VARIABLE = 'MUSTER_ALLOW_TUNNELS';

/** The installation folder, set by `muster-agent run`. Jobs must not inherit this variable. */
export const INSTALL_VARIABLE = 'MUSTER_INSTALL';

/** The enrolment key in the environment. Jobs must not inherit it. */
export const ENROL_VARIABLE = 'ENROL_KEY';

/** Seconds after which the agent looks for facts that have changed, for tests. */
export const FACTS_EVERY_VARIABLE = 'MUSTER_FACTS_EVERY';

/** Names the folder of a device that had no key at its first start. */
const PAIRED = 'paired';

/** With what this device joins, if it has no key yet. */
export interface Enrolment {
  enrolKey: string;
  /** The file that it is from. */
  enrolKeyFile: string | undefined;
}

export interface Settings {
  server: string;
  /** Undefined until the device has joined. */
  key: string | undefined;
  /** Where a new key is to be stored, so that the next start uses it; see DeviceKey. */
  keyFiles: readonly string[];
  enrolment: Enrolment | undefined;
  /** Without a key it shows a code for a person. */
  pair: boolean;
  data: string;
  tunnels: TunnelOption[];
  /** What the service may open tunnels to. */
  allowTunnels: string;
  /** The installation folder, if `muster-agent run` started this agent and would restart it. */
  install: string | undefined;
}

/** The requested action: help, version, or run with these settings. */
export function readOptions(args: string[], env: NodeJS.ProcessEnv): 'help' | 'version' | Settings {
  const { values } = readArguments(args);
  // Checked first, so that `--allow-tunnels LIST --version` tests a list.
  const allowTunnels = readAllowance(values['allow-tunnels'] ?? (env[ALLOW_VARIABLE] || ALLOWS_NONE));
  if (values.help) return 'help';
  if (values.version) return 'version';

  const given = values['key-file'] === undefined ? env['DEVICE_KEY'] || values.key : readKeyFile(values['key-file']);
  const enrolment = readEnrolment(values['enrol-key-file'], env);
  const { pair = false } = values;
  const named = given ?? enrolment?.enrolKey ?? (pair ? PAIRED : undefined);
  const data = path.resolve(
    values.data ?? (named === undefined ? onlyFolder(values.server, env) : folderOf(named, env)),
  );
  const key = given?.trim() ?? readStored(data, 'key');
  if (key === undefined && !enrolment && !pair)
    throw new UsageError(
      `No device key is stored in ${data}: give --key-file FILE, DEVICE_KEY, --key KEY, --enrol-key-file FILE or --pair.`,
    );
  // The characters that an Authorization header may contain (RFC 6750, section 2.1).
  if (key !== undefined && !/^[\w.~+/-]+=*$/.test(key))
    throw new UsageError('That is no device key: copy it again, whole and without quotes.');

  const server = values.server ?? readStored(data, 'server');
  if (server === undefined)
    throw new UsageError('No address: give --server URL, for example --server https://muster.example.com');
  const tunnels = readTunnels(values.tunnel, values.config);
  const install = env[INSTALL_VARIABLE] || undefined;
  const stored = path.join(data, 'key');
  // What `muster-agent back` puts in place of the key file.
  const setAside = install === undefined ? undefined : path.join(install, 'previous');
  const previous = setAside !== undefined && readStored(setAside, 'key') === key ? [path.join(setAside, 'key')] : [];
  const keyFiles =
    values['key-file'] !== undefined ? [stored, ...previous, values['key-file']] : given === undefined ? [stored] : [];
  return { server: readServer(server), key, keyFiles, enrolment, pair, data, tunnels, allowTunnels, install };
}

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        server: { type: 'string' },
        key: { type: 'string' },
        'key-file': { type: 'string' },
        'enrol-key-file': { type: 'string' },
        pair: { type: 'boolean' },
        data: { type: 'string' },
        tunnel: { type: 'string', multiple: true, default: [] },
        config: { type: 'string' },
        'allow-tunnels': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('. ')[0]}. --help lists the options.`);
  }
}

function readAllowance(text: string): string {
  if (parseAllowance(text))
    return text
      .split(',')
      .map((item) => item.trim())
      .join(',');
  throw new UsageError(
    `--allow-tunnels is "${text}", but it must be none, loopback, or addresses like 192.168.1.20:80 with commas between them`,
  );
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`The key file ${file} cannot be read: ${(error as Error).message}`);
  }
}

/** A file that is gone was used by an earlier start. */
function readEnrolment(file: string | undefined, env: NodeJS.ProcessEnv): Enrolment | undefined {
  const enrolKey = file !== undefined && existsSync(file) ? readKeyFile(file) : env[ENROL_VARIABLE];
  return enrolKey ? { enrolKey, enrolKeyFile: file } : undefined;
}

const foldersOf = (env: NodeJS.ProcessEnv): string =>
  path.join(env['XDG_STATE_HOME'] || path.join(homedir(), '.local', 'share'), 'muster-agent');

/** The folders of the devices that have run on this machine. */
function usedFolders(env: NodeJS.ProcessEnv): string[] {
  const base = foldersOf(env);
  try {
    return readdirSync(base).map((name) => path.join(base, name));
  } catch {
    return []; // none has run yet
  }
}

/** The folder of the only device that has run on this machine, or for this server if one is given. */
function onlyFolder(server: string | undefined, env: NodeJS.ProcessEnv): string {
  const wanted = server === undefined ? undefined : readServer(server);
  const folders = usedFolders(env).filter(
    (folder) => readStored(folder, 'key') && (wanted === undefined || readStored(folder, 'server') === wanted),
  );
  if (folders.length > 1)
    throw new UsageError(`Several devices have run on this machine. Give --data with the folder of one of them:
${folders.map((folder) => `  ${folder}`).join('\n')}`);
  const [folder] = folders;
  if (folder === undefined)
    throw new UsageError('No device key: give --key-file FILE, DEVICE_KEY in the environment, or --key KEY.');
  return folder;
}

/** The folder is named after the device's first key, so that two devices on one machine never share one. */
function folderOf(key: string, env: NodeJS.ProcessEnv): string {
  const used = usedFolders(env).find((folder) => readStored(folder, 'key') === key.trim());
  return used ?? path.join(foldersOf(env), createHash('sha256').update(key.trim()).digest('hex').slice(0, 12));
}

function readStored(data: string, name: 'key' | 'server'): string | undefined {
  try {
    return readFileSync(path.join(data, name), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

function readServer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new UsageError(
      `--server is "${text}", but it must be an http or https address like https://muster.example.com`,
    );
  return url.href.replace(/\/+$/, '');
}

/** Stores the server and key for later starts. */
export function storeSettings({ server, key, data }: { server: string; key: string; data: string }): void {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  for (const [name, value] of [
    ['key', key],
    ['server', server],
  ] as const) {
    if (readStored(data, name) !== value) writeDurably(path.join(data, name), `${value}\n`, 0o600);
    chmodSync(path.join(data, name), 0o600);
  }
}
