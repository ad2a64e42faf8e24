// Which programs an agent puts in its own place: those that the service it trusts has signed, byte by byte.
import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync, sign as signBytes, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  lstatSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { AgentMessage, Signed, SignedRuntime, Signer, Statement, Update } from '#/contract/agent-link.ts';
import { isPrivateLink } from './connection.ts';
import { testFolder, type TestFolder } from './test-folder.ts';
import { Updater } from './updater.ts';

const program = (name: string) => Buffer.from(`#!/usr/bin/env node\nconsole.log('${name}');\n`);
const OLD = program('old');
const NEW = program('new');
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

const newKey = () => generateKeyPairSync('ed25519').privateKey;
const publicOf = (key: KeyObject) => createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
function signedBy(key: KeyObject, content: Statement): Signed {
  const statement = JSON.stringify(content);
  return { statement, signature: signBytes(null, Buffer.from(statement), key).toString('base64') };
}

let answer: (response: ServerResponse, url: string) => void;
let asked = 0;
const server = createServer(({ url: asking = '' }, response) => {
  asked += 1;
  answer(response, asking);
});
let url = '';
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
const folders: TestFolder[] = [];
after(() => {
  server.close();
  server.closeAllConnections();
  for (const folder of folders) folder.remove();
});

const key = newKey();
const DEVICE_KEY = 'dk_one';
let install = '';
let data = '';
let sent: AgentMessage[];
let lines: string[];
let restarts = 0;
/** What happens while the agent waits for its jobs. */
let whileWaiting: () => void;
beforeEach(() => {
  const at = testFolder();
  folders.push(at);
  data = at.data;
  install = path.join(data, 'install');
  mkdirSync(install);
  writeFileSync(path.join(install, 'agent.mjs'), OLD);
  answer = (response) => response.end(NEW);
  whileWaiting = () => {};
  [sent, lines, restarts, asked] = [[], [], 0, 0];
});

const trustFile = () => path.join(data, 'trust.json');
const trusted = () => JSON.parse(readFileSync(trustFile(), 'utf8')) as { Key: string; Sequence: number };
const trust = (Key: string, Sequence: number) => writeFileSync(trustFile(), JSON.stringify({ Key, Sequence }));
const installed = () => readFileSync(path.join(install, 'agent.mjs'));
const openUpdater = (node = process.execPath) =>
  new Updater(
    { program: path.join(install, 'agent.mjs'), install, server: url, key: () => DEVICE_KEY, data, node },
    {
      send: (message) => sent.push(message),
      log: (line) => lines.push(line),
      hold: async () => whileWaiting(),
      release: () => {},
      restart: () => (restarts += 1),
    },
  );
const contentOf = (bytes: Buffer, Sequence: number) =>
  ({ Kind: 'agent', Sha256: sha256(bytes), Size: bytes.length, Version: '2.0.0', Sequence }) as const;
const updateTo = (bytes: Buffer, Sequence: number, more: Partial<Update> = {}): Update => ({
  type: 'update',
  version: '2.0.0',
  sha256: sha256(bytes),
  size: bytes.length,
  signed: signedBy(key, contentOf(bytes, Sequence)),
  ...more,
});
/** The update is refused for this reason, and nothing has changed. */
async function refused(updater: Updater, update: Update, reason: RegExp): Promise<void> {
  await updater.begin(update);
  const last = sent.at(-1);
  assert.ok(last?.type === 'update-state' && last.state === 'failed', JSON.stringify(last));
  assert.match(last.failed.reason, reason);
  assert.deepEqual([installed(), restarts], [OLD, 0]);
  assert.deepEqual(readdirSync(install), ['agent.mjs'], 'it leaves nothing behind');
}

