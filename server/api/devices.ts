// v1.md, "Devices".
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { deviceEndpoints, NewDevice } from '#/contract/devices.ts';
import type { Context } from '../context.ts';
import { askedBy, idempotencyKey } from '../http/idempotency-key.ts';
import { requireGroup } from '../http/require-permission.ts';
import { JsonResponse } from '../http/json-response.ts';
import type { Handlers } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import type { Database } from '../store/database.ts';
import { deviceById, deviceByKey } from '../store/devices.ts';
import { listFiltered, listPage, listSelected, listSeqs, matchesAmong } from '../store/device-list.ts';
import { fold } from '#/contract/fold.ts';
import { hashSecret, newSecret } from '../store/ids.ts';
import { NAMED_DEVICES, openNameIndex } from '../store/name-index.ts';
import { scopeKey, scopeOf } from '../store/scope.ts';
import { runOnce } from '../store/submissions.ts';
import { openLocationList } from './location-list.ts';
import { RecentSecrets } from './recent-secrets.ts';

/** Rows built at a time; other requests run in between. */
const BATCH = 2_000;
/** The most and the fewest devices found by name that are checked against the other conditions at a time. */
const MAX_CHECKED = 1_000;
const MIN_CHECKED = 100;

export function deviceRoutes(context: Context): Handlers<typeof deviceEndpoints> {
  const { db, order, actions, now } = context;
  const pages = openPages(db);
  const names = openNameIndex(db, NAMED_DEVICES);
  const recent = new RecentSecrets<NewDevice>();
  const locations = openLocationList(context);

  return {
    create: async (request) => {
      const accountId = request.account.id;
      requireGroup(request, request.body.DeviceGroup);
      const key = idempotencyKey(request.http);
      let created: NewDevice | undefined;
      const { id } = await db.write((tx) =>
        runOnce(tx, { accountId, key, content: askedBy(request, request.body) }, now(), async () => {
          const DeviceKey = newSecret('mdk');
          const { id: DeviceId } = await actions.create(tx, request, request.body, hashSecret(DeviceKey));
          const answer = { DeviceId, DeviceKey };
          created = answer;
          if (key !== undefined) tx.afterCommit(() => recent.remember(DeviceId, answer));
          return DeviceId;
        }),
      );
      // A repeated request: the device may have been moved to a group of others since.
      if (!created) await deviceById(db, scopeOf(request), id);
      const answer = created ?? recent.recall(id);
      // A key that was replaced in the meantime would be useless.
      if (answer && (created || (await deviceByKey(db, answer.DeviceKey)))) return answer;
      throw new Problem(
        409,
        'The device was created, but its key is lost',
        `This request created the device "${id}", but the answer with its key was lost. Give it a new key (POST /v1/devices/${id}/key), or delete it.`,
      );
    },

    update: (request) =>
      db.write(async (tx) => {
        const device = await deviceById(tx, scopeOf(request), request.params.device_id);
        if (request.body.DeviceGroup !== undefined) requireGroup(request, request.body.DeviceGroup);
        await actions.update(tx, request, device, request.body);
      }),

    locate: (request) =>
      db.write(async (tx) => {
        const device = await deviceById(tx, scopeOf(request), request.params.device_id);
        await actions.locate(tx, request, device, request.body);
      }),

    locations: (request) => locations(scopeOf(request)),

    page: async (request) => {
      const scope = scopeOf(request);
      const { page_num, rows_per_page } = request.params;
      const version = await pages.version();
      const make = async () => {
        const seqs = await order.seqs(scope);
        const count = seqs.length;
        const shown = seqs.slice((page_num - 1) * rows_per_page, page_num * rows_per_page);
        return `{"Devices":${await listPage(db, scope, shown, rows_per_page)},"TotalNumDevices":${count}}`;
      };
      const page = `${scopeKey(scope)}/${page_num}/${rows_per_page}`;
      return new JsonResponse(() => pages.get(version, page, make), `${version}-${scopeKey(scope)}`, {
        compressible: true,
      });
    },

    filter: async (request) => {
      const scope = scopeOf(request);
      const { query } = request;
      const { page_num, rows_per_page } = request.params;
      const offset = (page_num - 1) * rows_per_page;
      const isNamed = [query.device_name, query.device_id].some(Boolean);
      const isChecked = isNamed || (scope.groups && !query.device_tag && !query.device_group && !query.facts);
      if (!isChecked)
        return new JsonResponse(await listFiltered(db, scope, query, offset, rows_per_page), undefined, {
          compressible: true,
        });
      // Of a limited role's devices only those can be found: a search through the whole account might read all of it.
      const own = scope.groups && [...(await order.seqs(scope))];
      const parts = [query.device_name, query.device_id].map((part) => part && fold(part));
      const found: number[] = [];
      let read = 0;
      for (let after = 0; found.length < offset + rows_per_page;) {
        if (after > 0) await nextTurn();
        const limit = Math.min(MAX_CHECKED, Math.max(MIN_CHECKED, offset + rows_per_page - found.length));
        const candidates =
          own && !isNamed
            ? own.slice(read, read + limit)
            : await names.find(scope.accountId, parts, { after, limit, among: own });
        read += limit;
        found.push(...(await matchesAmong(db, scope, query, candidates)));
        const last = candidates.at(-1);
        if (last === undefined || candidates.length < limit) break;
        after = last;
      }
      return new JsonResponse(await listSeqs(db, scope, found.slice(offset, offset + rows_per_page)), undefined, {
        compressible: true,
      });
    },

    selected: async (request) => {
      const { body } = request;
      const ids = [...new Set(body.map(({ DeviceId }) => DeviceId))];
      const found: string[] = [];
      for (let start = 0; start < ids.length; start += BATCH) {
        if (start > 0) await nextTurn();
        found.push(...(await listSelected(db, scopeOf(request), ids.slice(start, start + BATCH))));
      }
      return new JsonResponse(`[${found.join(',')}]`);
    },

    remove: (request) =>
      db.write(
        async (tx) => {
          const device = await deviceById(tx, scopeOf(request), request.params.device_id);
          await actions.remove(tx, request, device);
        },
        { essential: true },
      ),

    rekey: (request) =>
      db.write(async (tx) => {
        const device = await deviceById(tx, scopeOf(request), request.params.device_id);
        return actions.rekey(tx, request, device);
      }),

    rotateKey: (request) =>
      db.write(async (tx) => {
        const device = await deviceById(tx, scopeOf(request), request.params.device_id);
        await actions.rotateKey(tx, request, device);
      }),

    agent: async () => {
      const { program, version, sequence } = await context.signer.signed();
      return {
        Version: version,
        Sha256: program.sha256,
        Size: program.bytes.length,
        Sequence: sequence,
        PublicKey: context.signer.key.publicKey,
      };
    },

    updateAgent: (request) => context.agentUpdates.begin(request, request.params.device_id),

    downgradeAgent: (request) =>
      context.agentUpdates.downgrade(request, request.params.device_id, request.body.Sequence),
  };
}

/** The most cached pages: enough for the pages and row counts that users view, not for the whole fleet. */
const MAX_PAGES = 64;

/** A cache of pages: many dashboards request the same few, which rarely change. */
function openPages(db: Database) {
  const pages = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  let cachedVersion = '';
  return {
    /** Changes with every change of a device or tag. */
    version: () => db.version('devices', 'device_tags', 'tags'),
    /** The cached page for this version, built if there is none. */
    get: (version: string, page: string, make: () => Promise<string>): Promise<Uint8Array<ArrayBuffer>> => {
      if (version !== cachedVersion) pages.clear();
      cachedVersion = version;
      const stored = pages.get(page);
      if (stored !== undefined) return stored;
      const made = make().then((text) => Buffer.from(text));
      // A failed read is repeated by the next request.
      made.catch(() => pages.get(page) === made && pages.delete(page));
      const [oldest] = pages.keys();
      if (pages.size >= MAX_PAGES && oldest !== undefined) pages.delete(oldest);
      pages.set(page, made);
      return made;
    },
  };
}
