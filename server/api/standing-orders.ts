// Standing orders, an addition. rollouts/standing-orders.ts carries them out.
import { ruleNameOf } from '#/contract/rule-name.ts';
import {
  ENDED_STATES,
  MOST_ORDERS,
  ORDERED_DEVICE_STATES,
  type OrderedDevice,
  type StandingOrder,
  type standingOrderEndpoints,
} from '#/contract/standing-orders.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import type { HandlerRequest, Handlers } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { artifactById } from '../store/artifacts.ts';
import { beginnerOf, isStillPermitted } from '../store/current-rights.ts';
import type { Reader } from '../store/database.ts';
import { ReachesOutside } from '../store/errors.ts';
import { isInScope, scopeOf, wholeAccount } from '../store/scope.ts';
import {
  retryDevices,
  resetStandingOrder,
  countStandingOrder,
  deleteStandingOrder,
  findStandingOrder,
  saveStandingOrder,
  standingOrderDevices,
  standingOrderNamed,
  standingOrdersOf,
  type OrderedDeviceRow,
  type StandingOrderRow,
} from '../store/standing-orders.ts';
import { namesOf } from './audit-names.ts';

const DEFAULT_LIMIT = 100;
const ALL = { before: Number.MAX_SAFE_INTEGER, limit: Number.MAX_SAFE_INTEGER };

export function standingOrderRoutes({ db, audit, now }: Context): Handlers<typeof standingOrderEndpoints> {
  const figuresOf = openFigures(db);

  return {
    list: async (request) => {
      const { account } = request;
      const rows = await standingOrdersOf(db, scopeOf(request));
      const actors = rows.map(({ actor }) => ({ actor, action: '', target: '' }));
      const names = await namesOf(db, account.id, actors);
      return Promise.all(
        rows.map(async (row) => {
          const stopped = !row.has_artifact ? DELETED : (await isStillPermitted(db, row, now())) ? '' : NOT_PERMITTED;
          return shown(row, { Counts: await figuresOf(row), stopped, changedByName: names.get(row.actor) ?? '' });
        }),
      );
    },

    save: (request) =>
      db.write(async (tx) => {
        const { account, params, body, address } = request;
        const scope = scopeOf(request);
        if (!isInScope(scope, body.DeviceGroup))
          throw new ReachesOutside(
            `Your role is limited to ${scope.groups?.join(', ')}. Nothing was saved: choose one of these groups.`,
          );
        const before = await findStandingOrder(tx, scope, params.name);
        await requireUnchanged(tx, request, before);
        if (!before && (await findStandingOrder(tx, wholeAccount(account.id), params.name)))
          throw new Problem(409, `“${params.name.trim()}” cannot be used as a name`, 'Choose another name.');
        const artifact = await artifactById(tx, account.id, body.ArtifactId);
        if (!before && (await standingOrdersOf(tx, wholeAccount(account.id))).length >= MOST_ORDERS)
          throw new Problem(409, `There are ${MOST_ORDERS} standing orders already`, 'Delete some of them first.');
        await saveStandingOrder(tx, {
          account_id: account.id,
          name: params.name.trim(),
          grp: body.DeviceGroup,
          artifact_id: artifact.id,
          artifact_name: ruleNameOf(artifact.name, artifact.version),
          artifact_version: artifact.version,
          ...(await beginnerOf(tx, request)),
          address,
          changed: now(),
        });
        if (before && before.artifact_id !== artifact.id) await resetStandingOrder(tx, before.seq);
        await audit.record(tx, request, 'order.save', params.name.trim());
      }),

    remove: (request) =>
      db.write(
        async (tx) => {
          const row = await standingOrderNamed(tx, scopeOf(request), request.params.name);
          await requireUnchanged(tx, request, row);
          await deleteStandingOrder(tx, row.seq);
          await audit.record(tx, request, 'order.remove', row.name);
        },
        { essential: true },
      ),

    devices: async (request) => {
      const { state, limit, before } = request.query;
      const { seq } = await standingOrderNamed(db, scopeOf(request), request.params.name);
      const most = Number(limit ?? DEFAULT_LIMIT);
      const rows = await standingOrderDevices(db, seq, {
        states: state?.split(',') ?? [],
        before: before ? Number(before) : ALL.before,
        limit: most + 1,
      });
      const items = rows.slice(0, most);
      const last = items.at(-1);
      return { Items: items.map(deviceOf), Next: rows.length > most && last ? String(last.seq) : '' };
    },

    retry: (request) =>
      db.write(async (tx) => {
        const { params, body } = request;
        const row = await standingOrderNamed(tx, scopeOf(request), params.name);
        if (body.Version !== undefined && body.Version !== row.version)
          throw new Problem(409, 'The standing order has changed meanwhile', await lastChange(tx, row));
        if (!row.has_artifact) throw new Problem(409, 'The standing order is stopped', DELETED);
        const wanted = body.DeviceIds && new Set(body.DeviceIds);
        const ended = await standingOrderDevices(tx, row.seq, { ...ALL, states: ENDED_STATES });
        const devices = ended.filter(({ device_id }) => wanted?.has(device_id) ?? true);
        if (devices.length === 0) throw new Problem(409, 'No device has failed', 'There is nothing to try again.');
        await retryDevices(
          tx,
          row.seq,
          devices.map(({ seq }) => seq),
        );
        await audit.record(tx, request, 'order.retry', row.name);
        return { Devices: devices.length };
      }),
  };
}

