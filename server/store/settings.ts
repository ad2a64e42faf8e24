// The id of this installation.
import { newId } from './ids.ts';
import type { Tx } from './database.ts';

/** Created at the first start. */
export async function instanceId(tx: Tx): Promise<string> {
  const known = await tx.get<{ value: string }>(`SELECT value FROM settings WHERE key = 'instance'`);
  if (known) return known.value;
  const id = newId();
  await tx.run(`INSERT INTO settings (key, value) VALUES ('instance', ?)`, id);
  return id;
}
