// The Ed25519 key that updates of agents are signed with, and the number of each build that was published. Both are
// settings in the database: all nodes have them, and so does a backup.
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Signed, Statement } from '#/contract/agent-link.ts';
import type { Reader, Tx } from './database.ts';

export interface UpdateKey {
  /** SPKI in base64. */
  publicKey: string;
  /** How it came from earlier keys to this one, oldest first: each is signed with the key before. */
  changes: Signed[];
  /** The earlier keys, in the same form. */
  earlier: string[];
  sign(statement: Statement): Signed;
}

interface Stored {
  /** PKCS #8 in base64. */
  Private: string;
  Changes: Signed[];
  Earlier: string[];
}

const NAME = 'update_key';
const BUILDS = 'agent_builds';
/** Most builds whose numbers are remembered. */
const MAX_BUILDS = 1000;

const read = async (db: Reader, name: string) =>
  (await db.get<{ value: string }>('SELECT value FROM settings WHERE key = ?', name))?.value;

const publicOf = (key: KeyObject) => createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');

function openKey({ Private, Changes, Earlier }: Stored): UpdateKey {
  const key = createPrivateKey({ key: Buffer.from(Private, 'base64'), format: 'der', type: 'pkcs8' });
  return {
    publicKey: publicOf(key),
    changes: Changes,
    earlier: Earlier,
    sign: (content) => {
      const statement = JSON.stringify(content);
      return { statement, signature: sign(null, Buffer.from(statement), key).toString('base64') };
    },
  };
}

const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey;
const exported = (key: KeyObject) => key.export({ format: 'der', type: 'pkcs8' }).toString('base64');

/** Made at the first start; nodes that start at once get the same. */
export async function setUpUpdateKey(tx: Tx): Promise<UpdateKey> {
  const known = await read(tx, NAME);
  const made: Stored = known
    ? (JSON.parse(known) as Stored)
    : { Private: exported(newKey()), Changes: [], Earlier: [] };
  if (known) return openKey(made);
  await tx.run(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING',
    NAME,
    JSON.stringify(made),
  );
  return openKey(JSON.parse((await read(tx, NAME)) ?? '') as Stored);
}

/** Makes another key, which the present one signs. */
export async function changeUpdateKey(tx: Tx): Promise<UpdateKey> {
  const old = await setUpUpdateKey(tx);
  const key = newKey();
  const change = old.sign({ Kind: 'key', Key: publicOf(key) });
  const stored: Stored = {
    Private: exported(key),
    Changes: [...old.changes, change],
    Earlier: [...old.earlier, old.publicKey],
  };
  await tx.run('UPDATE settings SET value = ? WHERE key = ?', JSON.stringify(stored), NAME);
  return openKey(stored);
}

/** Numbers of builds, by their SHA-256. */
export const buildNumbers = async (db: Reader): Promise<Map<string, number>> =>
  new Map(Object.entries(JSON.parse((await read(db, BUILDS)) ?? '{}') as Record<string, number>));

/**
 * The number of a build: the second in which a service of this database first published it, or one more than the last
 * one. So a build keeps its number on each node and at each start, and what is published after an older backup was
 * restored is still newer than what devices had before.
 */
export async function numberBuild(tx: Tx, sha256: string, now: number): Promise<number> {
  const numbers = await buildNumbers(tx);
  const known = numbers.get(sha256);
  if (known !== undefined) return known;
  const number = Math.max(Math.floor(now / 1000), 1 + Math.max(0, ...numbers.values()));
  const latest = [...numbers, [sha256, number] as const].slice(-MAX_BUILDS);
  await tx.run(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    BUILDS,
    JSON.stringify(Object.fromEntries(latest)),
  );
  return number;
}
