// Who a person is at the identity provider, and the ID token of a session, which signing out there needs.
import type { Reader, Tx } from './database.ts';
import { fold } from '#/contract/fold.ts';
import { hashSecret } from './ids.ts';
import { deletePersonCodes, endSessionsOf } from './people.ts';
import type { PersonRow } from './people.ts';

export const personByIdentity = (db: Reader, issuer: string, subject: string): Promise<PersonRow | undefined> =>
  db.get<PersonRow>('SELECT * FROM people WHERE issuer = ? AND subject = ?', issuer, subject);

/** From now on the provider decides who this is: a password, or a session opened with it, would let in whom it has locked out. */
export async function joinIdentity(
  tx: Tx,
  personId: string,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<void> {
  await tx.run(
    `UPDATE people SET issuer = ?, subject = ?, source = 'oidc', password = '', otp_secret = NULL, otp_step = 0,
       recovery_json = '[]' WHERE id = ?`,
    issuer,
    subject,
    personId,
  );
  await deletePersonCodes(tx, personId);
  await endSessionsOf(tx, personId);
}

export const setContact = (tx: Tx, personId: string, { email, name }: { email: string; name: string }) =>
  tx.run(
    'UPDATE people SET email = ?, email_folded = ?, name = ? WHERE id = ?',
    email.toWellFormed(),
    fold(email.trim()),
    name.trim().toWellFormed(),
    personId,
  );

/** @param value of the session's cookie */
export const recordIdToken = (tx: Tx, value: string, sealed: Uint8Array) =>
  tx.run('UPDATE sessions SET id_token = ? WHERE hash = ?', sealed, hashSecret(value));

export const sealedIdToken = (
  db: Reader,
  sessionId: string,
): Promise<{ person_id: string; id_token: Uint8Array } | undefined> =>
  db.get('SELECT person_id, id_token FROM sessions WHERE id = ? AND id_token IS NOT NULL', sessionId);
