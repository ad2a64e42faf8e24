// `npm run agent-shells`: the conformance of the agent of plain sh under the shells, userlands, HTTP clients and processors
// that docs/devices.md names, and its installation on a root folder like OpenWrt's. What is built or made for that is kept
// in .cache/agent-shells (or --keep DIR). With names of cells it tries only these. --uclient-fetch FILE is OpenWrt's client,
// linked statically; Debian has no package of it. As root on Debian for x64, with the sources in its list ("deb-src") and
//   apt install dash busybox mksh yash bash toybox rust-coreutils curl wget wget2 musl-tools gcc make debootstrap \
//     qemu-user-static binfmt-support
// Exit code 1: a cell failed. A cell that cannot be tried on this machine says why, and is no failure.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { busyBoxPath } from '../../agent/sh/test-busybox.ts';
import { testFleet } from '../../server/test-fleet.ts';
import { buildAgents } from '../dist.ts';
import { shellAgent } from '../shell-agent.ts';
import { endProcesses, ServiceProcess, TestProcess, until } from '../test-process.ts';
import { Builds, NotTried } from './build.ts';
import {
  all,
  foreignRoot,
  inRoot,
  need,
  openwrtRoot,
  packaged,
  withOnly,
  withPrograms,
  type Machine,
} from './machines.ts';
import { OPENWRT_APPLETS } from './openwrt.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const { values: given, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: 'string', default: path.join(ROOT, '.cache/agent-shells') },
    'uclient-fetch': { type: 'string' },
    'at-once': { type: 'string', default: '3' },
  },
});

// Everything is below it, so that a root folder needs one folder from outside.
const base = mkdtempSync(path.join(tmpdir(), 'muster-shells-'));
const agent = path.join(base, 'agent.sh');
const keep = path.resolve(given.keep);
const builds = new Builds(keep);

interface Result {
  version: string;
  /** In the words of the table. */
  result: string;
  isOk: boolean;
  details?: string[];
}

const COUNTED = /^\d+ passed, \d+ failed$/;
/** Under qemu it takes minutes. */
const CONFORMANCE_MS = 20 * 60_000;

type Cell = [name: string, run: () => Promise<Result>];

// ---- What is done on a machine -------------------------------------------------------------------------------------------

/** All that the protocol demands of an agent. */
async function conforms(version: string, machine: Machine, ...how: string[]): Promise<Result> {
  const command = [...machine, 'sh', agent, '--server', '{url}', '--key-file', '{keyfile}', '--data', '{dir}'];
  const run = new TestProcess(['scripts/conformance.ts', ...how, '--', ...command], { env: { TMPDIR: base } });
  // A Node.js that has nothing left to do may not end on a machine with much to do.
  const counted = await until(
    'the end of the conformance',
    () => run.lines.find((line) => COUNTED.test(line)) ?? (run.hasEnded && 'it did not come to its end'),
    CONFORMANCE_MS,
  );
  await run.end('SIGKILL');
  const isOk = counted.endsWith(' 0 failed');
  const failed = run.lines.filter((line, n) => line.startsWith('✖') || run.lines[n - 1]?.startsWith('✖'));
  return { version, result: counted, isOk, details: isOk ? [] : failed.length > 0 ? failed : run.lines.slice(-5) };
}

/** Neither the agent nor its installer works here, and both say what has to be installed. */
async function refuses(version: string, machine: Machine, how = 'opkg install curl', args = ''): Promise<Result> {
  const key = path.join(base, 'key');
  writeFileSync(key, 'mdk_of-no-device');
  const options = ['--server', 'http://127.0.0.1:9', '--key-file', key, '--data', path.join(base, 'data')];
  const started = spawnSync('env', [...machine, 'sh', agent, ...options], { encoding: 'utf8', timeout: 30_000 });
  const { code, printed } = await install(machine, args, async ({ installer }) => {
    const ended = await installer.ended;
    return { code: ended, printed: installer.printed };
  });
  const isOk = started.status === 1 && /\bcurl\b/.test(started.stderr) && code === 1 && printed.includes(how);
  return {
    version,
    result: isOk ? 'not supported: agent and installer refuse' : 'not supported, but agent or installer do not say so',
    isOk,
    details: [...started.stderr.trim().split('\n'), ...printed.trim().split('\n')],
  };
}

