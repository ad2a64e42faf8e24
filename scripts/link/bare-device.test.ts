// A device of Debian with nothing but curl, from the pasted line to its first log: a root folder of its own with the shell,
// base programs and libraries of Debian, and no Node.js in reach.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { runtimeName } from '#/contract/agent-link.ts';
import { testFleet } from '../../server/test-fleet.ts';
import { startTestService } from '../../server/test-service.ts';
import { find } from '../../agent/sh/test-busybox.ts';
import { AGENT_VERSION } from '../../agent/version.ts';
import { buildAgents } from '../dist.ts';
import { runtimeVersion } from '../runtime-files.ts';
import { endProcesses, TestProcess, until } from '../test-process.ts';

/** Some of what each Debian has, and curl. */
const PROGRAMS = (
  'sh cat chmod cp cut date dirname env grep gzip head id ls mkdir mkfifo mv readlink rm rmdir sed setsid sha256sum sleep ' +
  'sort sync tail tar touch tr uname wc curl'
).split(' ');
/** Of Debian's packages libc6, libgcc-s1 and libstdc++6: all others need them, apt included. */
const LIBRARIES = [
  'libc.so.6',
  'libdl.so.2',
  'libm.so.6',
  'libpthread.so.0',
  'librt.so.1',
  'libgcc_s.so.1',
  'libstdc++.so.6',
];

const base = mkdtempSync(path.join(tmpdir(), 'muster-bare-'));
const agents = path.join(base, 'agents');
before(() => buildAgents(agents));
after(async () => {
  await endProcesses();
  rmSync(base, { recursive: true, force: true });
});

/** Mounts and processes of its own, which only root may have, and not in each container. */
const UNSHARE = ['--mount', '--pid', '--fork', '--kill-child', '/bin/sh', '-c'];
const canRun =
  process.platform === 'linux' &&
  !existsSync('/lib/ld-musl-x86_64.so.1') &&
  [...PROGRAMS, 'ldd', 'unshare'].every((name) => find(name) !== undefined) &&
  spawnSync('unshare', [...UNSHARE, 'mount -t proc proc /proc && chroot / true']).status === 0;
if (!canRun)
  process.stdout.write('Left out, since only root on Linux can have a root folder of its own: a bare device\n');

function makeRoot(): string {
  const root = path.join(base, 'root');
  for (const folder of ['proc', 'dev', 'tmp', 'root', 'etc', 'opt', 'usr/bin', 'usr/lib', 'usr/lib64'])
    mkdirSync(path.join(root, folder), { recursive: true });
  for (const folder of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${folder}`, path.join(root, folder));
  writeFileSync(path.join(root, 'dev/null'), '');
  const copy = (file: string, to = file) => {
    mkdirSync(path.join(root, path.dirname(to)), { recursive: true });
    copyFileSync(realpathSync(file), path.join(root, to));
  };
  const cache = execFileSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' });
  const libraries = new Set<string>();
  for (const line of cache.split('\n')) {
    const [, name = '', file = ''] = /^\t(\S+) \(libc6,(?:x86-64|AArch64)[^)]*\) => (\S+)$/.exec(line) ?? [];
    if (LIBRARIES.includes(name)) libraries.add(file);
  }
  for (const name of PROGRAMS) {
    const program = find(name) ?? '';
    copy(program, `/usr/bin/${name}`);
    const needed = execFileSync('ldd', [program], { encoding: 'utf8' });
    for (const [, library = ''] of needed.matchAll(/(\/\S+) \(0x/g)) libraries.add(library);
  }
  for (const library of libraries) copy(library);
  return root;
}

test('the agent as a file names the Node.js that is brought along with it, and is another build with another one', () => {
  const file = path.join(agents, 'agent.mjs');
  assert.match(readFileSync(file, 'utf8'), new RegExp(`^#!/usr/bin/env node\n// .*Node\\.js ${runtimeVersion()} `));
  assert.equal(execFileSync(process.execPath, [file, '--version'], { encoding: 'utf8' }), `${AGENT_VERSION}\n`);
});

if (canRun)
  test('a bare Debian with curl gets the agent with Node.js from the service, and shows its first log', async () => {
    const runtimes = path.join(base, 'runtimes');
    mkdirSync(runtimes);
    const { versions, arch } = process;
    const packed = path.join(runtimes, runtimeName(versions.node, `linux-${arch}`));
    await pipeline(createReadStream(process.execPath), createGzip({ level: 1 }), createWriteStream(packed));
    const options = { agentFile: path.join(agents, 'agent.mjs'), runtimesFolder: runtimes };
    const service = await startTestService({}, undefined, undefined, options);
    try {
      const fleet = testFleet((...request) => service.call(...request));
      const { id, key } = await fleet.device('', 'bare');
      const line = `curl -fsSL ${service.url}/install.sh | DEVICE_KEY=${key} sh`;
      const device = new TestProcess(
        [
          ...UNSHARE,
          'mount -t proc proc "$0/proc" && mount --bind /dev/null "$0/dev/null" && exec chroot "$0" /bin/sh -c "$1"',
          makeRoot(),
          `! command -v node nodejs || exit; ${line}; echo "installed: $?"; while :; do sleep 1; done`,
        ],
        {
          command: 'unshare',
          env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', NODE_COMPILE_CACHE: undefined },
        },
      );
      const [, code] = await device.line(/^installed: (\d+)$/);
      assert.equal(code, '0', device.printed);
      assert.match(device.printed, /This machine has no Node\.js 20 or newer, so version \S+ is fetched/);
      await until('it to be Online', async () => (await fleet.status(id)) === 'Online');
      const job = await fleet.ended(
        await fleet.run('cat /etc/hostname || echo hello; /opt/muster/*/runtime/*/node --version', { DeviceId: id }),
      );
      assert.deepEqual([job.Status, job.Stdout], ['Succeeded', `hello\nv${versions.node}\n`], job.Result);
      await device.end('SIGKILL');
      await until('it to be Offline', async () => (await fleet.status(id)) === 'Offline');
    } finally {
      await service.end();
    }
  });
