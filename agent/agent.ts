// The agent of one device: connects its data folder and jobs to the service. main.ts runs one as a program; tests and
// the demo run many in one process.
import { createHash } from 'node:crypto';
import { arch, hostname, platform, release } from 'node:os';
import path from 'node:path';
import { LINK_VERSION } from '#/contract/agent-link.ts';
import { Connection, type Ending } from './connection.ts';
import { DeviceKey } from './device-key.ts';
import { BootTime, ownFacts, withPrinted, type FactReport } from './facts.ts';
import { programFacts } from './facts-programs.ts';
import { FactsReporter } from './facts-reporter.ts';
import { JobRunner } from './job-runner.ts';
import { Spool } from './spool.ts';
import type { JobFolder } from './job-folder.ts';
import { supervise } from './supervise.ts';
import { ALLOWS_NONE } from '#/contract/tunnel-allowance.ts';
import { TunnelGate } from './tunnel-gate.ts';
import { TunnelManager } from './tunnel-manager.ts';
import type { TunnelOption } from './tunnel-options.ts';
import { Updater, type UpdaterOptions } from './updater.ts';
import { AGENT_VERSION } from './version.ts';

export interface AgentOptions {
  /** The http or https address of the service. */
  server: string;
  key: string;
  /** Where the key is stored; without files the service cannot replace it. */
  keyFiles?: readonly string[];
  /** The agent's own folder; no other agent may use it. */
  data: string;
  /** The services of this device that can be reached through tunnels. */
  tunnels?: TunnelOption[];
  /** What the service may open tunnels to, besides those; by default nothing. */
  allowTunnels?: string;
  /** Receives one line for each change of state. */
  log?: (line: string) => void;
  /** Starts a job. The default runs it inside this process, where it ends together with the agent. */
  launch?: (folder: JobFolder) => Promise<string | undefined>;
  /** How often it looks for facts that have changed. */
  factsEveryMs?: number | undefined;
  /** How the agent is installed, if it runs as a program. */
  installed?: Pick<UpdaterOptions, 'program' | 'install'>;
  /** The host name that the device reports; by default this machine's. */
  hostname?: string;
}

export interface Agent {
  /** Resolves when the agent has ended: by `stop`, or because the service refused it. */
  ending: Promise<Ending>;
  /** Closes the connection. A running job continues. */
  stop(): Promise<void>;
}

const inThisProcess = async (folder: JobFolder): Promise<undefined> => {
  await supervise(folder);
};

const short = (text: string) => text.slice(0, 255);

/** The agent's own facts, and those of the programs in `facts.d`. */
async function collectFacts(own: Parameters<typeof ownFacts>[0]): Promise<FactReport> {
  const printed = await programFacts(path.join(own.data, 'facts.d'));
  const { facts, problems } = withPrinted(ownFacts(own), printed.facts);
  return { facts, problems: [...printed.problems, ...problems] };
}

/** Starts an agent that reconnects until it is stopped or refused. */
export function startAgent({
  server,
  key,
  data,
  tunnels = [],
  allowTunnels = ALLOWS_NONE,
  log = () => {},
  launch = inThisProcess,
  ...options
}: AgentOptions): Agent {
  const deviceKey = new DeviceKey(key, options.keyFiles);
  const currentKey = () => deviceKey.value;
  const takeKey = (given: string) => {
    try {
      deviceKey.replace(given);
      log('The service gave this device a new key.');
      connection.send({ type: 'key-stored', sha256: createHash('sha256').update(given).digest('hex') });
    } catch (error) {
      const { message } = error as Error;
      log(`The new key could not be stored, and the old one stays in use: ${message}`);
      connection.send({ type: 'key-refused', reason: message.slice(0, 1000) });
    }
  };
  const spool = new Spool(data, log);
  const runner = new JobRunner({ spool, launch, log, send: (message) => connection.send(message) });
  const gate = new TunnelGate(allowTunnels, log);
  const tunnelManager = new TunnelManager({
    server,
    key: currentKey,
    tunnels,
    gate,
    log,
    send: (message) => connection.send(message),
  });
  const updater =
    options.installed &&
    new Updater(
      { ...options.installed, server, key: currentKey, data },
      {
        log,
        send: (message) => connection.send(message),
        hold: (waiting) => runner.hold(waiting),
        release: () => runner.release(),
        restart: () => void connection.stop('updated', 'Restarting with the new version.'),
      },
    );
  const bootTime = new BootTime();
  const reporter = new FactsReporter({
    collect: () => collectFacts({ data, bootTime, hostname: options.hostname }),
    send: (message) => connection.send(message),
    checkedEveryMs: options.factsEveryMs,
  });
  const connection = new Connection({
    server,
    key: currentKey,
    log,
    linkVersion: LINK_VERSION,
    hello: () => ({
      journal: spool.journal,
      agentVersion: AGENT_VERSION,
      os: short(`${platform()} ${release()}`),
      arch: arch(),
      hostname: short(options.hostname ?? hostname()),
      jobs: runner.unsettled(),
      allowsTunnels: gate.allowed,
      ...(spool.setAside.length > 0 && { setAside: spool.setAside.slice(0, 20) }),
      newKey: { unable: deviceKey.unable },
      ...(updater && { update: updater.state(connection.isPrivate) }),
    }),
    received: (message) => {
      switch (message.type) {
        case 'welcome':
          spool.setAside = [];
          updater?.connected();
          reporter.connected(message.facts);
          return tunnelManager.offer();
        case 'update':
          return void updater?.begin(message);
        case 'signer':
          return updater?.followSigner(message, connection.isPrivate);
        case 'key':
          return takeKey(message.key);
        case 'opened':
        case 'closed':
        case 'carry':
          return tunnelManager.received(message);
        case 'run':
          return runner.run(message);
        case 'stored':
          return runner.stored(message.job, message.have);
        case 'cancel':
          return runner.cancel(message.job);
        case 'settled':
          return runner.settled(message.job);
      }
    },
    lost: () => {
      runner.disconnected();
      tunnelManager.lost();
      reporter.lost();
      updater?.lost();
    },
  });
  connection.dial();
  void connection.ending.then(() => runner.stop());
  return { ending: connection.ending, stop: () => connection.stop() };
}