test('a signed program takes the place of the agent, which is kept with what it trusted', async () => {
  trust(publicOf(key), 5);
  await openUpdater().begin(updateTo(NEW, 6));
  assert.deepEqual([installed(), restarts], [NEW, 1]);
  assert.deepEqual(trusted(), { Key: publicOf(key), Sequence: 6 });
  assert.equal(lstatSync(path.join(install, 'agent.mjs')).mode & 0o777, 0o600);
  assert.deepEqual(readFileSync(path.join(install, 'previous/agent.mjs')), OLD);
  assert.equal(
    (JSON.parse(readFileSync(path.join(install, 'previous/trust.json'), 'utf8')) as { Sequence: number }).Sequence,
    5,
  );
  assert.ok(!existsSync(path.join(install, 'incoming')));
});

test('what is not signed with the trusted key is not even fetched', async () => {
  trust(publicOf(key), 5);
  const updater = openUpdater();
  const not = /it is not signed with the key that this device trusts/;
  await refused(updater, updateTo(NEW, 6, { signed: signedBy(newKey(), contentOf(NEW, 6)) }), not);
  const { statement, signature } = signedBy(key, contentOf(NEW, 6));
  await refused(updater, updateTo(NEW, 6, { signed: { statement: `${statement} `, signature } }), not);
  const raised = statement.replace('"Sequence":6', '"Sequence":7');
  await refused(updater, updateTo(NEW, 6, { signed: { statement: raised, signature } }), not);
  const other = signedBy(key, { Kind: 'key', Key: publicOf(newKey()) });
  await refused(updater, updateTo(NEW, 6, { signed: other }), /not a statement of the kind "agent"/);
  const { signed: _none, ...unsigned } = updateTo(NEW, 6);
  await refused(updater, unsigned, /the service does not sign its updates/);
  assert.equal(asked, 0);
});

test('a program of another size or hash is not run', async () => {
  trust(publicOf(key), 5);
  const canary = path.join(data, 'ran');
  const evil = Buffer.from(`require('fs').writeFileSync('${canary}', ''); console.log('evil');`);
  for (const bytes of [NEW.subarray(0, -1), evil.subarray(0, NEW.length), Buffer.alloc(0)]) {
    answer = (response) => response.end(bytes);
    await refused(openUpdater(), updateTo(NEW, 6), /is not the program that the service announced/);
  }
  answer = (response) => response.end(evil);
  await refused(openUpdater(), updateTo(NEW, 6), /sends more than the \d+ bytes that were announced/);
  assert.ok(!existsSync(canary));
  const huge = signedBy(key, { ...contentOf(NEW, 6), Size: 10 ** 12 });
  await refused(openUpdater(), updateTo(NEW, 6, { signed: huge }), /too large/);
});

test('a download that does not end is stopped at the announced size', async () => {
  trust(publicOf(key), 5);
  const stopped = new Promise<void>((resolve) => {
    answer = (response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response
        .on('drain', more)
        .on('close', resolve)
        .on('error', () => {});
      more();
    };
  });
  await refused(openUpdater(), updateTo(NEW, 6), /sends more than the \d+ bytes that were announced/);
  await stopped;
  assert.equal(asked, 1, 'nor is it tried again');
});

test('files that change after the check, while a job runs, are not what is started', async () => {
  const evil = program('evil');
  for (const change of [
    () => {
      for (const name of readdirSync(path.join(install, 'incoming')))
        writeFileSync(path.join(install, 'incoming', name), evil);
      writeFileSync(path.join(install, 'incoming/agent.mjs'), evil);
    },
    () => symlinkSync(path.join(install, 'incoming/download'), path.join(install, 'incoming/agent.mjs')),
    () => {
      rmSync(path.join(install, 'incoming'), { recursive: true });
      symlinkSync(data, path.join(install, 'incoming'));
    },
  ]) {
    writeFileSync(path.join(install, 'agent.mjs'), OLD);
    trust(publicOf(key), 5);
    whileWaiting = change;
    await openUpdater().begin(updateTo(NEW, 6));
    assert.deepEqual(installed(), NEW);
    assert.ok(!lstatSync(path.join(install, 'agent.mjs')).isSymbolicLink());
    assert.ok(!existsSync(path.join(data, 'agent.mjs')), 'nothing is written through a link');
  }
});

