// Self-updates of agents to the program that this service publishes and signs: which agents can update, the request,
// and the result.
import type { Hello, Update, UpdateState } from '#/contract/agent-link.ts';
import type { AgentUpdate } from '#/contract/devices.ts';
import type { Caller } from '../store/caller.ts';
import type { Audit } from '../store/audit.ts';
import type { AgentConnection } from '../agents/agent-connection.ts';
import type { Link } from '../agents/link.ts';
import { Conflict } from '../store/errors.ts';
import type { PublishedAgent } from '../agents/published-agent.ts';
import type { AgentSigner, SignedAgent } from '../agents/signed-agent.ts';
import type { Database } from '../store/database.ts';
import { logFault } from '../store/system-fault.ts';
import { askToUpdate, deviceById, isLatest, keyHashOf, setAgentState, updateAbility } from '../store/devices.ts';
import { scopeOf } from '../store/scope.ts';
import type { AgentState, DeviceRow } from '../store/devices.ts';

export interface AgentUpdates {
  /** Asks the agent of a device to update itself. Resolves when the request is stored, not when the update is done. */
  begin(caller: Caller, deviceId: string): Promise<void>;
  /**
   * The same, although the device has run a newer program than the published one; `sequence` must be that of the
   * published one.
   */
  downgrade(caller: Caller, deviceId: string, sequence: number): Promise<void>;
  /** The update state that lists show for an agent that just connected. */
  stateOf(hello: Hello): AgentState;
  /** Sends an agent that checks signatures the key to trust. */
  sendSigner(connection: AgentConnection): void;
  /** Sends an agent the update that the database asks for, unless another program has been published since. */
  send(connection: AgentConnection, asked: string): void;
}

export interface AgentUpdatesOptions {
  db: Database;
  link: Link;
  audit: Audit;
  now: () => number;
  published: PublishedAgent;
  signer: AgentSigner;
}

const UNDER_WAY: Record<'waiting' | 'installing', AgentUpdate> = { waiting: 'Waiting', installing: 'Updating' };

const OTHER_BUILD =
  'the node of the service that the device is connected to publishes another program than the one that was asked; try again when all nodes run the same version';
const OTHER_KEY = 'It trusts the update key of another service. Run install.sh on the device again.';

function stateOf({ update, agentVersion }: Hello, published: PublishedAgent, signer: AgentSigner): AgentState {
  const none = { problem: '', text: '' } as const;
  if (!update) return { update: '', ...none };
  const sha256 = published.program()?.sha256;
  const { trust } = update;
  if (update.build !== '' && update.build === sha256) return { update: 'Current', ...none };
  if (update.unable !== '') return { update: 'Unable', problem: '', text: update.unable };
  if (trust && !isKnown(trust.key, signer)) return { update: 'Unable', problem: '', text: OTHER_KEY };
  if (update.underWay) return { update: UNDER_WAY[update.underWay], ...none };
  const can = isNewer(trust, signer.sequence()) ? 'Newer' : 'Available';
  // A failed update to a program that is no longer published does not matter.
  if (update.failed?.sha256 === sha256) return { ...failed(update.failed, agentVersion), update: can };
  return { update: can, ...none };
}

/** Whether the agent trusts the current key, or can follow the chain of changes to it. */
const isKnown = (key: string, { key: { publicKey, earlier } }: AgentSigner): boolean =>
  key === '' || key === publicKey || earlier.includes(key);

const isNewer = (trust: { sequence: number } | undefined, published: number | undefined): boolean =>
  trust !== undefined && published !== undefined && trust.sequence > published;

function failed(failure: Extract<UpdateState, { state: 'failed' }>['failed'] | undefined, runs: string): AgentState {
  const { version = '', reason = '', wentBack = false } = failure ?? {};
  const text = `The update${version && ` to ${version}`} failed${wentBack ? ` and it went back to ${runs}` : ''}: ${reason}`;
  return { update: 'Available', problem: 'UpdateFailed', text };
}

