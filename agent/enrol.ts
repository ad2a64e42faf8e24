// Joins the account with an enrolment key: on its first start a device changes that key, which many devices share, for a
// key of its own (docs/enrolment.md).
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { hostname, networkInterfaces, platform, release, arch } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeDurably } from './durable.ts';

export interface EnrolOptions {
  server: string;
  enrolKey: string;
  /** Where the enrolment key was read from; it is deleted as soon as the device has a key of its own. */
  enrolKeyFile?: string | undefined;
  data: string;
  log: (line: string) => void;
  /** Identifies this machine. */
  fingerprint?: string;
  /** Milliseconds until the next attempt after this many failed ones; the service may ask for more. */
  pause?: (attempts: number) => number;
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
  title?: unknown;
  detail?: unknown;
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
  const body = JSON.stringify({
    EnrolKey: enrolKey,
    MachineId: fingerprint,
    DeviceName: hostname().slice(0, 255) || 'device',
    Facts: { hostname: hostname().slice(0, 255), os: platform(), kernel: release().slice(0, 255), arch: arch() },
    Secret: ownSecret(data),
  });
  let said = '';
  const say = (line: string) => {
    if (line !== said) log(line);
    said = line;
  };
  for (let attempts = 0; ; attempts += 1) {
    const wait = await ask(server, body).then(
      ({ status, retryAfterMs, answer }) => {
        if (status === 200 && typeof answer.DeviceKey === 'string') return { key: answer.DeviceKey };
        if (status === 202)
          say(`Waiting for approval in the dashboard. Fingerprint of this machine: ${shortFingerprint(fingerprint)}`);
        else if (status === 403 || status === 400) throw new EnrolmentRefused(sentence(answer, status));
        else say(sentence(answer, status));
        return { retryAfterMs };
      },
      (error: Error) => {
        say(
          `${server} cannot be reached: ${(error.cause as Error | undefined)?.message ?? error.message}. Trying again.`,
        );
        return { retryAfterMs: 0 };
      },
    );
    if ('key' in wait) {
      writeDurably(path.join(data, 'key'), `${wait.key}\n`);
      if (enrolKeyFile !== undefined) rmSync(enrolKeyFile, { force: true });
      rmSync(path.join(data, SECRET_FILE), { force: true });
      log('This device has joined, and has a key of its own.');
      return wait.key;
    }
    await sleep(Math.max(wait.retryAfterMs, pause(attempts)));
  }
}

/** What the dashboard shows of it, so that a person can compare the two. */
const shortFingerprint = (fingerprint: string): string =>
  createHash('sha256').update(fingerprint).digest('hex').slice(0, 12);

const TIMEOUT_MS = 30_000;

async function ask(server: string, body: string): Promise<{ status: number; retryAfterMs: number; answer: Answer }> {
  const response = await fetch(`${server}/v1/enrol`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const seconds = Number(response.headers.get('Retry-After') ?? 0);
  const answer = (await response.json().catch(() => ({}))) as Answer;
  return { status: response.status, retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : 0, answer };
}
