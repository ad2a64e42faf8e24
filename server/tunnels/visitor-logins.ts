// Checks the logins of tunnel visitors. Users choose the passwords, so guessing has to be slow, but other visitors at
// the same address (an office, a proxy) must still get in.
//
// Beyond its allowance of wrong logins, an address gets one check at a time, with pauses: a correct login gets its
// turn, and guessing remains about as slow as the allowance. A browser that was let in before proves that with a cookie
// that only this service can create, and does not wait (OWASP, "Slow Down Online Guessing Attacks with Device
// Cookies").
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SigninLimit } from '../auth/signin-limit.ts';
import type { VisitedTunnel } from './visited-tunnel.ts';

type Guarded = Pick<VisitedTunnel, 'name' | 'admits'>;

export type Verdict = 'right' | 'wrong' | 'too-many';

export interface VisitorLogins {
  /** Checks a login; returns a promise if the address has to wait. */
  check(visit: { tunnel: Guarded; login: string; address: string; cookies: string }): Verdict | Promise<Verdict>;
  /** The cookie for a browser that was let in; undefined if it already has it. */
  cookieFor(visit: { tunnel: Guarded; login: string; cookies: string }): string | undefined;
}

/** The cookie's name without and with TLS. These cookies are never forwarded to devices. */
export const VISITOR_COOKIES = ['muster_visitor', '__Host-muster_visitor'] as const;

export function openVisitorLogins(
  limit: Pick<SigninLimit, 'failed' | 'pause'>,
  scheme: 'http' | 'https',
  key: string | Buffer = randomBytes(32),
): VisitorLogins {
  const name = VISITOR_COOKIES[scheme === 'https' ? 1 : 0];
  const proofOf = (tunnel: Guarded, login: string) =>
    createHmac('sha256', key).update(`${tunnel.name} ${login}`).digest('base64url');
  const isShown = (cookies: string, proof: string) =>
    cookies.split(';').some((cookie) => {
      const shown = Buffer.from(cookie.trim());
      const right = Buffer.from(`${name}=${proof}`);
      return shown.length === right.length && timingSafeEqual(shown, right);
    });

  return {
    check: ({ tunnel, login, address, cookies }) => {
      const judge = (): Verdict => {
        if (tunnel.admits(login)) return 'right';
        try {
          limit.failed(address);
          return 'wrong';
        } catch {
          return 'too-many';
        }
      };
      if (isShown(cookies, proofOf(tunnel, login))) return judge();
      const pause = limit.pause(address);
      if (pause === undefined) return 'too-many';
      return pause === 0 ? judge() : wait(pause, undefined, { ref: false }).then(judge);
    },
    cookieFor: ({ tunnel, login, cookies }) => {
      const proof = proofOf(tunnel, login);
      if (isShown(cookies, proof)) return undefined;
      return `${name}=${proof}; Path=/; HttpOnly; SameSite=Lax${scheme === 'https' ? '; Secure' : ''}`;
    },
  };
}
