// The id of this installation.
import { newId } from './ids.ts';
import type { Tx } from './database.ts';

/** Created at the first start. */
export function instanceId(tx: Tx): string {
  const known = tx.get<{ value: string }>(`SELECT value FROM settings WHERE key = 'instance'`);
  if (known) return known.value;
  const id = newId();
  tx.run(`INSERT INTO settings (key, value) VALUES ('instance', ?)`, id);
  return id;
}
