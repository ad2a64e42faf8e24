// The logins that visitors of a tunnel show. A person has chosen the password, so guessing has to stay slow; but whoever
// shares an address with the one who guesses (an office, a proxy) must still get in.
//
// Past its share of wrong logins an address gets one look at a time, with pauses: the right login has its turn, and
// guessing stays about as slow as the share. A browser that was let in before shows that by a cookie which only this process
// can make, and does not wait (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SigninLimit } from '../auth/signin-limit.ts';
import type { LiveTunnel } from './live-tunnel.ts';

type Guarded = Pick<LiveTunnel, 'name' | 'admits'>;

export type Verdict = 'right' | 'wrong' | 'too-many';

export interface VisitorLogins {
  /** Judges a login; later, where the address has to wait for its turn. */
  check(visit: { tunnel: Guarded; login: string; address: string; cookies: string }): Verdict | Promise<Verdict>;
  /** What a browser that was let in shows from then on; undefined where it does already. */
  cookieFor(visit: { tunnel: Guarded; login: string; cookies: string }): string | undefined;
}

/** Without TLS and with it. Our own: no device gets to see them. */
export const VISITOR_COOKIES = ['muster_visitor', '__Host-muster_visitor'] as const;

export function openVisitorLogins(limit: SigninLimit, scheme: 'http' | 'https'): VisitorLogins {
  const key = randomBytes(32);
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
