// The agent of plain sh gets its key by itself, as that of Node.js does: under each shell, at a real service.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Device } from '#/contract/devices.ts';
import type { PendingDevice } from '#/contract/enrolment.ts';
import { machineFingerprint } from '../../agent/enrol.ts';
import { busyBoxPath, find } from '../../agent/sh/test-busybox.ts';
import { hashSecret } from '../../server/store/ids.ts';
import { startTestService, type TestService } from '../../server/test-service.ts';
import { shellAgent } from '../shell-agent.ts';
import { openRelay } from '../chaos/relay.ts';
import { endProcesses, TestProcess, until } from '../test-process.ts';

const SCRIPT = path.join(import.meta.dirname, '../../agent/sh/muster-agent.sh');
const base = mkdtempSync(path.join(tmpdir(), "muster-sh-keys it's "));
let service: TestService;
before(async () => {
  writeFileSync(path.join(base, 'agent.sh'), shellAgent());
  service = await startTestService({}, undefined, undefined, { agentFile: path.join(base, 'agent.mjs') });
});
after(async () => {
  await endProcesses();
  await service.end();
  rmSync(base, { recursive: true, force: true });
});

async function json<T>(method: string, at: string, body?: unknown): Promise<T> {
  const answer = await service.call(method, at, body);
  const text = await answer.text();
  assert.equal(answer.status, 200, `${method} ${at}: ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
const enrolKey = async (more: object = {}) =>
  (await json<{ EnrolKey: string }>('POST', '/v1/enrolment', { Name: 'image', DeviceGroup: 'field', ...more }))
    .EnrolKey;
const pending = () => json<PendingDevice[]>('GET', '/v1/enrolment/pending');
const devices = async () => (await json<{ Devices: Device[] }>('GET', '/v1/devices/1/100')).Devices;
/** The only device, once it is Online. */
const joined = () =>
  until('the device to be Online', async () => {
    const all = await devices();
    return all.length === 1 && all[0]?.DeviceStatus === 'Online' && all[0];
  });

const busybox = find('busybox');
const mksh = find('mksh');
const SHELLS = [
  { name: 'dash', command: [find('dash') ?? '/bin/sh'], PATH: process.env['PATH'] ?? '' },
  ...(mksh === undefined ? [] : [{ name: 'mksh', command: [mksh], PATH: process.env['PATH'] ?? '' }]),
  ...(busybox === undefined ? [] : [{ name: 'busybox', command: [busybox, 'ash'], PATH: busyBoxPath(busybox, base) }]),
];

const clear = async () => {
  await endProcesses();
  for (const { DeviceId } of await devices()) await service.call('DELETE', `/v1/devices/${DeviceId}`);
};

for (const { name, command, PATH } of SHELLS)
  void describe(`under ${name}`, () => {
    let folder: string;
    const file = (at: string) => path.join(folder, at);
    const start = (args: string[], { url = service.url, env = {} }: { url?: string; env?: NodeJS.ProcessEnv } = {}) => {
      const [program = '', ...options] = command;
      return new TestProcess([...options, SCRIPT, '--server', url, '--data', file('data'), ...args], {
        command: program,
        env: { PATH, MUSTER_SHELL: command.join(' '), MUSTER_ENROL_PAUSE: '0', ...env },
      });
    };
    /** A machine with an enrolment key in a file. */
    const withKey = (key: string): string[] => {
      folder = mkdtempSync(path.join(base, 'device-'));
      writeFileSync(file('enrol-key'), `${key}\n`);
      return ['--enrol-key-file', file('enrol-key')];
    };
    test('it changes an enrolment key for its own, waits for approval, and forgets the first', async () => {
      const args = withKey(await enrolKey({ NeedsApproval: true }));
      const agent = start(args);
      const [waiting] = await until('it to wait', async () => {
        const all = (await pending()).filter(({ State }) => State === 'Waiting');
        return all.length > 0 && all;
      });
      await agent.line(/Waiting for approval/);
      // It is the same machine whichever agent it has.
      const shown = hashSecret(machineFingerprint()).toString('hex').slice(0, 12);
      assert.match(agent.printed, new RegExp(`Fingerprint of this machine: ${shown}`));
      await service.call('POST', `/v1/enrolment/pending/${waiting?.PendingId}/approve`, {});
      assert.equal((await joined()).DeviceGroup, 'field');
      assert.equal(statSync(file('data/key')).mode & 0o777, 0o600);
      for (const gone of ['enrol-key', 'data/enrolment-secret']) assert.equal(existsSync(file(gone)), false, gone);
      await agent.end();
      start(args);
      await joined();
      await clear();
    });

    test('an answer that was lost is asked for again, and makes no second device', async () => {
      const args = withKey(await enrolKey({ MaxUses: 1 }));
      const relay = await openRelay([Number(new URL(service.url).port)]);
      relay.loseFrom(/DeviceKey/);
      const agent = start(args, { url: relay.url });
      await until('the device to be there', async () => (await devices()).length === 1);
      await agent.end('SIGKILL');
      relay.cut();
      start(args, { url: relay.url });
      await joined();
      await clear();
      await relay.close();
    });

    test('what the service refuses for good ends it, with the reason', async () => {
      const agent = start(withKey('mek_unknown'));
      assert.equal(await agent.ended, 2);
      assert.match(agent.printed, /enrolment key/i);
      assert.equal(existsSync(file('data/key')), false);
    });

    test('without a key it shows a code, and joins when a person has typed that', async () => {
      folder = mkdtempSync(path.join(base, 'device-'));
      const agent = start(['--pair']);
      const code = await until('the code', () => {
        if (!existsSync(file('data/pairing-code'))) return undefined;
        return /^[A-Z0-9]{4}-[A-Z0-9]{4}$/.exec(readFileSync(file('data/pairing-code'), 'utf8').trim())?.[0];
      });
      await agent.line(new RegExp(`Pairing code: ${code}`));
      await json('POST', `/v1/pair/${code.replace('-', '')}/claim`, { DeviceName: 'till', DeviceGroup: 'shop' });
      assert.equal((await joined()).DeviceName, 'till');
      assert.equal(existsSync(file('data/pairing-code')), false);
      await clear();
    });

    test('a new key that cannot be stored is reported, and taken when it can', async () => {
      start(withKey(await enrolKey()));
      const { DeviceId } = await joined();
      const key = readFileSync(file('data/key'), 'utf8');
      mkdirSync(file('data/key.new'));
      const rotate = async () =>
        assert.equal((await service.call('POST', `/v1/device/${DeviceId}/rotate-key`)).status, 200);
      await rotate();
      await until('the reason', async () => /could not be stored/.test((await joined()).KeyProblem ?? ''));
      assert.equal(readFileSync(file('data/key'), 'utf8'), key);
      rmdirSync(file('data/key.new'));
      await rotate();
      await until('the new key to be used', async () => (await joined()).KeyRotation === '');
      assert.notEqual(readFileSync(file('data/key'), 'utf8'), key);
      await clear();
    });
  });

void describe('installed by the pasted line', () => {
  /** Runs install.sh and, at the end of `check`, removes what it installed. */
  async function installed(line: string, env: NodeJS.ProcessEnv, check: (printed: string) => Promise<void>) {
    const home = mkdtempSync(path.join(base, 'home-'));
    const run = (text: string, more: NodeJS.ProcessEnv = {}) =>
      new TestProcess(['-c', text], {
        command: '/bin/sh',
        env: { PATH: process.env['PATH'] ?? '', HOME: home, MUSTER_HOME: path.join(home, 'muster'), ...more },
      });
    const install = run(`curl -fsSL ${service.url}/install.sh | ${line}`, env);
    assert.equal(await install.ended, 0, install.printed);
    try {
      await check(install.printed);
    } finally {
      await run('sh "$MUSTER_HOME"/*/muster-agent remove').ended;
      await clear();
    }
  }
  const OPTIONS = '--sh --no-systemd --no-cron';

  test('with an enrolment key it joins', () =>
    enrolKey().then((ENROL_KEY) =>
      installed(`sh -s -- ${OPTIONS}`, { ENROL_KEY }, async () => {
        assert.match((await joined()).AgentVersion ?? '', /\(sh\)$/);
      }),
    ));

  test('with --pair it prints a code, and joins when a person has typed that', () =>
    installed(`sh -s -- --pair ${OPTIONS}`, {}, async (printed) => {
      const [, code = ''] = /Pairing code: (\S{9})\./.exec(printed) ?? [];
      await json('POST', `/v1/pair/${code.replace('-', '')}/claim`, { DeviceName: 'till', DeviceGroup: 'shop' });
      assert.equal((await joined()).DeviceName, 'till');
    }));
});