export function openAgentUpdates({ db, link, audit, now, published, signer }: AgentUpdatesOptions): AgentUpdates {
  const note = (connection: AgentConnection, state: AgentState) =>
    void db
      .write(async (tx) => {
        if (await isLatest(tx, connection)) await setAgentState(tx, connection.deviceSeq, state, now());
      })
      .catch((cause: unknown) => logFault('agent updates: could not note how an update goes', cause));

  link.listenForUpdates((connection, message) =>
    note(
      connection,
      message.state === 'failed'
        ? failed(message.failed, connection.agentVersion)
        : { update: UNDER_WAY[message.state], problem: '', text: '' },
    ),
  );

  const ask = async (caller: Caller, deviceId: string, agent: SignedAgent, isOrder: boolean) => {
    await db.write(async (tx) => {
      const device = await deviceById(tx, scopeOf(caller), deviceId);
      const ability = await updateAbility(tx, device.seq);
      requireAble(ability, { connection: link.of(device.seq), device, agent, isOrder });
      await setAgentState(tx, device.seq, { update: 'Updating', problem: '', text: '' }, now());
      await audit.record(tx, caller, isOrder ? 'device.downgrade-agent' : 'device.update-agent', device.id);
      const { sha256 } = agent.program;
      await askToUpdate(tx, device.seq, isOrder ? `${sha256} ${agent.sequence}` : sha256);
    });
  };

  const updateMessage = async (connection: AgentConnection, isOrder: boolean): Promise<Update> => {
    const { program, version, sequence, signed } = await signer.signed();
    const { sha256, bytes } = program;
    const message = { type: 'update', version, sha256, size: bytes.length, signed } as const;
    const trust = connection.selfUpdate?.trust;
    if (!isOrder || !trust) return message;
    const DeviceKeySha256 = await keyHashOf(db, connection.deviceSeq);
    const order = { DeviceId: connection.deviceId, DeviceKeySha256, Nonce: trust.nonce, Sequence: sequence };
    return { ...message, order: signer.key.sign({ Kind: 'order', ...order }) };
  };

  return {
    begin: async (caller, deviceId) => ask(caller, deviceId, await signer.signed(), false),

    downgrade: async (caller, deviceId, sequence) => {
      await deviceById(db, scopeOf(caller), deviceId);
      const agent = await signer.signed();
      if (agent.sequence !== sequence)
        throw new Conflict(
          `This service does not publish Sequence ${sequence}`,
          `It publishes ${agent.sequence}, version ${agent.version}: order that, or start the service in the version that has the other one.`,
        );
      await ask(caller, deviceId, agent, true);
    },

    stateOf: (hello) => stateOf(hello, published, signer),

    sendSigner: (connection) => {
      if (!connection.selfUpdate?.trust) return;
      const { publicKey: key, changes } = signer.key;
      const about = { type: 'signer', key, changes } as const;
      signer.signed().then(
        ({ signed }) => connection.send({ ...about, published: signed }),
        // Even without a build, the agent should know the key.
        () => connection.send(about),
      );
    },

    send: (connection, asked) => {
      const [sha256 = '', ordered] = asked.split(' ');
      if (published.program()?.sha256 !== sha256)
        return note(connection, failed({ version: '', sha256, reason: OTHER_BUILD, wentBack: false }, ''));
      updateMessage(connection, ordered !== undefined).then(
        (message) => connection.send(message),
        (cause: unknown) => logFault('agent updates: could not read the program', cause),
      );
    },
  };
}

interface Ability {
  online: number;
  update: AgentUpdate | '';
  text: string;
}

interface Asked {
  /** Undefined if the agent is connected to another node, which stores only part of what it reported. */
  connection: AgentConnection | undefined;
  device: DeviceRow;
  agent: SignedAgent;
  isOrder: boolean;
}

function requireAble({ online, update, text }: Ability, { connection, device, agent, isOrder }: Asked): void {
  const refuse = (why: string, what: string) => new Conflict(`The agent of "${device.name}" ${why}`, what);
  const { version, sequence, program } = agent;
  const report = connection?.selfUpdate;
  if (online === 0)
    throw refuse('is Offline', 'Only an agent that is connected can be asked to update: try again when it is Online.');
  if (connection ? !report : update === '')
    throw refuse(
      'is too old to update itself',
      'Run install.sh with --update on the device, this once; from then on it can.',
    );
  if (connection ? report?.build === program.sha256 : update === 'Current')
    throw refuse('is up to date', `It runs the program of this service already, version ${version}.`);
  const unable = report?.unable || (update === 'Unable' && (text || 'The log of the agent says why.'));
  if (unable) throw refuse('cannot update itself', unable);
  if (!isOrder && (connection ? isNewer(report?.trust, sequence) : update === 'Newer'))
    throw refuse(
      'has run a newer program than this service publishes',
      `To go back to version ${version} on purpose: POST /v1/device/${device.id}/downgrade-agent with {"Sequence": ${sequence}}, or "muster-agent back" on the device.`,
    );
}
