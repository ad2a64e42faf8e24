// The key that seals what people's second factors are made of. It is in the database as well: it keeps secrets out of
// exports of single tables and out of logs, but whoever has the whole database can open them.
import { randomBytes } from 'node:crypto';
import type { Tx } from './database.ts';

/** Created by its first use. */
export async function personKey(tx: Tx): Promise<string> {
  const made = randomBytes(32).toString('hex');
  await tx.run("INSERT INTO settings (key, value) VALUES ('person_key', ?) ON CONFLICT (key) DO NOTHING", made);
  const row = await tx.get<{ value: string }>("SELECT value FROM settings WHERE key = 'person_key'");
  return row?.value ?? made;
}
