// Signs a browser in, however it proved who uses it.
import type { Audit } from '../store/audit.ts';
import type { Tx } from '../store/database.ts';
import { recordSeen } from '../store/people.ts';
import type { PersonRow } from '../store/people.ts';
import { deleteSession, insertSession } from '../store/sessions.ts';
import type { NewSession } from '../store/sessions.ts';

/** Who signs in, and how. */
export interface SigningIn {
  account: { id: number; email: string };
  actor: string;
  session: Omit<NewSession, 'address'>;
}

export const signingIn = (person: PersonRow, session: Omit<NewSession, 'address' | 'personId'>): SigningIn => ({
  account: { id: person.account_id, email: person.email },
  actor: `person:${person.id}`,
  session: { ...session, personId: person.id },
});

interface From {
  address: string;
  /** The session that the browser had until now, which ends. */
  before: { id: string } | undefined;
  now: number;
}

/** Returns the value of the session's cookie. */
export async function openSession(
  tx: Tx,
  audit: Audit,
  { account, actor, session }: SigningIn,
  { address, before, now }: From,
): Promise<string> {
  if (before) await deleteSession(tx, before.id);
  const { id, value } = await insertSession(tx, account.id, { ...session, address }, now);
  if (session.personId !== undefined) await recordSeen(tx, session.personId, now);
  await audit.record(tx, { account, actor, address }, 'session.open', id);
  return value;
}
