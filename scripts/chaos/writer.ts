// A client that repeats each write with the same Idempotency-Key until it is answered, and records what a 200
// confirmed.
import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Everything that the service acknowledged. */
export interface Ledger {
  /** CustomerName by DeviceId: the last confirmed one, and other possible ones (sent later, not answered). */
  devices: Map<string, { confirmed: string; possible: Set<string> }>;
  deletedDevices: Set<string>;
  /** SHA-256 by ArtifactId. */
  artifacts: Map<string, string>;
  deletedArtifacts: Set<string>;
  /** In order of submission, each with its device. */
  jobs: { id: string; name: string; deviceId: string }[];
  writes: number;
  /** How often a write was repeated after a lost answer or a temporary refusal. */
  repeats: number;
}

export const newLedger = (): Ledger => ({
  devices: new Map(),
  deletedDevices: new Set(),
  artifacts: new Map(),
  deletedArtifacts: new Set(),
  jobs: [],
  writes: 0,
  repeats: 0,
});

const ANSWER_TIMEOUT_MS = 8_000;
const PAUSE_MS = 100;

export class Client {
  readonly #url: string;
  readonly #token: string;
  readonly #ledger: Ledger;
  readonly #isOver: () => boolean;

  constructor(url: string, token: string, ledger: Ledger, isOver: () => boolean) {
    this.#url = url;
    this.#token = token;
    this.#ledger = ledger;
    this.#isOver = isOver;
  }

  /** One attempt; undefined if no answer came. */
  async attempt(method: string, path: string, body?: object | FormData, key?: string): Promise<Response | undefined> {
    const isForm = body instanceof FormData;
    try {
      const response = await fetch(this.#url + path, {
        method,
        headers: {
          Authorization: `Bearer ${this.#token}`,
          ...(body && !isForm && { 'Content-Type': 'application/json' }),
          ...(key !== undefined && { 'Idempotency-Key': key }),
        },
        ...(body && { body: isForm ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      });
      // A truncated answer does not count.
      return new Response(await response.arrayBuffer(), { status: response.status });
    } catch {
      return undefined;
    }
  }

  /**
   * Repeats a write until it is answered with a 200, or with one of `alsoDone`. Undefined if the run ended before that.
   * `onUnanswered` hears of each attempt that may still be carried out later.
   */
  async write(
    method: string,
    path: string,
    body?: object | FormData,
    alsoDone: number[] = [],
    onUnanswered?: () => void,
  ): Promise<Response | undefined> {
    const key = method === 'POST' ? randomUUID() : undefined;
    for (let isFirst = true; ; isFirst = false) {
      const response = await this.attempt(method, path, body, key);
      const status = response?.status ?? 0;
      if (status === 200 || (!isFirst && alsoDone.includes(status))) {
        this.#ledger.writes += 1;
        return response;
      }
      if (status >= 400 && status < 500 && status !== 408 && status !== 429)
        throw new Error(`${method} ${path} was refused with ${status}: ${await response?.text()}`);
      this.#ledger.repeats += 1;
      if (!response) onUnanswered?.();
      if (this.#isOver()) return undefined;
      await sleep(PAUSE_MS);
    }
  }

  async read<T>(path: string): Promise<T> {
    const response = await this.attempt('GET', path);
    if (response?.status !== 200) throw new Error(`GET ${path}: ${response?.status ?? 'no answer'}`);
    return (await response.json()) as T;
  }
}

/** Creates, edits and deletes devices, one after the other, until the run is over. */
export async function writeDevices(client: Client, ledger: Ledger, isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n += 1) {
    const made = await client.write('POST', '/v1/devices', { DeviceName: `chaos-${n}`, DeviceGroup: 'written' }, [409]);
    if (!made) return;
    // When a repeated request comes after its key was lost, the refusal names the device that it created.
    const [, inAnswer, inRefusal] = /"DeviceId":"([^"]+)"|\/v1\/devices\/([\w-]+)\/key/.exec(await made.text()) ?? [];
    const deviceId = inAnswer ?? inRefusal ?? '';
    const device = { confirmed: '', possible: new Set(['']) };
    ledger.devices.set(deviceId, device);
    // A suspended node carries out what it had read once it runs again, which may be after later edits.
    const late = new Set<string>();
    for (const value of [`first ${n}`, `second ${n}`]) {
      device.possible.add(value);
      const isDone = await client.write('PATCH', `/v1/devices/${deviceId}`, { CustomerName: value }, [], () =>
        late.add(value),
      );
      if (!isDone) return;
      device.confirmed = value;
      device.possible = new Set([...late, value]);
    }
    await sleep(PAUSE_MS / 2);
    if (n % 3 !== 0) continue;
    // From here until the answer it is unknown whether the device exists.
    ledger.devices.delete(deviceId);
    if (await client.write('DELETE', `/v1/devices/${deviceId}`, undefined, [404])) ledger.deletedDevices.add(deviceId);
  }
}

/** Uploads artifacts and deletes every third one. */
export async function writeArtifacts(client: Client, ledger: Ledger, isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n += 1) {
    const content = `#!/bin/sh\n# ${n}\n${'#'.repeat(20_000 + n)}\n`;
    const made = await client.write('POST', '/v1/artifact', scriptForm(`chaos-${n}.sh`, content, '/tmp'));
    if (!made) return;
    const { ArtifactId } = (await made.json()) as { ArtifactId: string };
    if (n % 3 !== 0) ledger.artifacts.set(ArtifactId, hash('sha256', content));
    else if (await client.write('DELETE', `/v1/artifact/${ArtifactId}`, undefined, [404]))
      ledger.deletedArtifacts.add(ArtifactId);
    await sleep(PAUSE_MS);
  }
}

/** The form of an upload; the script runs by its name in `destination`. */
export function scriptForm(name: string, content: string, destination: string): FormData {
  const form = new FormData();
  form.set('type', 'script');
  form.set('version', '1.0');
  form.set('size', String(content.length));
  form.set('destination', destination);
  form.set('command', `./${name}`);
  form.set('file', new File([content], name));
  return form;
}

/** Submits jobs to one device, in order, a few ahead of what the device has done. */
export async function submitJobs(
  client: Client,
  ledger: Ledger,
  {
    deviceId,
    bodies,
    mayGoOn,
    isOver,
  }: {
    deviceId: string;
    /** The jobs to submit, in turn. */
    bodies: object[];
    /** Whether the device has few enough unfinished jobs for another one. */
    mayGoOn: (submitted: number) => boolean;
    isOver: () => boolean;
  },
): Promise<void> {
  for (let n = 0; !isOver();) {
    if (!mayGoOn(n)) {
      await sleep(PAUSE_MS);
      continue;
    }
    const name = `${deviceId} ${n}`;
    const sent = await client.write('POST', '/v1/job', {
      Name: name,
      DeviceId: deviceId,
      ...bodies[n % bodies.length],
    });
    if (!sent) return;
    ledger.jobs.push({ id: ((await sent.json()) as { JobId: string }).JobId, name, deviceId });
    n += 1;
  }
}
