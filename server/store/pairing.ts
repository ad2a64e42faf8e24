// Devices that show a code, which a person types to make them devices of an account.
import { PAIRING_LENGTH, PAIRING_LETTERS } from '#/contract/enrolment.ts';
import { randomInt } from 'node:crypto';
import type { Reader, Tx } from './database.ts';
import { unusedKey, type GivenKey } from './enrolment.ts';
import { hashSecret, newId } from './ids.ts';
import { openSeal } from './seal.ts';

const VALID_MS = 600_000;
/** A claimed pairing is kept until the device has surely asked for its key. */
const KEPT_MS = 24 * 60 * 60 * 1000;

export interface PairingRow extends GivenKey {
  id: string;
  code: string;
  machine: Uint8Array;
  name: string;
  expires: number;
}

const COLUMNS = 'id, code, machine, name, expires, device_seq, answer, session';

interface Beginning {
  machine: Uint8Array;
  secret: string;
  name: string;
}

const newCode = (): string =>
  Array.from({ length: PAIRING_LENGTH }, () => PAIRING_LETTERS[randomInt(PAIRING_LETTERS.length)]).join('');

/** A code for this machine: the same again while it is valid and nobody has typed it. */
export async function beginPairing(
  tx: Tx,
  { machine, secret, name }: Beginning,
  now: number,
): Promise<Pick<PairingRow, 'id' | 'code' | 'expires'>> {
  const before = await tx.get<PairingRow>(
    `SELECT ${COLUMNS} FROM pairings WHERE machine = ? AND secret_hash = ? AND device_seq IS NULL AND expires > ?`,
    machine,
    hashSecret(secret),
    now,
  );
  if (before) return before;
  await tx.run('DELETE FROM pairings WHERE expires < ?', now - KEPT_MS);
  const pairing = { id: newId(), code: newCode(), expires: now + VALID_MS };
  const { changes } = await tx.run(
    `INSERT INTO pairings (id, code, machine, secret_hash, name, expires) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (code) DO NOTHING`,
    pairing.id,
    pairing.code,
    machine,
    hashSecret(secret),
    name.toWellFormed(),
    pairing.expires,
  );
  // Another device shows the same code at the moment.
  return changes > 0 ? pairing : beginPairing(tx, { machine, secret, name }, now);
}

/** The pairing of a device that knows its secret. */
export const pairingOf = (db: Reader, id: string, secret: string): Promise<PairingRow | undefined> =>
  db.get<PairingRow>(`SELECT ${COLUMNS} FROM pairings WHERE id = ? AND secret_hash = ?`, id, hashSecret(secret));

/** The device that shows this code now. */
export const pairingByCode = (db: Reader, code: string, now: number): Promise<PairingRow | undefined> =>
  db.get<PairingRow>(
    `SELECT ${COLUMNS} FROM pairings WHERE code = ? AND device_seq IS NULL AND expires > ?`,
    code,
    now,
  );

export const claimPairing = (tx: Tx, id: string, deviceSeq: number) =>
  tx.run('UPDATE pairings SET device_seq = ? WHERE id = ?', deviceSeq, id);

const { seal, open } = openSeal('muster pairing');

/** Records the key that the device gets, so that it can be repeated until it was used. */
export const notePairingKey = (tx: Tx, id: string, secret: string, key: string) =>
  tx.run(
    `UPDATE pairings SET answer = ?, session = (SELECT session FROM devices WHERE devices.seq = device_seq) WHERE id = ?`,
    seal(secret, id, key),
    id,
  );

export const unusedPairingKey = (db: Reader, row: PairingRow, secret: string): Promise<string | undefined> =>
  unusedKey(db, row, (sealed) => open(secret, row.id, sealed));
