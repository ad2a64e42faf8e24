// The second factor of the person who is signed in. Light: the sign-in page needs it, too.
import { send } from '#/api/call.ts';
import { hideSecret } from '#/contract/mask-secrets.ts';
import type { OtpRecovery, OtpSetup } from '#/contract/sign-in.ts';

/** A new secret, which holds once `confirmSecondFactor` has a code of it. */
export async function beginSecondFactor(Password: string): Promise<OtpSetup> {
  const setup = JSON.parse((await send('POST', '/auth/otp/begin', { Password })).text) as OtpSetup;
  hideSecret(setup.Secret);
  return setup;
}

/** Puts the secret into force and returns the recovery codes, which are shown only here. */
export async function confirmSecondFactor(Setup: string, Otp: string): Promise<string[]> {
  const answer = JSON.parse((await send('POST', '/auth/otp/confirm', { Setup, Otp })).text) as OtpRecovery;
  return answer.RecoveryCodes;
}

export async function removeSecondFactor(Password: string): Promise<void> {
  await send('POST', '/auth/otp/remove', { Password });
}
