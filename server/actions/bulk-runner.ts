// Carries out bulk work, a portion in each unit of work. What is done to an item and its outcome are in one unit: after
// a crash at any time nothing is repeated and nothing is lost. One node does it, the leader; another takes over.
import type { NewBulkDevice } from '#/contract/bulk.ts';
import type { NewDevice } from '#/contract/devices.ts';
import type { Actor, Caller } from '../store/caller.ts';
import { Conflict, Refusal, StoreError } from '../store/errors.ts';
import { singleFlight } from '../single-flight.ts';
import { logFault } from '../store/system-fault.ts';
import type { Dispatch } from '../jobs/dispatch.ts';
import type { Audit } from '../store/audit.ts';
import {
  advance,
  bulkBySeq,
  cancelBulk,
  giveUpBulk,
  insertBulk,
  insertUndo,
  pendingItems,
  newTally,
  pruneBulk,
  runningBulk,
  setOutcome,
  valuesOf,
} from '../store/bulk.ts';
import type { BulkRow, Earlier, ItemOutcome, PendingItem, NewBulk, RunningBulk, StoredDraft } from '../store/bulk.ts';
import { insertBulkKeys, pruneBulkKeys } from '../store/bulk-keys.ts';
import { isStillPermitted } from '../store/current-rights.ts';
import type { Database, Tx } from '../store/database.ts';
import { findDevice } from '../store/devices.ts';
import type { DeviceRow } from '../store/devices.ts';
import { hashSecret, newSecret } from '../store/ids.ts';
import { refreshParents, withParents } from '../store/job-moves.ts';
import type { TouchedParents } from '../store/job-moves.ts';
import { reachesOutside } from '../store/job-scope.ts';
import { findJob } from '../store/jobs.ts';
import type { JobRow } from '../store/jobs.ts';
import { rightsOf } from '../store/people.ts';
import { scopeOf, wholeAccount } from '../store/scope.ts';
import { ensureTags, requireTag } from '../store/tags.ts';
import { done, failed, gone, nameOfJob, openBulkItems, refusalText } from './bulk-items.ts';
import type { DeviceActions } from './device-actions.ts';

export interface BulkRunner {
  /** Stores bulk work as a part of a unit of work, after which it begins. */
  begin(tx: Tx, asked: Omit<NewBulk, 'at'>): Promise<string>;
  /** Stores the undoing of bulk work, which is cancelled first if it still runs. */
  beginUndo(tx: Tx, caller: Caller, undone: BulkRow): Promise<string>;
  /** The same for new devices. Their keys are made now, since only this caller's secret can seal them. */
  beginCreation(tx: Tx, caller: Caller, secret: string, drafts: readonly NewBulkDevice[]): Promise<string>;
  /** Gives devices new keys, in this unit of work: keys cannot be stored until somebody reads them. */
  newKeys(tx: Tx, caller: Caller, ids: readonly string[]): Promise<{ id: string; keys: NewDevice[] }>;
  /** Ends after the portions under way. */
  close(): Promise<void>;
}

interface RunnerOptions {
  db: Database;
  audit: Audit;
  now: () => number;
  actions: DeviceActions;
  dispatch: Pick<Dispatch, 'stopIn' | 'removeIn' | 'removeStoppedIn' | 'untilStopped'>;
  /** Whether this node is the one that carries out. */
  isLeader: () => boolean;
  /** Whether nothing can be written. */
  readOnly: boolean;
}

/** Most items of a unit of work, and its longest time: other writes wait for it. */
const PORTION = 200;
const PORTION_MS = 15;
/** Items whose statements PostgreSQL gets together: they do not wait for each other. */
const TOGETHER = 50;
/** Finds what was begun at another node, or before a restart. */
const LOOK_EVERY_MS = 1_000;
const PRUNE_EVERY_MS = 5 * 60 * 1000;
const STORED_MS = 7 * 24 * 60 * 60 * 1000;
/** How long after its end bulk work can be undone. */
const UNDO_MS = 60 * 1000;
/** How long the keys of created devices may be read after the last of them was created. */
export const BULK_KEYS_MS = 60 * 60 * 1000;

/** What a refusal leaves to be done; faults of the machine are passed on. */
async function refusalOf(check: () => Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await check();
    return undefined;
  } catch (cause) {
    if (cause instanceof Refusal) return cause;
    throw cause;
  }
}

/** Does it for all; what fails is raised when nothing uses the unit of work any more. */
async function allDone<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const results = await Promise.allSettled(items.map(work));
  const failure = results.find((each) => each.status === 'rejected');
  if (failure) throw failure.reason;
}

