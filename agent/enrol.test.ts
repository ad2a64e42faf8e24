// Joining with an enrolment key, against a service that fails, makes the device wait, or refuses.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, test } from 'node:test';
import { enrol, EnrolmentRefused, machineFingerprint, pair } from './enrol.ts';
import { testFolder, type TestFolder } from './test-folder.ts';

/** How the service answers one request; it gets the parsed body. */
type Turn = (answer: ServerResponse, body: Record<string, unknown>) => void;
const json = (status: number, body: object) => (answer: ServerResponse) =>
  answer
    .writeHead(status, { 'Content-Type': `application/${status < 400 ? '' : 'problem+'}json` })
    .end(JSON.stringify(body));
const JOINED = json(200, { DeviceId: 'd', DeviceKey: 'mdk_own' });
const WAITING = json(202, { PendingId: 'p' });
/** The page of a proxy that would have the device wait for more than a day. */
const WAIT_A_DAY: Turn = (answer) => answer.writeHead(503, { 'Retry-After': '99999' }).end('<html>');
const CUT: Turn = (answer) => answer.destroy();

let turns: Turn[] = [];
let bodies: Record<string, unknown>[] = [];
let secrets: unknown[] = [];
const server = createServer((request, answer) => {
  void text(request).then((sent) => {
    const body = sent === '' ? {} : (JSON.parse(sent) as Record<string, unknown>);
    secrets.push(request.headers['muster-secret']);
    bodies.push(body);
    (turns.shift() ?? JOINED)(answer, body);
  });
});
let folder: TestFolder;
beforeEach(async () => {
  bodies = [];
  secrets = [];
  folder = testFolder();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterEach(async () => {
  folder.remove();
  await new Promise((done) => server.close(done));
});

const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
function join(data: string, with_: Turn[] = []) {
  turns = with_;
  const lines: string[] = [];
  const enrolKeyFile = path.join(data, 'enrol-key');
  writeFileSync(enrolKeyFile, 'mek_shared\n');
  const log = (line: string) => void lines.push(line);
  const pause = () => 0;
  const key = enrol({ server: url(), enrolKey: 'mek_shared', enrolKeyFile, data, log, fingerprint: 'machine', pause });
  return { key, lines, enrolKeyFile };
}

test('the key is stored for its owner only, and the enrolment key is forgotten', async () => {
  const { data } = folder;
  const { key, enrolKeyFile } = join(data);
  assert.equal(await key, 'mdk_own');
  const file = path.join(data, 'key');
  assert.equal(readFileSync(file, 'utf8'), 'mdk_own\n');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(existsSync(enrolKeyFile), false);
  assert.equal(existsSync(path.join(data, 'enrolment-secret')), false);
  assert.equal(bodies[0]?.['MachineId'], 'machine');
});

test('lost answers and an approval that takes its time are waited for, with the same secret', async () => {
  const { data } = folder;
  const { key, lines } = join(data, [CUT, WAITING, WAITING, json(503, { title: 'Not now' }), WAIT_A_DAY, CUT, JOINED]);
  assert.equal(await key, 'mdk_own');
  assert.equal(bodies.length, 7);
  assert.equal(new Set(bodies.map((body) => JSON.stringify(body))).size, 1);
  assert.ok(String(bodies[0]?.['Secret']).length >= 22);
  assert.equal(lines.filter((line) => line.startsWith('Waiting for approval')).length, 1);
});

test('a refusal ends it with the sentence of the service, and leaves the enrolment key for a look', async () => {
  const { data } = folder;
  const refusal = { title: 'The enrolment key is used up', detail: 'It was for 2 devices.' };
  const { key, enrolKeyFile } = join(data, [json(403, refusal)]);
  await assert.rejects(key, (error: Error) => {
    assert.ok(error instanceof EnrolmentRefused);
    assert.equal(error.message, 'The enrolment key is used up. It was for 2 devices.');
    return true;
  });
  assert.equal(existsSync(path.join(data, 'key')), false);
  assert.equal(existsSync(enrolKeyFile), true);
});

/** Envoy's RBAC, nginx's list of addresses, and a firewall of a cloud; the sign-in page of a hotel. */
const IN_BETWEEN: Turn[] = [
  (answer) => answer.writeHead(403, { 'Content-Type': 'text/plain', Server: 'envoy' }).end('RBAC: access denied'),
  (answer) => answer.writeHead(403, { 'Content-Type': 'text/html' }).end('<h1>403 Forbidden</h1><hr>nginx'),
  (answer) => answer.writeHead(400, { 'Content-Type': 'application/json' }).end('{"message":"Forbidden"}'),
  (answer) => answer.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>Welcome</title>'),
];

test('what a proxy or a sign-in of the network says ends no enrolment, and is not shown as the service’s', async () => {
  const { key, lines } = join(folder.data, [...IN_BETWEEN]);
  assert.equal(await key, 'mdk_own');
  const tried = (what: string) => `${url()} cannot be reached: a proxy in between${what}. Trying again.`;
  assert.deepEqual(lines.slice(0, 4), [
    tried(', envoy, answered 403 Forbidden; see that it lets this device through'),
    tried(' answered 403 Forbidden; see that it lets this device through'),
    tried(' answered 400 Bad Request; see that it lets this device through'),
    tried(' answered 200 OK; see that it lets this device through'),
  ]);
});

test('what a proxy says ends no pairing, and takes no code away', async () => {
  turns = [...IN_BETWEEN, json(200, { PairingId: 'p', Code: 'ABCDEFGH', ExpiresTime: '' })];
  turns.push((answer) => answer.writeHead(404).end('404 page not found\n'), JOINED);
  const { data } = folder;
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  assert.equal(await pair({ server: url(), data, log, fingerprint: 'machine', pause: () => 0 }), 'mdk_own');
  assert.equal(lines.filter((line) => line.startsWith('Pairing code')).length, 1);
});

test('a device that was stopped while it waited asks on with the same secret', async () => {
  const { data } = folder;
  await assert.rejects(join(data, [json(403, { title: 'Rejected' })]).key);
  await join(data).key;
  assert.equal(new Set(bodies.map(({ Secret }) => Secret)).size, 1);
});

test('the fingerprint of this machine stays the same', () => {
  assert.match(machineFingerprint(), /^[0-9a-f]{64}$/);
  assert.equal(machineFingerprint(), machineFingerprint());
});

test('a pairing code is shown until somebody has typed it; an expired one is replaced', async () => {
  const { data } = folder;
  const begun = (Code: string) => json(200, { PairingId: 'p', Code, ExpiresTime: '' });
  const shown = path.join(data, 'pairing-code');
  let onDisk = '';
  turns = [
    CUT,
    begun('ABCDEFGH'),
    json(202, {}),
    CUT,
    json(404, { title: 'This pairing has expired' }),
    begun('MNPQRSTU'),
    (answer) => {
      onDisk = readFileSync(shown, 'utf8');
      json(202, {})(answer);
    },
    JOINED,
  ];
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  assert.equal(await pair({ server: url(), data, log, fingerprint: 'machine', pause: () => 0 }), 'mdk_own');
  assert.deepEqual(
    lines.flatMap((line) => /Pairing code: (\S+)\./.exec(line)?.[1] ?? []),
    ['ABCD-EFGH', 'MNPQ-RSTU'],
  );
  assert.equal(onDisk, 'MNPQ-RSTU\n');
  assert.equal(existsSync(shown), false);
  assert.equal(readFileSync(path.join(data, 'key'), 'utf8'), 'mdk_own\n');
  const [{ Secret } = {}] = bodies;
  assert.ok(secrets.every((secret) => secret === undefined || secret === Secret));
});
