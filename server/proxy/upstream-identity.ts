// Who may see and steer the rollouts of a gateway: those who have a token of the account that UPSTREAM_TOKEN belongs to.
import { Problem } from '../http/problem.ts';
import type { Database } from '../store/database.ts';
import { hashSecret } from '../store/ids.ts';
import { upstreamAccount } from '../store/upstream-fleet.ts';
import { emailOf } from './upstream-account.ts';
import type { Upstream } from './upstream.ts';

export interface UpstreamIdentity {
  /** The account that rollouts run for. */
  operator(): Promise<{ id: number; email: string }>;
  /** That account, for a person with this token; a 403 for anybody else. `isWrite`: the service is asked again. */
  caller(token: string, isWrite: boolean): Promise<{ id: number; email: string }>;
  /** Whether rollouts are offered to somebody with this address. */
  isOperator(email: string): Promise<boolean>;
}

/** The operator's token is one of the environment; a person's may be revoked at any time. */
const OPERATOR_MS = 600_000;
const CALLER_MS = 30_000;
const MOST_REMEMBERED = 500;

interface IdentityOptions {
  upstream: Upstream;
  token: string;
  db: Database;
  steady: () => number;
}

export function openUpstreamIdentity({ upstream, token, db, steady }: IdentityOptions): UpstreamIdentity {
  const { host, address } = upstream;
  const remembered = new Map<string, { email: string; at: number }>();
  const emailBy = async (secret: string, forMs: number): Promise<string> => {
    const key = hashSecret(secret).toString('base64');
    const known = remembered.get(key);
    if (known && steady() - known.at < forMs) return known.email;
    remembered.delete(key);
    const email = await emailOf(upstream, secret);
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(key, { email, at: steady() });
    return email;
  };

  const operatorEmail = async () => {
    const email = await emailBy(token, OPERATOR_MS).catch((cause: unknown) => {
      if (cause instanceof Problem && cause.status === 401)
        throw new Problem(502, `${host} refuses UPSTREAM_TOKEN`, 'Rollouts wait until the operator sets a valid one.');
      throw cause;
    });
    if (email.trim() === '')
      throw new Problem(
        403,
        `${host} does not say whose account a token belongs to`,
        'Rollouts run with the token of the operator, and nobody can be recognised as of the same account.',
      );
    return email;
  };
  let account: { id: number; email: string } | undefined;
  const operator = async () => {
    const email = await operatorEmail();
    if (account?.email !== email) account = { email, id: await db.write((tx) => upstreamAccount(tx, address, email)) };
    return account;
  };

  return {
    operator,
    isOperator: async (email) => email !== '' && email === (await operatorEmail()),
    caller: async (secret, isWrite) => {
      const email = await emailBy(secret, isWrite ? 0 : CALLER_MS);
      const own = await operator();
      if (email === own.email) return own;
      throw new Problem(
        403,
        'Rollouts are for another account',
        `They run with the token of the operator, which is of another account of ${host} than yours.`,
      );
    },
  };
}