/** Where agents are installed, also on a machine that is this one with other programs. */
const home = path.join(base, 'muster');

/** The line of the dialog that creates a device, to the first line of a job that waits for it. */
async function installs(version: string, machine: Machine): Promise<Result> {
  return install(machine, '', async ({ installer, firstLog, begun }) => {
    try {
      await firstLog();
      const seconds = Math.round((performance.now() - begun) / 1000);
      const code = await installer.ended;
      return {
        version,
        result: `first log after ${seconds} s`,
        isOk: seconds <= 60 && code === 0,
        details: installer.lines,
      };
    } catch (error) {
      return { version, result: (error as Error).message, isOk: false, details: installer.lines };
    } finally {
      spawnSync('env', [...machine, 'sh', '-c', `sh ${home}/*/muster-agent stop`]);
    }
  });
}

interface Installation {
  installer: TestProcess;
  begun: number;
  firstLog: () => Promise<unknown>;
}

/** Runs the one line on a machine, with a service that has a job for it. */
async function install<T>(machine: Machine, args: string, see: (installation: Installation) => Promise<T>): Promise<T> {
  const service = new ServiceProcess({
    DATA_DIR: mkdtempSync(path.join(base, 'data-')),
    AUTH_TOKEN: 'token-of-the-trial',
  });
  await service.start();
  try {
    const fleet = testFleet((...request) => service.call(...request));
    const { id, key } = await fleet.device();
    const job = await fleet.run('echo hello; sleep 1', { DeviceId: id });
    const begun = performance.now();
    const fetched = `{ curl -fsSL ${service.url}/install.sh || wget -qO- ${service.url}/install.sh; } 2>/dev/null`;
    const line = [...machine, 'sh', '-c', `${fetched} | DEVICE_KEY=${key} sh -s -- ${args}`];
    const installer = new TestProcess(line, { command: 'env', cwd: base, env: { MUSTER_HOME: home } });
    return await see({
      installer,
      begun,
      firstLog: () => until('the first log', async () => ((await fleet.job(job)).Stdout ?? '') !== '', 90_000),
    });
  } finally {
    await service.end();
  }
}

// ---- The cells -----------------------------------------------------------------------------------------------------------

const curl = () => ({ curl: need('curl') });
const uclient = () => {
  const file = given['uclient-fetch'];
  if (file === undefined)
    throw new NotTried('it is no package of Debian: build it, and name it with --uclient-fetch FILE');
  return need(path.resolve(file));
};
const onBusyBox = (file: string): Machine => [
  'env',
  `PATH=${busyBoxPath(file, mkdtempSync(path.join(base, 'cell-')))}`,
];
const openwrt = (files: Record<string, string>) => inRoot(openwrtRoot(base, builds.openwrt(), files), base);
const busyBoxVersion = (file: string) =>
  /v(\S+)/.exec(spawnSync(file, { encoding: 'utf8', argv0: 'busybox' }).stdout)?.[1] ?? '';

const shell = (name: string): Cell => [
  `${name} as sh`,
  async () => conforms(packaged(name), withPrograms(base, { sh: need(name), ...curl() })),
];
/** It reads no letters beyond ASCII where the locale is C. */
const yash: Cell = [
  'yash as sh, LC_ALL=C.UTF-8',
  async () => conforms(packaged('yash'), [...withPrograms(base, { sh: need('yash'), ...curl() }), 'LC_ALL=C.UTF-8']),
];
const client = (name: string): Cell => [
  name,
  async () => conforms(packaged(name), withPrograms(base, { wget: need(name) })),
];
const emulated = (arch: string, suite: string, qemu: string): Cell => [
  `Debian ${suite} for ${arch}`,
  async () => {
    const root = foreignRoot(keep, arch, suite, qemu);
    return conforms(`dash ${packaged('dash', root)}, curl ${packaged('curl', root)}`, inRoot(root, base), '--in-turn');
  },
];