const DELETED = 'Its artifact was deleted: choose another one.';
const NOT_PERMITTED = 'Whoever saved it last may no longer deploy to this group: somebody who may can save it again.';

/** How long the figures of a standing order are cached: many people may watch the same one. */
const FRESH_MS = 1_000;

function openFigures(db: Reader): (row: StandingOrderRow) => Promise<Record<string, number>> {
  const remembered = new Map<number, { version: number; at: number; counts: Promise<Record<string, number>> }>();
  return ({ seq, version }) => {
    const known = remembered.get(seq);
    if (known?.version === version && performance.now() - known.at < FRESH_MS) return known.counts;
    const counts = countStandingOrder(db, seq);
    if (remembered.size >= MOST_ORDERS) remembered.clear();
    remembered.set(seq, { version, at: performance.now(), counts });
    // Errors are not cached.
    counts.catch(() => remembered.delete(seq));
    return counts;
  };
}

interface Shown {
  Counts: Record<string, number>;
  /** Why it deploys nothing; '' if it does. */
  stopped: string;
  changedByName: string;
}

const shown = (row: StandingOrderRow, { Counts, stopped, changedByName }: Shown): StandingOrder => ({
  Name: row.name,
  DeviceGroup: row.grp,
  ArtifactId: row.artifact_id,
  ArtifactName: row.artifact_name,
  ArtifactVersion: row.artifact_version,
  State: stopped === '' ? 'Active' : 'Stopped',
  Because: stopped,
  Version: row.version,
  Devices: Object.values(Counts).reduce((sum, count) => sum + count, 0),
  Counts,
  ChangedBy: row.actor,
  ChangedByName: changedByName,
  ChangedTime: printIsoTime(new Date(row.changed)),
});

const deviceOf = (row: OrderedDeviceRow): OrderedDevice => ({
  DeviceId: row.device_id,
  DeviceName: row.device_name,
  State: ORDERED_DEVICE_STATES.find((state) => state === row.state) ?? 'Failed',
  Because: row.verdict_because || row.reason || (row.exit_code ? `Exit code ${row.exit_code}` : ''),
  JobId: row.job_id ?? '',
});

async function lastChange(db: Reader, { account_id, actor, changed, name }: StandingOrderRow): Promise<string> {
  const names = await namesOf(db, account_id, [{ actor, action: '', target: '' }]);
  return `“${name}” was changed last by ${names.get(actor) || actor} at ${printIsoTime(new Date(changed))}.`;
}

/** Refuses a change if the order has another version than `If-Match` says; see the contract. */
async function requireUnchanged(db: Reader, request: HandlerRequest, row: StandingOrderRow | undefined): Promise<void> {
  const expected = request.http.req.header('If-Match')?.trim();
  if (expected === undefined || expected === '*' || expected === `"${row?.version ?? 0}"`) return;
  if (row && expected === '"0"')
    throw new Problem(412, `There is a standing order “${row.name}” already`, 'Choose another name, or edit that one.');
  throw row
    ? new Problem(412, 'The standing order has changed meanwhile', await lastChange(db, row))
    : new Problem(412, 'The standing order was deleted meanwhile', 'Nothing was changed.');
}
