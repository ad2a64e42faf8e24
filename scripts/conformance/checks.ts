// What docs/agent-protocol.md demands of an agent, tried on one. Each function is a row of checks with a service, a
// device and an agent of its own; they run side by side.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Device } from '#/contract/devices.ts';
import type { Fact } from '#/contract/facts.ts';
import type { Job } from '#/contract/jobs.ts';
import { testFleet, type TestFleet } from '../../server/test-fleet.ts';
import { openRelay, type Relay } from '../chaos/relay.ts';
import { FaultyService } from '../chaos/service-process.ts';
import { freePort } from '../test-process.ts';
import { AgentUnderTest } from './agent-under-test.ts';
import { must, ScriptedStage, soon, type Place } from './scripted-stage.ts';

const TOKEN = 'token-of-the-conformance-run';

/** A service with one device, whose agent reaches it through a network that can be cut. */
class Stage {
  readonly service: FaultyService;
  readonly fleet: TestFleet;
  readonly relay: Relay;
  readonly agent: AgentUnderTest;
  readonly id: string;
  readonly #log: string;

  private constructor(folder: string, parts: Pick<Stage, 'service' | 'fleet' | 'relay' | 'agent' | 'id'>) {
    this.#log = path.join(folder, 'device', 'log');
    ({ service: this.service, fleet: this.fleet, relay: this.relay, agent: this.agent, id: this.id } = parts);
  }

