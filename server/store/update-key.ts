// The Ed25519 key that signs agent updates, and the number of each published build. Both are settings in the database,
// so that all nodes and backups have them. With UPDATE_KEY_SECRET the key is encrypted, so that the database alone is
// not enough to sign.
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Signed, Statement } from '#/contract/agent-link.ts';
import { Unavailable } from './errors.ts';
import type { Reader, Tx } from './database.ts';

export interface UpdateKey {
  /** SPKI in base64. */
  publicKey: string;
  /** The chain from earlier keys to this one, oldest first: each change is signed with the previous key. */
  changes: Signed[];
  /** The earlier public keys, in the same form. */
  earlier: string[];
  sign: (statement: Statement) => Signed;
}

interface Stored {
  Public: string;
  /** PKCS #8 in base64, encrypted if `Sealed`. */
  Private: string;
  Sealed: boolean;
  Changes: Signed[];
  Earlier: string[];
}

const NAME = 'update_key';
const BUILDS = 'agent_builds';
/** The most builds whose numbers are remembered. */
const MAX_BUILDS = 1000;

const write = (tx: Tx, name: string, value: string) =>
  tx.run(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    name,
    value,
  );

const read = async (db: Reader, name: string) =>
  (await db.get<{ value: string }>('SELECT value FROM settings WHERE key = ?', name))?.value;

const SEALED = new Unavailable(
  'The key that signs updates is sealed',
  'Start the service with the UPDATE_KEY_SECRET that it was sealed with. If that is lost: npm run update-key -- replace',
);

function openPrivate({ Private, Sealed }: Stored, secret: string | undefined): KeyObject | undefined {
  if (Sealed && secret === undefined) return undefined;
  try {
    const passphrase = Sealed && secret !== undefined ? { passphrase: secret } : {};
    return createPrivateKey({ key: Buffer.from(Private, 'base64'), format: 'der', type: 'pkcs8', ...passphrase });
  } catch (cause) {
    if (Sealed) return undefined;
    throw cause;
  }
}

function openKey(stored: Stored, secret: string | undefined): UpdateKey {
  const key = openPrivate(stored, secret);
  return {
    publicKey: stored.Public,
    changes: stored.Changes,
    earlier: stored.Earlier,
    sign: (content) => {
      if (!key) throw SEALED;
      const statement = JSON.stringify(content);
      return { statement, signature: sign(null, Buffer.from(statement), key).toString('base64') };
    },
  };
}

const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey;

const storable = (key: KeyObject, secret: string | undefined): Pick<Stored, 'Public' | 'Private' | 'Sealed'> => ({
  Public: createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64'),
  Private: key
    .export({
      format: 'der',
      type: 'pkcs8',
      ...(secret !== undefined && { cipher: 'aes-256-cbc', passphrase: secret }),
    })
    .toString('base64'),
  Sealed: secret !== undefined,
});

async function store(tx: Tx, stored: Stored, secret: string | undefined): Promise<UpdateKey> {
  await write(tx, NAME, JSON.stringify(stored));
  return openKey(stored, secret);
}

/**
 * The key, created at the first start. Writes to a database are serialized, so services that start at the same time get
 * the same key. A key stored before there was a secret is sealed now.
 */
export async function setUpUpdateKey(tx: Tx, secret: string | undefined): Promise<UpdateKey> {
  const known = await read(tx, NAME);
  if (known === undefined) return replaceUpdateKey(tx, secret);
  const stored = JSON.parse(known) as Stored;
  const key = stored.Sealed ? undefined : openPrivate(stored, secret);
  if (!key || secret === undefined) return openKey(stored, secret);
  return store(tx, { ...stored, ...storable(key, secret) }, secret);
}

/** Creates a new key, signed by the current one. */
export async function changeUpdateKey(tx: Tx, secret: string | undefined): Promise<UpdateKey> {
  const { sign: signed, publicKey, changes, earlier } = await setUpUpdateKey(tx, secret);
  const next = storable(newKey(), secret);
  const change = signed({ Kind: 'key', Key: next.Public });
  return store(tx, { ...next, Changes: [...changes, change], Earlier: [...earlier, publicKey] }, secret);
}

/** Creates a key unrelated to earlier ones: no device trusts it until its agent is reinstalled. */
export const replaceUpdateKey = (tx: Tx, secret: string | undefined): Promise<UpdateKey> =>
  store(tx, { ...storable(newKey(), secret), Changes: [], Earlier: [] }, secret);

/** The numbers of builds, by SHA-256. */
export const buildNumbers = async (db: Reader): Promise<Map<string, number>> =>
  new Map(Object.entries(JSON.parse((await read(db, BUILDS)) ?? '{}') as Record<string, number>));

/**
 * The number of a build: the second in which a service of this database first published it, or one more than the
 * highest number. So a build keeps its number on every node and at every start, and what is published after an older
 * backup was restored is still newer than what devices had before.
 */
export async function numberBuild(tx: Tx, sha256: string, now: number): Promise<number> {
  const numbers = await buildNumbers(tx);
  const known = numbers.get(sha256);
  if (known !== undefined) return known;
  const number = Math.max(Math.floor(now / 1000), 1 + Math.max(0, ...numbers.values()));
  const latest = [...numbers, [sha256, number] as const].slice(-MAX_BUILDS);
  await write(tx, BUILDS, JSON.stringify(Object.fromEntries(latest)));
  return number;
}