test('an older program is refused, whoever repeats its signature', async () => {
  trust(publicOf(key), 7);
  await refused(openUpdater(), updateTo(NEW, 6), /Sequence 6 is older than 7[^]*muster-agent back/);
  await openUpdater().begin(updateTo(NEW, 7));
  assert.equal(restarts, 1, 'the same again is no step back');
});

test('an order goes back to the Sequence that it names, on the device and in the process that it was given for', async () => {
  trust(publicOf(key), 7);
  const updater = openUpdater();
  const mine = {
    Kind: 'order',
    DeviceId: 'd',
    DeviceKeySha256: sha256(DEVICE_KEY),
    Nonce: updater.state(true).trust?.nonce ?? '',
    Sequence: 6,
  } as const;
  const not = /the order to go back is for another device, another Sequence, or was given before/;
  for (const wrong of [{ DeviceKeySha256: sha256('dk_other') }, { Nonce: 'before' }, { Sequence: 5 }])
    await refused(updater, updateTo(NEW, 6, { order: signedBy(key, { ...mine, ...wrong }) }), not);
  await refused(updater, updateTo(NEW, 6, { order: signedBy(newKey(), mine) }), /not signed with the key/);
  await refused(openUpdater(), updateTo(NEW, 6, { order: signedBy(key, mine) }), not);
  await updater.begin(updateTo(NEW, 6, { order: signedBy(key, mine) }));
  assert.deepEqual([installed(), trusted().Sequence], [NEW, 6]);
});

test('the key is learned where nobody can be in between, once', async () => {
  const signer: Signer = { type: 'signer', key: publicOf(key), changes: [] };
  const updater = openUpdater();
  assert.match(updater.state(false).unable, /over plain http it cannot learn it\. Run install\.sh/);
  assert.equal(updater.state(true).unable, '', 'it will learn it at once');
  updater.followSigner(signer, false);
  assert.ok(!existsSync(trustFile()));
  await refused(updater, updateTo(NEW, 6), /does not know the key/);
  updater.followSigner({ ...signer, key: `${'A'.repeat(59)}=` }, true);
  assert.ok(!existsSync(trustFile()), 'what is no key is not remembered');

  updater.followSigner(signer, true);
  assert.deepEqual(trusted(), { Key: publicOf(key), Sequence: 0 });
  const other = newKey();
  openUpdater().followSigner({ ...signer, key: publicOf(other) }, true);
  assert.equal(trusted().Key, publicOf(key), 'another one is no longer believed, not even there');
  assert.match(lines.at(-1) ?? '', /signs updates with another key/);
});

test('a lost or damaged key is not learned anew over the link', async () => {
  writeFileSync(trustFile(), '{"Key":');
  const updater = openUpdater();
  assert.match(updater.state(true).unable, /trust\.json cannot be read\. Run install\.sh/);
  updater.followSigner({ type: 'signer', key: publicOf(key), changes: [] }, true);
  assert.equal(readFileSync(trustFile(), 'utf8'), '{"Key":');
  await refused(updater, updateTo(NEW, 6), /cannot be read/);
});

test('a key that signed the next one is replaced by it, over any connection', async () => {
  const keys = [newKey(), newKey(), key];
  const changes = keys.slice(1).map((next, at) => signedBy(keys[at]!, { Kind: 'key', Key: publicOf(next) }));
  for (const from of keys) {
    trust(publicOf(from), 3);
    openUpdater().followSigner({ type: 'signer', key: publicOf(key), changes }, false);
    assert.deepEqual(trusted(), { Key: publicOf(key), Sequence: 3 });
  }
  const thief = newKey();
  trust(publicOf(key), 3);
  for (const signer of [thief, keys[0]!])
    openUpdater().followSigner(
      { type: 'signer', key: publicOf(thief), changes: [signedBy(signer, { Kind: 'key', Key: publicOf(thief) })] },
      true,
    );
  assert.equal(trusted().Key, publicOf(key), 'a key that was replaced signs nothing any more');
});

