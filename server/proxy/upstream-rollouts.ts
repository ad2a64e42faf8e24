// Rollouts of a gateway, where the operator gives it a token of its own: its routes, and what it does by itself.
import { Transform } from 'node:stream';
import type { Context as HonoContext } from 'hono';
import { rolloutEndpoints } from '#/contract/rollouts.ts';
import { rolloutRoutes } from '../api/rollouts.ts';
import { clientAddress } from '../http/client-address.ts';
import { implement, type App, type Env } from '../http/implement.ts';
import { openLeaderWork } from '../leader-work.ts';
import { openRolloutRunner } from '../rollouts/runner.ts';
import { openUpstreamApi } from './upstream-api.ts';
import { WORK_TIMES, openUpstreamWork, type WorkTimes } from './upstream-work.ts';
import { upstreamFleet, type LastLook } from './upstream-fleet.ts';
import { openUpstreamIdentity, type UpstreamIdentity } from './upstream-identity.ts';
import type { GatewayContext } from './upstream-service.ts';

export interface UpstreamRollouts {
  /** Registers /v1/rollout for those who may use it. */
  routes(app: App, tokenOf: (http: HonoContext<Env>) => Promise<string>): void;
  /** An account as the service sent it, with whether rollouts are offered to it. */
  accountEditor(): Transform;
  /** Begins to carry them on. */
  start(): void;
  close(): Promise<void>;
}

type Gateway = Pick<GatewayContext, 'db' | 'now' | 'clock' | 'upstream' | 'config'>;

export function openUpstreamRollouts(
  { db, now, clock, upstream, config }: Gateway,
  token: string,
  times: Partial<WorkTimes> = {},
): UpstreamRollouts {
  const { steady } = clock;
  const closing = new AbortController();
  const api = openUpstreamApi(upstream, { token, steady, signal: closing.signal });
  const identity = openUpstreamIdentity({ upstream, token, db, steady });
  const last: LastLook = { account: undefined, at: 0, failed: false };
  const fleet = upstreamFleet({ api, db, now, last });
  const run = openRolloutRunner({ db, now, fleet });
  const { look, send } = openUpstreamWork({
    api,
    db,
    now,
    steady,
    identity,
    fleet,
    last,
    run,
    times: { ...WORK_TIMES, ...times },
  });
  let work: ReturnType<typeof openLeaderWork> | undefined;

  return {
    routes: (app, tokenOf) => {
      app.use('/v1/rollout/*', async (http: HonoContext<Env>, next) => {
        const account = await identity.caller(await tokenOf(http), http.req.method !== 'GET');
        const address = clientAddress(config, http.env.incoming);
        http.set('caller', { account, actor: `account:${account.email}`, address });
        await next();
      });
      const namesOf = async (_: unknown, __: number, actors: string[]) =>
        new Map(actors.map((actor) => [actor, actor.replace('account:', '')]));
      // A gateway has no audit log: each step is in the rollout.
      const audit = { record: async () => {} };
      implement(app, rolloutEndpoints, rolloutRoutes({ db, now, fleet, audit, namesOf }));
    },
    accountEditor: () => accountEditor(identity),
    start: () => {
      const everyMs = Math.min(1_000, times.lookMs ?? 1_000);
      work = openLeaderWork(
        () => true,
        [
          { what: 'carry rollouts on', everyMs, run: look },
          { what: 'send the jobs of rollouts', everyMs, run: send },
        ],
      );
    },
    close: async () => {
      closing.abort();
      await work?.close();
    },
  };
}

function accountEditor({ isOperator }: Pick<UpstreamIdentity, 'isOperator'>): Transform {
  const parts: Buffer[] = [];
  return new Transform({
    transform: (part: Buffer, _, done) => {
      parts.push(part);
      done();
    },
    flush(done) {
      const bytes = Buffer.concat(parts);
      const edit = async () => {
        let account: unknown;
        try {
          account = JSON.parse(bytes.toString());
        } catch {
          return bytes;
        }
        if (typeof account !== 'object' || account === null || !('UserEmail' in account)) return bytes;
        const Rollouts = await isOperator(String(account.UserEmail)).catch(() => false);
        return JSON.stringify({ ...account, Rollouts });
      };
      edit().then(
        (text) => done(null, text),
        (cause: unknown) => done(cause instanceof Error ? cause : new Error('The account cannot be read')),
      );
    },
  });
}
