// The second factor: codes of an authenticator app (RFC 6238), and recovery codes for when it is lost.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { hashSecret, newId } from '../store/ids.ts';

const STEP_MS = 30_000;
const DIGITS = 6;
/** RFC 4226, section 4, recommends 160 bits. */
const SECRET_BYTES = 20;
/** How far the clock of the app may be off, in steps. */
const DRIFT = 1;
const RECOVERY_CODES = 10;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret, in base32 as authenticator apps take it. */
export const newOtpSecret = (): string => {
  const bits = [...randomBytes(SECRET_BYTES)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replaceAll(/.{5}/g, (five) => BASE32[Number.parseInt(five, 2)] ?? '');
};

function bytesOf(secret: string): Buffer {
  const bits = secret.replaceAll(/./g, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'));
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** The code of a time step (RFC 4226, section 5.3). */
export function otpAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const value = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(value % 10 ** DIGITS).padStart(DIGITS, '0');
}

export const otpStep = (now: number): number => Math.floor(now / STEP_MS);

/** The step of a right code, after which neither it nor an earlier one is right again; undefined for a wrong code. */
export function matchOtp(
  secret: string,
  code: string,
  { now, used }: { now: number; used: number },
): number | undefined {
  const given = Buffer.from(bareCode(code));
  const current = otpStep(now);
  let matched: number | undefined;
  for (let step = current - DRIFT; step <= current + DRIFT; step++) {
    const right = Buffer.from(otpAt(secret, step));
    if (step > used && given.length === right.length && timingSafeEqual(given, right)) matched ??= step;
  }
  return matched;
}

/** What an authenticator app reads from a QR code. */
export function otpUri(secret: string, email: string): string {
  const query = new URLSearchParams({
    secret,
    issuer: 'Muster',
    algorithm: 'SHA1',
    digits: String(DIGITS),
    period: String(STEP_MS / 1000),
  });
  return `otpauth://totp/Muster:${encodeURIComponent(email)}?${query.toString()}`;
}

/** People type codes with spaces and dashes. */
const bareCode = (code: string) => code.replaceAll(/[\s-]/g, '').toLowerCase();

/** Whether somebody typed a code of the app, and not a recovery code. */
export const isOtp = (code: string): boolean => bareCode(code).length === DIGITS;

/** New recovery codes: 80 random bits each. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => newId().replaceAll(/(.{4})(?=.)/g, '$1-'));

/** The stored form of a recovery code. */
export const recoveryHash = (code: string): string => hashSecret(bareCode(code)).toString('base64url');