test('the Sequence of the program that runs is learned from its signature', () => {
  const updater = openUpdater();
  const signer: Signer = { type: 'signer', key: publicOf(key), changes: [] };
  updater.followSigner({ ...signer, published: signedBy(key, contentOf(NEW, 9)) }, true);
  assert.equal(trusted().Sequence, 0, 'that is another program');
  updater.followSigner({ ...signer, published: signedBy(newKey(), contentOf(OLD, 9)) }, true);
  assert.equal(trusted().Sequence, 0, 'that is not signed');
  updater.followSigner({ ...signer, published: signedBy(key, contentOf(OLD, 8)) }, true);
  updater.followSigner({ ...signer, published: signedBy(key, contentOf(OLD, 4)) }, true);
  assert.equal(trusted().Sequence, 8);
});

test('an agent that install.sh did not install learns nothing', () => {
  const updater = new Updater(
    { program: 'main.ts', install: undefined, server: url, key: () => DEVICE_KEY, data },
    { send: () => {}, log: () => {}, hold: async () => {}, release: () => {}, restart: () => {} },
  );
  updater.followSigner({ type: 'signer', key: publicOf(key), changes: [] }, true);
  assert.ok(!existsSync(trustFile()));
});

test('nobody is in between with checked TLS, or on the machine itself', () => {
  const link = (service: string, remoteAddress?: string, authorized?: boolean) =>
    isPrivateLink(new URL(service), { remoteAddress, ...(authorized !== undefined && { authorized }) });
  assert.ok(link('https://muster.example.com', '203.0.113.9', true));
  assert.ok(!link('https://muster.example.com', '203.0.113.9', false), 'with a certificate that was not accepted');
  assert.ok(!link('https://muster.example.com', '127.0.0.1'));
  for (const [host, address] of [
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1', '::ffff:127.0.0.1'],
    ['[::1]', '::1'],
    ['localhost', '127.0.0.1'],
  ] as const)
    assert.ok(link(`http://${host}:8080`, address), host);
  for (const [host, address] of [
    ['192.0.2.7', '192.0.2.7'],
    ['muster.example.com', '127.0.0.1'],
    ['127.0.0.1.example.com', '127.0.0.1'],
    ['localhost', '192.0.2.7'],
    ['localhost', undefined],
  ] as const)
    assert.ok(!link(`http://${host}:8080`, address), `${host} ${address}`);
});

// ---- Node.js that was brought along ---------------------------------------------------------------------------------

const quoted = (file: string) => `'${file.replaceAll("'", `'\\''`)}'`;
/** In place of Node.js: says that it is this version, and runs programs with the one of this machine. */
const nodeProgram = (version: string, runs = true) =>
  `#!/bin/sh\n[ "$1" != --version ] || { echo v${version}; exit; }\n${runs ? `exec ${quoted(process.execPath)} "$@"` : 'exit 1'}\n`;
const placeOf = (version: string) => path.join(install, 'runtime', version, 'node');
/** Puts it where install.sh does, and returns its file. */
function bring(version: string): string {
  mkdirSync(path.dirname(placeOf(version)), { recursive: true });
  writeFileSync(placeOf(version), nodeProgram(version), { mode: 0o700 });
  writeFileSync(path.join(install, 'settings.sh'), settingsWith(version));
  return placeOf(version);
}
const settingsWith = (version: string) => `server='${url}'\nnode=${quoted(placeOf(version))}\nunit=''\n`;
const settings = (folder = '.') => readFileSync(path.join(install, folder, 'settings.sh'), 'utf8');
const versionsThere = () => readdirSync(path.join(install, 'runtime')).toSorted();
const packed = (Version: string, bytes: Buffer, more: Partial<SignedRuntime> = {}): SignedRuntime => ({
  Platform: `${process.platform}-${process.arch}`,
  Version,
  Sha256: sha256(bytes),
  Size: bytes.length,
  ...more,
});
const updateWith = (Runtimes: SignedRuntime[]) =>
  updateTo(NEW, 6, { signed: signedBy(key, { ...contentOf(NEW, 6), Runtimes }) });