  static async open({ folder, command }: Place): Promise<Stage> {
    mkdirSync(folder, { recursive: true });
    const service = new FaultyService(await freePort(), {
      DATA_DIR: path.join(folder, 'service'),
      AUTH_TOKEN: TOKEN,
    });
    await service.start();
    const fleet = testFleet((...request) => service.call(...request));
    const { id, key } = await fleet.device('', 'device');
    const relay = await openRelay([service.port]);
    const agent = new AgentUnderTest({ command, url: relay.url, key, folder: path.join(folder, 'device') });
    const stage = new Stage(folder, { service, fleet, relay, agent, id });
    mkdirSync(stage.#log, { recursive: true });
    return stage;
  }

  async close(): Promise<void> {
    await this.agent.reboot();
    await this.relay.close();
    await this.service.end('SIGKILL');
  }

  /** The network is whole again, and the agent starts. */
  async restart(): Promise<void> {
    this.relay.cut();
    this.relay.silence(false);
    this.agent.start();
    await this.online();
  }

  file(name: string): string {
    return path.join(this.#log, name);
  }

  /** How often the command of this name was started. */
  starts(name: string): number {
    return existsSync(this.file(name)) ? readFileSync(this.file(name), 'utf8').split('\n').length - 1 : 0;
  }

  /** Submits a command that notes that it was started. */
  submit(name: string, command: string): Promise<string> {
    return this.fleet.run(`echo started >> '${this.file(name)}'; ${command}`, { DeviceId: this.id });
  }

  ended(job: string): Promise<Job> {
    return soon(`the end of a job`, async () => {
      const found = await this.fleet.job(job);
      return found.EndTime !== '' && found;
    });
  }

  async rotate(): Promise<void> {
    const { status } = await this.service.call('POST', `/v1/device/${this.id}/rotate-key`);
    must(status === 200, `the service refused to rotate the key: ${status}`);
  }

  /** The device uses a new key, and is Online with it. */
  async hasRotated(): Promise<void> {
    await soon('a new key to be used', async () => (await this.device())?.KeyRotation === '');
    await this.online();
  }

  async device(): Promise<Device | undefined> {
    const found = await this.service.call('GET', `/v1/devices/1/9/filters?device_id=${this.id}`);
    return ((await found.json()) as Device[])[0];
  }

  async facts(): Promise<{ Items: Fact[]; Problems: string[] }> {
    const found = await this.service.call('GET', `/v1/device/${this.id}/facts`);
    return (await found.json()) as { Items: Fact[]; Problems: string[] };
  }

  online(): Promise<boolean> {
    return soon('the device to be Online', async () => (await this.fleet.status(this.id)) === 'Online');
  }

  /** A command that runs until the file `<name>.go` exists. */
  held = (name: string, then = 'echo over') =>
    this.submit(name, `echo begun; until [ -e '${this.file(`${name}.go`)}' ]; do ${NAP}; done; ${then}`);

  letGo(name: string): void {
    writeFileSync(this.file(`${name}.go`), '');
  }

  started = (name: string) => soon(`the command "${name}" to start`, () => this.starts(name) > 0);

  /** Ran to its end, once, with this output. */
  async ranOnce(name: string, job: string, stdout: string): Promise<void> {
    const { Status, Stdout, Result } = await this.ended(job);
    must(Status === 'Succeeded', `it is ${Status}: ${Result}`);
    must(Stdout === stdout, `its output is ${JSON.stringify(Stdout?.slice(0, 200))}`);
    must(this.starts(name) === 1, `its command was started ${this.starts(name)} times`);
  }

  /** Ran to its end, or counts as Interrupted, with a part of the output; was started once at most. */
  async ranOnceAtMost(name: string, job: string, stdout: string): Promise<void> {
    const { Status, Stdout = '', Result } = await this.ended(job);
    must(this.starts(name) <= 1, `its command was started ${this.starts(name)} times`);
    if (Status === 'Succeeded') return this.ranOnce(name, job, stdout);
    must(Status === 'Interrupted', `it is ${Status}: ${Result}`);
    must(stdout.startsWith(Stdout), 'its output is no beginning of what the command printed');
  }
}

const LINES = 1500;
/** Not every sleep knows fractions: OpenWrt's does not. */
const NAP = '{ sleep 0.2 2>/dev/null || sleep 1; }';
const BYTES = `i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); printf '%d one \\303\\251 \\000 two\\n' $i; printf '%d err\\n' $i >&2; [ $((i % 100)) -ne 0 ] || ${NAP}; done`;
const numbered = (text: string) => Array.from({ length: LINES }, (_, n) => `${n + 1} ${text}\n`).join('');

export async function basics(place: Place): Promise<void> {
  const { check } = place;
  const stage = await Stage.open(place);
  const { agent, relay, fleet, service } = stage;
  try {
    agent.start();
    const joined = await check('joins: the device is Online, with the version of its agent', async () => {
      await stage.online();
      must(((await stage.device())?.AgentVersion ?? '') !== '', 'the agent reports no version');
    });
    if (!joined) return;

    await check('the key is not in the process list', async () => {
      const found = agent.commandLines().find((line) => line.includes(agent.key));
      must(found === undefined || place.command.some((part) => part.includes('{key}')), `it is in: ${found}`);
    });

    await check(
      'the facts that it reports are those of this machine, and the service can store all of them',
      async () => {
        const { Items, Problems } = await soon('its facts', async () => {
          const reported = await stage.facts();
          return reported.Items.length > 0 && reported;
        });
        const name = Items.find(({ Name }) => Name === 'hostname')?.Value;
        must(name === hostname(), `the hostname is ${name} instead of ${hostname()}`);
        must(Problems.length === 0, Problems.join('; '));
      },
    );

    await check('jobs run one after the other, in order', async () => {
      const all = stage.file('order');
      const jobs = [];
      for (let n = 1; n <= 5; n++)
        jobs.push(await stage.submit(`order ${n}`, `echo begin ${n} >> '${all}'; ${NAP}; echo end ${n} >> '${all}'`));
      for (const job of jobs) must((await stage.ended(job)).Status === 'Succeeded', 'a job did not succeed');
      const expected = [1, 2, 3, 4, 5].map((n) => `begin ${n}\nend ${n}\n`).join('');
      must(readFileSync(all, 'utf8') === expected, readFileSync(all, 'utf8'));
    });

    await check('the exit code is that of the command', async () => {
      const { Status, ExitCode } = await stage.ended(await stage.submit('exit', 'exit 7'));
      must(Status === 'Failed' && ExitCode === 7, `it is ${Status} with ${ExitCode}`);
    });

    await check('output arrives while the command runs', async () => {
      const job = await stage.held('live');
      await soon('the first line', async () => (await fleet.job(job)).Stdout === 'begun\n');
      stage.letGo('live');
      await stage.ranOnce('live', job, 'begun\nover\n');
    });

    await check('output is complete and byte-exact over cuts, both streams, NUL included', async () => {
      const job = await stage.submit('bytes', BYTES);
      await stage.started('bytes');
      for (let cut = 0; cut < 8; cut++) {
        await sleep(250);
        relay.cut();
      }
      await stage.ranOnce('bytes', job, numbered('one é \0 two'));
      must((await fleet.job(job)).Stderr === numbered('err'), 'stderr is not what the command printed');
    });

    await check(
      'a line that falls silent without closing is found dead, and what was printed is not lost',
      async () => {
        const job = await stage.held('silent', 'echo while silent');
        await stage.started('silent');
        relay.silence(true);
        stage.letGo('silent');
        await sleep(1_000);
        relay.cut();
        relay.silence(false);
        await stage.ranOnce('silent', job, 'begun\nwhile silent\n');
      },
    );

    await check('a running job that is stopped ends as Cancelled, with all its processes', async () => {
      const job = await stage.submit('stop', `sleep 4321 & sleep 4321`);
      await stage.started('stop');
      await fleet.stop(job);
      const { Status } = await stage.ended(job);
      must(Status === 'Cancelled', `it is ${Status}`);
      await soon('its processes to end', () => !agent.commandLines('sleep 4321').length);
    });

    await check('a job that is stopped while the agent is away never starts', async () => {
      const first = await stage.held('before');
      await stage.started('before');
      const job = await stage.submit('away', 'true');
      await agent.kill();
      await fleet.stop(job);
      stage.letGo('before');
      agent.start();
      await stage.ended(first);
      must((await stage.ended(job)).Status === 'Cancelled', 'it is not Cancelled');
      must(stage.starts('away') === 0, 'it was started');
    });

    await check('steps of the clock change neither jobs nor their output', async () => {
      const job = await stage.held('clock');
      await stage.started('clock');
      for (const offset of [86_400_000, -86_400_000, 0]) {
        service.moveClock(offset);
        await sleep(300);
      }
      stage.letGo('clock');
      await stage.ranOnce('clock', job, 'begun\nover\n');
    });

    await check('an agent whose key was replaced stops, and goes on with the new one', async () => {
      const answer = await service.call('POST', `/v1/devices/${stage.id}/key`);
      const { DeviceKey } = (await answer.json()) as { DeviceKey: string };
      await soon('the agent to end', () => !agent.isRunning);
      agent.key = DeviceKey;
      agent.start();
      await stage.ranOnce('new key', await stage.submit('new key', 'echo ok'), 'ok\n');
    });

    await check('of two agents of one device the older stops', async () => {
      const second = new AgentUnderTest({
        ...place,
        url: relay.url,
        key: agent.key,
        folder: path.join(place.folder, 'second'),
      });
      second.start();
      try {
        await soon('the older to end', () => !agent.isRunning);
        must(second.isRunning, 'the newer ended as well');
      } finally {
        await second.reboot();
      }
    });
  } finally {
    await stage.close();
  }
}

/** Moments, in milliseconds after the service handed a job out, that may be before or after the agent has stored it. */
const MOMENTS = [0, 3, 10, 25, 60, 150, 400];

export async function earlyKills(place: Place): Promise<void> {
  const { check } = place;
  const stage = await Stage.open(place);
  const { agent, relay } = stage;
  try {
    agent.start();
    await stage.online();

    await check('at most once: killed before it got the job', async () => {
      relay.loseFrom(/"type":"run"|^job |\r\n\r\njob /);
      const job = await stage.submit('not handed', 'echo x');
      await sleep(500);
      await agent.kill();
      await stage.restart();
      await stage.ranOnce('not handed', job, 'x\n');
    });

    for (const moment of MOMENTS)
      await check(`at most once: killed ${moment} ms after the job was submitted`, async () => {
        const name = `spool ${moment}`;
        const job = await stage.submit(name, `echo x; ${NAP}; echo y`);
        await sleep(moment);
        await agent.kill();
        await stage.restart();
        await stage.ranOnceAtMost(name, job, 'x\ny\n');
      });
  } finally {
    await stage.close();
  }
}

export async function lateKills(place: Place): Promise<void> {
  const { check } = place;
  const stage = await Stage.open(place);
  const { agent, relay } = stage;
  try {
    agent.start();
    await stage.online();

    await check('at most once: killed in the middle of output, which is a beginning of what was printed', async () => {
      const job = await stage.submit('middle', BYTES);
      await soon('some output', async () => ((await stage.fleet.job(job)).Stdout?.length ?? 0) > 2_000);
      await agent.kill();
      await stage.restart();
      await stage.ranOnceAtMost('middle', job, numbered('one é \0 two'));
    });

    await check('an end that was not reported before a kill is reported after it', async () => {
      const job = await stage.held('unreported');
      await stage.started('unreported');
      relay.silence(true);
      stage.letGo('unreported');
      await sleep(2_000);
      await agent.kill();
      await stage.restart();
      await stage.ranOnce('unreported', job, 'begun\nover\n');
    });

    await check('an end that was reported, but not confirmed before a kill, is the same after it', async () => {
      const job = await stage.held('unconfirmed');
      await stage.started('unconfirmed');
      relay.loseFrom(/"settled"|(^|\r\n\r\n)ok\n/);
      stage.letGo('unconfirmed');
      await stage.ended(job);
      await agent.kill();
      await stage.restart();
      await stage.ranOnce('after unconfirmed', await stage.submit('after unconfirmed', 'echo z'), 'z\n');
      await stage.ranOnce('unconfirmed', job, 'begun\nover\n');
    });

    await check('killed after everything was confirmed: nothing runs again', async () => {
      const job = await stage.submit('confirmed', 'echo x');
      await stage.ended(job);
      await sleep(500);
      await agent.kill();
      await stage.restart();
      await stage.ranOnce('after confirmed', await stage.submit('after confirmed', 'echo z'), 'z\n');
      await stage.ranOnce('confirmed', job, 'x\n');
    });

    await check('what waited while the agent was away runs afterwards, in order', async () => {
      await agent.kill();
      const jobs = [];
      for (const name of ['a', 'b', 'c'])
        jobs.push(await stage.submit(name, `echo ${name} >> '${stage.file('waited')}'`));
      await stage.restart();
      for (const job of jobs) await stage.ended(job);
      must(readFileSync(stage.file('waited'), 'utf8') === 'a\nb\nc\n', readFileSync(stage.file('waited'), 'utf8'));
    });
  } finally {
    await stage.close();
  }
}

const AWAY_MS = 60_000;

export async function outages(place: Place): Promise<void> {
  const { check } = place;
  const stage = await Stage.open(place);
  const { agent, service } = stage;
  try {
    agent.start();
    await stage.online();

    await check(
      'a job runs on while the service is gone for a minute, and its output and end come afterwards',
      async () => {
        const job = await stage.held('minute', 'echo while it was away');
        await stage.started('minute');
        await service.end('SIGKILL');
        stage.letGo('minute');
        await sleep(AWAY_MS);
        must(agent.isRunning, 'the agent ended meanwhile');
        await service.start();
        await stage.ranOnce('minute', job, 'begun\nwhile it was away\n');
      },
    );

    await check('a job that ran when the device was rebooted is Interrupted, and the next one runs', async () => {
      const job = await stage.held('reboot');
      await soon('the first line', async () => (await stage.fleet.job(job)).Stdout === 'begun\n');
      const next = await stage.submit('after reboot', 'echo up');
      await agent.reboot();
      agent.start();
      const { Status } = await stage.ended(job);
      must(Status === 'Interrupted', `it is ${Status}`);
      must(stage.starts('reboot') === 1, `it was started ${stage.starts('reboot')} times`);
      await stage.ranOnce('after reboot', next, 'up\n');
    });
  } finally {
    await stage.close();
  }
}

const KEY = 'mdk_another-key';
const KEY_DIGEST = createHash('sha256').update(KEY).digest('hex');

/** An agent that gets its key on the command line cannot keep another one. */
const storesKeys = (command: readonly string[]) => command.some((part) => part.includes('{keyfile}'));

/** Moments, in milliseconds after a new key was asked for, that may be before or after the agent has stored it. */
const KEY_MOMENTS = [0, 3, 10, 25, 60, 150];

export async function keys(place: Place): Promise<void> {
  const { check } = place;
  if (!storesKeys(place.command)) return;
  const stage = await Stage.open(place);
  const { agent, relay } = stage;
  try {
    agent.start();
    await stage.online();

    await check('a job goes on while the key is replaced', async () => {
      const job = await stage.held('rotated');
      await stage.started('rotated');
      await stage.rotate();
      await stage.hasRotated();
      stage.letGo('rotated');
      await stage.ranOnce('rotated', job, 'begun\nover\n');
    });

    await check('killed before it got its new key, it is sent another one', async () => {
      relay.loseFrom(/"type":"key"|^key |\r\n\r\nkey /);
      await stage.rotate();
      await sleep(500);
      await agent.kill();
      await stage.restart();
      await stage.hasRotated();
      await stage.ranOnce('not sent', await stage.submit('not sent', 'echo x'), 'x\n');
    });

    for (const moment of KEY_MOMENTS)
      await check(`killed ${moment} ms after a new key was asked for, it has one that counts`, async () => {
        await stage.rotate();
        await sleep(moment);
        await agent.kill();
        await stage.restart();
        await stage.hasRotated();
        const name = `key ${moment}`;
        await stage.ranOnce(name, await stage.submit(name, 'echo x'), 'x\n');
      });
  } finally {
    await stage.close();
  }
}

export async function scripted(place: Place): Promise<void> {
  const { check, command, folder } = place;
  const stage = await ScriptedStage.open(place);
  const { agent, relay, service } = stage;
  try {
    agent.start();
    await stage.joined();

    await check(
      'answers that are not JSON, huge, unknown or name other folders are survived, and nothing runs',
      async () => {
        const trap = stage.file('trap');
        service.trap = trap;
        relay.cut();
        const enough = performance.now() + 15_000;
        await soon(
          'some nonsense',
          () => service.nonsense >= 20 || (service.nonsense >= 4 && performance.now() > enough),
        );
        must(agent.isRunning, `the agent ended: ${agent.program?.printed.slice(-300)}`);
        must(!existsSync(trap), 'a command of a message that is none was run');
        service.trap = undefined;
        service.rejoin();
        relay.cut();
        await stage.joined();
        stage.give('sane', 'true');
        await stage.endsOf('sane');
        must(stage.starts('sane') === 1, `it was started ${stage.starts('sane')} times`);
      },
    );

    if (storesKeys(command))
      await check('a new key is used from then on', async () => {
        service.replaceKey(KEY);
        await soon('the answer to it', () => service.storedKeys.has(KEY_DIGEST) || service.keys.has(KEY));
        relay.cut();
        await soon('a request with it', () => service.keys.has(KEY));
        must(readFileSync(path.join(folder, 'key'), 'utf8').trim() === KEY, 'it is not in the key file');
      });
  } finally {
    await stage.close();
  }
}
