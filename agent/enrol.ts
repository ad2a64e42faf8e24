// How a device gets a key of its own on its first start: for an enrolment key, which many devices share, or by showing a code
// that a person types in the dashboard (docs/enrolment.md).
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { hostname, networkInterfaces, platform, release, arch } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeDurably } from './durable.ts';
import { answerInBetween, request } from './outgoing.ts';
import { retryAfterMs } from './reconnect.ts';

export interface PairOptions {
  server: string;
  data: string;
  log: (line: string) => void;
  /** Identifies this machine. */
  fingerprint?: string;
  /** Milliseconds until the next attempt after this many failed ones; the service may ask for more. */
  pause?: (attempts: number) => number;
}

export interface EnrolOptions extends PairOptions {
  enrolKey: string;
  /** Where the enrolment key was read from; it is deleted as soon as the device has a key of its own. */
  enrolKeyFile?: string | undefined;
}

/** The service refused for good: asking again would change nothing. */
export class EnrolmentRefused extends Error {}

const SECRET_FILE = 'enrolment-secret';
const SHORTEST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

/** Doubles from five seconds to a minute, spread so that a thousand devices switched on together do not ask together. */
const usualPause = (attempts: number): number =>
  Math.min(LONGEST_PAUSE_MS, SHORTEST_PAUSE_MS * 2 ** Math.min(attempts, 10)) * (0.5 + Math.random() / 2);

const read = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').replaceAll('\0', '').trim();
  } catch {
    return '';
  }
};

/**
 * The same at each start of this machine, and different on every other one: the id of the system's installation with the serial
 * number of the board, because copies of an image often have the same id. Elsewhere, the addresses of the network cards.
 */
export function machineFingerprint(): string {
  const id = read('/etc/machine-id') || read('/var/lib/dbus/machine-id');
  const serial =
    read('/proc/device-tree/serial-number') ||
    read('/sys/class/dmi/id/product_uuid') ||
    read('/sys/class/dmi/id/board_serial');
  const cards = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.flatMap(({ internal, mac }) => (internal ? [] : mac)),
  );
  const parts = id || serial ? [id, serial] : [hostname(), ...new Set(cards)].toSorted();
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

/** Chosen before the first request and kept until the key has been stored: the service repeats a lost answer to it. */
function ownSecret(data: string): string {
  const file = path.join(data, SECRET_FILE);
  const stored = read(file);
  if (stored !== '') return stored;
  const secret = randomBytes(16).toString('base64url');
  writeDurably(file, `${secret}\n`);
  return secret;
}

interface Answer {
  DeviceKey?: unknown;
  PairingId?: unknown;
  Code?: unknown;
  title?: unknown;
  detail?: unknown;
}

interface Answered {
  /** 0 if the service did not answer, which is in the log. */
  status: number;
  retryAfterMs: number;
  answer: Answer;
}

/** What the device says about itself. */
const introduction = (data: string, fingerprint: string) => ({
  MachineId: fingerprint,
  DeviceName: hostname().slice(0, 255) || 'device',
  Facts: { hostname: hostname().slice(0, 255), os: platform(), kernel: release().slice(0, 255), arch: arch() },
  Secret: ownSecret(data),
});

/** Logs a line unless it is the same as the one before. */
function sayOnce(log: (line: string) => void): (line: string) => void {
  let said = '';
  return (line) => {
    if (line !== said) log(line);
    said = line;
  };
}

function storeKey({ data, log }: Pick<PairOptions, 'data' | 'log'>, key: string): string {
  writeDurably(path.join(data, 'key'), `${key}\n`);
  rmSync(path.join(data, SECRET_FILE), { force: true });
  log('This device has joined, and has a key of its own.');
  return key;
}

const sentence = ({ title, detail }: Answer, status: number): string =>
  [title, detail].filter((part) => typeof part === 'string').join('. ') || `The service answered with ${status}.`;

/**
 * Asks until the service gives this device a key, and stores it. While a person has to approve the device, that may take days.
 * Rejects with {@link EnrolmentRefused} if the service refuses.
 */
