// Agents that replace themselves with the program that this service publishes: which can, the request, and the result.
import type { Hello, UpdateState } from '#/contract/agent-link.ts';
import type { AgentUpdate } from '#/contract/devices.ts';
import type { Caller } from '../http/caller.ts';
import type { Audit } from '../store/audit.ts';
import type { AgentConnection } from '../agents/agent-connection.ts';
import type { Link } from '../agents/link.ts';
import { Problem } from '../http/problem.ts';
import { requireProgram } from '../agents/published-agent.ts';
import type { PublishedAgent } from '../agents/published-agent.ts';
import type { Database } from '../store/database.ts';
import { logFault } from '../http/system-fault.ts';
import { askToUpdate, deviceById, isLatest, setAgentState, updateAbility } from '../store/devices.ts';
import type { AgentState } from '../store/devices.ts';

export interface AgentUpdates {
  /** Asks the agent of a device to update itself. Resolves when the update has started, not when it is done. */
  begin(caller: Caller, deviceId: string): Promise<void>;
}

export interface AgentUpdatesOptions {
  db: Database;
  link: Link;
  audit: Audit;
  now: () => number;
  published: PublishedAgent;
}

const UNDER_WAY: Record<'waiting' | 'installing', AgentUpdate> = { waiting: 'Waiting', installing: 'Updating' };

/** The update state that lists show for an agent that just connected. */
export function agentStateOf({ update, agentVersion }: Hello, published: PublishedAgent): AgentState {
  const none = { problem: '', text: '' } as const;
  if (!update) return { update: '', ...none };
  const sha256 = published.program()?.sha256;
  if (update.build !== '' && update.build === sha256) return { update: 'Current', ...none };
  if (update.unable !== '') return { update: 'Unable', ...none };
  if (update.underWay) return { update: UNDER_WAY[update.underWay], ...none };
  // A failure to install another program than the one published now no longer matters.
  return update.failed?.sha256 === sha256 ? failed(update.failed, agentVersion) : { update: 'Available', ...none };
}

function failed(failure: Extract<UpdateState, { state: 'failed' }>['failed'] | undefined, runs: string): AgentState {
  const { version = '', reason = '', wentBack = false } = failure ?? {};
  const text = `The update to ${version} failed${wentBack ? ` and it went back to ${runs}` : ''}: ${reason}`;
  return { update: 'Available', problem: 'UpdateFailed', text };
}

export function openAgentUpdates({ db, link, audit, now, published }: AgentUpdatesOptions): AgentUpdates {
  link.listenForUpdates((connection, message) => {
    const state: AgentState =
      message.state === 'failed'
        ? failed(message.failed, connection.agentVersion)
        : { update: UNDER_WAY[message.state], problem: '', text: '' };
    db.write(async (tx) => {
      if (await isLatest(tx, connection)) await setAgentState(tx, connection.deviceSeq, state, now());
    }).catch((cause: unknown) => logFault('agent updates: could not note how an update goes', cause));
  });

  return {
    begin: async (caller, deviceId) => {
      const program = requireProgram(published);
      const version = await program.version();
      await db.write(async (tx) => {
        const device = await deviceById(tx, caller.account.id, deviceId);
        const { sha256 } = program;
        requireAble(await updateAbility(tx, device.seq), link.of(device.seq), device.name, { sha256, version });
        await setAgentState(tx, device.seq, { update: 'Updating', problem: '', text: '' }, now());
        await audit.record(tx, caller, 'device.update-agent', device.id);
        await askToUpdate(tx, device.seq, sha256);
      });
    },
  };
}

/** Sends an agent the program, unless another one was published since the request. */
export function sendUpdate(connection: AgentConnection, sha256: string, published: PublishedAgent): void {
  const program = published.program();
  if (program?.sha256 !== sha256) return;
  program.version().then(
    (version) => connection.send({ type: 'update', version, sha256, size: program.bytes.length }),
    (cause: unknown) => logFault('agent updates: could not read the program', cause),
  );
}

interface Ability {
  online: number;
  update: AgentUpdate | '';
}

/** `connection` is undefined if the agent is connected to another node: what it reported there is known in part. */
function requireAble(
  { online, update }: Ability,
  connection: AgentConnection | undefined,
  name: string,
  { sha256, version }: { sha256: string; version: string },
): void {
  const refuse = (why: string, what: string) => new Problem(409, `The agent of "${name}" ${why}`, what);
  if (online === 0)
    throw refuse('is Offline', 'Only an agent that is connected can be asked to update: try again when it is Online.');
  if (connection ? !connection.selfUpdate : update === '')
    throw refuse(
      'is too old to update itself',
      'Run install.sh with --update on the device, this once; from then on it can.',
    );
  if (connection ? connection.selfUpdate?.build === sha256 : update === 'Current')
    throw refuse('is up to date', `It runs the program of this service already, version ${version}.`);
  const unable = connection ? connection.selfUpdate?.unable : update === 'Unable' && 'The log of the agent says why.';
  if (unable) throw refuse('cannot update itself', unable);
}
