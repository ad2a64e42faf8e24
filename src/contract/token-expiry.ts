// The expiry of a token. Many services issue JSON Web Tokens; our own tokens are random text and have none.

/** Milliseconds since the epoch, from the `exp` of a JWT (RFC 7519, section 4.1.4); undefined for any other token. */
export function tokenExpiry(token: string): number | undefined {
  const [, payload, signature, ...more] = token.split('.');
  if (!payload || signature === undefined || more.length > 0) return undefined;
  try {
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    const seconds = typeof claims === 'object' && claims !== null && 'exp' in claims ? claims.exp : undefined;
    // A larger value is no valid Date.
    return typeof seconds === 'number' && Math.abs(seconds) < 8.64e12 ? seconds * 1000 : undefined;
  } catch {
    return undefined;
  }
}

const DAY = 86_400_000;
const YEAR = 365 * DAY;

/** The expiry in a sentence; `warn` if the user should act. */
export function expiryInWords(expires: number, now: number): { text: string; warn: boolean } {
  const left = expires - now;
  const date = new Date(expires).toISOString().slice(0, 10);
  if (left <= 0) return { text: `This token expired on ${date}.`, warn: true };
  if (left >= YEAR) {
    const years = Math.floor(left / YEAR);
    return {
      text: `This token is valid until ${date}, more than ${years === 1 ? 'a year' : `${years} years`} from now: anyone who obtains it can use it until then. Prefer one that expires sooner.`,
      warn: true,
    };
  }
  const days = Math.floor(left / DAY);
  const when = days === 0 ? 'within a day' : days === 1 ? 'in 1 day' : `in ${days} days`;
  return { text: `This token expires on ${date}, ${when}.`, warn: left < 3 * DAY };
}
