// Finds the upstream account that a token belongs to.
import { text as textOf } from 'node:stream/consumers';
import { ACCOUNT_PATH, readAccountAnswer } from '#/contract/sign-in-check.ts';
import { Problem } from '../http/problem.ts';
import { refuseInvalid } from './upstream-answer.ts';
import { upstreamFault } from './upstream-fault.ts';
import { withoutToken } from './upstream-scrub.ts';
import type { Upstream } from './upstream.ts';

const MAX_READ = 64 * 1024;
const MAX_WAIT_SECONDS = 3_600;

/**
 * The email address of the account, or '' if the service gives none. If the service refuses the token, throws a Problem
 * with its explanation.
 */
export async function emailOf(upstream: Upstream, token: string): Promise<string> {
  const { status, body, retryAfter } = await accountOf(upstream, token);
  const wait = Math.min(Number(retryAfter), MAX_WAIT_SECONDS) || undefined;
  const account = readAccountAnswer(upstream.host, status, body, wait);
  if ('email' in account) return account.email;
  const { fault } = account;
  throw new Problem(fault.status, fault.title, fault.detail, {
    headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter },
  });
}

async function accountOf(upstream: Upstream, token: string) {
  try {
    const answer = await upstream.ask({
      method: 'GET',
      target: ACCOUNT_PATH,
      token,
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      signal: AbortSignal.timeout(25_000), // shorter than the browser's time limit
    });
    refuseInvalid(answer, upstream);
    let read = 0;
    answer.on('data', (part: Buffer) => {
      read += part.length;
      if (read > MAX_READ) answer.destroy();
    });
    const body = await textOf(answer).catch(() => '');
    const retryAfter = answer.headers['retry-after'];
    // The service's explanation is shown without the token itself.
    return {
      status: answer.statusCode ?? 0,
      body: withoutToken(body, token),
      retryAfter: retryAfter && withoutToken(retryAfter, token),
    };
  } catch (cause) {
    throw upstreamFault(cause, upstream.host);
  }
}
