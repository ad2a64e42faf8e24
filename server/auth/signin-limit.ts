// Slows down guessing by address, without locking anyone out: a right secret is always accepted, only the answers to
// wrong ones are limited.
//
// Tokens and link codes are always checked first. They have at least 128 random bits, so that guessing is hopeless, and
// /v1 answers the same question without a limit. Passwords of people and of tunnels can be guessed: there, an address or
// person whose share is used up gets one check at a time, with pauses (password-checks.ts, tunnels/visitor-logins.ts).
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Problem } from '../http/problem.ts';

const WINDOW_MS = 60_000;
/** Longest wait of an attempt. */
const LONGEST_PAUSE_MS = 30_000;
/**
 * Most remembered addresses; beyond that the one unused longest is forgotten, so that a flood cannot fill the memory.
 */
const MAX_ADDRESSES = 10_000;

export interface SigninLimit {
  /** Counts a failed attempt; throws a 429 if the address has used up its share. */
  failed(address: string): void;
  /**
   * Milliseconds until an attempt of this address may be checked: 0 within its share, beyond it one at a time.
   * Undefined if too many are waiting.
   */
  pause(address: string): number | undefined;
  /**
   * The same, and counts the attempt as failed until it is known to be right: otherwise many at the same time would all
   * be within the share.
   */
  attempt(address: string): Attempt | undefined;
}

export interface Attempt {
  /** Milliseconds until it may be checked. */
  pause: number;
  right(): void;
}

interface Failures {
  times: number[];
  /** When the next attempt beyond the share may be checked. */
  nextAt: number;
}

/**
 * @param limit failures in `windowMs`: the share of each address, or of whatever else is counted under a key
 * @param now a monotonic clock, in milliseconds
 */
export function openSigninLimit(limit: number, now: () => number, windowMs = WINDOW_MS): SigninLimit {
  const addresses = new Map<string, Failures>();
  const failuresOf = (address: string): Failures => {
    const key = networkOf(address);
    const failures = addresses.get(key) ?? { times: [], nextAt: Number.NEGATIVE_INFINITY };
    const { times } = failures;
    const at = now();
    while (times[0] !== undefined && times[0] <= at - windowMs) times.shift();
    addresses.delete(key);
    addresses.set(key, failures);
    const [silent] = addresses.keys();
    if (addresses.size > MAX_ADDRESSES && silent !== undefined) addresses.delete(silent);
    return failures;
  };

  const pause = (address: string) => {
    const failures = failuresOf(address);
    if (failures.times.length < limit) return 0;
    const at = now();
    const mayAt = Math.max(at, failures.nextAt);
    if (mayAt - at > LONGEST_PAUSE_MS) return undefined;
    failures.nextAt = mayAt + windowMs / limit;
    return mayAt - at;
  };
  return {
    failed: (address) => {
      const { times } = failuresOf(address);
      const at = now();
      times.push(at);
      if (times.length > limit) {
        times.shift();
        const seconds = Math.max(1, Math.ceil(((times[0] ?? at) + windowMs - at) / 1000));
        throw new Problem(
          429,
          'Too many failed sign-ins',
          `This one is not valid either: check that you copied all of it. The right one works at once; try others in ${seconds} seconds.`,
          { headers: { 'Retry-After': String(seconds) } },
        );
      }
    },
    pause,
    attempt: (address) => {
      const { times } = failuresOf(address);
      const isWithin = times.length < limit;
      const wait = pause(address);
      if (wait === undefined) return undefined;
      const at = now();
      if (isWithin) times.push(at);
      return {
        pause: wait,
        right: () => {
          const mine = isWithin ? times.lastIndexOf(at) : -1;
          if (mine >= 0) times.splice(mine, 1);
        },
      };
    },
  };
}

/** Counts an attempt; throws a 429 beyond the share. */
export function countAttempt(limit: SigninLimit, whose: string, title: string): Attempt {
  const counted = limit.attempt(whose);
  if (counted?.pause === 0) return counted;
  const seconds = Math.max(1, Math.ceil((counted?.pause ?? WINDOW_MS) / 1000));
  throw new Problem(429, title, `Try again in ${seconds} seconds.`, { headers: { 'Retry-After': String(seconds) } });
}

/** One IPv6 customer has a whole /64, so that single addresses mean nothing. */
const networkOf = (address: string): string =>
  isIPv6(address) ? ipaddr.IPv6.parse(address).parts.slice(0, 4).join(':') : address;
