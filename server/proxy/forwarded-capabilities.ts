// What an account says is offered, without what the gateway does not forward.
import { Transform } from 'node:stream';
import type { Capability } from '#/contract/account.ts';

const NOT_FORWARDED: readonly Capability[] = ['archive', 'live', 'people'];

/** Edits the body of an account on its way. Any other body passes unchanged. */
export function forwardedCapabilities(): Transform {
  const parts: Buffer[] = [];
  return new Transform({
    transform: (part: Buffer, _, done) => {
      parts.push(part);
      done();
    },
    flush: (done) => done(null, withoutOthers(Buffer.concat(parts))),
  });
}

function withoutOthers(bytes: Buffer): Buffer | string {
  let account: unknown;
  try {
    account = JSON.parse(bytes.toString());
  } catch {
    return bytes;
  }
  if (typeof account !== 'object' || account === null || !('Capabilities' in account)) return bytes;
  const { Capabilities: all } = account;
  if (!Array.isArray(all)) return bytes;
  return JSON.stringify({
    ...account,
    Capabilities: all.filter((name) => !NOT_FORWARDED.some((each) => each === name)),
  });
}