export async function enrol({
  server,
  enrolKey,
  enrolKeyFile,
  data,
  log,
  fingerprint = machineFingerprint(),
  pause = usualPause,
}: EnrolOptions): Promise<string> {
  const body = { EnrolKey: enrolKey, ...introduction(data, fingerprint) };
  const say = sayOnce(log);
  for (let attempts = 0; ; attempts += 1) {
    const { status, answer, ...asked } = await ask(server, 'POST', '/v1/enrol', say, { body });
    if (status === 200 && typeof answer.DeviceKey === 'string') {
      const key = storeKey({ data, log }, answer.DeviceKey);
      if (enrolKeyFile !== undefined) rmSync(enrolKeyFile, { force: true });
      return key;
    }
    if (status === 202)
      say(`Waiting for approval in the dashboard. Fingerprint of this machine: ${shortFingerprint(fingerprint)}`);
    else if (status === 403 || status === 400) throw new EnrolmentRefused(sentence(answer, status));
    else if (status > 0) say(sentence(answer, status));
    await sleep(Math.max(asked.retryAfterMs, pause(attempts)));
  }
}

/** The file with the code, for programs that show it, such as one with a display. */
const CODE_FILE = 'pairing-code';
const PAIRING_PAUSE_MS = 5_000;

/** Shows a code, until a person has typed it in the dashboard; then stores the key of the device. A new code every ten minutes. */
export async function pair({
  server,
  data,
  log,
  fingerprint = machineFingerprint(),
  pause = () => PAIRING_PAUSE_MS,
}: PairOptions): Promise<string> {
  const say = sayOnce(log);
  const codeFile = path.join(data, CODE_FILE);
  const introduced = introduction(data, fingerprint);
  for (let attempts = 0; ; attempts += 1) {
    const begun = await ask(server, 'POST', '/v1/pair/begin', say, { body: introduced });
    const { Code: code, PairingId: id } = begun.answer;
    if (begun.status === 400) throw new EnrolmentRefused(sentence(begun.answer, begun.status));
    if (typeof code !== 'string' || typeof id !== 'string') {
      if (begun.status > 0) say(sentence(begun.answer, begun.status));
      await sleep(Math.max(begun.retryAfterMs, pause(attempts)));
      continue;
    }
    const shown = `${code.slice(0, 4)}-${code.slice(4)}`;
    writeDurably(codeFile, `${shown}\n`);
    say(`Pairing code: ${shown}. Type it in the dashboard, under Devices, Enrolment.`);
    for (let status = 202; status !== 404;) {
      const asked = await ask(server, 'GET', `/v1/pair/${encodeURIComponent(id)}`, say, { secret: introduced.Secret });
      ({ status } = asked);
      if (status === 200 && typeof asked.answer.DeviceKey === 'string') {
        rmSync(codeFile, { force: true });
        return storeKey({ data, log }, asked.answer.DeviceKey);
      }
      if (status !== 404) await sleep(Math.max(asked.retryAfterMs, pause(attempts)));
    }
  }
}

/** What the dashboard shows of it, so that a person can compare the two. */
const shortFingerprint = (fingerprint: string): string =>
  createHash('sha256').update(fingerprint).digest('hex').slice(0, 12);

const TIMEOUT_MS = 30_000;

/** Its refusals are problem documents (RFC 9457). A proxy, or a network's sign-in, answers with a page, a text, or JSON of its own. */
const isOfService = ({ ok, headers }: Response): boolean =>
  (ok ? /^application\/json\b/ : /^application\/problem\+json\b/).test(headers.get('Content-Type') ?? '');

/** One request. Status 0, and a line in the log, if the service cannot be reached. */
async function ask(
  server: string,
  method: 'GET' | 'POST',
  at: string,
  say: (line: string) => void,
  { body, secret }: { body?: object; secret?: string },
): Promise<Answered> {
  try {
    const response = await request(server + at, {
      method,
      headers: {
        ...(body && { 'Content-Type': 'application/json' }),
        ...(secret !== undefined && { 'Muster-Secret': secret }),
      },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { status, statusText, headers } = response;
    const pauseMs = retryAfterMs(headers.get('Retry-After') ?? '');
    const answer = (await response.json().catch(() => ({}))) as Answer;
    if (isOfService(response)) return { status, retryAfterMs: pauseMs, answer };
    say(`${server} cannot be reached: ${answerInBetween(status, statusText, headers.get('Server'))}. Trying again.`);
    return { status: 0, retryAfterMs: pauseMs, answer: {} };
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    say(`${server} cannot be reached: ${cause?.message ?? message}. Trying again.`);
    return { status: 0, retryAfterMs: 0, answer: {} };
  }
}
