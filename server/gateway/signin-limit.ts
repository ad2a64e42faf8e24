// Slows down guessing: only so many sign-ins from one address may fail in a minute.
import { isIPv6 } from 'node:net';
import { Problem } from '../problem.ts';

const WINDOW_MS = 60_000;
/** Addresses remembered at most; past that the longest silent is forgotten, so that a flood cannot fill the memory. */
const MOST_ADDRESSES = 10_000;

export interface SigninLimit {
  /**
   * Counts an attempt as failed until the returned function takes it back: attempts made at the same moment count too.
   * Refuses when the address has used up its share.
   */
  attempt(address: string): () => void;
}

export function openSigninLimit(limit: number, now: () => number): SigninLimit {
  const failures = new Map<string, number[]>();
  return {
    attempt: (address) => {
      const key = neighbourhood(address);
      const at = now();
      const times = failures.get(key) ?? [];
      // A time to come was noted before the clock was set back.
      while (times[0] !== undefined && (times[0] <= at - WINDOW_MS || times[0] > at)) times.shift();
      if (times[0] !== undefined && times.length >= limit) {
        const seconds = Math.max(1, Math.ceil((times[0] + WINDOW_MS - at) / 1000));
        throw new Problem(429, 'Too many failed sign-ins', `Try again in ${seconds} seconds.`, {
          headers: { 'Retry-After': String(seconds) },
        });
      }
      times.push(at);
      failures.delete(key);
      failures.set(key, times);
      const [silent] = failures.keys();
      if (failures.size > MOST_ADDRESSES && silent !== undefined) failures.delete(silent);
      return () => {
        const place = times.indexOf(at);
        if (place >= 0) times.splice(place, 1);
      };
    },
  };
}

/** One IPv6 customer holds a whole /64: counting single addresses would count nothing. */
function neighbourhood(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const left = head ? head.split(':') : [];
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}