export function openBulkRunner(options: RunnerOptions): BulkRunner {
  const { db, audit, now, actions, dispatch, isLeader, readOnly } = options;
  const kinds = openBulkItems({ actions, dispatch, audit, now });
  const closing = new AbortController();
  const underWay = new Map<number, Promise<void>>();
  let prunedAt = Number.NEGATIVE_INFINITY;

  /** One unit of work: the next items. Returns jobs to remove once they have stopped. */
  const portion = async (tx: Tx, seq: number, limit: number) => {
    const bulk = await bulkBySeq(tx, seq);
    if (bulk?.state !== 'Running') return { isOver: true, stopping: [] };
    const caller = callerOf(bulk);
    if (!(await isStillPermitted(tx, bulk, now()))) {
      await giveUpBulk(tx, seq, 'The role of whoever asked for it has changed since', now());
      return { isOver: true, stopping: [] };
    }
    const scope = scopeOf({ ...caller, ...rightsOf(bulk) });
    const values = valuesOf(bulk);
    const parents: TouchedParents = new Map();
    const tally = newTally();
    const stopping: { number: number; row: JobRow }[] = [];
    const refusal =
      values.TagId === undefined
        ? undefined
        : await refusalOf(() => requireTag(tx, bulk.account_id, values.TagId ?? ''));
    const undo = async (device: DeviceRow, earlier: Earlier): Promise<ItemOutcome> => {
      // A tag that was taken off may have been deleted since.
      const tag = earlier.TagId?.[0];
      const missing = tag ? await refusalOf(() => requireTag(tx, bulk.account_id, tag)) : undefined;
      return missing ? failed(device.name, refusalText(missing)) : kinds.undo(tx, caller, scope, device, earlier);
    };
    const outcomeOf = async ({ number, object: id, earlier }: PendingItem): Promise<ItemOutcome | undefined> => {
      if (bulk.of_what === 'Devices') {
        const device = await findDevice(tx, scope, id);
        if (!device) return gone();
        if (bulk.action === 'undo') return undo(device, JSON.parse(earlier ?? '{}') as Earlier);
        return refusal ? failed(device.name, refusalText(refusal)) : kinds.doToDevice(tx, caller, bulk, device, values);
      }
      const row = await findJob(tx, scope, id);
      if (!row) return gone();
      if (await reachesOutside(tx, scope, row, bulk.action === 'stop' ? 'live' : 'records'))
        return failed(nameOfJob(row), 'It also runs on devices that are not in your groups');
      const outcome = await kinds.doToJob(tx, caller, bulk, row, values, parents);
      if (!outcome) stopping.push({ number, row });
      return outcome;
    };

    const create = async (items: readonly PendingItem[]) => {
      const drafts = items.map(({ number, draft }) => ({ number, draft: JSON.parse(draft ?? '') as StoredDraft }));
      const tags = await ensureTags(
        tx,
        bulk.account_id,
        drafts.flatMap(({ draft: { Tags = [] } }) => Tags),
        {
          now: now(),
          created: (id) => audit.record(tx, caller, 'tag.create', id),
        },
      );
      await allDone(drafts, async ({ number, draft }) =>
        setOutcome(tx, bulk, number, await kinds.create(tx, caller, draft, tags), tally),
      );
    };
    const change = (items: readonly PendingItem[]) =>
      allDone(items, async (item) => {
        const outcome = await outcomeOf(item);
        if (outcome) await setOutcome(tx, bulk, item.number, outcome, tally);
      });

    const until = performance.now() + PORTION_MS;
    let next = bulk.next;
    const items = await pendingItems(tx, bulk, limit);
    for (let from = 0; from < items.length && performance.now() < until; from += TOGETHER) {
      const some = items.slice(from, from + TOGETHER);
      await (bulk.action === 'create' ? create : change)(some);
      next = (some.at(-1)?.number ?? next) + 1;
    }
    await refreshParents(tx, parents);
    await advance(tx, bulk, tally, Math.min(next, ...stopping.map(({ number }) => number)), now());
    return { isOver: false, stopping };
  };

  /** Deletes jobs that were stopped first, in one unit of work with their outcomes. */
  const removeStopped = (seq: number, stopping: { number: number; row: JobRow }[]) =>
    db.write(
      async (tx) => {
        const bulk = await bulkBySeq(tx, seq);
        if (bulk?.state !== 'Running') return;
        const tally = newTally();
        await withParents(tx, (parents) =>
          allDone(stopping, async ({ number, row }) => {
            const isThere = await findJob(tx, wholeAccount(bulk.account_id), row.id);
            if (isThere) await dispatch.removeStoppedIn(tx, callerOf(bulk), row, parents);
            await setOutcome(tx, bulk, number, isThere ? done(nameOfJob(row)) : gone(), tally);
          }),
        );
        await advance(tx, bulk, tally, bulk.next, now());
      },
      { essential: true },
    );

  /** An item that cannot be written stops only itself. */
  const failNext = (seq: number) =>
    db.write(
      async (tx) => {
        const bulk = await bulkBySeq(tx, seq);
        const [item] = bulk?.state === 'Running' ? await pendingItems(tx, bulk, 1) : [];
        if (!bulk || !item) return;
        const tally = newTally();
        const outcome = failed('', 'The service could not do it: its log has the reason');
        await setOutcome(tx, bulk, item.number, outcome, tally);
        await advance(tx, bulk, tally, item.number + 1, now());
      },
      { essential: true },
    );

  const work = async ({ seq, action }: RunningBulk): Promise<void> => {
    // On a full disk, only what frees space goes on.
    const essential = action === 'delete' || action === 'stop';
    for (let limit = PORTION; !closing.signal.aborted && isLeader();) {
      try {
        const { isOver, stopping } = await db.write((tx) => portion(tx, seq, limit), { essential, patient: true });
        if (isOver) return;
        if (stopping.length > 0) {
          await dispatch.untilStopped(stopping.map(({ row }) => row.seq));
          await removeStopped(seq, stopping);
        }
        limit = PORTION;
      } catch (cause) {
        // The database cannot be written at all: the next look tries again.
        if (cause instanceof StoreError) throw cause;
        logFault(`bulk: could not change ${limit === 1 ? 'an item' : 'some items'}`, cause);
        if (limit === 1) await failNext(seq);
        limit = 1;
      }
    }
  };

  const prune = async () => {
    prunedAt = now();
    while (await db.write((tx) => pruneBulk(tx, now() - STORED_MS), { essential: true }));
    await db.write((tx) => pruneBulkKeys(tx, now(), BULK_KEYS_MS), { essential: true });
  };

  const looking = singleFlight('bulk: could not look for work', async () => {
    if (closing.signal.aborted || !isLeader()) return;
    for (const bulk of await runningBulk(db)) {
      if (underWay.has(bulk.seq)) continue;
      const working = work(bulk)
        .catch((cause: unknown) => logFault('bulk: could not go on, and tries again', cause))
        .finally(() => underWay.delete(bulk.seq));
      underWay.set(bulk.seq, working);
    }
    if (now() - prunedAt > PRUNE_EVERY_MS) await prune();
  });
  const look = () => void looking.run();
  const timer = readOnly ? undefined : setInterval(look, LOOK_EVERY_MS).unref();

  const insert = async (tx: Tx, asked: Omit<NewBulk, 'at'>) => {
    const made = await insertBulk(tx, { ...asked, at: now() });
    const caller = { ...actorOf(asked.caller), bulkId: made.id };
    await audit.record(tx, caller, `bulk.${asked.action}`, `${made.id} ${asked.items.length} ${asked.of}`);
    return made;
  };

  return {
    begin: async (tx, asked) => {
      const { id } = await insert(tx, asked);
      tx.afterCommit(look);
      return id;
    },
    beginUndo: async (tx, caller, undone) => {
      if (undone.action !== 'edit' && undone.action !== 'tag' && undone.action !== 'untag')
        throw new Conflict('This cannot be undone', 'Only changed fields, locations and tags can be put back.');
      if (undone.ended !== null && Math.abs(now() - undone.ended) > UNDO_MS)
        throw new Conflict('It is too late to undo this', 'It can be undone for a minute after its end.');
      await cancelBulk(tx, undone.seq, now());
      const made = await insertUndo(tx, undone, { caller, at: now() });
      if (!made) throw new Conflict('There is nothing to undo', 'No device was changed.');
      const actor = { ...actorOf(caller), bulkId: made.id };
      await audit.record(tx, actor, 'bulk.undo', `${made.id} ${made.total} Devices`);
      tx.afterCommit(look);
      return made.id;
    },
    beginCreation: async (tx, caller, secret, drafts) => {
      const keys = drafts.map(() => newSecret('mdk'));
      const items = drafts.map((draft, index) => ({ ...draft, KeyHash: hashSecret(keys[index]!).toString('hex') }));
      const { seq, id } = await insert(tx, { caller, action: 'create', of: 'Devices', values: {}, items });
      await insertBulkKeys(tx, seq, { credential: caller.credential, secret }, keys);
      tx.afterCommit(look);
      return id;
    },
    newKeys: async (tx, caller, ids) => {
      const { seq, id } = await insert(tx, { caller, action: 'newKey', of: 'Devices', values: {}, items: ids });
      const tally = newTally();
      const keys: NewDevice[] = [];
      const actor = { ...actorOf(caller), bulkId: id };
      for (const [number, deviceId] of ids.entries()) {
        const device = await findDevice(tx, scopeOf(caller), deviceId);
        if (device) keys.push(await actions.rekey(tx, actor, device));
        const outcome = device ? done(device.name) : gone();
        await setOutcome(tx, { seq }, number, outcome, tally);
      }
      await advance(tx, { seq }, tally, ids.length, now());
      return { id, keys };
    },
    close: async () => {
      closing.abort();
      clearInterval(timer);
      await looking.settled();
      await Promise.all(underWay.values());
    },
  };
}

const callerOf = ({ account_id: id, actor, address, id: bulkId }: BulkRow): Actor => ({
  account: { id, email: '' },
  actor,
  address,
  bulkId,
});

/** Without what only its request has. */
const actorOf = ({ account, actor, address }: Actor): Actor => ({ account, actor, address });
