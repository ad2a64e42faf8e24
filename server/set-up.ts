// The first unit of work of each start: what an empty database needs, and what a start finds changed since the last run.
import type { Config } from './config.ts';
import { setUpDownloadKey } from './jobs/downloads.ts';
import { FIRST_ACCOUNT, setUpFirstAccount } from './store/accounts.ts';
import type { Tx } from './store/database.ts';
import { markAllOffline } from './store/devices.ts';
import { countRunning, recordRunning, type Recovered } from './store/last-run.ts';
import { createSigninCode } from './store/sessions.ts';
import { instanceId } from './store/settings.ts';
import { noteAlive } from './store/state-history.ts';
import { markAllTunnelsDown } from './store/tunnels.ts';
import { buildNumbers, setUpUpdateKey } from './store/update-key.ts';
import type { UpdateKey } from './store/update-key.ts';

/** What the start reports to the operator. */
export interface Startup {
  /** Part of the sign-in link; single use. */
  signinCode: string;
  /** The account's first token, which can be shown only once. */
  createdToken: string | undefined;
  /** AUTH_TOKEN is a revoked token, which is not accepted. */
  envTokenRevoked: boolean;
  /** Set if the last run did not stop cleanly. */
  recovered: Recovered | undefined;
}

/**
 * No agent is connected at the start of a service with an embedded database, whatever the tables contain. Undefined
 * after a clean stop.
 */
async function markAllDisconnected(tx: Tx, logBytes: number): Promise<Recovered | undefined> {
  const wasRunning = await recordRunning(tx);
  const devices = (await markAllOffline(tx)).changes;
  const tunnels = (await markAllTunnelsDown(tx)).changes;
  return wasRunning ? { logBytes, devices, tunnels, jobs: await countRunning(tx) } : undefined;
}

interface SetUpOptions {
  config: Config;
  now: number;
  readOnly: boolean;
  /** Whether other nodes may use the database, whose agents stay connected. */
  isShared: boolean;
  /** Whether none does. */
  isAlone: boolean;
  /** Size of what the last run left unmerged. */
  logBytes: number;
}

/** `id`: of this installation; the same at every start. */
export async function setUp(
  tx: Tx,
  { config, now, readOnly, isShared, isAlone, logBytes }: SetUpOptions,
): Promise<{ id: string; downloadKey: Buffer; updateKey: UpdateKey; builds: Map<string, number>; startup: Startup }> {
  const { createdToken, envTokenRevoked } = readOnly
    ? { createdToken: undefined, envTokenRevoked: false }
    : await setUpFirstAccount(tx, config, now);
  if (!readOnly && isAlone) await noteAlive(tx, now, { start: true });
  const recovered = readOnly || isShared ? undefined : await markAllDisconnected(tx, logBytes);
  return {
    id: await instanceId(tx),
    downloadKey: await setUpDownloadKey(tx),
    updateKey: await setUpUpdateKey(tx, config.updateKeySecret),
    builds: await buildNumbers(tx),
    startup: { createdToken, envTokenRevoked, recovered, signinCode: await createSigninCode(tx, FIRST_ACCOUNT, now) },
  };
}
