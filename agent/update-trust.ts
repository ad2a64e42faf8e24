// Which updates this device accepts: the public key of its service, and the highest Sequence that it has run. Both are
// in trust.json in the data folder, which install.sh also writes.
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';
import { statements, type Signed, type Signer } from '#/contract/agent-link.ts';
import { writeDurably } from './durable.ts';

export const TRUST_FILE = 'trust.json';

const stored = z.object({ Key: statements.key.shape.Key, Sequence: statements.agent.shape.Sequence });

type Content<Kind extends keyof typeof statements> = z.output<(typeof statements)[Kind]>;

export class UpdateTrust {
  readonly #file: string;
  #key = '';
  #sequence = 0;
  /**
   * Why the file cannot be used; '' if it can be, or does not exist yet. A new key is never learned in place of an
   * unreadable one.
   */
  fault = '';

  constructor(data: string) {
    this.#file = path.join(data, TRUST_FILE);
    try {
      const { Key, Sequence } = z.parse(stored, JSON.parse(readFileSync(this.#file, 'utf8')));
      this.#key = Key;
      this.#sequence = Sequence;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.fault = `${this.#file} cannot be read`;
    }
  }

  /** The trusted key; '' if none is known yet. */
  get key(): string {
    return this.#key;
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** The content of a signed statement; throws if it was not signed with the trusted key, or is of another kind. */
  open<Kind extends keyof typeof statements>(kind: Kind, signed: Signed): Content<Kind> {
    return openSigned(this.#key, kind, signed);
  }

  learn(key: string): void {
    if (!readKey(key)) throw new Error('what the service sent is not an Ed25519 key');
    this.#store(key, this.#sequence);
  }

  /** Follows the chain of key changes: each new key must be signed with the current one. */
  follow({ changes }: Signer): void {
    let key = this.#key;
    for (const change of changes) {
      try {
        key = openSigned(key, 'key', change).Key;
      } catch {
        // This change was made before the device got its key.
      }
    }
    if (key !== this.#key) this.#store(key, this.#sequence);
  }

  /** Records the Sequence that runs here. It is lower than before after a downgrade that somebody ordered. */
  setSequence(sequence: number): void {
    if (sequence !== this.#sequence) this.#store(this.#key, sequence);
  }

  #store(key: string, sequence: number): void {
    writeDurably(this.#file, `${JSON.stringify({ Key: key, Sequence: sequence })}\n`);
    this.#key = key;
    this.#sequence = sequence;
  }
}

function openSigned<Kind extends keyof typeof statements>(
  trusted: string,
  kind: Kind,
  { statement, signature }: Signed,
): Content<Kind> {
  const key = readKey(trusted);
  if (!key || !verify(null, Buffer.from(statement), key, Buffer.from(signature, 'base64')))
    throw new Error('it is not signed with the key that this device trusts');
  const read = z.safeParse(statements[kind] as unknown as z.ZodMiniType<Content<Kind>>, parse(statement));
  if (!read.success) throw new Error(`what the service signed is not a statement of the kind "${kind}"`);
  return read.data;
}

function readKey(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' ? key : undefined;
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
