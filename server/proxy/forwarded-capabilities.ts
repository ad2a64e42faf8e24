// Edits the capabilities of an account: removes what the gateway does not forward, and adds tags if the service has
// them without listing capabilities.
import { Transform } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import type { Capability } from '#/contract/account.ts';
import { tagEndpoints } from '#/contract/tags.ts';
import { atMost } from './upstream-limit.ts';
import type { Upstream } from './upstream.ts';

const NOT_FORWARDED: readonly Capability[] = ['archive', 'enrolment', 'live', 'open-tunnels', 'people', 'uploads'];
const MAX_BYTES = 4 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

/** Finds out once whether the service lists tags. */
export class KnownTags {
  private readonly upstream: Upstream;
  private isKnown: boolean | undefined;
  private asking: Promise<void> | undefined;

  constructor(upstream: Upstream) {
    this.upstream = upstream;
  }

  /** Without a clear answer, the next call asks again. */
  async areListed(token: string): Promise<boolean> {
    if (this.isKnown === undefined) {
      this.asking ??= this.ask(token)
        .catch(() => {}) // it stays unknown
        .finally(() => {
          this.asking = undefined;
        });
      await this.asking;
    }
    return this.isKnown ?? false;
  }

  private async ask(token: string): Promise<void> {
    const answer = await this.upstream.ask({
      method: 'GET',
      target: tagEndpoints.list.path,
      token,
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const status = answer.statusCode ?? 0;
    if (status === 401 || status === 429 || status >= 500) return void answer.destroy();
    const limit = atMost(MAX_BYTES);
    answer.once('error', (cause) => limit.destroy(cause));
    const body = await textOf(answer.pipe(limit));
    this.isKnown = status === 200 && isList(body);
  }
}

/** Elsewhere an empty body counts as an empty list, but here it could be the response to any path. */
function isList(body: string): boolean {
  try {
    return body.trim() !== '' && tagEndpoints.list.response.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}

/** Edits the body of an account response as it passes. Any other body passes unchanged. */
export function forwardedCapabilities(hasTags: () => Promise<boolean>): Transform {
  const parts: Buffer[] = [];
  return new Transform({
    transform: (part: Buffer, _, done) => {
      parts.push(part);
      done();
    },
    flush: (done) => {
      edited(Buffer.concat(parts), hasTags).then(
        (body) => done(null, body),
        (cause: unknown) => done(cause as Error),
      );
    },
  });
}

async function edited(bytes: Buffer, hasTags: () => Promise<boolean>): Promise<Buffer | string> {
  let account: unknown;
  try {
    account = JSON.parse(bytes.toString());
  } catch {
    return bytes;
  }
  // An error response is not an account.
  if (typeof account !== 'object' || account === null || !('UserEmail' in account)) return bytes;
  const { Capabilities } = account as { Capabilities?: unknown };
  const all = Array.isArray(Capabilities) ? Capabilities : [];
  const forwarded = all.filter((name) => !NOT_FORWARDED.some((each) => each === name));
  // A service that lists capabilities lists all of them.
  if (all.length === 0 && (await hasTags())) forwarded.push('tags' satisfies Capability);
  return JSON.stringify({ ...account, Capabilities: forwarded });
}