test('an agent whose Node.js was brought along gets the one of the service with the update, and can go back to both', async () => {
  trust(publicOf(key), 5);
  bring('97.0.0');
  const node = bring('98.0.0');
  const bytes = gzipSync(nodeProgram('99.0.0'));
  const asking: string[] = [];
  answer = (response, at) => {
    asking.push(at);
    response.end(at === '/agent.mjs' ? NEW : bytes);
  };
  await openUpdater(node).begin(
    updateWith([packed('99.0.0', Buffer.from('other'), { Platform: 'linux-mips' }), packed('99.0.0', bytes)]),
  );
  const platform = `${process.platform}-${process.arch}`;
  assert.deepEqual([asking, restarts], [[`/runtimes/node-99.0.0-${platform}.gz`, '/agent.mjs'], 1], lines.join('\n'));
  assert.equal(readFileSync(placeOf('99.0.0'), 'utf8'), nodeProgram('99.0.0'));
  assert.equal(lstatSync(placeOf('99.0.0')).mode & 0o777, 0o700);
  assert.deepEqual([settings(), settings('previous')], [settingsWith('99.0.0'), settingsWith('98.0.0')]);
  assert.deepEqual([installed(), versionsThere()], [NEW, ['98.0.0', '99.0.0']]);
  assert.ok(!existsSync(path.join(install, 'incoming')));
});

test('it is left as it is where the service has the same or none, and a Node.js of the device always', async () => {
  trust(publicOf(key), 5);
  const node = bring('98.0.0');
  const bytes = gzipSync(nodeProgram('99.0.0'));
  await openUpdater(node).begin(
    updateWith([packed('98.0.0', bytes), packed('99.0.0', bytes, { Platform: 'linux-mips' })]),
  );
  await openUpdater(node).begin(updateTo(NEW, 7));
  await openUpdater().begin(
    updateTo(NEW, 8, { signed: signedBy(key, { ...contentOf(NEW, 8), Runtimes: [packed('99.0.0', bytes)] }) }),
  );
  assert.deepEqual([restarts, asked, settings(), versionsThere()], [3, 3, settingsWith('98.0.0'), ['98.0.0']]);
});

test('Node.js that is not what was signed, or does not run here, ends the update before anything is replaced', async () => {
  trust(publicOf(key), 5);
  const node = bring('98.0.0');
  const good = gzipSync(nodeProgram('99.0.0'));
  const fails = async (bytes: Buffer, runtime: SignedRuntime, reason: RegExp) => {
    answer = (response, at) => response.end(at === '/agent.mjs' ? NEW : bytes);
    await openUpdater(node).begin(updateWith([runtime]));
    const last = sent.at(-1);
    assert.ok(last?.type === 'update-state' && last.state === 'failed', JSON.stringify(last));
    assert.match(last.failed.reason, reason);
    assert.deepEqual(
      [installed(), restarts, settings(), versionsThere()],
      [OLD, 0, settingsWith('98.0.0'), ['98.0.0']],
    );
    assert.ok(!existsSync(path.join(install, 'incoming')));
  };
  await fails(
    gzipSync('other'),
    packed('99.0.0', good, { Size: 10_000 }),
    /is not the Node\.js that the service announced/,
  );
  await fails(good, packed('99.0.0', good, { Size: good.length - 1 }), /sends more than the \d+ bytes/);
  const broken = gzipSync('#!/bin/sh\nexit 1\n');
  await fails(broken, packed('99.0.0', broken), /the Node\.js 99\.0\.0 of the service does not run here/);
  await fails(good, packed('99.0.1', good), /the Node\.js 99\.0\.1 of the service says that it is v99\.0\.0/);
  const deaf = gzipSync(nodeProgram('99.0.0', false));
  await fails(deaf, packed('99.0.0', deaf), /the new program does not run under its Node\.js/);
  await fails(good, packed('../../x', good), /is not a statement of the kind "agent"/);
});
