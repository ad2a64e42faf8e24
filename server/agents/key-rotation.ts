// Gives devices new keys over their agents' connections. The old key counts until the agent has stored the new one, or
// uses it; docs/agent-protocol.md has the messages.
import { speaksHttp } from '#/contract/agent-http.ts';
import type { Hello, KeyAnswer } from '#/contract/agent-link.ts';
import type { Audit } from '../store/audit.ts';
import type { Actor } from '../store/caller.ts';
import type { Database, Tx } from '../store/database.ts';
import type { DeviceRow } from '../store/devices.ts';
import { Conflict } from '../store/errors.ts';
import { hashSecret, newSecret } from '../store/ids.ts';
import {
  askForRotation,
  devicesWithOldKeys,
  hasKey,
  noteKeyRefused,
  noteSentKey,
  noteUnusedKeys,
  rotatingAccounts,
  rotationOf,
  takeKey,
} from '../store/key-rotation.ts';
import { logFault } from '../store/system-fault.ts';
import { DAY_MS } from '../store/usage.ts';
import type { AgentConnection } from './agent-connection.ts';

export interface KeyRotation {
  /** Has a device take a new key, at once or when it is Online again; throws if its connected agent cannot. */
  ask(tx: Tx, caller: Actor, device: DeviceRow): Promise<void>;
  /** Sends the new key that the device is to take, unless the agent has it already. */
  send(tx: Tx, connection: AgentConnection): Promise<void>;
  /** A device uses the key of this hash, and no longer an earlier one; false if the key does not count. */
  use(tx: Tx, deviceSeq: number, keyHash: Uint8Array): Promise<boolean>;
  /** An agent answered to its new key. Resolves when that is stored. */
  answered(connection: AgentConnection, answer: KeyAnswer): Promise<void>;
  /** Asks the devices that are due by the settings of their accounts; a task of the leading node. */
  askDue(): Promise<void>;
}

/** How long a device that is connected has for using the key that it was sent. */
export const UNUSED_AFTER_MS = 60 * 60 * 1000;
/** Devices asked at a time, so that a large fleet does not take all its new keys in the same minute. */
const DUE_AT_ONCE = 200;

/** The actor of the audit log that asks devices by the settings of their accounts. */
const SCHEDULE = 'schedule';

const TOO_OLD = 'Its agent is too old to take a new key over its connection: update the agent first.';
const UNUSED = 'It did not use the new key within an hour, so its old key still counts.';

/** Why the agent of this hello cannot take a new key; '' if it can. */
export const whyKeyFixed = ({ newKey, agentVersion }: Hello): string =>
  newKey ? newKey.unable : speaksHttp(agentVersion) ? '' : TOO_OLD;

export function openKeyRotation({ db, audit, now }: { db: Database; audit: Audit; now: () => number }): KeyRotation {
  const use = async (tx: Tx, deviceSeq: number, keyHash: Uint8Array): Promise<boolean> => {
    const taken = await takeKey(tx, deviceSeq, keyHash, now());
    if (!taken) return hasKey(tx, deviceSeq, keyHash);
    const device = { account: { id: taken.account_id, email: '' }, actor: `device:${taken.id}`, address: '' };
    await audit.record(tx, device, 'device.take-key', taken.id);
    // The node of its session may still know it by the old key.
    tx.syncAgents(deviceSeq);
    return true;
  };

  return {
    ask: async (tx, caller, { seq, id, name }) => {
      const { online = 0, key_fixed: because = '' } = (await rotationOf(tx, seq)) ?? {};
      if (online === 1 && because !== '') throw new Conflict(`"${name}" cannot take a new key by itself`, because);
      await askForRotation(tx, seq, now());
      await audit.record(tx, caller, 'device.rotate-key', id);
    },

    send: async (tx, connection) => {
      const { deviceSeq: seq } = connection;
      const row = await rotationOf(tx, seq);
      if (!row || row.rotation_asked === null || row.key_fixed !== '') return;
      if (connection.newKey !== undefined && row.next_key_sent !== null) return;
      // Within a session it is the same one: the agent may have stored it before its answer was lost.
      const key = (connection.newKey ??= newSecret('mdk'));
      await noteSentKey(tx, seq, hashSecret(key), now());
      tx.afterCommit(() => connection.send({ type: 'key', key }));
    },

    use,

    answered: (connection, answer) =>
      db
        .write(async (tx) => {
          const { deviceSeq, session } = connection;
          if (answer.type === 'key-refused') await noteKeyRefused(tx, deviceSeq, session, answer.reason);
          else if (await use(tx, deviceSeq, Buffer.from(answer.sha256, 'hex')))
            tx.afterCommit(() => connection.useNewKey());
        })
        .catch((cause: unknown) => logFault('key rotation: could not note the answer of an agent', cause)),

    askDue: async () => {
      await db.write((tx) => noteUnusedKeys(tx, now() - UNUSED_AFTER_MS, UNUSED));
      for (const { id: accountId, days } of await rotatingAccounts(db)) {
        const due = await devicesWithOldKeys(db, accountId, now() - days * DAY_MS, DUE_AT_ONCE);
        if (due.length === 0) continue;
        const schedule = { account: { id: accountId, email: '' }, actor: SCHEDULE, address: '' };
        await db.write(async (tx) => {
          for (const { seq, id } of due) {
            await askForRotation(tx, seq, now());
            await audit.record(tx, schedule, 'device.rotate-key', id);
          }
        });
      }
    },
  };
}
