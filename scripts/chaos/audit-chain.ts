// The audit log after a run: its chain of hashes is whole, and every acknowledged device is in it.
import type { AuditEntry } from '#/contract/audit.ts';
import { TestProcess } from '../test-process.ts';
import type { Check } from './verify.ts';
import type { Client, Ledger } from './writer.ts';

/** @param env of the service, whose database is verified beside it */
export async function checkAudit(client: Client, ledger: Ledger, env: NodeJS.ProcessEnv): Promise<Check[]> {
  const verified = new TestProcess(['server/audit.ts', 'verify'], { env });
  const code = await verified.ended;
  const created = new Set<string>();
  for (let before = ''; ;) {
    const { Items, Next } = await client.read<{ Items: AuditEntry[]; Next: string }>(
      `/v1/audit?action=device.create&limit=500&before=${encodeURIComponent(before)}`,
    );
    for (const { Object: id } of Items) created.add(id);
    if (Next === '') break;
    before = Next;
  }
  const made = [...ledger.devices.keys(), ...ledger.deletedDevices];
  return [
    { what: 'the chain of the audit log is whole', looked: 1, wrong: code === 0 ? [] : [verified.printed] },
    {
      what: 'every acknowledged device is in the audit log',
      looked: made.length,
      wrong: made.filter((id) => !created.has(id)),
    },
  ];
}