const CELLS: Cell[] = [
  shell('dash'),
  shell('bash'),
  shell('mksh'),
  yash,
  ['BusyBox with glibc', async () => conforms(busyBoxVersion(need('busybox')), onBusyBox(need('busybox')))],
  ['BusyBox with musl', async () => conforms(busyBoxVersion(builds.busybox()), onBusyBox(builds.busybox()))],
  [
    'BusyBox as in OpenWrt',
    async () =>
      conforms(
        busyBoxVersion(builds.busybox()),
        withOnly(base, { ...all(OPENWRT_APPLETS, builds.openwrt()), ...curl() }),
      ),
  ],
  [
    'toybox',
    async () => {
      const file = need('toybox');
      const names = spawnSync(file, { encoding: 'utf8' })
        .stdout.split(/\s+/)
        .filter((name) => name !== '' && name !== 'wget');
      return conforms(packaged('toybox'), withPrograms(base, { ...all(names, file), ...curl() }));
    },
  ],
  [
    'uutils',
    async () => {
      const folder = need('/usr/lib/cargo/bin/coreutils', 'rust-coreutils');
      const programs = Object.fromEntries(readdirSync(folder).map((name) => [name, path.join(folder, name)]));
      return conforms(packaged('rust-coreutils'), withPrograms(base, { ...programs, ...curl() }));
    },
  ],
  client('wget'),
  [
    'wget2',
    async () => refuses(packaged('wget2'), withPrograms(base, { wget: need('wget2') }), 'apt-get install curl', '--sh'),
  ],
  ['wget of BusyBox', async () => refuses(busyBoxVersion(builds.busybox()), openwrt({ wget: builds.busybox() }))],
  ['wget of OpenWrt', async () => refuses('uclient-fetch', openwrt({ wget: uclient() }))],
  [
    'OpenWrt with curl, installed',
    async () => installs(`BusyBox ${busyBoxVersion(builds.busybox())}, musl`, openwrt({ curl: builds.curl() })),
  ],
];

/** One after the other, because qemu takes all processors. */
const EMULATED = [
  emulated('armhf', 'bookworm', 'arm'),
  emulated('arm64', 'bookworm', 'aarch64'),
  emulated('riscv64', 'trixie', 'riscv64'),
];

const isWanted = ([name]: Cell) => wanted.length === 0 || wanted.includes(name);
const rows = new Map<string, string[]>();
let failed = 0;

/** Tries cells, so many at once. */
async function tryAll(cells: Cell[], atOnce: number): Promise<void> {
  const left = [...cells];
  const work = async () => {
    for (let cell = left.shift(); cell; cell = left.shift()) {
      const [name, run] = cell;
      try {
        const { version, result, isOk, details = [] } = await run();
        if (!isOk) failed += 1;
        rows.set(name, [name, version, `${isOk ? '' : 'FAILED: '}${result}`]);
        console.log([`${isOk ? '✔' : '✖'} ${name} ${version}: ${result}`, ...details].join('\n    '));
      } catch (error) {
        const isTried = !(error instanceof NotTried);
        if (isTried) failed += 1;
        rows.set(name, [name, '', `${isTried ? 'FAILED' : 'not tried'}: ${(error as Error).message}`]);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

try {
  writeFileSync(agent, shellAgent());
  await buildAgents(path.join(ROOT, 'dist/agent'));
  await tryAll(CELLS.filter(isWanted), Number(given['at-once']));
  await tryAll(EMULATED.filter(isWanted), 1);
} finally {
  await endProcesses();
  rmSync(base, { recursive: true, force: true });
}

const table = [...CELLS, ...EMULATED].flatMap(([name]) => [rows.get(name) ?? []]).filter((row) => row.length > 0);
const widths = [0, 1].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
console.log(`\n${new Date().toISOString().slice(0, 10)}, Linux ${process.arch}`);
for (const row of table) console.log(row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '));
console.log(`${failed} of ${table.length} cells failed`);
process.exitCode = failed === 0 && table.length > 0 ? 0 : 1;
