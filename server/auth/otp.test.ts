// Codes of authenticator apps, against the vectors of RFC 6238, appendix B, cut to six digits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchOtp, newOtpSecret, otpAt, otpStep } from './otp.ts';

/** "12345678901234567890" in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test('codes are those of the standard', () => {
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ] as const)
    assert.equal(otpAt(SECRET, otpStep(seconds * 1000)), code);
});

test('a secret has 160 bits, and codes are found as people type them', () => {
  const secret = newOtpSecret();
  assert.match(secret, /^[A-Z2-7]{32}$/);
  const now = 1_700_000_000_000;
  const code = otpAt(secret, otpStep(now));
  assert.equal(matchOtp(secret, ` ${code.slice(0, 3)} ${code.slice(3)}`, { now, used: 0 }), otpStep(now));
  assert.equal(matchOtp(secret, code, { now, used: otpStep(now) }), undefined);
  assert.equal(matchOtp(secret, code.slice(1), { now, used: 0 }), undefined);
});
