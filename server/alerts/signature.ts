// The signature of a webhook: its receiver recomputes it with the channel's secret. The time is signed, too, so that an
// old request cannot be sent again later.
import { createHmac } from 'node:crypto';

export const SIGNATURE_HEADER = 'Muster-Signature';

/** @param at milliseconds since the epoch */
export function signatureOf(secret: string, body: string, at: number): string {
  const seconds = Math.floor(at / 1000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}
